// SPDX-License-Identifier: GPL-3.0-or-later
//! What a hook costs the agent that runs it.

use std::io::Read;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use dasbo_core::install::command;
use dasbo_core::wire::Mode;
use dasbo_test_support::helper;
use serde_json::json;
use tempfile::TempDir;

use crate::launch::Running;
use crate::report::Figure;
use crate::screen::Screen;
use crate::script::event;
use crate::spawn::{Job, medians};

/// Runs of each.
const RUNS: usize = 300;

/// At most so many times as long as `/bin/true`.
const BOUND: f64 = 1.3;

/// Processes between us and the helper.
const DEEP: usize = 30;

const WORDS: [&str; 3] = ["claude", "notify", "PostToolUse"];

pub fn measure(screen: &mut Screen) -> Vec<Figure> {
    let _panel = Running::listening_panel(screen);
    let mut figures = against_nothing();
    figures.extend(in_a_deep_chain());
    figures.extend(with_a_large_payload());
    figures.extend(as_agents_run_it());
    figures
}

/// What an agent sends after a short command.
fn payload(size: usize) -> Vec<u8> {
    let payload = |output: usize| {
        event(
            1,
            "PostToolUse",
            json!({
                "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": { "command": "cargo test" },
                "tool_response": { "stdout": "x".repeat(output) },
            }),
        )
        .to_string()
    };
    let frame = payload(0).len();
    payload(size.saturating_sub(frame)).into_bytes()
}

fn against_nothing() -> Vec<Figure> {
    let folder = TempDir::new().unwrap();
    let payload = payload(1000);
    let jobs = [
        Job::new(&helper::path(), &WORDS, &payload),
        Job::new(Path::new("/bin/true"), &[], &payload),
        Job::new(&nothing(folder.path()), &[], &payload),
    ];
    let [ours, truth, nothing] = medians(&jobs, RUNS);
    vec![
        Figure::shown("helper, whole process (p50 of 300)", ours, "µs"),
        Figure::shown("/bin/true", truth, "µs"),
        Figure::shown("a static C program that does nothing", nothing, "µs"),
        Figure::bounded("helper / true", ours / truth, "×", BOUND),
        Figure::shown("helper / static C program", ours / nothing, "×"),
    ]
}

/// The least that a process can be: static like the helper, and nothing in it.
fn nothing(folder: &Path) -> PathBuf {
    built(folder, "nothing", "int main(void) { return 0; }\n")
}

/// A static program from this source.
fn built(folder: &Path, name: &str, text: &str) -> PathBuf {
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let built = Command::new("cc").args(["-static", "-O2", "-o"]).args([&program, &source]).status();
    assert!(built.unwrap().success(), "cc -static");
    program
}

/// The two medians, measured at the end of a chain of processes. `depth` are still to come.
pub fn nest(depth: usize) {
    if depth > 0 {
        let own = std::env::current_exe().unwrap();
        let status = Command::new(own).args(["--nest", &(depth - 1).to_string()]).status();
        assert!(status.unwrap().success(), "a chain of processes");
        return;
    }
    let payload = payload(1000);
    let jobs = [Job::new(&helper::path(), &WORDS, &payload), Job::new(Path::new("/bin/true"), &[], &payload)];
    println!("{}", serde_json::to_string(&medians(&jobs, RUNS)).unwrap());
}

fn in_a_deep_chain() -> Vec<Figure> {
    let own = std::env::current_exe().unwrap();
    let output = Command::new(own).args(["--nest", &DEEP.to_string()]).output().unwrap();
    let [ours, truth]: [f64; 2] = serde_json::from_slice(&output.stdout).expect("two medians");
    vec![
        Figure::shown("helper under 30 processes", ours, "µs"),
        Figure::bounded("helper / true, under 30 processes", ours / truth, "×", BOUND),
    ]
}

fn with_a_large_payload() -> Vec<Figure> {
    let (folder, payload) = (TempDir::new().unwrap(), payload(1 << 20));
    let relay = built(folder.path(), "relay", include_str!("relay.c"));
    let sink = sink(&folder.path().join("sink"));
    let jobs = [
        Job::new(&helper::path(), &WORDS, &payload),
        Job::new(Path::new("/bin/true"), &[], &payload),
        Job::new(&relay, &[sink.to_str().unwrap()], &payload),
    ];
    let [ours, truth, relayed] = medians(&jobs, RUNS);
    vec![
        Figure::shown("helper with a payload of 1 MiB", ours, "µs"),
        Figure::bounded(
            "helper / true (which reads none of it), with a payload of 1 MiB",
            ours / truth,
            "×",
            BOUND,
        ),
        Figure::shown("a static C program that reads and sends it, / true", relayed / truth, "×"),
        Figure::shown("helper / that program, with a payload of 1 MiB", ours / relayed, "×"),
    ]
}

/// A socket whose every connection is read to its end.
fn sink(path: &Path) -> PathBuf {
    let listener = UnixListener::bind(path).unwrap();
    std::thread::spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        for mut connection in listener.incoming().flatten() {
            while matches!(connection.read(&mut chunk), Ok(1..)) {}
        }
    });
    path.to_owned()
}

fn as_agents_run_it() -> Vec<Figure> {
    let payload = payload(1000);
    let line = command(&helper::path(), "claude", Mode::Notify, "PostToolUse").unwrap();
    let sh = Path::new("/bin/sh");
    let jobs = [Job::new(sh, &["-c", &line], &payload), Job::new(sh, &["-c", "exec /bin/true"], &payload)];
    let [ours, truth] = medians(&jobs, RUNS);
    vec![
        Figure::shown("the command line that agents run, under sh -c", ours, "µs"),
        Figure::bounded("the same / sh -c 'exec /bin/true'", ours / truth, "×", BOUND),
    ]
}
