// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo status`: the panel's table in the terminal.

use std::future::poll_fn;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::pin::pin;
use std::process::ExitCode;
use std::task::Poll;

use glib::source::unix_fd_source_new;
use glib::{ControlFlow, IOCondition, MainContext, Priority, SourceFuture};

use super::code;
use super::options::StatusOptions;
use crate::desktop::bus::{Client, Silence, Table};
use crate::i18n::gettext;
use crate::table::Line;
use crate::words;

pub fn run(options: StatusOptions) -> ExitCode {
    match MainContext::new().block_on(print(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Unheard) => code(options.follow),
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Why no table was printed.
#[derive(Debug)]
enum Failure {
    /// The panel gave no answer.
    Silence(Silence),
    /// The panel hears no agents, for the reason that this sentence gives.
    Trouble(String),
    /// Nobody reads what is printed.
    Unheard,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            Self::Silence(silence) => words::silence(silence),
            Self::Trouble(sentence) => sentence.clone(),
            Self::Unheard => return Ok(()),
        })
    }
}

impl From<Silence> for Failure {
    fn from(silence: Silence) -> Self {
        Self::Silence(silence)
    }
}

async fn print(options: StatusOptions) -> Result<(), Failure> {
    let client = Client::new().await?;
    let mut serial = 0;
    loop {
        let table = while_heard(client.sessions_after(serial)).await??;
        if let Some(trouble) = table.trouble {
            return Err(Failure::Trouble(trouble));
        }
        serial = table.serial;
        write(&table, options).map_err(|_| Failure::Unheard)?;
        if !options.follow {
            return Ok(());
        }
    }
}

/// What `work` comes to, unless who reads what is printed goes away before: nothing may change for hours.
async fn while_heard<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let (mut work, mut unheard) = (pin!(work), pin!(unheard()));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending => unheard.as_mut().poll(context).map(|()| Err(Failure::Unheard)),
    })
    .await
}

/// Waits until nobody can read what is printed any more.
async fn unheard() {
    let stdout = io::stdout().as_raw_fd();
    let gone = IOCondition::ERR | IOCondition::HUP;
    SourceFuture::new(move |send| {
        let mut send = Some(send);
        unix_fd_source_new(stdout, gone, None, Priority::DEFAULT, move |_, _| {
            send.take().map(|send| send.send(()));
            ControlFlow::Break
        })
    })
    .await;
}

fn write(table: &Table, options: StatusOptions) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if options.json {
        writeln!(out, "{}", table.sessions)?;
    } else {
        let lines: Vec<Line> = serde_json::from_str(&table.sessions)?;
        write!(out, "{}", text(&lines))?;
        if options.follow {
            writeln!(out)?;
        }
    }
    out.flush()
}

/// Most characters of the column of words.
const WORDS: usize = 64;

/// The table in columns, a session a line.
fn text(lines: &[Line]) -> String {
    if lines.is_empty() {
        return format!("{}\n", gettext("No sessions."));
    }
    let rows: Vec<[String; 5]> = lines.iter().map(cells).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name, words, tasks, time) = (width(0), width(1), width(2), width(3));
    let row = |[a, b, c, d, e]: &[String; 5]| format!("{a:name$}  {b:words$}  {c:>tasks$}  {d:time$}  {e}");
    rows.iter().map(|cells| row(cells).trim_end().to_owned() + "\n").collect()
}

fn cells(line: &Line) -> [String; 5] {
    let name = line.project.clone().unwrap_or_else(words::unknown_project);
    let name = line.branch.iter().fold(name, |name, branch| format!("{name} {branch}"));
    let tasks =
        line.tasks.as_ref().map(|tasks| format!("{}/{}", tasks.done, tasks.total)).unwrap_or_default();
    [name, cut(&line.words), tasks, line.time.clone(), requests(line)]
}

/// What `dasbo answer` takes an answer for, oldest first.
fn requests(line: &Line) -> String {
    let approvals = line.waiting.iter().filter(|wait| wait.kind == "approval");
    approvals.filter_map(|wait| wait.request.as_deref()).collect::<Vec<_>>().join(" ")
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}
