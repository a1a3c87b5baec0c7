// SPDX-License-Identifier: GPL-3.0-or-later
//! A thousand sessions and ten thousand events at once: from a client that writes frames, and from real helpers.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dasbo_core::process::ProcessId;
use dasbo_test_support::helper;
use serde_json::Value;
use tempfile::TempDir;

use crate::frames;
use crate::launch::Running;
use crate::loop_probe::{LoopProbe, Stretches};
use crate::report::Figure;
use crate::screen::Screen;
use crate::script::{self, EVENTS, WAITING, WORKING, events, group, missing};
use crate::spawn::Job;
use crate::start::status;

const SESSIONS: usize = 1000;

/// Milliseconds of two frames at 60 a second.
const LONGEST_FRAME: f64 = 33.0;

/// Connections that the client has open at a time.
const CONNECTIONS: usize = 8;

/// Agents that run hooks at a time.
const AGENTS: usize = 4;

/// How long the panel may take to show what was sent.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn measure(screen: &mut Screen) -> Vec<Figure> {
    [("frames", from_client as fn(u32) -> Burst), ("helpers", from_helpers)]
        .into_iter()
        .flat_map(|(name, burst)| {
            let panel = Running::listening_panel(screen);
            figures(name, &burst(panel.pid()))
        })
        .collect()
}

/// What a burst found out.
struct Burst {
    /// Until all was sent.
    sent: Duration,
    /// Until all was in the table.
    shown: Duration,
    main_loop: Stretches,
    table: Vec<Value>,
    /// They live until the table was read.
    _agents: Vec<Agent>,
}

impl Burst {
    /// Lets the agents send all they have, and looks on until all of it is in the table, or time is over.
    fn watch(panel: u32, mut agents: Vec<Agent>, send: impl FnOnce(&mut [Agent])) -> Self {
        let probe = LoopProbe::start(panel);
        let begun = Instant::now();
        send(&mut agents);
        let took = begun.elapsed();
        let mut table = status();
        while lost(&table) > 0 && begun.elapsed() < took + PATIENCE {
            std::thread::sleep(Duration::from_millis(500));
            table = status();
        }
        Self { sent: took, shown: begun.elapsed(), main_loop: probe.stop(), table, _agents: agents }
    }
}

fn figures(name: &str, burst: &Burst) -> Vec<Figure> {
    let count = |count: usize| f64::from(u32::try_from(count).unwrap());
    let Burst { sent, shown, main_loop, table, .. } = burst;
    let name = |what: &str| format!("{SESSIONS} sessions, {} events from {name}: {what}", SESSIONS * EVENTS);
    vec![
        Figure::bounded(name("lost"), count(lost(table)), "", 0.0),
        Figure::bounded(name("rows out of order"), count(out_of_order(table)), "", 0.0),
        Figure::bounded(name("longest frame"), main_loop.longest, "ms", LONGEST_FRAME),
        Figure::shown(name("most computed in one"), main_loop.computed, "ms"),
        Figure::shown(name("p99"), main_loop.p99, "ms"),
        Figure::shown(name("sent within"), sent.as_secs_f64(), "s"),
        Figure::shown(name("in the table within"), shown.as_secs_f64(), "s"),
    ]
}

/// Events that left no trace.
fn lost(table: &[Value]) -> usize {
    let lines: HashMap<&str, &Value> =
        table.iter().filter_map(|line| Some((line["session"].as_str()?, line))).collect();
    let of = |session| missing(session, lines.get(script::id(session).as_str()).unwrap_or(&&Value::Null));
    (0..SESSIONS).map(of).sum()
}

/// Rows that stand above one that belongs above them. The table's times are whole seconds, rounded each for itself.
fn out_of_order(table: &[Value]) -> usize {
    let wrong = |pair: &[Value]| {
        let [(group, above), (next_group, below)] = [place(&pair[0]), place(&pair[1])];
        group > next_group || (group == next_group && above > below + 1)
    };
    table.windows(2).filter(|pair| wrong(pair)).count()
}

/// A row's group, and what orders it there: working ones by their start, quiet ones by when they came to rest, the
/// last first. When a waiting one was asked the table does not say.
fn place(line: &Value) -> (usize, i64) {
    let time = |key: &str| line[key].as_i64().unwrap_or(0);
    match group(line) {
        WAITING => (WAITING, 0),
        WORKING => (WORKING, time("started")),
        quiet => (quiet, -time("since")),
    }
}

/// A process that may pass for an agent. It ends when dropped.
struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Agent {
    fn id(&self) -> ProcessId {
        frames::process(self.0.id())
    }
}

/// `program` under the agent's name.
fn named(folder: &Path, program: &Path) -> PathBuf {
    let agent = folder.join("claude");
    std::os::unix::fs::symlink(program, &agent).unwrap();
    agent
}

/// Each session has a process of its own. What one session sends goes over one connection after the other.
fn from_client(panel: u32) -> Burst {
    let folder = TempDir::new().unwrap();
    let program = named(folder.path(), Path::new("/bin/sleep"));
    let start = |_| {
        let process = Command::new(&program).arg("infinity").stdin(Stdio::null()).spawn().unwrap();
        Agent(process)
    };
    let agents: Vec<Agent> = (0..SESSIONS).map(start).collect();
    let ids: Vec<ProcessId> = agents.iter().map(Agent::id).collect();
    Burst::watch(panel, agents, |_| {
        std::thread::scope(|scope| {
            for first in 0..CONNECTIONS {
                let ids = &ids;
                scope.spawn(move || send_all(first, ids));
            }
        });
    })
}

/// The events of every eighth session, all sessions going on at once.
fn send_all(first: usize, agents: &[ProcessId]) {
    let socket = frames::socket();
    let mut scripts: Vec<_> = (first..SESSIONS)
        .step_by(CONNECTIONS)
        .map(|session| (agents[session], events(session).into_iter()))
        .collect();
    for _ in 0..EVENTS {
        for (agent, script) in &mut scripts {
            let payload = script.next().unwrap();
            frames::send(&socket, &frames::frame(*agent, frames::now(), &payload)).unwrap();
        }
    }
}

/// Each of four agents has a quarter of the sessions, and waits for each hook as agents do.
fn from_helpers(panel: u32) -> Burst {
    let folder = TempDir::new().unwrap();
    let program = named(folder.path(), &std::env::current_exe().unwrap());
    let start = |number: usize| {
        let mut command = Command::new(&program);
        command.args(["--agent", &number.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        Agent(command.spawn().unwrap())
    };
    let mut agents: Vec<Agent> = (0..AGENTS).map(start).collect();
    for agent in &mut agents {
        hear(agent, "ready");
    }
    Burst::watch(panel, agents, |agents| {
        for agent in agents.iter_mut() {
            writeln!(agent.0.stdin.as_mut().unwrap(), "go").unwrap();
        }
        for agent in agents {
            hear(agent, "done");
        }
    })
}

/// Reads the agent's next line.
fn hear(agent: &mut Agent, word: &str) {
    let mut line = String::new();
    // Nothing more than this line is there to be read ahead.
    BufReader::new(agent.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), word);
}

/// What the agent does: runs the hooks of its sessions in turns when it is told, and stays until its input ends.
pub fn act(number: usize) {
    let helper = helper::path();
    let mut scripts: Vec<_> = (number..SESSIONS).step_by(AGENTS).map(|one| events(one).into_iter()).collect();
    println!("ready");
    let mut lines = std::io::stdin().lines();
    lines.next();
    for _ in 0..EVENTS {
        for payload in scripts.iter_mut().filter_map(Iterator::next) {
            let name = payload["hook_event_name"].as_str().unwrap();
            Job::new(&helper, &["claude", "notify", name], payload.to_string().as_bytes()).run();
        }
    }
    println!("done");
    lines.for_each(drop);
}
