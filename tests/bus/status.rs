// SPDX-License-Identifier: GPL-3.0-or-later
//! The table, once.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use dasbo_core::request::RequestId;
use dasbo_test_support::client::{now, process};
use dasbo_test_support::helper::{self, Input};
use serde_json::{Value, json};

use crate::desktop::Desktop;

/// The keys of a session, which scripts rely on: they are only ever added to.
const KEYS: &[&str] = &[
    "agent",
    "session",
    "project",
    "title",
    "branch",
    "mode",
    "state",
    "tool",
    "detail",
    "waiting",
    "compacting",
    "helpers",
    "background",
    "tasks",
    "words",
    "time",
    "since",
    "started",
    "cwd",
    "pid",
    "model",
    "last_prompt",
    "last_answer",
];

#[test]
fn without_a_panel_it_says_so_and_starts_nothing() {
    let desktop = Desktop::new();
    for options in [&[][..], &["--json"], &["--follow"], &["--follow", "--json"]] {
        let outcome = desktop.status(options);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{options:?}");
        assert!(outcome.stderr.contains("Dasbo is not running"), "{outcome:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
    }
    assert!(!desktop.has_started_something());

    // The bus would start it for who asks in another way: so the check above can fail.
    let mut call = desktop.command("dbus-send");
    call.args(["--session", "--print-reply", "--reply-timeout=2000", "--dest=org.dasbo.Dasbo.Panel"]);
    helper::run(call.args(["/", "org.freedesktop.DBus.Peer.Ping"]), Input::Closed(b""));
    assert!(desktop.has_started_something());
}

#[test]
fn without_a_bus_it_says_so() {
    let desktop = Desktop::new();
    for address in ["unix:path=/nowhere/bus", "", "nonsense"] {
        let mut status = desktop.dasbo(&[]);
        let outcome = helper::run(status.env("DBUS_SESSION_BUS_ADDRESS", address), Input::Closed(b""));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{address}: {outcome:?}");
        assert!(!outcome.stderr.is_empty(), "{address}");
    }
}

#[test]
fn no_sessions_are_a_table_too() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    assert!(desktop.status(&[]).printed("No sessions.\n"));
    assert!(desktop.status(&["--json"]).printed("[]\n"));
}

#[test]
fn played_recordings_are_shown_with_all_that_is_known() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    // Up to Stop, and up to the first PermissionRequest.
    let idle = desktop.play("2.1.220/12b-TaskCreate-Update.jsonl", 21, "alpha");
    let waiting = desktop.play("2.1.332/10e-parallel-bash-two-permissions.jsonl", 4, "beta");
    let outcome = desktop.status(&["--json"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""));
    assert_eq!(outcome.stdout.lines().count(), 1, "a line a table");
    let sessions: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    let [first, second] = sessions.as_slice() else { panic!("{sessions:?}") };
    has_all_keys(first);
    has_all_keys(second);
    // Its hook waits here, by an id that no test can know.
    let request = first["waiting"][0]["request"].clone();
    assert!(request.as_str().unwrap().parse::<RequestId>().is_ok(), "{first}");
    is(
        first,
        &json!({
            "agent": "claude", "session": "66e6c163-1fdf-407d-b2f0-d58a7ce54c3e", "project": "beta", "title": null,
            "branch": null, "mode": null, "state": "tool", "tool": {"name": "Bash", "detail": "touch pa.txt"},
            "detail": null, "waiting": [{"kind": "approval", "tool": "Bash", "request": request}],
            "compacting": false, "helpers": 0, "background": 0, "tasks": null, "cwd": "/home/user/beta", "pid": waiting.pid(),
            "model": "claude-opus-5-5", "last_prompt": "go SCN:b", "last_answer": null,
        }),
    );
    is(
        second,
        &json!({
            "agent": "claude", "session": "07ab4110-c116-4115-af49-c3ecf022395f", "project": "alpha", "state": "idle",
            "tool": null, "waiting": [], "tasks": {"done": 1, "total": 2}, "cwd": "/home/user/alpha",
            "pid": idle.pid(), "model": "claude-opus-5[1m]", "last_prompt": "go SCN:b", "last_answer": "done b",
        }),
    );
    started_with(first, waiting.pid());
    started_with(second, idle.pid());

    // The same in columns; what is idle may have been marked as finished before.
    let text = desktop.status(&[]).stdout;
    let [one, other] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(one.starts_with("beta ") && one.contains(first["words"].as_str().unwrap()), "{text}");
    assert!(other.starts_with("alpha ") && other.contains(" 1/2 "), "{text}");
}

/// The session is as old as its agent's process.
fn started_with(session: &Value, pid: u32) {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let age = now().since(process(pid).started());
    let started = session["started"].as_u64().unwrap();
    assert!(unix.as_secs().abs_diff(started + age.as_secs()) <= 2, "{session}");
    assert!(session["since"].as_u64().unwrap() >= started, "{session}");
}

fn has_all_keys(session: &Value) {
    let keys: BTreeSet<&str> = session.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, KEYS.iter().copied().collect());
}

fn is(session: &Value, expected: &Value) {
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&session[key], value, "{key} of {session}");
    }
}

#[test]
fn a_reader_that_is_gone_is_a_failure() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let mut shell = desktop.command("sh");
    let script = format!("{{ '{}' status; echo $? >&2; }} | true", env!("CARGO_BIN_EXE_dasbo"));
    let outcome = helper::run(shell.args(["-c", &script]), Input::Closed(b""));
    // It may have been faster than its reader's end.
    assert!(["1\n", "0\n"].contains(&outcome.stderr.as_str()), "{outcome:?}");
    let full = format!("'{}' status >/dev/full", env!("CARGO_BIN_EXE_dasbo"));
    let outcome = helper::run(desktop.command("sh").args(["-c", &full]), Input::Closed(b""));
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
}
