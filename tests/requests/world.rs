// SPDX-License-Identifier: GPL-3.0-or-later
//! Sessions that ask, helpers that wait, panels that come and go, and a person.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use dasbo_core::event::{
    About, Actor, AgentId, AgentProcess, Asks, Call, Event, SessionId, SessionKey, Source, Status, What,
};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::registry::{Registry, Sent};
use dasbo_core::request::{
    Action, Approval, Book, Content, Decision, Denial, Grant, Policy, Prompt, Request, RequestId, Scope,
};

pub(super) const AGENT: AgentId = AgentId("claude");

/// Something that happens.
#[derive(Debug, Clone)]
pub enum Step {
    /// A session, or a subagent of it, asks for an approval.
    Ask {
        session: usize,
        helper: bool,
        attended: bool,
    },
    /// The person decides.
    Click {
        request: usize,
        decision: u8,
    },
    /// The person wants to answer in the terminal.
    Leave(usize),
    YesInTerminal(usize),
    NoInTerminal(usize),
    KillHelper(usize),
    /// What the session's file says now becomes what it truly is: it lags.
    FileIsWritten(usize),
    FileIsRead(usize),
    /// The next hook that the agent has run arrives.
    HookTells(usize),
    /// The turn is superseded by another.
    Prompt(usize),
    EndSession(usize),
    /// The main loop takes one of the news.
    MainLoop,
    /// The intake takes one of the orders.
    Intake,
    KillPanel,
    QuitPanel,
    StartPanel,
    /// So many milliseconds pass.
    Pass(u64),
}

/// How a request stands with its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    Asked,
    Settled,
}

/// What a helper does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Helper {
    Waits,
    /// It was told to come back, and its panel is gone.
    Returns,
    Left,
    Killed,
}

#[derive(Debug)]
pub(super) struct Asked {
    pub(super) session: usize,
    pub(super) request: Arc<Request>,
    pub(super) call: Call,
    pub(super) actor: Actor,
    pub(super) since: Moment,
    pub(super) truth: Truth,
    pub(super) helper: Helper,
    pub(super) comes_back: bool,
    /// What the running panel calls it.
    pub(super) id: Option<RequestId>,
    /// What the person decided, accepted by the panel that still runs.
    pub(super) decided: Option<Decision>,
    /// All that the person ever decided for it.
    pub(super) decisions: Vec<Decision>,
    pub(super) printed: Vec<Vec<u8>>,
    /// The panel was told of its end.
    pub(super) told_settled: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct File {
    pub(super) status: Status,
    pub(super) at: Moment,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) ended: bool,
    pub(super) file: File,
    /// Hooks that ran and are not told yet.
    pub(super) hooks: VecDeque<(Actor, What, Moment)>,
}

#[derive(Debug)]
pub(super) enum News {
    Event(Box<Event>),
    HookEnded(RequestId),
    Sent(RequestId, Sent),
    NotYet(RequestId),
}

#[derive(Debug)]
pub(super) enum Order {
    Answer(RequestId, Vec<u8>, u64),
    LetGo(RequestId),
}

#[derive(Debug, Default)]
pub(super) struct Panel {
    pub(super) registry: Registry,
    pub(super) book: Book,
    pub(super) news: VecDeque<News>,
    pub(super) sent: u64,
    pub(super) seen: u64,
    pub(super) orders: VecDeque<Order>,
    pub(super) given: BTreeMap<RequestId, Vec<u8>>,
}

#[derive(Debug)]
pub struct World {
    pub(super) now: Moment,
    pub(super) policy: Policy,
    pub(super) panel: Option<Panel>,
    pub(super) sessions: Vec<Session>,
    pub(super) asked: Vec<Asked>,
}

impl World {
    pub fn new() -> Self {
        let now = Moment::from_nanos(1_000_000_000_000);
        let file = File { status: Status::Busy, at: now };
        let session = |_| Session { ended: false, file, hooks: VecDeque::new() };
        Self {
            now,
            policy: Policy::default(),
            panel: Some(Panel::default()),
            sessions: (0..3).map(session).collect(),
            asked: Vec::new(),
        }
    }

    pub fn play(&mut self, step: &Step) {
        self.now = self.now + Duration::from_millis(1);
        match *step {
            Step::Ask { session, helper, attended } => self.ask(session, helper, attended),
            Step::Click { request, decision } => self.click(request, &decision_of(decision)),
            Step::Leave(request) => self.leave(request),
            Step::YesInTerminal(request) => self.answer_in_terminal(request, true),
            Step::NoInTerminal(request) => self.answer_in_terminal(request, false),
            Step::KillHelper(request) => self.kill_helper(request),
            Step::FileIsWritten(session) => self.write_file(session),
            Step::FileIsRead(session) => self.read_file(session),
            Step::HookTells(session) => self.hook_tells(session),
            Step::Prompt(session) => self.prompt(session),
            Step::EndSession(session) => self.end_session(session),
            Step::MainLoop => self.main_loop(),
            Step::Intake => self.intake(),
            Step::KillPanel | Step::QuitPanel => self.panel_goes(),
            Step::StartPanel => self.panel_starts(),
            Step::Pass(millis) => self.pass(millis),
        }
    }

    /// All that is on its way arrives.
    pub fn settle(&mut self) {
        for session in 0..self.sessions.len() {
            while !self.sessions[session].hooks.is_empty() {
                self.hook_tells(session);
            }
            self.write_file(session);
            self.read_file(session);
        }
        for _ in 0..4 {
            while self.panel.as_ref().is_some_and(|panel| !panel.news.is_empty()) {
                self.main_loop();
            }
            while self.panel.as_ref().is_some_and(|panel| !panel.orders.is_empty()) {
                self.intake();
            }
        }
        if let Some(panel) = &self.panel {
            assert!(panel.news.is_empty() && panel.orders.is_empty(), "it comes to rest");
        }
    }

    /// What must hold when all has come to rest.
    pub fn check_the_end(&self) {
        for asked in &self.asked {
            let waits = asked.helper == Helper::Waits;
            let open = |panel: &Panel| asked.id.is_some_and(|id| panel.registry.request(id).is_some());
            let is_open = self.panel.as_ref().is_some_and(open);
            assert_eq!(waits, is_open, "who waits can be answered, and who can be answered waits: {asked:?}");
            assert!(asked.printed.len() <= 1, "one answer: {asked:?}");
            if asked.decided.is_some() && asked.printed.is_empty() {
                let settled = asked.truth == Truth::Settled || asked.helper == Helper::Killed;
                assert!(settled, "a person's answer was lost: {asked:?}");
                assert!(!is_open, "and is shown as open: {asked:?}");
            }
        }
    }
}

pub(super) fn decision_of(number: u8) -> Decision {
    match number {
        0 => Decision::Allow(None),
        1 => Decision::Deny(Denial::Note("no".into())),
        2 => Decision::Allow(Some(Grant::Tool(Scope::Session))),
        // Not for an approval: refused.
        _ => Decision::KeepPlanning(None),
    }
}

pub(super) fn request(call: &Call, prompt: Prompt) -> Request {
    let action = Action::Command { command: "make".into(), description: None };
    let approval = Approval { tool: "Bash".into(), action, offers: Vec::new(), modes: Vec::new() };
    // A request does not carry its call's id.
    let asks = Asks::ForCall(Call { id: None, ..call.clone() });
    Request { asks, content: Content::Approval(approval), prompt, input: r#"{"command":"make"}"#.into() }
}

pub(super) fn key(session: usize) -> SessionKey {
    SessionKey { agent: AGENT, id: SessionId::new(&format!("s{session}")).expect("not empty") }
}

pub(super) fn process(session: usize) -> AgentProcess {
    let pid = 100 + u32::try_from(session).expect("few");
    AgentProcess { id: ProcessId { pid, start: 7 }, tty: 1 }
}

pub(super) fn event(session: usize, actor: Actor, source: Source, what: What, at: Moment) -> Event {
    Event {
        session: key(session),
        at,
        actor,
        source,
        process: Some(process(session)),
        about: About::default(),
        what,
    }
}
