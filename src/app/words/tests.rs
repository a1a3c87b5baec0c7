// SPDX-License-Identifier: GPL-3.0-or-later

use dasbo_core::event::{Actor, Call, Fingerprint, SessionId, SessionKey};
use dasbo_core::session::{Note, RowId, Task};

use super::*;

/// When the sessions below were last heard of.
const HEARD: Moment = Moment::from_nanos(1_000_000_000_000);

fn session(state: State) -> Session {
    Session {
        row: RowId(1),
        key: SessionKey { agent: AgentId("claude"), id: SessionId::new("a").unwrap() },
        process: None,
        started: HEARD,
        heard: HEARD,
        news_lost: false,
        project: Some("/home/user/dasbo".into()),
        cwd: None,
        title: None,
        branch: None,
        mode: PermissionMode::Default,
        model: None,
        state,
        since: HEARD,
        waits: Vec::new(),
        compacting: false,
        helpers: std::collections::BTreeSet::new(),
        background: 0,
        tasks: Vec::new(),
        last_prompt: None,
        last_answer: None,
        note: None,
        finished_until: None,
        attended: true,
        tokens: None,
        transcript: None,
    }
}

fn named(name: &str, detail: &str) -> Tool {
    Tool { name: name.into(), detail: detail.into() }
}

fn asks(kind: WaitKind, tool: Option<Tool>) -> Wait {
    let call = tool.map(|tool| Call { id: None, tool, input: Fingerprint(0) });
    Wait { kind, actor: Actor::Main, call, request: None, held: None, since: HEARD, confirmed: false }
}

fn said(session: &Session) -> String {
    state(session, HEARD)
}

#[test]
fn every_state_has_its_words() {
    assert_eq!(said(&session(State::Idle)), "Idle");
    assert_eq!(said(&session(State::Thinking)), "Thinking…");
    assert_eq!(said(&session(State::Tool(named("Bash", "cargo test")))), "Bash · cargo test");
    assert_eq!(said(&session(State::Tool(named("TodoWrite", "")))), "TodoWrite");
    assert_eq!(said(&session(State::Error(Some("server error".into())))), "API error · server error");
    assert_eq!(said(&session(State::Error(None))), "API error");
    assert_eq!(said(&session(State::Error(Some("API error".into())))), "API error");
    assert_eq!(said(&session(State::Interrupted)), "Interrupted");
}

#[test]
fn every_wait_has_its_words() {
    let approval = |name, detail| wait(&asks(WaitKind::Approval, Some(named(name, detail))));
    assert_eq!(approval("Bash", "cargo publish"), "Wants to run a command");
    assert_eq!(approval("Edit", "/home/user/dasbo/src/main.rs"), "Wants to edit main.rs");
    assert_eq!(approval("Write", "notes.md"), "Wants to edit notes.md");
    assert_eq!(approval("Write", ""), "Wants to use Write");
    assert_eq!(approval("Read", "/etc/passwd"), "Wants to read passwd");
    assert_eq!(approval("WebFetch", "https://example.org/a"), "Wants to use WebFetch");
    assert_eq!(approval("mcp__notes__add", ""), "Wants to use mcp__notes__add");
    assert_eq!(wait(&asks(WaitKind::Approval, None)), "Asks for your approval");
    assert_eq!(wait(&asks(WaitKind::Question, None)), "Asks a question");
    assert_eq!(wait(&asks(WaitKind::Plan, None)), "Proposes a plan");
    assert_eq!(wait(&asks(WaitKind::Form, None)), "Asks to fill in a form");
    assert_eq!(wait(&asks(WaitKind::Input, None)), "Waits for you in its terminal");
}

#[test]
fn a_wait_comes_before_the_state() {
    let mut session = session(State::Tool(named("Bash", "cargo test")));
    session.waits = vec![asks(WaitKind::Question, None)];
    assert_eq!(said(&session), "Asks a question");
    session.waits.push(asks(WaitKind::Plan, None));
    session.waits.push(asks(WaitKind::Form, None));
    assert_eq!(said(&session), "Asks a question · 1 of 3");
}

#[test]
fn what_passes_is_said_while_it_is_there() {
    let mut thinking = session(State::Thinking);
    thinking.note = Some(Note { what: NoteKind::ToolFailed("Bash".into()), until: HEARD });
    assert_eq!(said(&thinking), "Bash failed");
    thinking.note = Some(Note { what: NoteKind::ToolDenied("Bash".into(), None), until: HEARD });
    assert_eq!(said(&thinking), "Bash denied");
    let reason = NoteKind::ToolDenied("Bash".into(), Some("not in this folder".into()));
    thinking.note = Some(Note { what: reason, until: HEARD });
    assert_eq!(said(&thinking), "Bash denied · not in this folder");
    let mut idle = session(State::Idle);
    idle.finished_until = Some(HEARD);
    assert_eq!(said(&idle), "Finished");
}

#[test]
fn work_beside_the_turn_is_said() {
    let mut thinking = session(State::Thinking);
    thinking.helpers = ["a".to_owned()].into();
    assert_eq!(said(&thinking), "Thinking… · 1 subagent");
    let mut idle = session(State::Idle);
    idle.background = 1;
    idle.finished_until = Some(HEARD);
    assert_eq!(said(&idle), "Working in the background");
    idle.helpers = ["a".to_owned(), "b".to_owned()].into();
    assert_eq!(said(&idle), "Working in the background · 2 subagents");
    let mut compacting = session(State::Idle);
    compacting.compacting = true;
    assert_eq!(said(&compacting), "Compacting…");
}

#[test]
fn silence_is_said_of_those_who_work() {
    let later = |seconds| HEARD + Duration::from_secs(seconds);
    let thinking = session(State::Thinking);
    assert_eq!(state(&thinking, later(59)), "Thinking…");
    assert_eq!(state(&thinking, later(12 * 60 + 5)), "No news for 12 min");
    let running = session(State::Tool(named("Bash", "sleep 900")));
    assert_eq!(state(&running, later(60)), "No news for 1 min · Bash · sleep 900");
    assert_eq!(state(&session(State::Idle), later(7200)), "Idle");
}

#[test]
fn lost_news_are_said_of_all() {
    let mut idle = session(State::Idle);
    idle.news_lost = true;
    assert_eq!(said(&idle), "No news");
    assert_eq!(state(&idle, HEARD + Duration::from_secs(3700)), "No news for 1 h");
    idle.waits = vec![asks(WaitKind::Plan, None)];
    assert_eq!(said(&idle), "No news · Proposes a plan");
}

#[test]
fn a_screen_reader_hears_a_sentence() {
    let mut session = session(State::Thinking);
    assert_eq!(sentence(&session, HEARD), "Claude Code, dasbo, Thinking…");
    session.waits = vec![asks(WaitKind::Approval, Some(named("Bash", "cargo publish")))];
    assert_eq!(sentence(&session, HEARD), "Claude Code, dasbo, waiting: Wants to run a command");
    session.waits.clear();
    // What the agent wrote is said as it is.
    session.state = State::Tool(named("Bash", "echo a · b"));
    assert_eq!(sentence(&session, HEARD), "Claude Code, dasbo, Bash, echo a · b");
    session.state = State::Tool(named("Bash", "cargo test"));
    session.mode = PermissionMode::Plan;
    let task = |state| Task { id: String::new(), subject: String::new(), state };
    session.tasks = vec![task(TaskState::Completed), task(TaskState::InProgress), task(TaskState::Pending)];
    assert_eq!(
        sentence(&session, HEARD),
        "Claude Code, dasbo, Bash, cargo test, plan mode, 1 of 3 tasks done"
    );
    let mut failed = self::session(State::Error(Some("server error".into())));
    failed.project = None;
    assert_eq!(sentence(&failed, HEARD), "Claude Code, Unknown project, API error, server error");
}

#[test]
fn running_times_are_those_of_the_wait_or_the_state() {
    let later = HEARD + Duration::from_secs(68);
    let mut session = session(State::Thinking);
    assert_eq!(running_time(&session, later).unwrap(), "1:08");
    session.waits = vec![asks(WaitKind::Question, None)];
    session.waits[0].since = HEARD + Duration::from_secs(59);
    assert_eq!(running_time(&session, later).unwrap(), "0:09");
    session.waits.clear();
    session.state = State::Idle;
    assert_eq!(running_time(&session, later), None);
}

#[test]
fn counts_speak_of_one_and_of_many() {
    assert_eq!(sessions(1), "1 session");
    assert_eq!(sessions(6), "6 sessions");
    assert_eq!(waiting(0), None);
    assert_eq!(waiting(2).unwrap(), "2 waiting for you");
}
