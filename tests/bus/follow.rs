// SPDX-License-Identifier: GPL-3.0-or-later
//! The table, again at each change.

use std::time::Duration;

use dasbo_test_support::agent::FakeAgent;
use dasbo_test_support::wait::{LIMIT, eventually};

use crate::desktop::{Desktop, Follower};

fn payload(session: &str, event: &str) -> String {
    format!(r#"{{"session_id":"{session}","hook_event_name":"{event}","prompt":"go","reason":"other"}}"#)
}

fn tell(agent: &mut FakeAgent, session: &str, event: &str) {
    Desktop::tell(agent, &payload(session, event));
}

#[test]
fn each_change_is_a_line_and_nothing_else_is() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let follower = desktop.follow(&["--json"]);
    assert_eq!(follower.line(), "[]");
    let mut first = desktop.agent();
    for (event, state) in
        [("SessionStart", "idle"), ("UserPromptSubmit", "thinking"), ("StopFailure", "error")]
    {
        tell(&mut first, "one", event);
        assert_eq!(follower.shows(), ("one".into(), state.into()), "{event}");
    }
    tell(&mut first, "one", "SessionEnd");
    assert_eq!(follower.line(), "[]");
    // Its process ends too, and a late word of it comes: no row is there any more that could change.
    tell(&mut first, "one", "Stop");
    first.kill();
    let mut second = desktop.agent();
    tell(&mut second, "two", "SessionStart");
    assert_eq!(follower.shows(), ("two".into(), "idle".into()));
    assert_eq!(follower.rest(), [""; 0]);
}

#[test]
fn it_ends_well_as_soon_as_nobody_reads() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    for options in [&[][..], &["--json"]] {
        let mut follow = desktop.dasbo(&[&["--follow"], options].concat());
        follow.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut follower = crate::desktop::Program(follow.spawn().unwrap());
        let mut stdout = follower.stdout();
        let mut byte = [0];
        std::io::Read::read_exact(&mut stdout, &mut byte).unwrap();
        assert!(follower.0.try_wait().unwrap().is_none(), "it follows");
        // Nothing changes that could be written.
        drop(stdout);
        assert_eq!(follower.status(), Some(0));
        assert_eq!(follower.said_on_stderr(), "");
    }
}

#[test]
fn it_says_when_the_panel_is_gone() {
    let desktop = Desktop::new();
    let mut panel = desktop.panel();
    let mut follower = desktop.follow(&["--json"]);
    follower.line();
    panel.kill();
    assert_eq!(follower.program.status(), Some(1));
    assert!(follower.program.said_on_stderr().contains("Dasbo is not running"));
    assert_eq!(desktop.status(&[]).status, Some(1));
    assert!(!desktop.has_started_something());

    let _panel = desktop.panel();
    assert!(desktop.status(&["--json"]).printed("[]\n"), "another panel is found");
}

#[test]
fn many_may_follow() {
    let desktop = Desktop::new();
    let mut panel = desktop.panel();
    let mut followers: Vec<Follower> = (0..40).map(|_| desktop.follow(&["--json"])).collect();
    assert!(followers.iter().all(|follower| follower.line() == "[]"));
    // Some are gone by the time something changes.
    for mut gone in followers.drain(..10) {
        gone.program.kill();
    }
    let mut agent = desktop.agent();
    for (event, state) in [("UserPromptSubmit", "thinking"), ("StopFailure", "error")] {
        tell(&mut agent, "one", event);
        for follower in &followers {
            assert_eq!(follower.shows(), ("one".into(), state.into()));
        }
    }
    panel.kill();
    assert!(followers.iter_mut().all(|follower| follower.program.status() == Some(1)));
}

/// What a burst of events comes to is told, whatever was left out on the way.
#[test]
fn the_last_line_is_the_last_state() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let follower = desktop.follow(&["--json"]);
    follower.line();
    let _played = desktop.play("2.1.220/12b-TaskCreate-Update.jsonl", 21, "alpha");
    let session = "07ab4110-c116-4115-af49-c3ecf022395f";
    eventually("the end of the recording", LIMIT + Duration::from_secs(5), || {
        (follower.line().contains(r#""last_answer":"done b""#)).then_some(())
    });
    assert!(desktop.status(&["--json"]).stdout.contains(session));
}
