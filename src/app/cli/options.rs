// SPDX-License-Identifier: GPL-3.0-or-later
//! What the arguments mean.

use std::ffi::OsString;
use std::fmt;

use dasbo_core::agents::{self, Agent};
use dasbo_core::request::RequestId;
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
    /// Answer a request.
    Answer(AnswerOptions),
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

/// How to answer which request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerOptions {
    /// The request's id, as `dasbo status` prints it.
    pub id: String,
    /// Whether it is allowed.
    pub verdict: Verdict,
}

/// What is said to an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Allow,
    /// No; with words for the agent.
    Deny(Option<String>),
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
        Some(Value(word)) if word == "answer" => answer(&mut parser),
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

fn answer(parser: &mut Parser) -> Result<Command, UsageError> {
    let (mut id, mut word, mut note) = (None, None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            Long("note") => note = Some(parser.value()?.string()?),
            Short('h') | Long("help") => return Ok(Command::Help),
            Value(value) if id.is_none() => id = Some(value.string()?),
            Value(value) if word.is_none() => word = Some(value.string()?),
            other => return Err(unexpected(other)),
        }
    }
    let missing = || UsageError(gettext("Say which request, and “allow” or “deny”."));
    let (id, word) = id.zip(word).ok_or_else(missing)?;
    // Ids are hexadecimal: a word that is none is no request that could be over.
    if id.parse::<RequestId>().is_err() {
        return Err(UsageError(gettext_f("“{id}” is not the id of a request.", &[("id", &id)])));
    }
    Ok(Command::Answer(AnswerOptions { id, verdict: verdict(&word, note)? }))
}

fn verdict(word: &str, note: Option<String>) -> Result<Verdict, UsageError> {
    let note = note.filter(|note| !note.trim().is_empty());
    match (word, note) {
        ("allow", None) => Ok(Verdict::Allow),
        ("allow", Some(_)) => Err(UsageError(gettext("A note goes only with “deny”."))),
        ("deny", note) => Ok(Verdict::Deny(note)),
        _ => Err(UsageError(gettext_f("Say “allow” or “deny”, not “{word}”.", &[("word", word)]))),
    }
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
  dasbo answer ID allow     allow what waits for approval; “dasbo status” prints its ID
  dasbo answer ID deny      do not allow it
        --note TEXT         and tell the agent this
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
        let answer = |verdict| Some(Command::Answer(AnswerOptions { id: "19a".to_owned(), verdict }));
        assert_eq!(parsed("dasbo answer 19a allow"), answer(Verdict::Allow));
        assert_eq!(parsed("dasbo answer 19a deny"), answer(Verdict::Deny(None)));
        let note = Verdict::Deny(Some("no".to_owned()));
        assert_eq!(parsed("dasbo answer --note no 19a deny"), answer(note.clone()));
        assert_eq!(parsed("dasbo answer 19a deny --note=no"), answer(note));
        let wrong = [
            "dasbo answer",
            "dasbo answer 19a",
            "dasbo answer allow",
            "dasbo answer xyz allow",
            "dasbo answer 19a maybe",
            "dasbo answer 19a allow deny",
            "dasbo answer 19a allow --note yes",
            "dasbo answer 19a deny --note",
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
