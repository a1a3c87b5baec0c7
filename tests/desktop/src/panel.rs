// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel under test: started as its user starts it, read through `dasbo status --json`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use tempfile::NamedTempFile;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::wait;

/// Names the panel's program.
pub const PROGRAM: &str = "DASBO_BIN";

/// A command only asks the panel, or writes a file.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// How long a killed panel may take to be gone.
const END_LIMIT: Duration = Duration::from_secs(5);

/// These would lead the panel out of the throw-away home.
const FOLDERS: [&str; 4] = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/// One session as the command line tells it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Row {
    pub agent: String,
    pub session: String,
    pub project: String,
    pub title: Option<String>,
    pub mode: Option<String>,
    pub state: State,
    pub tool: Option<Tool>,
    pub detail: Option<String>,
    pub waiting: Vec<Waiting>,
    pub helpers: usize,
    pub background: usize,
    pub cwd: PathBuf,
    pub pid: Option<u32>,
    pub last_prompt: Option<String>,
    pub last_answer: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Idle,
    Thinking,
    Tool,
    Error,
    Interrupted,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Tool {
    pub name: String,
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Waiting {
    pub kind: String,
    pub tool: Option<String>,
}

/// A running panel; it is killed when this is dropped.
#[derive(Debug)]
pub struct Panel {
    program: PathBuf,
    variables: Vec<(&'static str, OsString)>,
    log: NamedTempFile,
    child: Child,
}

/// What `dasbo status` says of a panel beside another one.
const HELD: &str = "Another panel hears your agents";

impl Panel {
    /// Starts the program that `DASBO_BIN` names, on the display and the session bus of this process's environment, and
    /// waits until it answers.
    pub async fn start(home: &Path, runtime: &Path, limit: Duration) -> Result<Self> {
        Self::start_with(home, runtime, &[], limit).await
    }

    /// As `start`, with these variables beside or instead of ours.
    pub async fn start_with(
        home: &Path,
        runtime: &Path,
        variables: &[(&'static str, OsString)],
        limit: Duration,
    ) -> Result<Self> {
        let program =
            std::env::var_os(PROGRAM).with_context(|| format!("{PROGRAM} must name the panel's program"))?;
        let program = PathBuf::from(program);
        let log = NamedTempFile::with_prefix_in("panel-", runtime)?;
        let mut own = vec![
            ("HOME", home.into()),
            ("XDG_RUNTIME_DIR", runtime.into()),
            ("GSETTINGS_BACKEND", OsString::from("memory")),
        ];
        own.extend_from_slice(variables);
        let variables = own;
        let output = log.reopen()?;
        let child = command(&program, &variables)
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let mut panel = Self { program, variables, log, child };
        panel.wait_until_it_answers(limit).await?;
        Ok(panel)
    }

    /// The table, as a script gets it.
    pub async fn rows(&self) -> Result<Vec<Row>> {
        let text = self.run(&["status", "--json"]).await?;
        serde_json::from_str(&text)
            .with_context(|| format!("dasbo status --json: not the agreed shape: {text}"))
    }

    /// Runs `dasbo` with these arguments; gives what it printed.
    pub async fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = command(&self.program, &self.variables).args(arguments).output();
        let output = timeout(COMMAND_LIMIT, output).await;
        let output = output.with_context(|| format!("dasbo {} does not end", arguments.join(" ")))??;
        let (printed, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            bail!("dasbo {}: {}\n{printed}{errors}", arguments.join(" "), output.status);
        }
        Ok(printed.into_owned())
    }

    /// Kills it, and waits until it is gone.
    pub async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// None when it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap_or_default()
    }

    async fn wait_until_it_answers(&mut self, limit: Duration) -> Result<()> {
        let mut last = None;
        let answer = wait::until(limit, "answer from the panel", async || {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(Err(anyhow!("the panel ended ({status})")));
            }
            match self.rows().await {
                Ok(_) => Some(Ok(())),
                // It answers that it has nothing to say.
                Err(error) if error.to_string().contains(HELD) => Some(Ok(())),
                Err(error) => {
                    last = Some(error);
                    None
                }
            }
        });
        let outcome = answer.await.and_then(|answer| answer);
        outcome.map_err(|error| {
            anyhow!("{error}\n{}\n{}", last.map_or(String::new(), |last| format!("{last:#}")), self.log())
        })
    }
}

/// The next panel must not find this one's name on the bus.
impl Drop for Panel {
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        let end = Instant::now() + END_LIMIT;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::yield_now();
        }
    }
}

fn command(program: &Path, variables: &[(&'static str, OsString)]) -> Command {
    let mut command = Command::new(program);
    for folder in FOLDERS {
        command.env_remove(folder);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value))).stdin(Stdio::null()).kill_on_drop(true);
    command
}
