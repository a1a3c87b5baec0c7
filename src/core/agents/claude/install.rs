// SPDX-License-Identifier: GPL-3.0-or-later
//! What stands in Claude Code's `settings.json`.

use std::path::{Path, PathBuf};

use crate::{
    install::{Connection, Entries, Error, Hook, command},
    wire::Mode,
};

/// Claude's word on the helper's command line.
pub const AGENT: &str = super::ID.0;

/// The events that change what the panel shows or answers. No others: each costs Claude a process start. Never
/// `MessageDisplay` (one for each chunk) nor `WorktreeCreate` (its output replaces Claude's own doing).
pub const EVENTS: &[(&str, Mode)] = &[
    ("SessionStart", Mode::Notify),
    ("SessionEnd", Mode::Notify),
    ("UserPromptSubmit", Mode::Notify),
    ("PreToolUse", Mode::Notify),
    ("PostToolUse", Mode::Notify),
    ("PostToolUseFailure", Mode::Notify),
    // It ends a denied call.
    ("PostToolBatch", Mode::Notify),
    ("PermissionRequest", Mode::Ask),
    ("PermissionDenied", Mode::Notify),
    ("Notification", Mode::Notify),
    ("Stop", Mode::Notify),
    ("StopFailure", Mode::Notify),
    ("SubagentStart", Mode::Notify),
    ("SubagentStop", Mode::Notify),
    ("PreCompact", Mode::Notify),
    ("PostCompact", Mode::Notify),
    ("Elicitation", Mode::Ask),
    ("ElicitationResult", Mode::Notify),
    ("TaskCreated", Mode::Notify),
    ("TaskCompleted", Mode::Notify),
    ("CwdChanged", Mode::Notify),
];

/// Seconds Claude lets a question wait: as long as a person needs. Its own limit (600 s) is plenty for the rest, where
/// the helper ends by itself within 2.5 s.
const ASK_TIMEOUT: u32 = 86_400;

/// A version of Claude Code, major to patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// The events that a version knows.
///
/// 2.1.220 and later know all of [`EVENTS`] (measured). Of older ones nothing is known, so they get the same: an unknown
/// name alone is at most a warning.
pub fn events_for(_version: Option<Version>) -> &'static [(&'static str, Mode)] {
    EVENTS
}

/// Claude's user settings. `config_dir` is the value of `CLAUDE_CONFIG_DIR`; an empty one counts as unset.
pub fn settings_path(config_dir: Option<&Path>, home: &Path) -> PathBuf {
    let set = config_dir.filter(|folder| !folder.as_os_str().is_empty());
    set.map_or_else(|| home.join(".claude"), Path::to_owned).join("settings.json")
}

/// What should stand in the settings, for a helper at an absolute path. Without `matcher`, so that all fire.
pub fn entries(helper: &Path, version: Option<Version>) -> Result<Entries, Error> {
    let hook = |(event, mode): &(&str, Mode)| {
        let timeout = (*mode == Mode::Ask).then_some(ASK_TIMEOUT);
        let command = command(helper, AGENT, *mode, event)?;
        Ok(Hook { event: (*event).to_owned(), command, timeout })
    };
    let hooks = events_for(version).iter().map(hook).collect::<Result<_, Error>>()?;
    Ok(Entries { agent: AGENT.to_owned(), hooks })
}

/// The connection to the settings at `settings`, journalled below `state`. A missing `~/.claude` means that Claude is
/// not here, so it is never created.
pub fn connection(
    settings: PathBuf,
    helper: &Path,
    state: PathBuf,
    version: Option<Version>,
) -> Result<Connection, Error> {
    let entries = entries(helper, version)?;
    Ok(Connection { config: settings, entries, state, creates_folder: false })
}
