// SPDX-License-Identifier: GPL-3.0-or-later
//! The first frame and the memory, with ten sessions, against an empty window.
//!
//! Both are looked at from outside, in the same way: from the process's start until the display was told to draw for
//! the last time before it came to rest. For the panel that is the frame in which all ten rows stand: a client sends
//! the sessions as soon as somebody listens. No hook in the product could say when that is more truly.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::frames;
use crate::launch::{Running, bare_window, panel};
use crate::report::{Figure, median};
use crate::screen::Screen;
use crate::script::event;

pub const SESSIONS: usize = 10;
const RUNS: usize = 20;
const FRAME_BOUND: f64 = 1.25;
const MEMORY_BOUND: f64 = 1.5;

pub fn measure(screen: &mut Screen) -> Vec<Figure> {
    let mut frames = [const { Vec::new() }; 2];
    let mut memory = [const { Vec::new() }; 2];
    // The first round warms up.
    for round in 0..=RUNS {
        let found = [with_sessions(screen), Running::first_picture(&bare_window(), screen)];
        for (which, (running, picture)) in found.into_iter().enumerate().filter(|_| round > 0) {
            frames[which].push(picture);
            memory[which].push(running.anonymous());
        }
    }
    let [ours, bare] = frames.map(|times| median(&times));
    let [our_memory, bare_memory] = memory.map(|sizes| median(&sizes));
    vec![
        Figure::shown("first frame with ten sessions (median of 20)", ours, "ms"),
        Figure::shown("first frame of a bare libadwaita window", bare, "ms"),
        Figure::bounded("first frame, panel / bare window", ours / bare, "×", FRAME_BOUND),
        Figure::shown("anonymous memory with ten sessions", our_memory, "MiB"),
        Figure::shown("anonymous memory of the bare window", bare_memory, "MiB"),
        Figure::bounded("anonymous memory, panel / bare window", our_memory / bare_memory, "×", MEMORY_BOUND),
    ]
}

fn with_sessions(screen: &mut Screen) -> (Running, f64) {
    let _ = std::fs::remove_file(frames::socket());
    let feeder = std::thread::spawn(|| {
        wait_for_socket();
        show_idle_sessions();
    });
    let found = Running::first_picture(&panel(), screen);
    feeder.join().unwrap();
    assert_eq!(status().len(), SESSIONS, "sessions shown");
    found
}

fn wait_for_socket() {
    let (socket, end) = (frames::socket(), Instant::now() + Duration::from_secs(20));
    while UnixStream::connect(&socket).is_err() {
        assert!(Instant::now() < end, "nobody listens");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ten sessions that had a turn, a minute ago.
pub fn show_idle_sessions() {
    let (agent, socket, at) = (frames::process(std::process::id()), frames::socket(), frames::a_minute_ago());
    for session in 0..SESSIONS {
        let events = [
            event(session, "SessionStart", json!({ "source": "startup" })),
            event(session, "UserPromptSubmit", json!({ "prompt": "Go on" })),
            event(session, "Stop", json!({ "last_assistant_message": "Done." })),
        ];
        for payload in events {
            frames::send(&socket, &frames::frame(agent, at, &payload)).unwrap();
        }
    }
}

/// What `dasbo status --json` prints.
pub fn status() -> Vec<Value> {
    let program: PathBuf = panel();
    let output = Command::new(program).args(["status", "--json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}
