// SPDX-License-Identifier: GPL-3.0-or-later
//! More news than the queue holds.

use std::fs;
use std::path::Path;

use dasbo_core::process::ProcessId;
use dasbo_test_support::client::{Client, frame, good_frame, header, process};
use dasbo_test_support::home::Home;
use dasbo_test_support::wait::LIMIT;
use serde_json::json;

use crate::listener::IntakeProcess;

/// What the queue holds: 64 MiB, of which an event takes no more than 17 KiB, however large it is.
const MORE_THAN_FIT: usize = (64 << 20) / (17 << 10) + 1;

/// Claude Code's own files of a session: it says what it does, and has a title.
fn write_files(home: &Path, agent: ProcessId, session: &str) {
    let [sessions, project] = ["sessions", "projects/-p"].map(|folder| home.join(".claude").join(folder));
    for folder in [&sessions, &project] {
        fs::create_dir_all(folder).unwrap();
    }
    let file = json!({
        "pid": agent.pid, "procStart": agent.start.to_string(), "sessionId": session, "cwd": "/p",
        "status": "busy", "statusUpdatedAt": 1_700_000_000_000_u64,
    });
    fs::write(sessions.join(format!("{}.json", agent.pid)), file.to_string()).unwrap();
    let title = json!({ "type": "custom-title", "customTitle": "Title" });
    fs::write(project.join(format!("{session}.jsonl")), format!("{title}\n")).unwrap();
}

/// Sends a frame, and waits until it was taken in.
fn send(intake: &IntakeProcess, bytes: &[u8]) {
    let mut client = Client::connect(&intake.socket);
    client.send(bytes);
    assert!(client.is_closed(LIMIT));
}

#[test]
fn what_has_no_room_is_read_from_the_files_again() {
    let agent = process(std::process::id());
    let home = Home::new();
    write_files(&home.path(), agent, "lost");
    let mut intake = IntakeProcess::that_waits(home);
    let padding = "x".repeat(16 << 10);
    let payload = format!(r#"{{"hook_event_name":"Stop","session_id":"flood","x":"{padding}"}}"#);
    let large = frame(&header(agent, "Stop", payload.as_bytes()), payload.as_bytes());
    for _ in 0..MORE_THAN_FIT {
        send(&intake, &large);
    }
    // Small ones take what room is left.
    for _ in 0..17 {
        send(&intake, &good_frame(agent, "flood"));
    }
    send(&intake, &good_frame(agent, "lost"));
    intake.go_on();
    let before = intake.news_until("lost flood and lost");
    let count = |session: &str| before.iter().filter(|&news| news == session).count();
    assert!(count("flood") > MORE_THAN_FIT / 10 * 9, "what has room is told");
    assert_eq!(count("lost"), 2, "what its file and its transcript said at the start");
    assert_eq!([(); 2].map(|()| intake.news()), ["lost", "lost"], "both are read again");
    assert!(intake.hears("after").is_empty());
}
