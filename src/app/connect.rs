// SPDX-License-Identifier: GPL-3.0-or-later
//! Connecting agents, for the command line and the window alike. All of it reads or writes files: never on the main
//! loop.

use std::env;
use std::path::{Path, PathBuf};

use dasbo_core::agents::{AGENTS, Agent};
use dasbo_core::install::{self, Change, Connection, HELPER_NAME, Places, Status, helper};

use crate::i18n::{gettext, gettext_f};
use crate::{config, words};

/// Why something was not done, in a sentence that says what to do next.
#[derive(Debug)]
pub struct Failure(pub String);

impl Failure {
    /// Of an agent's settings, which stand in `config`.
    fn new(error: &install::Error, config: &Path) -> Self {
        use install::Error;
        let file = config.display().to_string();
        let about = |message: &str, values: &[(&str, &str)]| {
            gettext_f(message, &[&[("file", file.as_str())], values].concat())
        };
        let path = |message: &str, path: &Path| gettext_f(message, &[("path", &path.display().to_string())]);
        Self(match error {
            Error::Invalid { line, column } => about(
                "{file} is not valid JSON at line {line}, column {column}. Repair it there, then try again.",
                &[("line", &line.to_string()), ("column", &column.to_string())],
            ),
            Error::Duplicate(key) => {
                about("{file} has the key “{key}” twice. Take one out, then try again.", &[("key", key)])
            }
            Error::WrongType { at, .. } if at.is_empty() => {
                about("{file} is not a JSON object in braces. Repair it, then try again.", &[])
            }
            Error::WrongType { at, .. } => about(
                "In {file}, “{key}” is not what the agent documents. Repair it, then try again.",
                &[("key", at)],
            ),
            Error::Unverified => about(
                "Dasbo found no safe way to change {file}. Please report this, and change the file by hand.",
                &[],
            ),
            Error::NotUtf8(file) => {
                path("{path} is not written in UTF-8. Save it in UTF-8, then try again.", file)
            }
            Error::NotRegular(file) => {
                path("{path} is not a file. Move it out of the way, then try again.", file)
            }
            Error::DanglingLink(file) => {
                path("{path} is a link to a file that does not exist. Repair the link, then try again.", file)
            }
            Error::TooLarge(file) => {
                path("{path} is larger than 16 MiB. Make it smaller, then try again.", file)
            }
            Error::ReadOnly(file) => path("{path} is read-only. Make it writable, then try again.", file),
            Error::NoFolder(folder) => {
                path("{path} does not exist. Start the agent once, then try again.", folder)
            }
            Error::Changed(file) => path("{path} has just been changed. Try again.", file),
            Error::HelperPath(helper) => path(
                "The path {path} of the helper cannot stand in a command. Set HOME to a plain absolute path, then try again.",
                helper,
            ),
            Error::Io { path, source } => {
                let values = [("path", &*path.to_string_lossy()), ("error", &*words::system(source))];
                gettext_f("{path} cannot be used: {error}. Put that right, then try again.", &values)
            }
        })
    }
}

/// What to do with an agent's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Bring them into its settings.
    Connect,
    /// Take them out.
    Disconnect,
}

/// A change of an agent's settings that is planned, not yet made.
#[derive(Debug)]
pub struct Planned {
    /// Whose settings.
    pub agent: &'static dyn Agent,
    /// What is to be written.
    pub change: Change,
    task: Task,
    connection: Connection,
    places: Places,
}

impl Planned {
    /// What to write into an agent's settings. Nothing is written.
    pub fn new(agent: &'static dyn Agent, task: Task) -> Result<Self, Failure> {
        let places = places()?;
        let connection = connection(agent, &places)?;
        let change = match task {
            Task::Connect => connection.plan_connect(),
            Task::Disconnect => connection.plan_disconnect(),
        };
        let change = change.map_err(|error| Failure::new(&error, &connection.config))?;
        Ok(Self { agent, change, task, connection, places })
    }

    /// Makes the change. The helper is put in its place before anything names it.
    pub fn commit(&self) -> Result<(), Failure> {
        if self.task == Task::Connect {
            place_helper(&self.places)?;
        }
        self.connection.commit(&self.change).map_err(|error| Failure::new(&error, &self.connection.config))
    }
}

/// How an agent's settings stand.
pub fn status(agent: &dyn Agent) -> Result<Status, Failure> {
    let connection = connection(agent, &places()?)?;
    connection.status().map_err(|error| Failure::new(&error, &connection.config))
}

fn connection(agent: &dyn Agent, places: &Places) -> Result<Connection, Failure> {
    agent.connection(places).map_err(|error| Failure::new(&error, &places.home))
}

/// How all agents stand together: connected or not where all are, else partly. One whose settings cannot be read is not
/// connected.
pub fn overall_status() -> Status {
    let mut all = AGENTS.iter().map(|agent| status(*agent).unwrap_or(Status::NotConnected));
    let first = all.next().unwrap_or(Status::NotConnected);
    if all.all(|status| status == first) { first } else { Status::Partly }
}

/// Renews the helper that agents run, if there is one and this build brings another.
pub fn renew_helper() {
    let Ok(places) = places() else { return };
    if places.helper().exists()
        && let Err(Failure(reason)) = place_helper(&places)
    {
        tracing::warn!(reason, "the helper stays as it is");
    }
}

fn places() -> Result<Places, Failure> {
    Places::new(env::vars_os()).ok_or_else(|| Failure(gettext("There is no home folder (HOME).")))
}

fn place_helper(places: &Places) -> Result<(), Failure> {
    let missing =
        || Failure(gettext("The helper dasbo-hook was not found beside Dasbo. Install Dasbo again."));
    let source = helper_source().ok_or_else(missing)?;
    helper::place(&source, &places.helper()).map(drop).map_err(|error| Failure::new(&error, &places.helper()))
}

/// The helper that came with this build: where the installation put it, or beside the program.
fn helper_source() -> Option<PathBuf> {
    let told = env::var_os("DASBO_HOOK_BIN").map(PathBuf::from);
    let installed = config::LIBEXECDIR.map(|folder| Path::new(folder).join(HELPER_NAME));
    let beside = env::current_exe().ok().map(|program| program.with_file_name(HELPER_NAME));
    [told, installed, beside].into_iter().flatten().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn said(error: &install::Error) -> String {
        Failure::new(error, Path::new("/home/user/.claude/settings.json")).0
    }

    #[test]
    fn a_failure_names_the_file_and_what_to_do() {
        use install::Error;
        let invalid = said(&Error::Invalid { line: 3, column: 7 });
        assert_eq!(
            invalid,
            "/home/user/.claude/settings.json is not valid JSON at line 3, column 7. \
             Repair it there, then try again."
        );
        let other = PathBuf::from("/other");
        let file_errors = [
            Error::Duplicate("hooks".into()),
            Error::WrongType { at: String::new(), wanted: "an object" },
            Error::WrongType { at: "hooks.Stop".into(), wanted: "an array" },
            Error::Unverified,
        ];
        for error in file_errors {
            assert!(said(&error).contains("/home/user/.claude/settings.json"), "{error}");
        }
        let path_errors = [
            Error::NotUtf8(other.clone()),
            Error::NotRegular(other.clone()),
            Error::DanglingLink(other.clone()),
            Error::TooLarge(other.clone()),
            Error::ReadOnly(other.clone()),
            Error::NoFolder(other.clone()),
            Error::Changed(other.clone()),
            Error::HelperPath(other.clone()),
            Error::Io { path: other, source: io::Error::from(rustix::io::Errno::NOSPC) },
        ];
        for error in path_errors {
            let said = said(&error);
            assert!(said.contains("/other") && said.to_lowercase().contains("try again"), "{said}");
            assert!(!said.contains("os error"), "{said}");
        }
    }
}
