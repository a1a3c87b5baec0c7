// SPDX-License-Identifier: GPL-3.0-or-later
//! What happened, in Dasbo's own words. Adapters make it, the registry applies it.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::moment::Moment;
use crate::process::ProcessId;
use crate::request::{Held, Request, RequestId};

/// An agent, by the id that its hooks' command line carries (`claude`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct AgentId(pub &'static str);

/// A session's own id. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Box<str>);

impl SessionId {
    /// The id, unless it is empty.
    pub fn new(id: &str) -> Option<Self> {
        (!id.is_empty()).then(|| Self(id.into()))
    }

    /// The id as the agent writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// One session of one agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// Whose session.
    pub agent: AgentId,
    /// Which one.
    pub id: SessionId,
}

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Where.
    pub session: SessionKey,
    /// When it was true: the helper's own time, not that of arrival.
    pub at: Moment,
    /// Who in the session.
    pub actor: Actor,
    /// Where it is known from.
    pub source: Source,
    /// The agent's process, where it is known.
    pub process: Option<AgentProcess>,
    /// What the event says of its session beside what happened.
    pub about: About,
    /// What happened.
    pub what: What,
}

/// Where an event is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A hook told it.
    Hook,
    /// It was read in a file that the agent keeps.
    File,
    /// It happened here.
    Panel,
}

/// Whose doing an event is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The session itself.
    Main,
    /// A subagent of it, by the agent's own id for it.
    Subagent(String),
}

/// The process of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentProcess {
    /// Which process.
    pub id: ProcessId,
    /// Its terminal's device number; 0 for none.
    pub tty: i32,
}

/// Facts that any event may carry. `None`: the event does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// The folder the agent works in now.
    pub cwd: Option<String>,
    /// The folder of the project.
    pub project: Option<String>,
    /// What the agent may do without asking.
    pub mode: Option<PermissionMode>,
    /// The turn (Claude's `prompt_id`): from one prompt of the person to the next.
    pub turn: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// The model's id.
    pub model: Option<String>,
    /// A change of the task list.
    pub tasks: Option<TaskChange>,
    /// Whether a person sits at the session (`claude -p` has none).
    pub attended: Option<bool>,
    /// The branch the project is on.
    pub branch: Option<String>,
    /// The person's last prompt, where a file tells it.
    pub prompt: Option<String>,
    /// The agent's last words, where a file tells them.
    pub answer: Option<String>,
    /// What the conversation takes of the model's context.
    pub tokens: Option<Tokens>,
    /// The file that the agent writes the conversation to.
    pub transcript: Option<String>,
}

/// What a conversation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// Tokens of the last request: new ones, and those read from or written to the cache.
    pub context: u64,
    /// Tokens of the last answer.
    pub output: u64,
}

/// What an agent's own file says a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It waits for a prompt.
    Idle,
    /// It does something, which alone does not mean a turn.
    Busy,
    /// It asks the person.
    Waiting,
    /// It is idle while a shell of its runs in the background.
    Shell,
}

/// What an agent may do without asking, in Claude's terms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// It asks.
    #[default]
    Default,
    /// It only reads, and proposes.
    Plan,
    /// It edits files unasked.
    AcceptEdits,
    /// It does everything unasked.
    BypassPermissions,
    /// A classifier decides.
    Auto,
    /// What is not allowed is denied.
    DontAsk,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The session began.
    Began(Beginning),
    /// A prompt was submitted: the person's own, or (`None`) one that the machine made.
    Prompted(Option<String>),
    /// A tool call began. With a kind, the call itself asks the person something.
    ToolBegan(Call, Option<WaitKind>),
    /// A tool call ended.
    ToolEnded(Call, Outcome),
    /// A batch of calls ended, some perhaps never begun or denied.
    BatchEnded(Vec<Call>),
    /// The agent asks the person. The hook that told it may wait for an answer.
    Requested(Arc<Request>, Option<Held>),
    /// A hook no longer waits with this request.
    Settled(RequestId, Settlement),
    /// The agent asks in its terminal; said late, without saying what.
    NeedsInput,
    /// A form of this server was answered or dismissed.
    FormAnswered(Option<String>),
    /// The agent says late that some form was answered.
    FormAnswerNoted,
    /// The agent says that it waits for the next prompt.
    IdlePrompt,
    /// The turn ended.
    TurnEnded {
        /// The agent's last words.
        answer: Option<String>,
        /// Background work that goes on, where the agent lists it.
        background: Option<Background>,
    },
    /// The turn ended with an error; what is known of it, in the agent's or the service's words.
    TurnFailed(Option<String>),
    /// The conversation is being compacted.
    CompactBegan,
    /// It was compacted.
    CompactEnded(CompactTrigger),
    /// A subagent began: the event's actor.
    HelperBegan,
    /// A subagent ended: the event's actor.
    HelperEnded,
    /// The agent's own file says what the session does.
    Reported(Status),
    /// The person ended the turn.
    Interrupted,
    /// A prompt that was typed while a turn ran is taken up, once that turn is over.
    QueuedPrompt,
    /// So much time passed without anything.
    Passed,
    /// This happened so long ago that it no longer decides what the session does; but what it ended is over.
    Belated(Box<What>),
    /// Nothing but what the event says about its session.
    Seen,
    /// Events of this session were lost: what is shown may be old.
    NewsLost,
    /// The session ended.
    Ended(Ending),
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// A new one.
    Startup,
    /// An earlier one goes on, perhaps in place of another of the same process.
    Resume,
    /// In place of another of the same process.
    Clear,
    /// A copy of another.
    Fork,
    /// The same session, its conversation compacted.
    Compact,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// For good.
    Gone,
    /// Another session of the same process takes its place.
    Replaced,
}

/// Who asked for compacting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactTrigger {
    /// The person: the agent is idle afterwards.
    Manual,
    /// The agent, within a turn.
    Auto,
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran.
    Done,
    /// It ran and failed: no error of the session.
    Failed,
    /// It was denied; with the reason.
    Denied(Option<String>),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The agent's id for it, where it has one.
    pub id: Option<String>,
    /// What runs.
    pub tool: Tool,
    /// Stands for the whole input, where calls must be told apart without an id.
    pub input: Fingerprint,
}

/// What a tool call is, as rows show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// What it works on: one line, cut at a word. May be empty.
    pub detail: String,
}

/// A hash over a call's input. Only ever compared within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

/// What the person is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitKind {
    /// To allow a tool call.
    Approval,
    /// To answer a question.
    Question,
    /// To approve a plan.
    Plan,
    /// To fill a form.
    Form,
    /// For something that the agent does not name.
    Input,
}

/// Why a hook no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It has the person's answer.
    Answered,
    /// The person's answer came when the request was settled elsewhere, and was dropped.
    TooLate,
    /// It was over already when the person answered.
    Over,
    /// It ended by itself, as it does when the person says no in the terminal.
    Ended,
    /// It was let go without an answer: the agent asks in its own way.
    LetGo,
}

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// For this call, which must not run before it is allowed.
    ForCall(Call),
    /// During a call that runs, of this MCP server.
    During(String),
}

/// Background work that goes on after a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Background {
    /// Ids of the subagents among it.
    pub subagents: Vec<String>,
    /// How many other tasks run.
    pub others: usize,
}

/// A change of the agent's own task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskChange {
    /// One task was added, or said again with its subject.
    Added {
        /// The agent's id for it.
        id: String,
        /// What is to be done.
        subject: String,
    },
    /// One task's state changed.
    State {
        /// The agent's id for it.
        id: String,
        /// The new state; `None`: the task was taken off the list.
        state: Option<TaskState>,
    },
    /// The whole list, in order.
    All(Vec<(String, TaskState)>),
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}
