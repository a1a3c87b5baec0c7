// SPDX-License-Identifier: GPL-3.0-or-later
//! Connecting agents, for the command line and the window alike. All of it reads or writes files: never on the main
//! loop.

use std::env;
use std::path::{Path, PathBuf};

use dasbo_core::agents::{AGENTS, Agent};
use dasbo_core::install::{self, Change, Connection, HELPER_NAME, Places, Status, helper};

use crate::config;
use crate::i18n::{gettext, gettext_f};

/// Why something was not done, in a sentence that says what to do next.
#[derive(Debug)]
pub struct Failure(pub String);

impl Failure {
    fn new(error: &install::Error) -> Self {
        use install::Error;
        let path = |message: &str, path: &Path| gettext_f(message, &[("path", &path.display().to_string())]);
        Self(match error {
            Error::Invalid { line, column } => gettext_f(
                "The settings are not valid JSON at line {line}, column {column}. Repair them there, then try again.",
                &[("line", &line.to_string()), ("column", &column.to_string())],
            ),
            Error::Duplicate(key) => gettext_f(
                "The settings have the key “{key}” twice. Take one out, then try again.",
                &[("key", key)],
            ),
            Error::NoFolder(folder) => {
                path("{path} does not exist. Start the agent once, then try again.", folder)
            }
            Error::Changed(file) => path("{path} has just been changed. Try again.", file),
            Error::ReadOnly(file) => path("{path} is read-only. Make it writable, then try again.", file),
            other => {
                gettext_f("The settings are left as they are: {error}.", &[("error", &other.to_string())])
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
        let connection = agent.connection(&places).map_err(|error| Failure::new(&error))?;
        let change = match task {
            Task::Connect => connection.plan_connect(),
            Task::Disconnect => connection.plan_disconnect(),
        };
        let change = change.map_err(|error| Failure::new(&error))?;
        Ok(Self { agent, change, task, connection, places })
    }

    /// Makes the change. The helper is put in its place before anything names it.
    pub fn commit(&self) -> Result<(), Failure> {
        if self.task == Task::Connect {
            place_helper(&self.places)?;
        }
        self.connection.commit(&self.change).map_err(|error| Failure::new(&error))
    }
}

/// How an agent's settings stand.
pub fn status(agent: &dyn Agent) -> Result<Status, Failure> {
    let connection = agent.connection(&places()?).map_err(|error| Failure::new(&error))?;
    connection.status().map_err(|error| Failure::new(&error))
}

/// Whether any agent is connected.
pub fn any_connected() -> bool {
    AGENTS.iter().any(|agent| matches!(status(*agent), Ok(Status::Connected | Status::Partly)))
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
    helper::place(&source, &places.helper()).map(drop).map_err(|error| Failure::new(&error))
}

/// The helper that came with this build: where the installation put it, or beside the program.
fn helper_source() -> Option<PathBuf> {
    let told = env::var_os("DASBO_HOOK_BIN").map(PathBuf::from);
    let installed = config::LIBEXECDIR.map(|folder| Path::new(folder).join(HELPER_NAME));
    let beside = env::current_exe().ok().map(|program| program.with_file_name(HELPER_NAME));
    [told, installed, beside].into_iter().flatten().find(|path| path.is_file())
}
