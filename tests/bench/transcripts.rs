// SPDX-License-Identifier: GPL-3.0-or-later
//! Two hundred conversations of 100 MB each that grow while the panel follows them.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::frames;
use crate::launch::Running;
use crate::report::Figure;
use crate::screen::Screen;
use crate::script::{event, id};
use crate::start::status;

const TRANSCRIPTS: usize = 200;

/// Bytes of each when the panel first sees it. Sparse: they take no room.
const LENGTH: u64 = 100_000_000;

const PROCESSOR_PERCENT: f64 = 5.0;

/// MiB that may come and go, of the dozen or so that are appended: flat.
const GROWN: f64 = 1.0;

/// Each grows by a line so often, all of them in turns.
const EACH: Duration = Duration::from_secs(1);

/// Seconds before it is measured, and while it is.
const WARM_UP: usize = 3;
const MEASURED: usize = 15;

/// How long the panel may take to show the last lines.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn measure(screen: &mut Screen) -> Vec<Figure> {
    let panel = Running::listening_panel(screen);
    let folder = TempDir::new().unwrap();
    let files: Vec<PathBuf> = (0..TRANSCRIPTS).map(|session| begin(folder.path(), session)).collect();
    grow(&files, WARM_UP, "main");
    let (begun, processor, memory) = (Instant::now(), panel.processor_seconds(), panel.anonymous());
    grow(&files, MEASURED, "main");
    let spent = (panel.processor_seconds() - processor) / begun.elapsed().as_secs_f64();
    let grown = panel.anonymous() - memory;
    grow(&files, 1, LAST);
    let what = format!("{TRANSCRIPTS} transcripts of 100 MB, each grows by a line a second");
    vec![
        Figure::bounded(format!("{what}: of one core"), spent * 100.0, "%", PROCESSOR_PERCENT),
        Figure::bounded(format!("the same: memory grown in {MEASURED} s"), grown, "MiB", GROWN),
        Figure::shown("the same: anonymous memory", memory + grown, "MiB"),
        Figure::bounded("the same: transcripts whose last line is not shown", not_shown(), "", 0.0),
    ]
}

/// The branch that only last lines name.
const LAST: &str = "last";

/// A long conversation, and a session of it that works.
fn begin(folder: &Path, session: usize) -> PathBuf {
    let path = folder.join(format!("{}.jsonl", id(session)));
    File::create(&path).unwrap().set_len(LENGTH).unwrap();
    append(&path, b"\n");
    let agent = frames::process(std::process::id());
    let payload = event(session, "UserPromptSubmit", json!({ "prompt": "Go on", "transcript_path": path }));
    frames::send(&frames::socket(), &frames::frame(agent, frames::now(), &payload)).unwrap();
    path
}

/// As Claude Code does it: opened for each line.
fn append(file: &Path, line: &[u8]) {
    OpenOptions::new().append(true).open(file).unwrap().write_all(line).unwrap();
}

/// Appends a line to each so many times.
fn grow(files: &[PathBuf], times: usize, branch: &str) {
    let pace = EACH / u32::try_from(files.len()).unwrap();
    let mut due = Instant::now();
    for time in 0..times {
        for file in files {
            append(file, &line(time, branch));
            due += pace;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}

/// A call of a tool and its result take turns, as Claude Code writes them.
fn line(number: usize, branch: &str) -> Vec<u8> {
    let shared = |kind: &str, message: Value| {
        json!({
            "parentUuid": "11111111-1111-4111-8111-111111111111", "isSidechain": false, "type": kind,
            "cwd": "/home/user/project", "version": "2.1.220", "gitBranch": branch, "message": message,
            "timestamp": "2026-01-01T00:00:00.000Z", "uuid": "22222222-2222-4222-8222-222222222222",
        })
    };
    let line = if number.is_multiple_of(2) {
        let input = json!({ "command": "cargo test", "description": "x".repeat(500) });
        shared(
            "assistant",
            json!({
                "model": "claude-opus-4-8", "role": "assistant", "type": "message",
                "content": [{ "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": input }],
                "usage": { "input_tokens": 4, "cache_read_input_tokens": 10_000 + number, "output_tokens": 300 },
            }),
        )
    } else {
        let result = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "x".repeat(4000) });
        shared("user", json!({ "role": "user", "content": [result] }))
    };
    (line.to_string() + "\n").into_bytes()
}

fn not_shown() -> f64 {
    let end = Instant::now() + PATIENCE;
    loop {
        let shown = status().iter().filter(|line| line["branch"] == LAST).count();
        if shown >= TRANSCRIPTS || Instant::now() > end {
            return f64::from(u32::try_from(TRANSCRIPTS - shown).unwrap());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
