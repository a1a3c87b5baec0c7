// SPDX-License-Identifier: GPL-3.0-or-later
//! The state machine: what each event makes of a session. Events come in the order of their time.

use super::calls::OpenCalls;
use super::{FINISHED_FOR, NOTE_FOR, Note, NoteKind, RowId, Session, State, Task, Wait};
use crate::event::{
    Actor, AgentProcess, Asks, Background, Beginning, Call, CompactTrigger, Event, Outcome, Request, Source,
    TaskChange, WaitKind, What,
};
use crate::moment::Moment;

/// A session and what the machine must remember beside what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) session: Session,
    calls: OpenCalls,
    /// The turn that the last prompt began.
    turn: Option<String>,
    /// Whether hooks speak of this session, or only its file.
    pub(super) hooked: bool,
    /// Whether a prompt began what it does.
    pub(super) prompted: bool,
    /// Its file said at this time that the turn is over, and no hook did yet.
    pub(super) idle_reported: Option<Moment>,
    /// Its file says that a shell runs in the background.
    pub(super) shell_reported: bool,
}

impl Machine {
    /// The machine before its first event, which `event` will be.
    pub(super) fn new(row: RowId, event: &Event, hooked: bool) -> Self {
        Self {
            session: Session::new(row, event),
            calls: OpenCalls::default(),
            turn: None,
            hooked,
            prompted: false,
            idle_reported: None,
            shell_reported: false,
        }
    }

    pub(super) fn apply(&mut self, event: &Event) {
        if event.what == What::NewsLost {
            self.session.news_lost = true;
            return;
        }
        self.settle_reported(event);
        self.take_note_of(event);
        let actor = &event.actor;
        match &event.what {
            What::Began(Beginning::Compact) | What::Seen | What::NewsLost | What::Passed => {}
            What::Began(_) => self.end_turn(State::Idle, event.at),
            What::Prompted(prompt) => self.prompt(prompt.as_ref(), event),
            What::ToolBegan(call, asks) => self.tool_began(actor, call, *asks, event.at),
            What::ToolEnded(call, outcome) => self.tool_ended(actor, call, outcome, event.at),
            What::BatchEnded(calls) => self.batch_ended(actor, calls, event.at),
            What::Requested(request) => self.requested(actor, request, event.at),
            What::NeedsInput => self.needs_input(event.at),
            What::FormAnswered => self.close_first(|wait| wait.kind == WaitKind::Form),
            What::IdlePrompt => self.idle_prompt(event.at),
            What::TurnEnded { answer, background } => {
                self.turn_ended(answer.as_ref(), background.as_ref(), event.at);
            }
            What::TurnFailed(detail) => self.end_turn(State::Error(detail.clone()), event.at),
            What::CompactBegan => self.session.compacting = true,
            What::CompactEnded(trigger) => self.compacted(*trigger, event.at),
            What::HelperBegan => self.helper_began(actor),
            What::HelperEnded => self.helper_ended(actor),
            What::Reported(status) => self.reported(*status, event.at),
            What::Interrupted => self.interrupted(event.at),
            What::Ended(_) => self.ended(event.at),
        }
    }

    /// What any event says, and what any event ends.
    fn take_note_of(&mut self, event: &Event) {
        let session = &mut self.session;
        if event.what != What::Passed {
            session.heard = event.at;
        }
        if event.source == Source::Hook {
            session.note = None;
            session.finished_until = None;
            self.hooked = true;
        }
        if let Some(process) = event.process {
            take_over(session, process);
        }
        let about = &event.about;
        let keep = |now: &Option<String>, before: &mut Option<String>| {
            if now.is_some() {
                before.clone_from(now);
            }
        };
        keep(&about.cwd, &mut session.cwd);
        keep(&about.project, &mut session.project);
        keep(&about.title, &mut session.title);
        keep(&about.model, &mut session.model);
        keep(&about.branch, &mut session.branch);
        keep(&about.prompt, &mut session.last_prompt);
        keep(&about.answer, &mut session.last_answer);
        keep(&about.transcript, &mut session.transcript);
        session.tokens = about.tokens.or(session.tokens);
        session.attended = about.attended.unwrap_or(session.attended);
        if event.actor == Actor::Main {
            session.mode = about.mode.unwrap_or(session.mode);
        }
        if let Some(change) = &about.tasks {
            self.task_changed(change);
        }
    }

    pub(super) fn enter(&mut self, state: State, at: Moment) {
        self.session.news_lost = false;
        if self.session.state != state {
            self.session.state = state;
            self.session.since = at;
        }
    }

    /// The session's own calls and waits are over; subagents go on.
    pub(super) fn end_turn(&mut self, state: State, at: Moment) {
        self.calls.end_all_of(&Actor::Main);
        self.session.waits.retain(|wait| wait.actor != Actor::Main);
        self.session.compacting = false;
        self.prompted = false;
        self.enter(state, at);
    }

    /// A prompt typed while a turn runs is folded into it: the agent goes on with what it does.
    fn prompt(&mut self, prompt: Option<&String>, event: &Event) {
        let turn = event.about.turn.as_ref();
        let runs = matches!(self.session.state, State::Thinking | State::Tool(_));
        let folded = runs && turn.is_some() && turn == self.turn.as_ref();
        if !folded {
            self.turn = turn.cloned();
            self.end_turn(State::Thinking, event.at);
            self.prompted = true;
        }
        if let Some(prompt) = prompt {
            self.session.last_prompt = Some(prompt.clone());
        }
    }

    fn tool_began(&mut self, actor: &Actor, call: &Call, asks: Option<WaitKind>, at: Moment) {
        self.calls.begin(actor, call);
        if *actor == Actor::Main {
            self.enter(State::Tool(call.tool.clone()), at);
            self.session.since = at;
        }
        if let Some(kind) = asks {
            self.open(Wait {
                kind,
                actor: actor.clone(),
                call: Some(call.clone()),
                request: None,
                since: at,
                confirmed: false,
            });
        }
    }

    fn tool_ended(&mut self, actor: &Actor, call: &Call, outcome: &Outcome, at: Moment) {
        self.call_ended(actor, call);
        if *actor == Actor::Main {
            self.go_on(at);
            self.session.note = note_of(call, outcome, at);
        }
    }

    fn batch_ended(&mut self, actor: &Actor, calls: &[Call], at: Moment) {
        for call in calls {
            self.call_ended(actor, call);
        }
        if *actor == Actor::Main {
            self.go_on(at);
        }
    }

    /// After one call ended: with the call begun last among those that still run, or thinking.
    fn go_on(&mut self, at: Moment) {
        self.close_first(|wait| wait.kind == WaitKind::Input);
        let next = self.calls.latest_of_main().map_or(State::Thinking, |tool| State::Tool(tool.clone()));
        self.enter(next, at);
    }

    fn call_ended(&mut self, actor: &Actor, call: &Call) {
        self.calls.end(actor, call);
        self.close_first(|wait| {
            wait.actor == *actor && wait.call.as_ref().is_some_and(|asked| asked.is_same(call))
        });
    }

    /// A request names its call without the call's id; found among the open ones, it gets it.
    fn requested(&mut self, actor: &Actor, request: &Request, at: Moment) {
        let call = match &request.about {
            Asks::About(call) => Some(self.calls.find(actor, |open| open.is_same(call)).unwrap_or(call)),
            // A tool that asks the person something runs: its approval is over.
            Asks::From(begin) => self.calls.find(actor, |open| open.tool.name.starts_with(begin.as_str())),
        }
        .cloned();
        let of_call = |wait: &Wait| wait.actor == *actor && call.is_some() && wait.call == call;
        let told = |wait: &&mut Wait| wait.request.is_none() && wait.kind == request.kind && of_call(wait);
        if let Some(wait) = self.session.waits.iter_mut().find(told) {
            wait.request = Some(request.id);
            return;
        }
        self.close_first(|wait| wait.kind == WaitKind::Input || of_call(wait));
        let request_id = Some(request.id);
        let (kind, actor) = (request.kind, actor.clone());
        self.open(Wait { kind, actor, call, request: request_id, since: at, confirmed: false });
    }

    fn ended(&mut self, at: Moment) {
        self.end_turn(State::Idle, at);
        self.session.helpers.clear();
        self.session.background = 0;
        self.session.waits.clear();
    }

    /// The agent says late, and without saying what, that it asks: only news where no wait is known.
    fn needs_input(&mut self, at: Moment) {
        if self.session.waits.is_empty() {
            let (kind, actor) = (WaitKind::Input, Actor::Main);
            self.open(Wait { kind, actor, call: None, request: None, since: at, confirmed: false });
        }
    }

    pub(super) fn open(&mut self, wait: Wait) {
        self.session.waits.push(wait);
    }

    fn close_first(&mut self, is_it: impl Fn(&Wait) -> bool) {
        if let Some(at) = self.session.waits.iter().position(is_it) {
            self.session.waits.remove(at);
        }
    }

    /// An error or an interruption stays until the next prompt.
    fn idle_prompt(&mut self, at: Moment) {
        let stays = matches!(self.session.state, State::Error(_) | State::Interrupted);
        let state = if stays { self.session.state.clone() } else { State::Idle };
        self.end_turn(state, at);
    }

    fn turn_ended(&mut self, answer: Option<&String>, background: Option<&Background>, at: Moment) {
        self.end_turn(State::Idle, at);
        let session = &mut self.session;
        session.finished_until = Some(at + FINISHED_FOR);
        if let Some(answer) = answer {
            session.last_answer = Some(answer.clone());
        }
        if let Some(Background { subagents, others }) = background {
            session.background = *others;
            session.helpers.retain(|helper| subagents.contains(helper));
        }
    }

    fn compacted(&mut self, trigger: CompactTrigger, at: Moment) {
        self.session.compacting = false;
        self.enter(
            match trigger {
                CompactTrigger::Manual => State::Idle,
                CompactTrigger::Auto => State::Thinking,
            },
            at,
        );
    }

    fn helper_began(&mut self, actor: &Actor) {
        if let Actor::Subagent(id) = actor {
            self.session.helpers.insert(id.clone());
        }
    }

    fn helper_ended(&mut self, actor: &Actor) {
        if let Actor::Subagent(id) = actor {
            self.session.helpers.remove(id);
            self.calls.end_all_of(actor);
            self.session.waits.retain(|wait| wait.actor != *actor);
        }
    }

    fn task_changed(&mut self, change: &TaskChange) {
        let tasks = &mut self.session.tasks;
        match change {
            TaskChange::Added { id, subject } => match tasks.iter_mut().find(|task| task.id == *id) {
                Some(task) => task.subject.clone_from(subject),
                None => tasks.push(Task::new(id, subject)),
            },
            TaskChange::State { id, state: Some(state) } => {
                if let Some(task) = tasks.iter_mut().find(|task| task.id == *id) {
                    task.state = *state;
                }
            }
            TaskChange::State { id, state: None } => tasks.retain(|task| task.id != *id),
            TaskChange::All(all) => {
                *tasks = (all.iter().enumerate())
                    .map(|(at, (subject, state))| Task {
                        state: *state,
                        ..Task::new(&at.to_string(), subject)
                    })
                    .collect();
            }
        }
    }
}

fn note_of(call: &Call, outcome: &Outcome, at: Moment) -> Option<Note> {
    let name = call.tool.name.clone();
    let what = match outcome {
        Outcome::Done => return None,
        Outcome::Failed => NoteKind::ToolFailed(name),
        Outcome::Denied(reason) => NoteKind::ToolDenied(name, reason.clone()),
    };
    Some(Note { what, until: at + NOTE_FOR })
}

/// A file does not know the terminal that a hook's chain shows.
fn take_over(session: &mut Session, process: AgentProcess) {
    match &mut session.process {
        Some(known) if known.id == process.id => {
            known.tty = if process.tty == 0 { known.tty } else { process.tty }
        }
        other => {
            *other = Some(process);
            session.started = process.id.started();
        }
    }
}
