// SPDX-License-Identifier: GPL-3.0-or-later
//! One session: what rows show of it, and the state machine that decides it.

mod calls;
mod machine;
mod reported;
mod requests;
mod timeline;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::event::{
    Actor, AgentProcess, Call, Event, PermissionMode, SessionKey, TaskState, Tokens, Tool, WaitKind,
};
use crate::moment::Moment;
use crate::request::{Held, Request};

pub(crate) use reported::AHEAD;
pub(crate) use timeline::Timeline;

/// A working row that heard nothing for this long says so.
pub const NO_NEWS_AFTER: Duration = Duration::from_secs(60);

/// How long a turn's end is marked as finished.
pub const FINISHED_FOR: Duration = Duration::from_secs(3);

/// How long a passing note stays, unless the next event comes before.
pub const NOTE_FOR: Duration = Duration::from_secs(5);

/// A row, through the sessions that follow one another in it (`/clear`, `/resume`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u64);

/// All there is to know of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The row it is shown in.
    pub row: RowId,
    /// Which session.
    pub key: SessionKey,
    /// The agent's process, where it is known.
    pub process: Option<AgentProcess>,
    /// When the agent's process started; of a later session of that process, when the session began.
    pub started: Moment,
    /// When it was last heard of.
    pub heard: Moment,
    /// Whether news of it were lost, so that its state may be old.
    pub news_lost: bool,
    /// The project's folder.
    pub project: Option<String>,
    /// The folder the agent works in.
    pub cwd: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// The branch the project is on.
    pub branch: Option<String>,
    /// What the agent may do without asking.
    pub mode: PermissionMode,
    /// The model's id.
    pub model: Option<String>,
    /// What it does.
    pub state: State,
    /// Since when.
    pub since: Moment,
    /// What the person is asked for, oldest first.
    pub waits: Vec<Wait>,
    /// Whether its conversation is being compacted.
    pub compacting: bool,
    /// Its subagents that run.
    pub helpers: BTreeSet<String>,
    /// Other background work that goes on, as the last turn's end listed it.
    pub background: usize,
    /// The agent's task list, in its order.
    pub tasks: Vec<Task>,
    /// The person's last prompt.
    pub last_prompt: Option<String>,
    /// The agent's last words.
    pub last_answer: Option<String>,
    /// Something that is shown for a moment.
    pub note: Option<Note>,
    /// Until when the turn's end is marked.
    pub finished_until: Option<Moment>,
    /// Whether a person sits at it.
    pub attended: bool,
    /// What the conversation takes of the model's context.
    pub tokens: Option<Tokens>,
    /// The file that the agent writes the conversation to.
    pub transcript: Option<String>,
}

/// What a session does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing: it waits for a prompt.
    #[default]
    Idle,
    /// The model works.
    Thinking,
    /// A tool runs.
    Tool(Tool),
    /// The turn ended with an error; what is known of it.
    Error(Option<String>),
    /// The person ended the turn.
    Interrupted,
}

/// Something the person is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// What for.
    pub kind: WaitKind,
    /// Who asks.
    pub actor: Actor,
    /// The call it is about.
    pub call: Option<Call>,
    /// What is asked in full, if a hook told it.
    pub request: Option<Arc<Request>>,
    /// That hook, while it waits for an answer from here.
    pub held: Option<Held>,
    /// Since when.
    pub since: Moment,
    /// Whether the session's own file said waiting meanwhile: once it no longer does, the wait is over.
    pub confirmed: bool,
}

/// An entry of the agent's task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// The agent's id for it.
    #[serde(skip)]
    pub id: String,
    /// What is to be done.
    pub subject: String,
    /// How far it is.
    pub state: TaskState,
}

/// Something that is shown for a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub what: NoteKind,
    /// Until when.
    pub until: Moment,
}

/// What a note says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteKind {
    /// This tool failed.
    ToolFailed(String),
    /// This tool was denied; with the reason.
    ToolDenied(String, Option<String>),
    /// What was asked here too was answered in the terminal.
    AnsweredElsewhere,
    /// So it was, before the person's answer here could be given.
    AnsweredTooLate,
    /// What the person answered here was no longer asked.
    NoLongerAsked,
}

/// The group a row stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The person is asked for something.
    Waiting,
    /// The agent works, or its background work goes on.
    Working,
    /// Neither.
    Quiet,
}

impl Session {
    fn new(row: RowId, event: &Event) -> Self {
        Self {
            row,
            key: event.session.clone(),
            process: event.process,
            started: event.process.map_or(event.at, |process| process.id.started()),
            heard: event.at,
            news_lost: false,
            project: None,
            cwd: None,
            title: None,
            branch: None,
            mode: PermissionMode::Default,
            model: None,
            state: State::Idle,
            since: event.at,
            waits: Vec::new(),
            compacting: false,
            helpers: BTreeSet::new(),
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

    /// Where its row stands.
    pub fn group(&self) -> Group {
        if !self.waits.is_empty() {
            Group::Waiting
        } else if self.works() {
            Group::Working
        } else {
            Group::Quiet
        }
    }

    /// Which of two rows stands first: by group, in there by what it is about. Working rows stand by what never changes,
    /// so that nothing moves as they go on.
    pub fn order(&self, other: &Self) -> Ordering {
        let within_group = || match self.group() {
            Group::Waiting => self.asked().cmp(&other.asked()),
            Group::Working => self.started.cmp(&other.started),
            Group::Quiet => other.since.cmp(&self.since),
        };
        self.group().cmp(&other.group()).then_with(within_group).then(self.row.cmp(&other.row))
    }

    /// Since when the person is asked for something.
    pub fn asked(&self) -> Option<Moment> {
        self.waits.iter().map(|wait| wait.since).min()
    }

    /// Whether the agent, or background work of its, goes on.
    pub fn works(&self) -> bool {
        let turn_runs = matches!(self.state, State::Thinking | State::Tool(_));
        turn_runs || self.compacting || self.background > 0 || !self.helpers.is_empty()
    }

    /// How long a working session was silent, when that is long enough to say so.
    pub fn no_news(&self, now: Moment) -> Option<Duration> {
        let silence = now.since(self.heard);
        let says_so = self.news_lost || (self.group() == Group::Working && silence >= NO_NEWS_AFTER);
        says_so.then_some(silence)
    }

    /// The project's name: the last part of its folder's path.
    pub fn project_name(&self) -> Option<&str> {
        let folder = self.project.as_deref().or(self.cwd.as_deref())?;
        folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).or(Some(folder))
    }

    /// The requests that hooks wait with, oldest first.
    pub fn held(&self) -> impl Iterator<Item = (&Wait, Held)> {
        self.waits.iter().filter_map(|wait| Some((wait, wait.held?)))
    }

    /// Tasks done, of all. `None` without tasks.
    pub fn task_count(&self) -> Option<(usize, usize)> {
        let done = self.tasks.iter().filter(|task| task.state == TaskState::Completed).count();
        (!self.tasks.is_empty()).then_some((done, self.tasks.len()))
    }

    /// Takes away what was shown for a moment that is over.
    pub(crate) fn forget_passed(&mut self, now: Moment) {
        self.note.take_if(|note| note.until <= now);
        self.finished_until.take_if(|until| *until <= now);
    }

    /// When the next passing thing is over.
    pub(crate) fn next_passing(&self) -> Option<Moment> {
        [self.note.as_ref().map(|note| note.until), self.finished_until].into_iter().flatten().min()
    }
}

impl Task {
    fn new(id: &str, subject: &str) -> Self {
        Self { id: id.to_owned(), subject: subject.to_owned(), state: TaskState::Pending }
    }
}
