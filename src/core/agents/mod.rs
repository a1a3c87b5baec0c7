// SPDX-License-Identifier: GPL-3.0-or-later
//! The agents: the only place that knows any dialect. One folder an agent, one line in [`AGENTS`].

pub mod claude;
mod lenient;
mod process;
mod tool_input;

use std::path::{Path, PathBuf};

use crate::event::{AgentId, Event, SessionKey};
use crate::install::{Connection, Error, Places};
use crate::moment::{Moment, WallClock};
use crate::request::{Decision, Request, Scope};
use crate::wire::Frame;

/// All agents that Dasbo knows.
pub const AGENTS: &[&dyn Agent] = &[&claude::Claude];

/// What an agent is, and how it speaks.
pub trait Agent: Sync {
    /// The word for it on its hooks' command line and in `dasbo hooks`.
    fn id(&self) -> AgentId;

    /// Its name, as its makers write it.
    fn name(&self) -> &'static str;

    /// The letter that stands for it where no mark is drawn.
    fn mark(&self) -> char;

    /// What a hook told, in Dasbo's words. `None`: nothing that Dasbo shows.
    fn event(&self, frame: &Frame) -> Result<Option<Event>, NotUnderstood>;

    /// The bytes by which a hook gives a person's decision. `None`: the agent honours no such decision for this request.
    fn answer(&self, request: &Request, decision: &Decision) -> Option<Vec<u8>>;

    /// The file to which it writes what is allowed for so long, as a person knows it: relative to the project, or to `~`.
    /// `None`: it writes none.
    fn scope_file(&self, scope: Scope) -> Option<&'static str>;

    /// Whether a request was settled before these last lines of its session's transcript were written.
    fn has_result(&self, request: &Request, lines: &[Vec<u8>]) -> bool;

    /// The configuration in which its hooks stand.
    fn connection(&self, places: &Places) -> Result<Connection, Error>;

    /// The folder in which it keeps a file `*.json` for each session that runs, if it does.
    fn session_folder(&self, places: &Places) -> Option<PathBuf>;

    /// What such a file says. `None`: nothing, or it is not whole.
    fn session_file(&self, path: &Path, bytes: &[u8], clock: WallClock) -> Option<Event>;

    /// What lines appended to a session's transcript say.
    fn transcript(
        &self,
        session: &SessionKey,
        lines: &[Vec<u8>],
        clock: WallClock,
        now: Moment,
    ) -> Vec<Event>;
}

impl std::fmt::Debug for dyn Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id().0)
    }
}

impl PartialEq for dyn Agent {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for dyn Agent {}

/// Why a frame makes no event.
#[derive(Debug, thiserror::Error)]
pub enum NotUnderstood {
    /// No adapter has this id.
    #[error("no agent is called {0:?}")]
    Agent(String),
    /// The payload is not JSON, or too deep.
    #[error("not a payload: {0}")]
    Payload(#[from] serde_json::Error),
    /// The payload was not JSON, or larger than a frame may be.
    #[error("no payload")]
    NoPayload,
    /// The payload names no session, and nothing stands in for it.
    #[error("no session")]
    NoSession,
}

/// The agent with this id.
pub fn by_id(id: &str) -> Option<&'static dyn Agent> {
    AGENTS.iter().copied().find(|agent| agent.id().0 == id)
}

/// What a frame tells, in Dasbo's words. `None`: nothing that Dasbo shows.
pub fn event(frame: &Frame) -> Result<Option<Event>, NotUnderstood> {
    let name = &frame.header.agent;
    by_id(name).ok_or_else(|| NotUnderstood::Agent(name.clone()))?.event(frame)
}
