// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code. Facts measured with 2.1.220 and 2.1.332.

mod answers;
mod elicitation;
mod events;
pub mod install;
mod payload;
mod registry_file;
mod requests;
mod results;
mod tasks;
mod transcript;
mod verbatim;

use std::path::{Path, PathBuf};

use super::{Agent, NotUnderstood};
use crate::event::{AgentId, Event, SessionKey};
use crate::install::{Connection, Error, Places};
use crate::moment::{Moment, WallClock};
use crate::request::{Decision, Request, Scope};
use crate::wire::Frame;

/// Claude Code's id.
pub const ID: AgentId = AgentId("claude");

/// Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

impl Agent for Claude {
    fn id(&self) -> AgentId {
        ID
    }

    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn mark(&self) -> char {
        'C'
    }

    fn event(&self, frame: &Frame) -> Result<Option<Event>, NotUnderstood> {
        events::event(frame)
    }

    fn answer(&self, request: &Request, decision: &Decision) -> Option<Vec<u8>> {
        answers::answer(request, decision)
    }

    fn scope_file(&self, scope: Scope) -> Option<&'static str> {
        match scope {
            Scope::Session => None,
            Scope::Local => Some(".claude/settings.local.json"),
            Scope::Project => Some(".claude/settings.json"),
            Scope::User => Some("~/.claude/settings.json"),
        }
    }

    fn has_result(&self, request: &Request, lines: &[Vec<u8>]) -> bool {
        results::has_result(request, lines)
    }

    fn connection(&self, places: &Places) -> Result<Connection, Error> {
        let config_dir = places.variable("CLAUDE_CONFIG_DIR");
        let settings = install::settings_path(config_dir.map(Path::new), &places.home);
        install::connection(settings, &places.helper(), places.state.clone(), None)
    }

    fn session_folder(&self, places: &Places) -> Option<PathBuf> {
        let config_dir = places.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        Some(config_dir.unwrap_or_else(|| places.home.join(".claude")).join("sessions"))
    }

    fn session_file(&self, path: &Path, bytes: &[u8], clock: WallClock) -> Option<Event> {
        registry_file::event(path, bytes, clock)
    }

    fn transcript(
        &self,
        session: &SessionKey,
        lines: &[Vec<u8>],
        clock: WallClock,
        now: Moment,
    ) -> Vec<Event> {
        transcript::events(session, lines, clock, now)
    }
}
