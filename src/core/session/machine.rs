// SPDX-License-Identifier: GPL-3.0-or-later
//! The state machine: what each event makes of a session. Events come in the order of their time.

use super::calls::OpenCalls;
use super::reported::FileSaid;
use super::requests::is_of;
use super::{FINISHED_FOR, NOTE_FOR, Note, NoteKind, RowId, Session, State, Task, Wait};
use crate::event::{
    Actor, AgentProcess, Background, Beginning, Call, CompactTrigger, Event, Outcome, Source, TaskChange,
    WaitKind, What,
};
use crate::moment::Moment;

/// A session and what the machine must remember beside what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) session: Session,
    pub(super) calls: OpenCalls,
    /// The turn that the last prompt began.
    turn: Option<String>,
    /// Whether hooks speak of this session, or only its file.
    pub(super) hooked: bool,
    /// Whether a prompt began what it does.
    pub(super) prompted: bool,
    /// A form was answered, which the agent notes once more.
    form_answered: bool,
    /// What its file said last.
    pub(super) file: FileSaid,
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
            form_answered: false,
            file: FileSaid::default(),
        }
    }

    pub(super) fn apply(&mut self, event: &Event) {
        if event.what == What::NewsLost {
            return self.lose_news();
        }
        self.settle_reported(event);
        self.settle_left(event.at);
        self.take_note_of(event);
        let held = self.held_requests();
        match (&event.what, &event.actor) {
            (What::Settled(request, how), _) => self.settled(*request, *how, event.at),
            (What::Belated(what), actor) => self.belated(what, actor, event.at),
            (_, Actor::Main) => self.apply_to_session(event),
            (_, Actor::Subagent(id)) => self.apply_to_helper(id, event),
        }
        self.note_answered(&held, event);
    }

    fn apply_to_session(&mut self, event: &Event) {
        let (actor, at) = (&event.actor, event.at);
        self.learn(event);
        match &event.what {
            What::Began(Beginning::Startup | Beginning::Resume | Beginning::Clear | Beginning::Fork)
            | What::Ended(_) => self.start_over(at),
            What::Prompted(prompt) => self.prompt(prompt.as_ref(), event),
            What::ToolBegan(call, asks) => self.tool_began(actor, call, *asks, at),
            What::ToolEnded(call, outcome) => self.tool_ended(call, outcome, at),
            What::BatchEnded(calls) => self.batch_ended(calls, at),
            What::Requested(request, held) => self.requested(actor, request, *held, at),
            What::NeedsInput => self.needs_input(at),
            What::FormAnswered(server) => self.form_answered(server.as_deref()),
            What::FormAnswerNoted => self.form_answer_noted(),
            What::IdlePrompt => self.idle_prompt(at),
            What::TurnEnded { answer, background } => {
                self.turn_ended(answer.as_ref(), background.as_ref(), at);
            }
            What::TurnFailed(detail) => self.end_turn(State::Error(detail.clone()), at),
            What::CompactBegan => self.session.compacting = true,
            What::CompactEnded(trigger) => self.compacted(*trigger, at),
            What::Reported(status) => self.reported(*status, at),
            What::Interrupted => self.interrupted(at),
            What::QueuedPrompt => self.queued_prompt(at),
            What::Began(Beginning::Compact)
            | What::Settled(..)
            | What::Belated(_)
            | What::Seen
            | What::NewsLost
            | What::Passed
            | What::HelperBegan
            | What::HelperEnded => {}
        }
        if event.about.turn.is_some() {
            self.turn.clone_from(&event.about.turn);
        }
    }

    /// A subagent counts as a helper, and may ask. Nothing else that it does is the session's doing.
    fn apply_to_helper(&mut self, id: &str, event: &Event) {
        let actor = &event.actor;
        match &event.what {
            What::HelperEnded => return self.helper_ended(id, actor),
            What::ToolBegan(call, asks) => self.tool_began(actor, call, *asks, event.at),
            What::ToolEnded(call, _) => self.call_ended(actor, call),
            What::BatchEnded(calls) => calls.iter().for_each(|call| self.call_ended(actor, call)),
            What::Requested(request, held) => self.requested(actor, request, *held, event.at),
            What::HelperBegan => {}
            _ => return,
        }
        // Its beginning may have been missed.
        self.session.helpers.insert(id.to_owned());
    }

    /// What any event says: that the session lives, and in which process.
    fn take_note_of(&mut self, event: &Event) {
        let session = &mut self.session;
        if event.what != What::Passed && event.source != Source::Panel {
            session.heard = session.heard.max(event.at);
        }
        self.hooked |= event.source == Source::Hook;
        if let Some(process) = event.process {
            take_over(session, process);
        }
    }

    /// What an event of the session itself says of it, and what any such event ends.
    fn learn(&mut self, event: &Event) {
        let session = &mut self.session;
        if event.source == Source::Hook {
            session.note.take_if(|note| note.is_of_tool());
            session.finished_until = None;
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
        if !self.hooked {
            keep(&about.prompt, &mut session.last_prompt);
        }
        keep(&about.answer, &mut session.last_answer);
        keep(&about.transcript, &mut session.transcript);
        session.tokens = about.tokens.or(session.tokens);
        session.attended = about.attended.unwrap_or(session.attended);
        session.mode = about.mode.unwrap_or(session.mode);
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
        self.let_go(|actor| *actor != Actor::Main);
        self.session.compacting = false;
        self.prompted = false;
        self.enter(state, at);
    }

    /// Nothing of before goes on.
    fn start_over(&mut self, at: Moment) {
        self.let_go(|_| false);
        self.session.helpers.clear();
        self.session.background = 0;
        self.end_turn(State::Idle, at);
    }

    /// Ends calls and waits of those who are gone.
    fn let_go(&mut self, stays: impl Fn(&Actor) -> bool) {
        self.calls.retain(&stays);
        self.session.waits.retain(|wait| stays(&wait.actor));
    }

    /// A prompt typed while a turn runs is folded into it: the agent goes on with what it does.
    fn prompt(&mut self, prompt: Option<&String>, event: &Event) {
        let turn = event.about.turn.as_ref();
        let runs = matches!(self.session.state, State::Thinking | State::Tool(_));
        let folded = runs && turn.is_some() && turn == self.turn.as_ref();
        if !folded {
            self.end_turn(State::Thinking, event.at);
            self.prompted = true;
        }
        if let Some(prompt) = prompt {
            self.session.last_prompt = Some(prompt.clone());
        }
    }

    fn tool_began(&mut self, actor: &Actor, call: &Call, asks: Option<WaitKind>, at: Moment) {
        self.calls.begin(actor, call, at);
        if *actor == Actor::Main {
            self.close_unnamed();
            self.enter(State::Tool(call.tool.clone()), at);
            self.session.since = at;
        }
        if let Some(kind) = asks {
            let (actor, call) = (actor.clone(), Some(call.clone()));
            self.open(Wait::new(kind, actor, call, at));
        }
    }

    fn tool_ended(&mut self, call: &Call, outcome: &Outcome, at: Moment) {
        self.call_ended(&Actor::Main, call);
        self.go_on(at);
        if let Some(note) = note_of(call, outcome, at) {
            self.session.note = Some(note);
        }
    }

    fn batch_ended(&mut self, calls: &[Call], at: Moment) {
        for call in calls {
            self.call_ended(&Actor::Main, call);
        }
        self.go_on(at);
    }

    /// After one call ended: with the call begun last among those that still run, or thinking.
    fn go_on(&mut self, at: Moment) {
        self.close_unnamed();
        match self.calls.latest_of_main().map(|(tool, since)| (tool.clone(), since)) {
            Some((tool, since)) => {
                self.enter(State::Tool(tool), at);
                self.session.since = since;
            }
            None => self.enter(State::Thinking, at),
        }
    }

    pub(super) fn call_ended(&mut self, actor: &Actor, call: &Call) {
        self.calls.end(actor, call);
        let of_call = |wait: &Wait| wait.call.as_ref().is_some_and(|asked| asked.is_same(call));
        self.close_first(|wait| wait.actor == *actor && of_call(wait));
    }

    fn form_answered(&mut self, server: Option<&str>) {
        self.form_answered = true;
        let of_server = |wait: &Wait| match (&wait.call, server) {
            (Some(call), Some(server)) => is_of(call, server),
            _ => true,
        };
        self.close_first(|wait| wait.kind == WaitKind::Form && of_server(wait));
    }

    /// Only news where the answer itself was not told.
    fn form_answer_noted(&mut self) {
        if !std::mem::take(&mut self.form_answered) {
            self.close_first(|wait| wait.kind == WaitKind::Form);
        }
    }

    /// The agent says late, and without saying what, that it asks: only news where no wait is known.
    fn needs_input(&mut self, at: Moment) {
        if self.session.waits.is_empty() {
            let (kind, actor) = (WaitKind::Input, Actor::Main);
            self.open(Wait::new(kind, actor, None, at));
        }
    }

    pub(super) fn open(&mut self, mut wait: Wait) {
        wait.confirmed |= wait.is_in_terminal() && self.is_reported(wait.since);
        self.session.waits.push(wait);
    }

    /// A wait that the agent did not name is over with the next thing it does.
    pub(super) fn close_unnamed(&mut self) {
        self.session.waits.retain(|wait| wait.kind != WaitKind::Input);
    }

    pub(super) fn close_first(&mut self, is_it: impl Fn(&Wait) -> bool) {
        if let Some(at) = self.session.waits.iter().position(is_it) {
            self.session.waits.remove(at);
        }
    }

    /// An error or an interruption stays until the next prompt.
    fn idle_prompt(&mut self, at: Moment) {
        self.session.waits.clear();
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
            self.let_go(|actor| matches!(actor, Actor::Subagent(id) if subagents.contains(id)));
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

    fn helper_ended(&mut self, id: &str, actor: &Actor) {
        self.session.helpers.remove(id);
        self.let_go(|other| other != actor);
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
