// SPDX-License-Identifier: GPL-3.0-or-later
//! `~/.claude/sessions/PID.json`: what Claude Code itself says its session does. Undocumented; seen in 2.1.220 and
//! 2.1.332. It tells what fires no hook: an interruption, a wait that is over, a session older than the hooks.

use std::path::Path;

use serde::Deserialize;

use super::ID;
use crate::agents::lenient::{line, maybe, name, object, text};
use crate::event::{About, Actor, AgentProcess, Event, SessionId, SessionKey, Source, Status, What};
use crate::moment::WallClock;
use crate::process::ProcessId;

/// The keys that Dasbo reads.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RegistryFile {
    #[serde(deserialize_with = "maybe")]
    pid: Option<u32>,
    #[serde(deserialize_with = "name")]
    session_id: Option<String>,
    #[serde(deserialize_with = "name")]
    cwd: Option<String>,
    /// Unix time in milliseconds.
    #[serde(deserialize_with = "maybe")]
    started_at: Option<u64>,
    /// Clock ticks after boot, as text.
    #[serde(deserialize_with = "text")]
    proc_start: Option<String>,
    #[serde(deserialize_with = "text")]
    entrypoint: Option<String>,
    #[serde(deserialize_with = "text")]
    kind: Option<String>,
    #[serde(deserialize_with = "text")]
    name: Option<String>,
    #[serde(deserialize_with = "text")]
    name_source: Option<String>,
    #[serde(deserialize_with = "text")]
    status: Option<String>,
    /// Unix time in milliseconds.
    #[serde(deserialize_with = "maybe")]
    status_updated_at: Option<u64>,
}

/// What the file says. `None`: it is not whole, or not such a file.
pub(super) fn event(path: &Path, bytes: &[u8], clock: WallClock) -> Option<Event> {
    let file: RegistryFile = object(bytes).ok()?;
    let id = SessionId::new(file.session_id.as_deref()?)?;
    let process = ProcessId { pid: file.pid?, start: file.proc_start.as_deref()?.parse().ok()? };
    let at = clock.moment(file.status_updated_at.or(file.started_at)?);
    Some(Event {
        session: SessionKey { agent: ID, id },
        at,
        actor: Actor::Main,
        source: Source::File,
        process: Some(AgentProcess { id: process, tty: 0 }),
        what: status(&file).map_or(What::Seen, What::Reported),
        about: about(file, path),
    })
}

fn status(file: &RegistryFile) -> Option<Status> {
    Some(match file.status.as_deref()? {
        "idle" => Status::Idle,
        "busy" => Status::Busy,
        "shell" => Status::Shell,
        "waiting" => Status::Waiting,
        _ => return None,
    })
}

fn about(file: RegistryFile, path: &Path) -> About {
    let by_person = file.name_source.as_deref() == Some("user");
    let interactive = file.kind.is_none_or(|kind| kind == "interactive");
    About {
        transcript: transcript(file.cwd.as_deref(), file.session_id.as_deref(), path),
        cwd: file.cwd.clone(),
        project: file.cwd,
        title: file.name.filter(|_| by_person).map(|name| line(&name)).filter(|name| !name.is_empty()),
        attended: file.entrypoint.map(|entrypoint| entrypoint == "cli" && interactive),
        ..About::default()
    }
}

/// Where the transcript stands: below the folder that holds `sessions`, in a folder named after the project's path.
fn transcript(cwd: Option<&str>, session: Option<&str>, path: &Path) -> Option<String> {
    let config = path.parent()?.parent()?;
    let folder: String = cwd?.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let file = config.join("projects").join(folder).join(format!("{}.jsonl", session?));
    file.to_str().map(str::to_owned)
}
