// SPDX-License-Identifier: GPL-3.0-or-later
//! What the arguments mean.

use std::ffi::OsString;
use std::fmt;

use dasbo_core::agents::{self, Agent};
use lexopt::prelude::*;
use lexopt::{Arg, Parser};

use crate::connect::Task;
use crate::i18n::{gettext, gettext_f};

/// Exit status of a command line that is not understood.
pub const USAGE: u8 = 2;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Open the panel, or show the window of the one that runs.
    Panel,
    /// Print the table of sessions.
    Status(StatusOptions),
    /// Print which agents are connected.
    Hooks,
    /// Connect or disconnect an agent.
    Change(&'static dyn Agent, Task, Consent),
    /// Print what can be done.
    Help,
    /// Print the version.
    Version,
}

/// How to print the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatusOptions {
    /// As JSON.
    pub json: bool,
    /// Again at each change.
    pub follow: bool,
}

/// Whether the person agreed beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// They are asked.
    Ask,
    /// `--yes`.
    Given,
}

/// What is wrong with the arguments.
#[derive(Debug)]
pub struct UsageError(String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.0)?;
        f.write_str(&gettext("“dasbo --help” lists what can be done."))
    }
}

impl From<lexopt::Error> for UsageError {
    fn from(error: lexopt::Error) -> Self {
        Self(gettext_f("Not understood: {error}", &[("error", &error.to_string())]))
    }
}

/// Understands the arguments, the program's name first.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut parser = Parser::from_iter(args);
    match parser.next()? {
        None => Ok(Command::Panel),
        Some(Short('h') | Long("help")) => Ok(Command::Help),
        Some(Short('V') | Long("version")) => Ok(Command::Version),
        Some(Value(word)) if word == "status" => status(&mut parser),
        Some(Value(word)) if word == "hooks" => hooks(&mut parser),
        Some(Value(word)) if word == "help" => Ok(Command::Help),
        Some(Value(word)) => {
            let word = word.to_string_lossy();
            Err(UsageError(gettext_f("There is no command “{word}”.", &[("word", &word)])))
        }
        Some(other) => Err(other.unexpected().into()),
    }
}

fn status(parser: &mut Parser) -> Result<Command, UsageError> {
    let mut options = StatusOptions::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("json") => options.json = true,
            Short('f') | Long("follow") => options.follow = true,
            Short('h') | Long("help") => return Ok(Command::Help),
            other => return Err(unexpected(other)),
        }
    }
    Ok(Command::Status(options))
}

fn hooks(parser: &mut Parser) -> Result<Command, UsageError> {
    let task = match parser.next()? {
        None => return Ok(Command::Hooks),
        Some(Value(word)) if word == "connect" => Task::Connect,
        Some(Value(word)) if word == "disconnect" => Task::Disconnect,
        Some(Short('h') | Long("help")) => return Ok(Command::Help),
        Some(other) => return Err(unexpected(other)),
    };
    let (mut agent, mut consent) = (None, Consent::Ask);
    while let Some(arg) = parser.next()? {
        match arg {
            Short('y') | Long("yes") => consent = Consent::Given,
            Value(name) if agent.is_none() => agent = Some(known(&name.to_string_lossy())?),
            other => return Err(unexpected(other)),
        }
    }
    let agent =
        agent.ok_or_else(|| UsageError(gettext_f("Say which agent: {agents}.", &[("agents", &names())])))?;
    Ok(Command::Change(agent, task, consent))
}

fn known(name: &str) -> Result<&'static dyn Agent, UsageError> {
    let unknown =
        || gettext_f("There is no agent “{name}”, only: {agents}.", &[("name", name), ("agents", &names())]);
    agents::by_id(name).ok_or_else(|| UsageError(unknown()))
}

fn names() -> String {
    agents::AGENTS.iter().map(|agent| agent.id().0).collect::<Vec<_>>().join(", ")
}

fn unexpected(arg: Arg) -> UsageError {
    arg.unexpected().into()
}

/// What can be done.
pub fn help() -> String {
    gettext(
        "Shows the sessions of your coding agents.

  dasbo                     open the panel
  dasbo status              print the sessions
        --json              as JSON, for scripts
        --follow            again at each change
  dasbo hooks               print which agents are connected
  dasbo hooks connect AGENT
  dasbo hooks disconnect AGENT
                            print the change of the agent's settings, ask, and make it
        --yes               without asking, for scripts
  dasbo --version           print the version",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<Command> {
        parse(line.split_whitespace().map(OsString::from)).ok()
    }

    #[test]
    fn understands() {
        assert_eq!(parsed("dasbo"), Some(Command::Panel));
        assert_eq!(parsed("dasbo --version"), Some(Command::Version));
        let follow = StatusOptions { json: true, follow: true };
        assert_eq!(parsed("dasbo status --json --follow"), Some(Command::Status(follow)));
        assert_eq!(parsed("dasbo status"), Some(Command::Status(StatusOptions::default())));
        let claude = agents::by_id("claude").unwrap();
        assert_eq!(parsed("dasbo hooks"), Some(Command::Hooks));
        let connect = Command::Change(claude, Task::Connect, Consent::Given);
        assert_eq!(parsed("dasbo hooks connect claude --yes"), Some(connect));
        let disconnect = Command::Change(claude, Task::Disconnect, Consent::Ask);
        assert_eq!(parsed("dasbo hooks disconnect claude"), Some(disconnect));
        let wrong = [
            "dasbo sttus",
            "dasbo status extra",
            "dasbo status --json=1",
            "dasbo --what",
            "dasbo hooks connect",
            "dasbo hooks connect nobody",
            "dasbo hooks claude",
        ];
        for line in wrong {
            assert_eq!(parsed(line), None, "{line}");
        }
    }
}
