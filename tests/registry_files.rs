// SPDX-License-Identifier: GPL-3.0-or-later
//! What only files tell: how a session is whose news were lost, and that a queued prompt is taken up.

use std::time::Duration;

use dasbo_core::event::{
    About, Actor, AgentId, AgentProcess, Beginning, Call, Ending, Event, Fingerprint, Outcome, SessionId,
    SessionKey, Source, Status, Tool, WaitKind, What,
};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::registry::Registry;
use dasbo_core::session::{Session, State};

fn at(millis: u64) -> Moment {
    Moment::from_nanos(millis * 1_000_000)
}

fn key(name: &str) -> SessionKey {
    SessionKey { agent: AgentId("claude"), id: SessionId::new(name).unwrap() }
}

fn told(millis: u64, what: What) -> Event {
    Event {
        session: key("one"),
        at: at(millis),
        actor: Actor::Main,
        source: Source::Hook,
        process: Some(AgentProcess { id: ProcessId { pid: 1, start: 10 }, tty: 1 }),
        about: About::default(),
        what,
    }
}

fn read(millis: u64, what: What) -> Event {
    Event { source: Source::File, ..told(millis, what) }
}

fn says(millis: u64, status: Status) -> Event {
    read(millis, What::Reported(status))
}

fn stop() -> What {
    What::TurnEnded { answer: None, background: None }
}

fn bash(id: &str) -> Call {
    Call { id: Some(id.into()), tool: Tool { name: "Bash".into(), detail: id.into() }, input: Fingerprint(0) }
}

/// A table to which these events came as they happened.
fn after(events: &[Event]) -> Registry {
    let mut registry = Registry::default();
    for event in events {
        registry.apply(event, event.at);
    }
    registry
}

/// A turn in which a command runs since 100 ms, all later news of which were lost.
fn lost_while_bash_runs() -> Registry {
    let mut registry = after(&[
        told(0, What::Began(Beginning::Startup)),
        told(50, What::Prompted(None)),
        says(60, Status::Busy),
        told(100, What::ToolBegan(bash("a"), None)),
    ]);
    registry.lose(&key("one"), at(900), at(1_000));
    registry
}

fn only(registry: &Registry) -> &Session {
    let mut sessions = registry.sessions();
    let session = sessions.next().unwrap();
    assert!(sessions.next().is_none(), "one session");
    session
}

#[test]
fn until_its_file_is_read_it_says_so() {
    let registry = lost_while_bash_runs();
    assert!(only(&registry).news_lost);
    assert_eq!(only(&registry).no_news(at(1_100)), Some(Duration::from_secs(1)));
}

#[test]
fn it_is_as_its_file_says() {
    for (status, state, waits, background) in [
        // Something runs, but which tool, nobody knows.
        (Status::Busy, State::Thinking, 0, 0),
        (Status::Idle, State::Idle, 0, 0),
        (Status::Waiting, State::Thinking, 1, 0),
        (Status::Shell, State::Idle, 0, 1),
    ] {
        let mut registry = lost_while_bash_runs();
        registry.apply(&says(900, status), at(1_010));
        registry.tick(at(3_000));
        let session = only(&registry);
        let shown = (&session.state, session.waits.len(), session.background, session.news_lost);
        assert_eq!(shown, (&state, waits, background, false), "{status:?}");
    }
}

/// The file lags behind the hook that was lost.
#[test]
fn what_the_file_says_next_holds_too() {
    let mut registry = lost_while_bash_runs();
    registry.apply(&says(900, Status::Busy), at(1_010));
    registry.apply(&says(1_300, Status::Idle), at(1_350));
    registry.tick(at(3_000));
    assert_eq!(only(&registry).state, State::Idle, "its Stop was lost: no interruption");
}

#[test]
fn with_the_next_hook_hooks_speak_again() {
    let mut registry = lost_while_bash_runs();
    registry.apply(&says(900, Status::Idle), at(1_010));
    registry.apply(&told(2_000, What::Prompted(None)), at(2_000));
    registry.apply(&says(2_100, Status::Busy), at(2_100));
    registry.apply(&told(2_200, What::ToolBegan(bash("b"), None)), at(2_200));
    registry.apply(&says(2_210, Status::Busy), at(2_220));
    assert_eq!(only(&registry).state, State::Tool(bash("b").tool), "busy alone means nothing again");
}

/// What came after the last that was lost is news, though it was told before the loss was.
#[test]
fn a_hook_from_after_the_loss_stands() {
    let mut registry = after(&[told(0, What::Prompted(None)), told(950, stop())]);
    registry.lose(&key("one"), at(900), at(1_000));
    registry.apply(&says(900, Status::Busy), at(1_010));
    assert_eq!((&only(&registry).state, only(&registry).news_lost), (&State::Idle, false));
}

/// Its transcript goes on to be read while the queue has no room for its hooks.
#[test]
fn a_loss_is_told_however_late() {
    let mut registry = after(&[told(0, What::Prompted(None))]);
    for second in 1..20 {
        registry.apply(&read(second * 1_000, What::Seen), at(second * 1_000));
    }
    registry.lose(&key("one"), at(2_000), at(20_000));
    assert!(only(&registry).news_lost);
    registry.apply(&says(2_100, Status::Idle), at(20_010));
    assert_eq!((&only(&registry).state, only(&registry).news_lost), (&State::Idle, false));
}

#[test]
fn calls_whose_end_may_be_lost_do_not_come_back() {
    let mut registry = lost_while_bash_runs();
    registry.apply(&told(2_000, What::ToolBegan(bash("b"), None)), at(2_000));
    registry.apply(&told(2_100, What::ToolEnded(bash("b"), Outcome::Done)), at(2_100));
    assert_eq!(only(&registry).state, State::Thinking);
}

/// The person's answer was lost with all that followed it.
#[test]
fn a_wait_from_before_what_the_file_says_is_over() {
    for (status, waits) in [(Status::Busy, 0), (Status::Waiting, 1)] {
        let mut registry = lost_while_bash_runs();
        registry.apply(&told(120, What::ToolBegan(bash("b"), Some(WaitKind::Question))), at(1_000));
        registry.apply(&says(900, status), at(1_010));
        assert_eq!(only(&registry).waits.len(), waits, "{status:?}");
    }
}

/// There the file of 2.1.220 says idle while the agent works.
#[test]
fn where_nobody_sits_its_file_is_no_evidence() {
    let prompt = told(0, What::Prompted(None));
    let about = About { attended: Some(false), ..About::default() };
    let mut registry = after(&[Event { about, ..prompt }]);
    registry.lose(&key("one"), at(900), at(1_000));
    registry.apply(&says(900, Status::Idle), at(1_010));
    registry.tick(at(3_000));
    assert_eq!((&only(&registry).state, only(&registry).news_lost), (&State::Thinking, true));
}

/// The end of the one and the beginning of the other were lost.
#[test]
fn the_session_that_took_its_place_is_found_in_the_file() {
    let mut registry = lost_while_bash_runs();
    let other = Event { session: key("two"), ..says(900, Status::Busy) };
    registry.apply(&other, at(1_010));
    assert_eq!(only(&registry).key, key("two"));
}

/// A turn with a second prompt typed into it; then these happen.
fn with_a_queued_prompt(then: &[Event]) -> Registry {
    let mut registry = after(&[
        told(0, What::Prompted(None)),
        told(100, What::ToolBegan(bash("a"), None)),
        read(150, What::Seen),
    ]);
    for event in then {
        registry.tick(event.at);
        registry.apply(event, event.at);
    }
    registry.tick(at(9_000));
    registry
}

#[test]
fn a_queued_prompt_goes_on_where_an_interruption_ended() {
    let idle = says(1_000, Status::Idle);
    let record = |millis| read(millis, What::Interrupted);
    let taken_up = |millis| read(millis, What::QueuedPrompt);
    for events in [
        vec![idle.clone(), says(1_020, Status::Busy), taken_up(1_050), record(1_130)],
        // It comes when the interruption was certain already.
        vec![idle.clone(), says(1_020, Status::Busy), taken_up(1_400), record(1_430)],
        vec![record(990), idle.clone(), says(1_020, Status::Busy), taken_up(1_050)],
        vec![record(990), taken_up(1_050)],
        vec![told(1_000, stop()), idle.clone(), taken_up(1_050)],
    ] {
        assert_eq!(only(&with_a_queued_prompt(&events)).state, State::Thinking, "{events:?}");
    }
    let state = only(&with_a_queued_prompt(&[idle, record(1_100)])).state.clone();
    assert_eq!(state, State::Interrupted, "without it the turn is over");
}

#[test]
fn the_turn_of_a_queued_prompt_can_be_interrupted_too() {
    let begun = [says(1_000, Status::Idle), read(1_050, What::QueuedPrompt), read(1_130, What::Interrupted)];
    for end in [says(3_000, Status::Idle), read(3_000, What::Interrupted)] {
        let events: Vec<Event> = begun.iter().cloned().chain([end]).collect();
        assert_eq!(only(&with_a_queued_prompt(&events)).state, State::Interrupted, "{events:?}");
    }
}

/// The prompt was folded into the turn.
#[test]
fn a_queued_prompt_changes_nothing_while_the_turn_runs() {
    let registry = with_a_queued_prompt(&[read(1_000, What::QueuedPrompt)]);
    assert_eq!(only(&registry).state, State::Tool(bash("a").tool));
}

/// The hook of an end can be told after what was read, or lost, a moment later.
#[test]
fn what_is_read_after_an_end_makes_no_row() {
    let mut registry = after(&[told(0, What::Prompted(None)), read(200, What::Seen)]);
    registry.lose(&key("one"), at(210), at(210));
    registry.apply(&told(100, What::Ended(Ending::Gone)), at(220));
    assert_eq!(registry.sessions().count(), 0);
}

/// A hook that was on its way when its agent was killed does not find it any more.
#[test]
fn a_hook_without_its_agent_brings_no_session_back_that_died() {
    let mut registry = after(&[told(0, What::Prompted(None))]);
    registry.process_ended(ProcessId { pid: 1, start: 10 }, at(1_000));
    let orphan = |millis| Event { process: None, ..told(millis, What::Seen) };
    registry.apply(&orphan(1_100), at(1_200));
    assert_eq!(registry.sessions().count(), 0);
    registry.apply(&orphan(60_000), at(60_000));
    assert_eq!(registry.sessions().count(), 1, "resumed where no process can be seen");
}

/// Whether hooks spoke before a file does is decided by the times of both.
#[test]
fn a_late_end_leaves_what_an_early_one_does() {
    let end = told(100, What::Ended(Ending::Gone));
    // Two seconds after an end what its process tells is no longer of before.
    let then = [says(2_200, Status::Busy), told(2_300, What::Seen)];
    for order in [[&end, &then[0], &then[1]], [&then[0], &then[1], &end]] {
        let mut registry = Registry::default();
        for event in order {
            registry.apply(event, at(2_400));
        }
        assert_eq!(only(&registry).state, State::Thinking);
    }
}
