// SPDX-License-Identifier: GPL-3.0-or-later
//! What must hold of the table of sessions whatever comes, in whatever order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use dasbo_core::change::Change;
use dasbo_core::event::{
    About, Actor, AgentId, AgentProcess, Asks, Background, Beginning, Call, CompactTrigger, Ending, Event,
    Fingerprint, Outcome, PermissionMode, SessionId, SessionKey, Source, Status, TaskChange, TaskState, Tool,
    WaitKind, What,
};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::registry::Registry;
use dasbo_core::request::{Content, Prompt, Request};
use dasbo_core::session::{RowId, Session, State};
use proptest::prelude::*;
use proptest::sample::select;

const AGENT: AgentId = AgentId("claude");

/// One thing that happens to the registry.
#[derive(Debug, Clone)]
enum Step {
    Event(Box<Event>),
    ProcessEnds(ProcessId),
    NewsLost(SessionKey),
    Passes(Duration),
}

fn process(number: u32) -> AgentProcess {
    AgentProcess { id: ProcessId { pid: number, start: u64::from(number) * 10 }, tty: 1 }
}

fn key(name: &str) -> SessionKey {
    SessionKey { agent: AGENT, id: SessionId::new(name).unwrap() }
}

fn call() -> impl Strategy<Value = Call> {
    (select(vec!["Bash", "Read", "mcp__x__y"]), 0..3_u64, any::<bool>()).prop_map(|(name, number, has_id)| {
        Call {
            id: has_id.then(|| format!("call-{name}-{number}")),
            tool: Tool { name: name.into(), detail: number.to_string() },
            input: Fingerprint(number),
        }
    })
}

fn beginning() -> impl Strategy<Value = Beginning> {
    use Beginning::{Clear, Compact, Fork, Resume, Startup};
    select(vec![Startup, Resume, Clear, Fork, Compact])
}

fn kind() -> impl Strategy<Value = WaitKind> {
    select(vec![WaitKind::Approval, WaitKind::Question, WaitKind::Plan, WaitKind::Form])
}

fn request() -> impl Strategy<Value = Arc<Request>> {
    (kind(), call()).prop_map(|(kind, call)| {
        let asks = if kind == WaitKind::Form { Asks::During("x".into()) } else { Asks::ForCall(call) };
        let content = Content::Unclear(kind);
        Arc::new(Request { asks, content, prompt: Prompt::Beside, input: Box::default() })
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    select(vec![Outcome::Done, Outcome::Failed, Outcome::Denied(None)])
}

fn what() -> impl Strategy<Value = What> {
    let background = (any::<bool>(), 0..3_usize)
        .prop_map(|(listed, others)| Background { subagents: vec!["a".into(); usize::from(listed)], others });
    prop_oneof![
        1 => beginning().prop_map(What::Began),
        3 => prop::option::of("[a-z]{1,3}").prop_map(What::Prompted),
        4 => (call(), prop::option::weighted(0.2, kind())).prop_map(|(call, asks)| What::ToolBegan(call, asks)),
        4 => (call(), outcome()).prop_map(|(call, outcome)| What::ToolEnded(call, outcome)),
        1 => prop::collection::vec(call(), 0..3).prop_map(What::BatchEnded),
        3 => request().prop_map(|request| What::Requested(request, None)),
        1 => Just(What::NeedsInput),
        1 => Just(What::FormAnswered(Some("x".into()))),
        1 => Just(What::FormAnswerNoted),
        1 => Just(What::IdlePrompt),
        2 => prop::option::of(background).prop_map(|background| What::TurnEnded { answer: None, background }),
        1 => prop::option::of("[a-z]{1,3}").prop_map(What::TurnFailed),
        1 => Just(What::CompactBegan),
        1 => select(vec![CompactTrigger::Manual, CompactTrigger::Auto]).prop_map(What::CompactEnded),
        1 => Just(What::HelperBegan),
        1 => Just(What::HelperEnded),
        1 => Just(What::Seen),
        1 => select(vec![Ending::Gone, Ending::Replaced]).prop_map(What::Ended),
    ]
}

/// What files say.
fn read() -> impl Strategy<Value = What> {
    let status = select(vec![Status::Idle, Status::Busy, Status::Shell, Status::Waiting]);
    prop_oneof![4 => status.prop_map(What::Reported), 1 => Just(What::Interrupted), 1 => Just(What::QueuedPrompt), 1 => Just(What::Seen)]
}

fn about() -> impl Strategy<Value = About> {
    let tasks = prop_oneof![
        (0..3_u8).prop_map(|id| TaskChange::Added { id: id.to_string(), subject: "x".into() }),
        (0..3_u8, any::<bool>()).prop_map(|(id, stays)| TaskChange::State {
            id: id.to_string(),
            state: stays.then_some(TaskState::Completed)
        }),
    ];
    let mode = select(vec![PermissionMode::Default, PermissionMode::Plan]);
    (prop::option::of(mode), prop::option::of(select(vec!["t1", "t2"])), prop::option::weighted(0.2, tasks))
        .prop_map(|(mode, turn, tasks)| About {
            mode,
            turn: turn.map(str::to_owned),
            tasks,
            ..About::default()
        })
}

/// An event without its time.
fn event() -> impl Strategy<Value = Event> {
    let actor = prop_oneof![4 => Just(Actor::Main), 1 => Just(Actor::Subagent("a".into()))];
    let process = prop::option::weighted(0.9, (1..4_u32).prop_map(process));
    let told = (actor, what(), Just(Source::Hook));
    let read = (Just(Actor::Main), read(), Just(Source::File));
    let source = prop_oneof![4 => told, 1 => read];
    (select(vec!["one", "two", "three"]), source, process, about()).prop_map(
        |(session, (actor, what, source), process, about)| Event {
            session: key(session),
            at: Moment::default(),
            actor,
            source,
            process,
            about,
            what,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => event().prop_map(|event| Step::Event(Box::new(event))),
        1 => (1..4_u32).prop_map(|number| Step::ProcessEnds(process(number).id)),
        1 => select(vec!["one", "two"]).prop_map(|name| Step::NewsLost(key(name))),
        3 => (1..4_000_u64).prop_map(|millis| Step::Passes(Duration::from_millis(millis))),
        1 => Just(Step::Passes(Duration::from_secs(31 * 60))),
    ]
}

/// The table, rebuilt from changes: what a list that shows it holds.
#[derive(Debug, Default, PartialEq)]
struct Mirror(BTreeMap<RowId, Session>);

impl Mirror {
    fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Added(session) => {
                    assert!(self.0.insert(session.row, *session).is_none(), "added twice");
                }
                Change::Updated(session) => {
                    let before = self.0.insert(session.row, (*session).clone());
                    assert!(before.is_some_and(|before| before != *session), "updated without need");
                }
                Change::Removed(row) => assert!(self.0.remove(&row).is_some(), "removed twice"),
            }
        }
    }
}

fn check(registry: &Registry, mirror: &Mirror, dead: &BTreeSet<ProcessId>) {
    let sessions: Vec<&Session> = registry.sessions().collect();
    assert_eq!(mirror.0.values().collect::<Vec<_>>(), sessions, "the changes tell the whole story");
    let keys: BTreeSet<&SessionKey> = sessions.iter().map(|session| &session.key).collect();
    assert_eq!(keys.len(), sessions.len(), "one row a session");
    for session in sessions {
        assert!(session.since <= session.heard, "a state begins with an event");
        assert!(session.waits.is_sorted_by_key(|wait| wait.since), "oldest first");
        assert!(session.process.is_none_or(|process| !dead.contains(&process.id)), "a dead agent has no row");
        let asks = |actor: &Actor| match actor {
            Actor::Main => true,
            Actor::Subagent(id) => session.helpers.contains(id),
        };
        assert!(
            session.waits.iter().all(|wait| asks(&wait.actor)),
            "nobody waits for a subagent that is gone"
        );
    }
    let mut late = Mirror::default();
    late.apply(registry.replicate());
    assert_eq!(&late, mirror, "who joins late sees the same");
}

/// What is shown of a session, but for the row it is in, which depends on who came first.
fn shown(registry: &Registry) -> BTreeMap<SessionKey, Session> {
    let blind = |session: &Session| Session { row: RowId(0), ..session.clone() };
    registry.sessions().map(|session| (session.key.clone(), blind(session))).collect()
}

/// Not these: in which row a session goes on, and so how old it is, depends on which came first; files are read only
/// of sessions that are known, and here two sessions share a process, which no agent with such files does.
fn order_is_all(event: &Event) -> bool {
    let moves = matches!(
        event.what,
        What::Began(Beginning::Clear | Beginning::Resume) | What::Ended(Ending::Replaced)
    );
    let read = event.source == Source::File;
    let of_known = matches!(event.what, What::Reported(_)) && event.session == key("one");
    !moves && (!read || of_known)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold_after_every_step(steps in prop::collection::vec((step(), 0..900_i64), 1..60)) {
        let mut registry = Registry::default();
        let (mut mirror, mut dead) = (Mirror::default(), BTreeSet::new());
        let mut now = Moment::default() + Duration::from_secs(1_000);
        for (step, millis_ago) in steps {
            let changes = match step {
                Step::Event(mut event) => {
                    now = now + Duration::from_millis(10);
                    let ago = Duration::from_millis(u64::try_from(millis_ago).unwrap());
                    event.at = Moment::from_nanos(now.as_nanos() - u64::try_from(ago.as_nanos()).unwrap());
                    registry.apply(&event, now)
                }
                Step::ProcessEnds(process) => {
                    dead.insert(process);
                    registry.process_ended(process, now)
                }
                Step::NewsLost(key) => registry.lose(&key, now, now),
                Step::Passes(time) => {
                    now = now + time;
                    let changes = registry.tick(now);
                    prop_assert!(registry.due().is_none_or(|due| due > now), "a tick leaves nothing overdue");
                    changes
                }
            };
            mirror.apply(changes);
            check(&registry, &mirror, &dead);
        }
    }

    #[test]
    fn the_order_of_arrival_decides_nothing(
        (events, order) in prop::collection::vec((event(), 1..300_u64), 1..14).prop_flat_map(|events| {
            let order: Vec<usize> = (0..events.len()).collect();
            (Just(events), Just(order).prop_shuffle())
        })
    ) {
        let mut at = Moment::default() + Duration::from_secs(1_000);
        let events: Vec<Event> = (events.into_iter())
            .map(|(mut event, millis)| {
                at = at + Duration::from_millis(millis);
                event.at = at;
                // Two processes that end one session at once are told apart by who came last.
                event.process = Some(process(if event.session == key("one") { 1 } else { 2 }));
                event
            })
            .filter(order_is_all)
            .collect();
        // A session that begins again within two seconds of its end: what came before the news of it was on its way.
        let ends = |key: &SessionKey| events.iter().any(|event| event.session == *key && matches!(event.what, What::Ended(_)));
        let events: Vec<Event> = (events.iter())
            .filter(|event| !matches!(event.what, What::Began(_)) || !ends(&event.session))
            .cloned()
            .collect();
        let (mut straight, mut shuffled) = (Registry::default(), Registry::default());
        for event in &events {
            straight.apply(event, at);
        }
        for &index in order.iter().filter(|&&index| index < events.len()) {
            shuffled.apply(&events[index], at);
        }
        prop_assert_eq!(shown(&straight), shown(&shuffled));
    }
}

fn at(millis: u64) -> Moment {
    Moment::default() + Duration::from_millis(1_000_000 + millis)
}

fn told(session: &str, pid: u32, millis: u64, what: What) -> Event {
    Event {
        session: key(session),
        at: at(millis),
        actor: Actor::Main,
        source: Source::Hook,
        process: Some(process(pid)),
        about: About::default(),
        what,
    }
}

/// `/clear`: the same row goes on, and what the old session still says is not heard.
#[test]
fn a_cleared_session_goes_on_in_its_row() {
    let mut registry = Registry::default();
    let tell = |registry: &mut Registry, event: Event| registry.apply(&event, event.at);
    tell(&mut registry, told("old", 1, 0, What::Began(Beginning::Startup)));
    tell(&mut registry, told("old", 1, 10, What::Prompted(Some("hello".into()))));
    let row = registry.sessions().next().unwrap().row;

    tell(&mut registry, told("old", 1, 20, What::Ended(Ending::Replaced)));
    assert!(registry.awaits_successor(row));
    let changes = tell(&mut registry, told("new", 1, 300, What::Began(Beginning::Clear)));

    let Some(Change::Updated(session)) = changes.first() else { panic!("{changes:?}") };
    assert_eq!((session.row, session.key.clone(), &session.state), (row, key("new"), &State::Idle));
    assert_eq!(session.started, at(300), "a later session of a process began when it began");
    assert_eq!(session.last_prompt, None);
    assert_eq!(tell(&mut registry, told("old", 1, 15, What::Prompted(None))), []);
    assert_eq!(registry.sessions().count(), 1);
}

#[test]
fn a_row_whose_successor_never_comes_goes() {
    let mut registry = Registry::default();
    registry.apply(&told("old", 1, 0, What::Began(Beginning::Startup)), at(0));
    registry.apply(&told("old", 1, 20, What::Ended(Ending::Replaced)), at(20));
    let due = registry.due().unwrap();
    assert!(matches!(registry.tick(due).as_slice(), [Change::Removed(_)]));
    assert_eq!(registry.due(), None);
}

/// A large payload can be overtaken by a small one.
#[test]
fn a_late_event_does_not_bring_work_back() {
    let mut registry = Registry::default();
    let bash = Call {
        id: Some("1".into()),
        tool: Tool { name: "Bash".into(), detail: "ls".into() },
        input: Fingerprint(0),
    };
    let stop = What::TurnEnded { answer: None, background: None };
    registry.apply(&told("one", 1, 0, What::Prompted(None)), at(0));
    registry.apply(&told("one", 1, 10, What::ToolBegan(bash.clone(), None)), at(10));
    registry.apply(&told("one", 1, 30, stop), at(30));
    registry.apply(&told("one", 1, 20, What::ToolEnded(bash, Outcome::Done)), at(40));
    let session = registry.sessions().next().unwrap();
    assert_eq!((&session.state, session.since), (&State::Idle, at(30)));
}

/// Hooks of an end run on for a while; `/resume` to the same session is a new life.
#[test]
fn stragglers_do_not_bring_a_cleared_session_back() {
    let mut registry = Registry::default();
    registry.apply(&told("old", 1, 0, What::Prompted(None)), at(0));
    registry.apply(&told("old", 1, 20, What::Ended(Ending::Replaced)), at(20));
    registry.apply(&told("old", 1, 25, What::Seen), at(25));
    let read = Event { source: Source::File, process: None, ..told("old", 1, 30, What::Seen) };
    assert_eq!(registry.apply(&read, at(30)), [], "its transcript is read a moment later");
    registry.apply(&told("new", 1, 300, What::Began(Beginning::Clear)), at(300));
    registry.apply(&told("old", 1, 310, What::Seen), at(310));
    let keys: Vec<_> = registry.sessions().map(|session| session.key.clone()).collect();
    assert_eq!(keys, [key("new")]);

    registry.apply(&told("new", 1, 400, What::Ended(Ending::Replaced)), at(400));
    registry.apply(&told("old", 1, 500, What::Began(Beginning::Resume)), at(500));
    registry.apply(&told("old", 1, 600, What::Prompted(None)), at(600));
    let rows: Vec<_> =
        registry.sessions().map(|session| (session.key.clone(), session.state.clone())).collect();
    assert_eq!(rows, [(key("old"), State::Thinking)]);
}

/// The end of the old session can be lost, or come after the beginning of the new one.
#[test]
fn a_clear_without_its_end_leaves_one_row() {
    let mut registry = Registry::default();
    registry.apply(&told("old", 1, 0, What::Prompted(None)), at(0));
    registry.apply(&told("new", 1, 300, What::Began(Beginning::Clear)), at(300));
    registry.apply(&told("old", 1, 20, What::Ended(Ending::Replaced)), at(310));
    assert_eq!(registry.sessions().map(|session| session.key.clone()).collect::<Vec<_>>(), [key("new")]);
}

/// `claude --resume` in another terminal, then the first one is closed.
#[test]
fn a_session_outlives_the_end_of_the_process_it_left() {
    let mut registry = Registry::default();
    registry.apply(&told("one", 1, 0, What::Began(Beginning::Startup)), at(0));
    registry.apply(&told("one", 2, 10, What::Began(Beginning::Resume)), at(10));
    registry.apply(&told("one", 2, 20, What::Prompted(None)), at(20));
    assert_eq!(registry.apply(&told("one", 1, 30, What::Ended(Ending::Gone)), at(30)), []);
    assert_eq!(registry.sessions().count(), 1);
}

#[test]
fn a_time_that_cannot_be_is_now() {
    let mut registry = Registry::default();
    registry
        .apply(&Event { at: Moment::from_nanos(u64::MAX), ..told("one", 1, 0, What::Prompted(None)) }, at(5));
    let stop = What::TurnEnded { answer: None, background: None };
    registry.apply(&told("one", 1, 10, stop), at(10));
    assert_eq!(registry.sessions().next().unwrap().state, State::Idle);
}

fn reported(millis: u64, status: Status) -> Event {
    Event { source: Source::File, ..told("one", 1, millis, What::Reported(status)) }
}

fn state_of(registry: &Registry) -> (State, usize) {
    let session = registry.sessions().next().unwrap();
    (session.state.clone(), session.waits.len())
}

/// Esc fires no hook: the file says idle, and within 300 ms no hook tells of an end.
#[test]
fn idle_without_an_end_is_an_interruption() {
    let mut registry = Registry::default();
    registry.apply(&told("one", 1, 0, What::Prompted(None)), at(0));
    registry.apply(&reported(100, Status::Busy), at(100));
    registry.apply(&reported(1_000, Status::Idle), at(1_010));
    assert_eq!(state_of(&registry), (State::Thinking, 0), "not certain yet");
    let due = registry.due().unwrap();
    assert_eq!(due, at(1_300));
    registry.tick(due);
    assert_eq!(state_of(&registry), (State::Interrupted, 0));
    assert_eq!(registry.sessions().next().unwrap().since, at(1_000));
}

#[test]
fn an_end_that_a_hook_tells_in_time_is_none() {
    for (what, state) in [
        (What::TurnFailed(None), State::Error(None)),
        (What::TurnEnded { answer: None, background: None }, State::Idle),
    ] {
        let mut registry = Registry::default();
        registry.apply(&told("one", 1, 0, What::Prompted(None)), at(0));
        registry.apply(&reported(1_000, Status::Idle), at(1_010));
        // It comes after the 300 ms, but happened within them.
        registry.tick(at(1_400));
        registry.apply(&told("one", 1, 1_070, what), at(1_500));
        assert_eq!(state_of(&registry).0, state);
    }
}

/// Renaming makes the file pulse; compacting and `claude -p` have their own ends.
#[test]
fn idle_means_nothing_without_a_turn_of_a_person() {
    let unattended = About { attended: Some(false), ..About::default() };
    let told_of = |about: About, what| Event { about, ..told("one", 1, 0, what) };
    for first in [
        vec![told_of(About::default(), What::Began(Beginning::Startup))],
        vec![told_of(unattended, What::Prompted(None))],
        vec![told_of(About::default(), What::Prompted(None)), told("one", 1, 10, What::CompactBegan)],
    ] {
        let mut registry = Registry::default();
        for event in &first {
            registry.apply(event, at(20));
        }
        let before = state_of(&registry);
        registry.apply(&reported(100, Status::Busy), at(100));
        registry.apply(&reported(200, Status::Idle), at(200));
        registry.tick(at(5_000));
        assert_eq!(state_of(&registry), before, "{first:?}");
    }
}

/// Yes in the terminal: the file no longer says waiting, while the command runs on.
#[test]
fn a_wait_that_the_file_confirmed_ends_with_it() {
    let bash = Call {
        id: Some("1".into()),
        tool: Tool { name: "Bash".into(), detail: "make".into() },
        input: Fingerprint(0),
    };
    let asks = Request {
        asks: Asks::ForCall(bash.clone()),
        content: Content::Unclear(WaitKind::Approval),
        prompt: Prompt::Beside,
        input: Box::default(),
    };
    let mut registry = Registry::default();
    registry.apply(&told("one", 1, 0, What::Prompted(None)), at(0));
    registry.apply(&told("one", 1, 10, What::ToolBegan(bash.clone(), None)), at(10));
    registry.apply(&told("one", 1, 20, What::Requested(asks.into(), None)), at(20));
    // The file lags: this is from before the question.
    registry.apply(&reported(25, Status::Busy), at(30));
    assert_eq!(state_of(&registry).1, 1, "only a wait that the file has seen can end by it");
    registry.apply(&reported(600, Status::Waiting), at(600));
    assert_eq!(state_of(&registry).1, 1, "one wait, however many tell of it");
    registry.apply(&reported(900, Status::Busy), at(900));
    assert_eq!(state_of(&registry), (State::Tool(bash.tool), 0));
}

/// Begun before the hooks: the file is all there is.
#[test]
fn a_session_without_hooks_is_as_its_file_says() {
    let mut registry = Registry::default();
    registry.apply(&Event { source: Source::File, ..told("one", 1, 0, What::Interrupted) }, at(0));
    assert_eq!(registry.sessions().count(), 0, "a transcript alone makes no row");
    for (millis, status, state, waits, background) in [
        (10, Status::Busy, State::Thinking, 0, 0),
        (20, Status::Waiting, State::Thinking, 1, 0),
        (30, Status::Busy, State::Thinking, 0, 0),
        (40, Status::Shell, State::Idle, 0, 1),
        (50, Status::Idle, State::Idle, 0, 0),
    ] {
        registry.apply(&reported(millis, status), at(millis));
        assert_eq!(state_of(&registry), (state, waits), "{status:?}");
        assert_eq!(registry.sessions().next().unwrap().background, background, "{status:?}");
    }
    let other = Event { session: key("two"), ..reported(60, Status::Busy) };
    registry.apply(&other, at(60));
    assert_eq!(registry.sessions().map(|session| session.key.clone()).collect::<Vec<_>>(), [key("two")]);
}

/// Fork and a second process of the same session: rows follow the process that is alive.
#[test]
fn the_newest_process_of_a_session_is_its_process() {
    let mut registry = Registry::default();
    registry.apply(&told("one", 1, 0, What::Began(Beginning::Startup)), at(0));
    registry.apply(&told("one", 2, 10, What::Began(Beginning::Resume)), at(10));
    registry.apply(&told("copy", 3, 20, What::Began(Beginning::Fork)), at(20));
    assert_eq!(registry.sessions().count(), 2);
    assert_eq!(registry.process_ended(process(1).id, at(30)), [], "it is another process's session by now");
    assert_eq!(registry.process_ended(process(2).id, at(30)).len(), 1);
    assert_eq!(registry.process_ended(process(3).id, at(30)).len(), 1);
}
