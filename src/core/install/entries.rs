// SPDX-License-Identifier: GPL-3.0-or-later
//! What Dasbo writes into an agent's configuration, and how it knows its own again.

use std::path::Path;

use super::Error;
use crate::wire::Mode;

/// The helper's file name: by it and the words behind it Dasbo knows its own entries.
pub const HELPER_NAME: &str = "dasbo-hook";

/// One hook of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The event's name, as the agent spells it.
    pub event: String,
    /// The shell command the agent runs.
    pub command: String,
    /// Seconds after which the agent ends the command; `None` leaves the agent's own limit.
    pub timeout: Option<u32>,
}

/// All hooks of ours in one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries {
    /// The agent's word on the helper's command line.
    pub agent: String,
    /// The hooks, in the order they are written.
    pub hooks: Vec<Hook>,
}

/// The command an agent runs for one event. A missing helper makes it end well, in silence.
pub fn command(helper: &Path, agent: &str, mode: Mode, event: &str) -> Result<String, Error> {
    let refused = || Error::HelperPath(helper.to_owned());
    let path = helper.to_str().filter(|_| helper.is_absolute());
    let named = helper.file_name().is_some_and(|name| name == HELPER_NAME);
    let path = quoted(path.filter(|_| named).ok_or_else(refused)?);
    let mode = mode.as_str();
    Ok(format!("[ ! -x {path} ] || exec {path} {agent} {mode} {event}"))
}

/// Whether a command is one of ours for `agent`, wherever its helper lives. Gives the event it names.
///
/// Ours ends with `/dasbo-hook' <agent> <notify|ask> <Event>`.
pub fn own_event<'a>(command: &'a str, agent: &str) -> Option<&'a str> {
    let mut words = command.rsplitn(4, ' ');
    let (event, mode, name, head) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let helper = head.strip_suffix('\'')?.strip_suffix(HELPER_NAME)?;
    let named = !event.is_empty() && event.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (named && Mode::from_word(mode).is_some() && name == agent && helper.ends_with('/')).then_some(event)
}

/// One word for `sh`, whatever it holds.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
