// SPDX-License-Identifier: GPL-3.0-or-later
//! Sessions that ask, helpers that wait, panels that come and go, and a person.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use dasbo_core::agents;
use dasbo_core::event::{
    About, Actor, AgentId, AgentProcess, Asks, Call, Ending, Event, Fingerprint, Outcome, SessionId,
    SessionKey, Source, Status, Tool, What,
};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::registry::{Registry, Sent};
use dasbo_core::request::{
    Action, Approval, Book, Content, Decision, Denial, Grant, Held, Hold, Opened, Policy, Prompt, Request,
    RequestId, Scope, Verdict,
};

const AGENT: AgentId = AgentId("claude");

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
enum Truth {
    Asked,
    Settled,
}

/// What a helper does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Helper {
    Waits,
    /// It was told to come back, and its panel is gone.
    Returns,
    Left,
    Killed,
}

#[derive(Debug)]
struct Asked {
    session: usize,
    request: Arc<Request>,
    call: Call,
    actor: Actor,
    since: Moment,
    truth: Truth,
    helper: Helper,
    comes_back: bool,
    /// What the running panel calls it.
    id: Option<RequestId>,
    /// What the person decided, accepted by the panel that still runs.
    decided: Option<Decision>,
    /// All that the person ever decided for it.
    decisions: Vec<Decision>,
    printed: Vec<Vec<u8>>,
    /// The panel was told of its end.
    told_settled: bool,
}

#[derive(Debug, Clone, Copy)]
struct File {
    status: Status,
    at: Moment,
}

#[derive(Debug)]
struct Session {
    ended: bool,
    file: File,
    /// Hooks that ran and are not told yet.
    hooks: VecDeque<(Actor, What, Moment)>,
}

#[derive(Debug)]
enum News {
    Event(Box<Event>),
    HookEnded(RequestId),
    Sent(RequestId, Sent),
    NotYet(RequestId),
}

#[derive(Debug)]
enum Order {
    Answer(RequestId, Vec<u8>, u64),
    LetGo(RequestId),
}

#[derive(Debug, Default)]
struct Panel {
    registry: Registry,
    book: Book,
    news: VecDeque<News>,
    sent: u64,
    seen: u64,
    orders: VecDeque<Order>,
    given: BTreeMap<RequestId, Vec<u8>>,
}

#[derive(Debug)]
pub struct World {
    now: Moment,
    policy: Policy,
    panel: Option<Panel>,
    sessions: Vec<Session>,
    asked: Vec<Asked>,
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

    // --- Agents -----------------------------------------------------------------------------------------------

    fn ask(&mut self, session: usize, helper: bool, attended: bool) {
        let actor = if helper { Actor::Subagent("a".into()) } else { Actor::Main };
        let busy =
            |asked: &Asked| asked.session == session && asked.actor == actor && asked.truth == Truth::Asked;
        // Each of them asks one thing after the other.
        if self.sessions[session].ended || self.asked.iter().any(busy) || self.asked.len() >= 6 {
            return;
        }
        let number = self.asked.len();
        let call = Call {
            id: Some(format!("call-{number}")),
            tool: Tool { name: "Bash".into(), detail: "make".into() },
            input: Fingerprint(number as u64),
        };
        let prompt = match (attended, helper) {
            (false, _) => Prompt::Nowhere,
            (true, false) => Prompt::Beside,
            (true, true) => Prompt::HeldBack,
        };
        let request = Arc::new(request(&call, prompt));
        self.asked.push(Asked {
            session,
            request: request.clone(),
            call: call.clone(),
            actor: actor.clone(),
            since: self.now,
            truth: Truth::Asked,
            helper: Helper::Left,
            comes_back: false,
            id: None,
            decided: None,
            decisions: Vec::new(),
            printed: Vec::new(),
            told_settled: false,
        });
        self.tell(session, actor.clone(), What::ToolBegan(call, None), self.now);
        self.present(number, false);
    }

    /// A helper connects.
    fn present(&mut self, number: usize, again: bool) {
        let (now, policy) = (self.now, self.policy.clone());
        let file = self.sessions[self.asked[number].session].file;
        let asked = &mut self.asked[number];
        asked.helper = if again { Helper::Returns } else { Helper::Left };
        let Some(panel) = &mut self.panel else { return };
        asked.helper = Helper::Left;
        let hold = policy.hold(AGENT, &asked.request, now);
        let until = match hold {
            Hold::Not if again => return,
            Hold::Not => return self.tell_request(number, None),
            Hold::Until(moment) => Some(moment),
            Hold::UntilAnswered => None,
        };
        let still_asked = file.status == Status::Waiting
            && file.at <= asked.since + Duration::from_secs(1)
            && asked.truth == Truth::Asked;
        if again && !still_asked {
            return;
        }
        let beside = asked.request.prompt == Prompt::Beside;
        let id = panel.book.next_id(now.as_nanos() / 1_000_000);
        panel.book.open(
            id,
            Opened {
                session: key(asked.session),
                process: Some(process(asked.session).id),
                at: asked.since,
                beside,
            },
        );
        asked.helper = Helper::Waits;
        asked.comes_back = beside;
        asked.id = Some(id);
        let request = Held { id, since: asked.since, until };
        self.tell_request(number, Some(request));
    }

    fn tell_request(&mut self, number: usize, held: Option<Held>) {
        let asked = &self.asked[number];
        let what = What::Requested(asked.request.clone(), held);
        self.tell(asked.session, asked.actor.clone(), what, self.now);
    }

    fn answer_in_terminal(&mut self, number: usize, yes: bool) {
        let Some(asked) = self.asked.get(number) else { return };
        let in_terminal = asked.request.prompt == Prompt::Beside || asked.helper != Helper::Waits;
        if asked.truth == Truth::Settled || !in_terminal || self.sessions[asked.session].ended {
            return;
        }
        self.settled_by_agent(number, yes);
        if !yes {
            self.kill_helper(number);
        }
    }

    /// The agent goes on, or gives up; its hook tells of it later.
    fn settled_by_agent(&mut self, number: usize, goes_on: bool) {
        let now = self.now;
        let asked = &mut self.asked[number];
        asked.truth = Truth::Settled;
        if goes_on {
            let ended = What::ToolEnded(asked.call.clone(), Outcome::Done);
            let (session, actor) = (asked.session, asked.actor.clone());
            self.sessions[session].hooks.push_back((actor, ended, now));
        }
    }

    fn kill_helper(&mut self, number: usize) {
        let Some(asked) = self.asked.get_mut(number) else { return };
        match asked.helper {
            Helper::Waits => {
                asked.helper = Helper::Killed;
                asked.told_settled = true;
                let id = asked.id.expect("it waits with a panel");
                let panel = self.panel.as_mut().expect("it waits with a panel");
                if panel.book.close(id) {
                    panel.send(News::HookEnded(id));
                }
            }
            Helper::Returns => asked.helper = Helper::Killed,
            Helper::Left | Helper::Killed => {}
        }
    }

    fn write_file(&mut self, session: usize) {
        let asks = |asked: &&Asked| {
            asked.session == session && asked.truth == Truth::Asked && asked.request.prompt == Prompt::Beside
        };
        let status = if self.asked.iter().any(|asked| asks(&asked)) { Status::Waiting } else { Status::Busy };
        let file = &mut self.sessions[session].file;
        if file.status != status {
            *file = File { status, at: self.now };
        }
    }

    fn read_file(&mut self, session: usize) {
        let File { status, at } = self.sessions[session].file;
        if !self.sessions[session].ended {
            self.report(session, status, at);
        }
    }

    fn hook_tells(&mut self, session: usize) {
        if let Some((actor, what, at)) = self.sessions[session].hooks.pop_front() {
            self.tell(session, actor, what, at);
        }
    }

    fn prompt(&mut self, session: usize) {
        if self.sessions[session].ended {
            return;
        }
        let now = self.now;
        for asked in self.asked.iter_mut().filter(|asked| asked.session == session) {
            if asked.actor == Actor::Main {
                asked.truth = Truth::Settled;
            }
        }
        self.sessions[session].hooks.push_back((Actor::Main, What::Prompted(None), now));
    }

    fn end_session(&mut self, session: usize) {
        self.sessions[session].ended = true;
        let now = self.now;
        for asked in self.asked.iter_mut().filter(|asked| asked.session == session) {
            asked.truth = Truth::Settled;
        }
        self.sessions[session].hooks.push_back((Actor::Main, What::Ended(Ending::Gone), now));
    }

    // --- The intake -------------------------------------------------------------------------------------------

    fn tell(&mut self, session: usize, actor: Actor, what: What, at: Moment) {
        self.note_told(session, &actor, &what, at);
        let event = event(session, actor, Source::Hook, what, at);
        if let Some(panel) = &mut self.panel {
            let number = panel.send(News::Event(Box::new(event)));
            panel.book.told(&key(session), number);
        }
    }

    /// From now on this panel knows.
    fn note_told(&mut self, session: usize, actor: &Actor, what: &What, at: Moment) {
        let of_before = |asked: &&mut Asked| asked.session == session && asked.since <= at;
        for asked in self.asked.iter_mut().filter(of_before) {
            asked.told_settled |= match what {
                What::ToolEnded(call, _) => asked.call == *call && asked.actor == *actor,
                What::Ended(_) => true,
                What::Prompted(_) => asked.actor == Actor::Main,
                _ => false,
            };
        }
    }

    fn report(&mut self, session: usize, status: Status, at: Moment) {
        if let Some(panel) = &mut self.panel {
            panel.book.reported(process(session).id, status, at);
            let event = event(session, Actor::Main, Source::File, What::Reported(status), at);
            let number = panel.send(News::Event(Box::new(event)));
            panel.book.told(&key(session), number);
        }
    }

    fn intake(&mut self) {
        let Some(order) = self.panel.as_mut().and_then(|panel| panel.orders.pop_front()) else { return };
        match order {
            Order::LetGo(id) => self.let_go(id),
            Order::Answer(id, bytes, seen) => match self.verdict(id, seen) {
                Some(Verdict::Send) => self.print(id, bytes),
                Some(Verdict::NotYet) => self.panel_news(News::NotYet(id)),
                Some(Verdict::TooLate) => {
                    self.panel_news(News::Sent(id, Sent::TooLate));
                    self.let_go(id);
                }
                None => self.panel_news(News::Sent(id, Sent::TooLate)),
            },
        }
    }

    fn verdict(&mut self, id: RequestId, seen: u64) -> Option<Verdict> {
        let session = self.asked.iter().find(|asked| asked.id == Some(id))?.session;
        let File { status, at } = self.sessions[session].file;
        let panel = self.panel.as_mut()?;
        panel.book.get(id)?;
        panel.book.reported(process(session).id, status, at);
        panel.book.verdict(id, seen)
    }

    fn print(&mut self, id: RequestId, bytes: Vec<u8>) {
        let panel = self.panel.as_mut().expect("it prints");
        assert!(panel.book.close(id));
        panel.send(News::Sent(id, Sent::Answered));
        let number = self.asked.iter().position(|asked| asked.id == Some(id)).expect("it was asked");
        let asked = &mut self.asked[number];
        assert_eq!(asked.helper, Helper::Waits, "{asked:?}");
        assert!(!asked.told_settled, "printed although Dasbo was told that it is settled: {asked:?}");
        let agent = agents::by_id("claude").expect("it is known");
        let meant = asked.decisions.iter().filter_map(|one| agent.answer(&asked.request, one));
        assert!(meant.clone().any(|meant| meant == bytes), "not what the person decided: {asked:?}");
        asked.printed.push(bytes);
        asked.helper = Helper::Left;
        if asked.truth == Truth::Asked {
            self.settled_by_agent(number, true);
        }
    }

    fn let_go(&mut self, id: RequestId) {
        let Some(panel) = &mut self.panel else { return };
        if panel.book.close(id) {
            let asked = self.asked.iter_mut().find(|asked| asked.id == Some(id)).expect("it was asked");
            asked.helper = Helper::Left;
        }
    }

    // --- The panel --------------------------------------------------------------------------------------------

    fn panel_news(&mut self, news: News) {
        if let Some(panel) = &mut self.panel {
            panel.send(news);
        }
    }

    fn main_loop(&mut self) {
        let now = self.now;
        let Some(panel) = &mut self.panel else { return };
        let Some(news) = panel.news.pop_front() else { return };
        panel.seen += 1;
        match news {
            News::Event(event) => drop(panel.registry.apply(&event, now)),
            News::HookEnded(id) => drop(panel.registry.hook_ended(id, now)),
            News::Sent(id, sent) => {
                panel.given.remove(&id);
                panel.registry.sent(id, sent, now);
            }
            News::NotYet(id) => match panel.given.get(&id).filter(|_| panel.registry.is_decided(id)) {
                Some(bytes) => panel.orders.push_back(Order::Answer(id, bytes.clone(), panel.seen)),
                None => drop(panel.registry.sent(id, Sent::TooLate, now)),
            },
        }
        panel.let_go();
    }

    fn click(&mut self, number: usize, decision: &Decision) {
        let (Some(panel), Some(asked)) = (&mut self.panel, self.asked.get_mut(number)) else { return };
        let Some(id) = asked.id else { return };
        if let Ok(bytes) = panel.registry.decide(id, decision) {
            panel.given.insert(id, bytes.clone());
            panel.orders.push_back(Order::Answer(id, bytes, panel.seen));
            asked.decided = Some(decision.clone());
            asked.decisions.push(decision.clone());
        }
    }

    fn leave(&mut self, number: usize) {
        let now = self.now;
        let (Some(panel), Some(asked)) = (&mut self.panel, self.asked.get(number)) else { return };
        if let Some(id) = asked.id {
            panel.registry.leave(id, now);
            panel.let_go();
        }
    }

    fn panel_goes(&mut self) {
        if self.panel.take().is_none() {
            return;
        }
        for asked in &mut self.asked {
            asked.id = None;
            asked.decided = None;
            if asked.helper == Helper::Waits {
                asked.helper = if asked.comes_back { Helper::Returns } else { Helper::Left };
            }
        }
    }

    fn panel_starts(&mut self) {
        if self.panel.is_some() {
            return;
        }
        self.panel = Some(Panel::default());
        for session in 0..self.sessions.len() {
            self.read_file(session);
        }
        for number in 0..self.asked.len() {
            if self.asked[number].helper == Helper::Returns {
                self.present(number, true);
            }
        }
    }

    /// A hook tells within two seconds of its run.
    fn pass(&mut self, millis: u64) {
        if millis > 1_000 {
            for session in 0..self.sessions.len() {
                while !self.sessions[session].hooks.is_empty() {
                    self.hook_tells(session);
                }
            }
        }
        self.now = self.now + Duration::from_millis(millis);
        let now = self.now;
        if let Some(panel) = &mut self.panel {
            panel.registry.tick(now);
            panel.let_go();
        }
    }
}

impl Panel {
    fn send(&mut self, news: News) -> u64 {
        self.news.push_back(news);
        self.sent += 1;
        self.sent
    }

    fn let_go(&mut self) {
        let over = self.registry.take_let_go();
        self.orders.extend(over.into_iter().map(Order::LetGo));
    }
}

fn decision_of(number: u8) -> Decision {
    match number {
        0 => Decision::Allow(None),
        1 => Decision::Deny(Denial::Note("no".into())),
        2 => Decision::Allow(Some(Grant::Tool(Scope::Session))),
        // Not for an approval: refused.
        _ => Decision::KeepPlanning(None),
    }
}

fn request(call: &Call, prompt: Prompt) -> Request {
    let action = Action::Command { command: "make".into(), description: None };
    let approval = Approval { tool: "Bash".into(), action, offers: Vec::new(), modes: Vec::new() };
    // A request does not carry its call's id.
    let asks = Asks::ForCall(Call { id: None, ..call.clone() });
    Request { asks, content: Content::Approval(approval), prompt, input: r#"{"command":"make"}"#.into() }
}

fn key(session: usize) -> SessionKey {
    SessionKey { agent: AGENT, id: SessionId::new(&format!("s{session}")).expect("not empty") }
}

fn process(session: usize) -> AgentProcess {
    let pid = 100 + u32::try_from(session).expect("few");
    AgentProcess { id: ProcessId { pid, start: 7 }, tty: 1 }
}

fn event(session: usize, actor: Actor, source: Source, what: What, at: Moment) -> Event {
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
