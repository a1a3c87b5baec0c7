// SPDX-License-Identifier: GPL-3.0-or-later
//! One interactive Claude Code in its terminal.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::Result;
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::Home;
use crate::terminal::Terminal;
use crate::wait;

/// What the composer, where prompts are typed, begins with.
const COMPOSER: &str = "❯";

/// A pipe in the project: a command that reads it goes on only when told.
const PIPE: &str = "go";

/// Ends, and lets go a command that still waits, when dropped.
#[derive(Debug)]
pub struct Session {
    pub terminal: Terminal,
    project: PathBuf,
    limit: Duration,
}

impl Session {
    /// Starts `program` in the project of this name.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        home: &Home,
        project: &str,
        model_url: &str,
        limit: Duration,
    ) -> Result<Self> {
        let project = home.project(project);
        let pipe = project.join(PIPE);
        if !pipe.exists() {
            mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR)?;
        }
        let terminal = Terminal::start(program, arguments, &project, &home.variables(model_url))?;
        Ok(Self { terminal, project, limit })
    }

    /// Waits until a prompt can be typed.
    pub async fn wait_until_ready(&mut self) -> Result<()> {
        self.terminal.wait_for(COMPOSER, self.limit).await
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Types a prompt or a command and sends it off.
    pub async fn enter(&mut self, line: &str) -> Result<()> {
        self.terminal.enter(line, self.limit).await
    }

    /// A command line that waits for `let_command_go`, then fails or does not.
    ///
    /// The shell opens the pipe: Claude Code 2.1.220 itself reads a file that it has seen `cat` read, and would wait too.
    pub fn waiting_command(fails: bool) -> String {
        let command = if fails { "false" } else { "true" };
        format!("{command} < {PIPE}")
    }

    /// Waits until the command waits, then lets it go on.
    pub async fn let_command_go(&self) -> Result<()> {
        wait::until(self.limit, "command that waits", async || self.open_pipe().ok()).await
    }

    /// Whether a command waited; then it goes on.
    pub fn let_command_go_if_it_waits(&self) -> bool {
        self.open_pipe().is_ok()
    }

    pub async fn wait_for_end(&mut self) -> Result<ExitStatus> {
        self.terminal.wait_for_end(self.limit).await
    }

    /// Fails as long as nobody reads the pipe.
    fn open_pipe(&self) -> io::Result<()> {
        let flags = OFlag::O_NONBLOCK.bits();
        OpenOptions::new().write(true).custom_flags(flags).open(self.project.join(PIPE)).map(drop)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nobody reads it: nothing waits.
        let _ = self.open_pipe();
    }
}
