// SPDX-License-Identifier: GPL-3.0-or-later
//! The files that agents keep of their sessions, when they can hardly be seen.

use std::fs;
use std::path::Path;

use dasbo_core::process::ProcessId;
use dasbo_test_support::client::{Client, process};
use serde_json::json;

use crate::listener::IntakeProcess;

/// Claude Code's own file of a session, in a folder made for it.
pub fn write_file(home: &Path, agent: ProcessId, session: &str) {
    let sessions = home.join(".claude/sessions");
    fs::create_dir_all(&sessions).unwrap();
    let file = json!({
        "pid": agent.pid, "procStart": agent.start.to_string(), "sessionId": session, "cwd": "/p",
        "status": "busy", "statusUpdatedAt": 1_700_000_000_000_u64,
    });
    fs::write(sessions.join(format!("{}.json", agent.pid)), file.to_string()).unwrap();
}

/// And its transcript, with a title.
pub fn write_transcript(home: &Path, session: &str) {
    let project = home.join(".claude/projects/-p");
    fs::create_dir_all(&project).unwrap();
    let title = json!({ "type": "custom-title", "customTitle": "Title" });
    fs::write(project.join(format!("{session}.jsonl")), format!("{title}\n")).unwrap();
}

#[test]
fn a_folder_that_is_made_anew_is_watched_anew() {
    let intake = IntakeProcess::new();
    let (home, agent) = (intake.home.path(), process(std::process::id()));
    for number in 0..30 {
        let session = format!("session {number}");
        write_file(&home, agent, &session);
        intake.news_until(&session);
        let sessions = home.join(".claude/sessions");
        match number % 3 {
            0 => fs::remove_dir_all(&sessions).unwrap(),
            1 => fs::rename(&sessions, home.join(format!("aside {number}"))).unwrap(),
            _ => fs::remove_dir_all(home.join(".claude")).unwrap(),
        }
    }
}

#[test]
fn what_is_written_while_open_files_are_out_is_read_later() {
    let intake = IntakeProcess::with_open_files(48);
    let (home, agent) = (intake.home.path(), process(std::process::id()));
    write_file(&home, agent, "before");
    intake.news_until("before");
    write_transcript(&home, "before");
    // They are let go after 5 s.
    let silent: Vec<Client> = (0..80).map(|_| Client::connect(&intake.socket)).collect();
    assert!(intake.log().contains("not accepted"));
    write_file(&home, agent, "meanwhile");
    intake.news_until("meanwhile");
    drop(silent);
}

#[test]
fn without_inotify_files_and_socket_are_looked_at_now_and_then() {
    let Some(intake) = IntakeProcess::without_inotify() else {
        return println!("no user namespaces: inotify cannot be taken away here");
    };
    let (home, agent) = (intake.home.path(), process(std::process::id()));
    for session in ["one", "two"] {
        write_file(&home, agent, session);
        intake.news_until(session);
    }
    fs::remove_file(&intake.socket).unwrap();
    intake.news_until("deaf");
    intake.hears("heard again");
}
