// SPDX-License-Identifier: GPL-3.0-or-later
//! A process that runs hooks as an agent does, under the agent's name.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// One hook to run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    /// Given to `/bin/sh -c`.
    pub command: String,
    /// Its standard input.
    pub payload: String,
    /// Whether standard input stays open after the payload until the hook ends.
    pub leave_stdin_open: bool,
    /// Variables beside the agent's own.
    pub env: BTreeMap<String, String>,
}

/// How a hook ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its exit status.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it printed on standard error.
    pub stderr: String,
    /// How long it took.
    pub millis: u64,
}

impl Outcome {
    /// Whether it printed `stdout` and nothing else, and ended well.
    pub fn printed(&self, stdout: &str) -> bool {
        self.status == Some(0) && self.stdout == stdout && self.stderr.is_empty()
    }
}

/// A hook that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ticket(u64);

/// What goes to the process and comes back, a line of JSON each.
#[derive(Debug, Serialize, Deserialize)]
pub struct Numbered<T> {
    ticket: Ticket,
    #[serde(flatten)]
    what: T,
}

/// A real process of an agent's name. It ends when dropped; hooks that it runs do not.
#[derive(Debug)]
pub struct FakeAgent {
    process: Child,
    orders: ChildStdin,
    outcomes: Receiver<Numbered<Outcome>>,
    ended: BTreeMap<Ticket, Outcome>,
    next: u64,
    _name: TempDir,
}

impl FakeAgent {
    /// Starts one that the kernel calls `name`. `command` makes the command that runs the given program.
    pub fn start(name: &str, command: impl FnOnce(&Path) -> Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(name);
        symlink(sibling("dasbo-fake-agent"), &program).unwrap();
        let mut process = command(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let orders = process.stdin.take().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, outcomes) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { process, orders, outcomes, ended: BTreeMap::new(), next: 0, _name: folder }
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Runs a hook and does not wait for it. Hooks run side by side.
    pub fn begin(&mut self, hook: Hook) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        let order = Numbered { ticket, what: hook };
        let line = serde_json::to_string(&order).unwrap();
        writeln!(self.orders, "{line}").unwrap();
        ticket
    }

    /// How a hook ended, once it has, within `limit`. Told once.
    pub fn outcome(&mut self, ticket: Ticket, limit: Duration) -> Option<Outcome> {
        self.has_ended(ticket, limit);
        self.ended.remove(&ticket)
    }

    /// Whether a hook ended within `limit`.
    pub fn has_ended(&mut self, ticket: Ticket, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        while !self.ended.contains_key(&ticket) {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(Numbered { ticket, what }) = self.outcomes.recv_timeout(left) else {
                return false;
            };
            self.ended.insert(ticket, what);
        }
        true
    }

    /// Runs a hook to its end. Panics when that takes more than `limit`.
    pub fn run(&mut self, hook: Hook, limit: Duration) -> Outcome {
        let ticket = self.begin(hook);
        self.outcome(ticket, limit).unwrap_or_else(|| panic!("a hook did not end within {limit:?}"))
    }

    /// Ends it with SIGKILL. Its hooks live on.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for FakeAgent {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The process itself: runs hooks that come on standard input, until that ends.
pub fn serve() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Numbered { ticket, what } = serde_json::from_str::<Numbered<Hook>>(&line).unwrap();
        std::thread::spawn(move || {
            let what = run(&what);
            println!("{}", serde_json::to_string(&Numbered { ticket, what }).unwrap());
        });
    }
}

/// As Claude Code does: by a shell in a session of its own, over sockets.
fn run(hook: &Hook) -> Outcome {
    let begun = Instant::now();
    let [(stdin, their_stdin), (stdout, their_stdout), (stderr, their_stderr)] =
        [(); 3].map(|()| UnixStream::pair().unwrap());
    let mut child = Command::new("setsid")
        .args(["/bin/sh", "-c", &hook.command])
        .envs(&hook.env)
        .stdin(OwnedFd::from(their_stdin))
        .stdout(OwnedFd::from(their_stdout))
        .stderr(OwnedFd::from(their_stderr))
        .spawn()
        .unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| feed(stdin, hook));
        let stdout = scope.spawn(|| read_all(stdout));
        let stderr = scope.spawn(|| read_all(stderr));
        let status = child.wait().unwrap();
        Outcome {
            status: status.code(),
            signal: status.signal(),
            stdout: stdout.join().unwrap(),
            stderr: stderr.join().unwrap(),
            millis: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    })
}

/// Writes the payload; to a hook that reads no further it may not fit.
fn feed(mut stdin: UnixStream, hook: &Hook) {
    let written = stdin.write_all(hook.payload.as_bytes());
    if written.is_ok() && hook.leave_stdin_open {
        let _ = stdin.read(&mut [0]);
    }
}

fn read_all(mut stream: UnixStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A program of this package, beside the one that runs or one folder up, where cargo puts them.
pub fn sibling(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    found.into_iter().find(|program| program.exists()).unwrap_or_else(|| {
        panic!("no {name} near {}; build it: cargo build -p dasbo-test-support", own.display())
    })
}
