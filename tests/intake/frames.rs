// SPDX-License-Identifier: GPL-3.0-or-later
//! Frames of the real helper.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use dasbo_core::event::{Actor, What};
use dasbo_core::process::ProcessId;
use dasbo_test_support::agent::{FakeAgent, Hook};
use dasbo_test_support::client::{now, process};
use dasbo_test_support::helper;
use dasbo_test_support::player::{Pace, Player, Role};
use dasbo_test_support::recording::{Recording, What as Step};
use dasbo_test_support::wait::LIMIT;

use crate::listener::Intake;

/// What a helper that is let go may take, on a slow machine. By itself it would wait as long as its agent lives.
const SOON: u64 = 1_500;

/// A shell that stays above the helper, so that the agent is not its parent.
pub fn hook(mode: &str, payload: &str) -> Hook {
    let event = payload.split('"').nth(3).unwrap();
    Hook {
        command: format!("'{}' claude {mode} {event}; exit $?", helper::path().display()),
        payload: payload.into(),
        ..Hook::default()
    }
}

pub fn agent(intake: &Intake) -> FakeAgent {
    FakeAgent::start("claude", |program| intake.home.command(program))
}

#[test]
fn a_frame_becomes_the_event_it_tells() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    let payload = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s-1","cwd":"/p","prompt":"go"}"#;
    let before = now();
    let outcome = agent.run(hook("notify", payload), LIMIT);
    let after = now();
    assert!(outcome.printed("") && outcome.millis < SOON, "{outcome:?}");
    let event = intake.event();
    assert_eq!((event.session.agent.0, event.session.id.as_str()), ("claude", "s-1"));
    assert_eq!((event.actor, event.about.cwd.as_deref()), (Actor::Main, Some("/p")));
    assert_eq!(event.what, What::Prompted(Some("go".into())));
    assert!(before < event.at && event.at < after, "the helper's own time");
    assert_eq!(event.process.map(|one| one.id), Some(process(agent.pid())), "not the shell's");
}

#[test]
fn who_asks_where_nobody_sits_is_let_go_at_once_without_a_word() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    let payload = r#"{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let unattended = BTreeMap::from([("CLAUDE_CODE_SESSION_ATTENDED".into(), "0".into())]);
    let outcome = agent.run(Hook { env: unattended, ..hook("ask", payload) }, LIMIT);
    assert!(outcome.printed("") && outcome.millis < SOON, "{outcome:?}");
    let What::Requested(_, held) = intake.event().what else { panic!("no request") };
    assert_eq!(held, None);

    for unreadable in [r#"{"hook_event_name":"PermissionRequest","#, "", "[]"] {
        let outcome = agent.run(Hook { payload: unreadable.into(), ..hook("ask", payload) }, LIMIT);
        assert!(outcome.printed("") && outcome.millis < SOON + 2_000, "{outcome:?}");
    }
    intake.hears_nothing_but("after");
}

#[test]
fn a_recording_comes_whole_and_in_order() {
    let intake = Intake::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
    let recording = Recording::read(&folder.join("2.1.332/09f-bash-fails-exit-3.jsonl")).unwrap();
    let mut player =
        Player::new(&helper::path(), &recording, &Role::default(), |program| intake.home.command(program));
    let count = player.len();
    player.play(Pace::AtOnce);
    let Some(Step::Hook(first)) = recording.steps.iter().map(|step| step.what.clone()).find(is_hook) else {
        panic!("no hook")
    };
    let events: Vec<_> = (0..count).map(|_| intake.event()).collect();
    for event in &events {
        assert_eq!(Some(event.session.id.as_str()), first.payload["session_id"].as_str());
        assert_eq!(event.process.map(|one| one.id.pid), Some(player.pid()));
    }
    assert!(events.is_sorted_by(|one, next| one.at < next.at));
    assert!(matches!(events.first().unwrap().what, What::Began(_)));
    assert!(matches!(events.last().unwrap().what, What::Ended(_)));
}

fn is_hook(step: &Step) -> bool {
    matches!(step, Step::Hook(_))
}

/// A sandbox with pids of its own, as some agents put around their hooks: there the helper sees other numbers.
fn in_a_sandbox(command: &str) -> Hook {
    let payload = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
    let command = command.replace("HOOK", &format!("'{}' claude notify Stop", helper::path().display()));
    let command = format!("unshare -r --pid --fork --kill-child --mount-proc {command}; exit $?");
    Hook { command, payload: payload.into(), ..Hook::default() }
}

fn process_told(intake: &Intake, agent: &mut FakeAgent, hook: &Hook) -> Option<ProcessId> {
    let outcome = agent.run(hook.clone(), LIMIT);
    assert!(outcome.printed("") && outcome.millis < SOON, "{outcome:?}");
    intake.event().process.map(|process| process.id)
}

#[test]
fn the_agent_around_a_sandbox_is_found() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    let id = process(agent.pid());
    // There the helper sees nobody, or a shell.
    for command in ["HOOK", "sh -c \"HOOK; exit 0\""] {
        let hook = in_a_sandbox(command);
        // The helper waits for 100 ms to be looked at: on a busy machine that may be too short for once.
        let found = (0..5).find_map(|_| process_told(&intake, &mut agent, &hook));
        assert_eq!(found, Some(id), "{command}");
    }
}

/// A helper that takes another process for its agent is gone before it can be looked at.
#[test]
fn a_process_within_a_sandbox_is_not_the_agent() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    let id = process(agent.pid());
    let hook = in_a_sandbox("sh -c \"timeout 20 HOOK; exit 0\"");
    let told = process_told(&intake, &mut agent, &hook);
    assert!(told.is_none_or(|told| told == id), "{told:?} is not {id:?}");
}

#[test]
fn a_payload_left_out_tells_nothing() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    let payload = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
    let larger = format!(r#"{{"session_id":"s","x":"{}"}}"#, "x".repeat(dasbo_core::wire::MAX_PAYLOAD));
    let outcome = agent.run(Hook { payload: larger, ..hook("notify", payload) }, LIMIT);
    assert!(outcome.printed("") && outcome.millis < 5_000, "{outcome:?}");
    intake.hears_nothing_but("after");
    assert!(intake.news_within(Duration::ZERO).is_none());
}
