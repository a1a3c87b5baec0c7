// SPDX-License-Identifier: GPL-3.0-or-later
//! Whether the rows are right, once all is mended.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::agent::{Agent, Ended};
use crate::panels::Panels;
use crate::tally::Tally;

/// How long a panel may take until it hears agents again, and until it shows what they said.
const PATIENCE: Duration = Duration::from_secs(20);

const PAUSE: Duration = Duration::from_millis(50);

/// Lets each session end up somehow, and looks at its row.
pub fn judge(panels: &mut Panels, agents: &mut [Agent], tally: &Tally) {
    if within(PATIENCE, || hears(panels).then_some(())).is_none() {
        tally.wrong("no panel hears agents".into());
    }
    let ended: Vec<Ended> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            agents.iter_mut().map(|agent| scope.spawn(move || agent.finish(tally))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let mut table = Vec::new();
    let right = within(PATIENCE, || {
        table = panels.table()?;
        faults(&ended, &table).is_empty().then_some(())
    });
    for ended in &ended {
        tally.count(if ended.hooked { "rows looked at" } else { "rows looked at, without hooks" });
    }
    if right.is_none() {
        for fault in faults(&ended, &table) {
            tally.wrong(fault);
        }
    }
    panels.ensure(tally);
}

fn within<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether somebody listens where helpers look, and shows a table.
fn hears(panels: &Panels) -> bool {
    let variable = |name: &str| std::env::var_os(name);
    let socket = dasbo_core::wire::socket_path(variable, rustix::process::getuid().as_raw());
    socket.is_some_and(|socket| connects(&socket)) && panels.table().is_some()
}

fn connects(socket: &Path) -> bool {
    UnixStream::connect(socket).is_ok()
}

/// Rows that are not as they must be.
fn faults(ended: &[Ended], table: &[Value]) -> Vec<String> {
    let is_of = |line: &Value, ended: &Ended| line["session"] == ended.session.as_str();
    let wrong = ended.iter().filter_map(|ended| {
        let lines: Vec<&Value> = table.iter().filter(|line| is_of(line, ended)).collect();
        match lines[..] {
            [line] if ended.end.is_shown(line, ended.hooked, &ended.word) => None,
            _ => Some(format!(
                "{ended:?} is shown as {}",
                lines.iter().map(|line| short(line)).collect::<String>()
            )),
        }
    });
    let unknown = table.iter().filter(|line| !ended.iter().any(|ended| is_of(line, ended)));
    wrong.chain(unknown.map(|line| format!("no such session: {}", short(line)))).collect()
}

/// What a line of the table says, without what it does not.
fn short(line: &Value) -> String {
    let said = line.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    said.fold(String::new(), |text, (key, value)| text + " " + key + "=" + &value.to_string())
}
