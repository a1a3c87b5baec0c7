// SPDX-License-Identifier: GPL-3.0-or-later
//! A program in a terminal, driven by what a person would see and type.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pty_process::{Command, OwnedReadPty, OwnedWritePty, Size};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::task::JoinHandle;

use crate::wait;

const ROWS: NonZeroU16 = NonZeroU16::new(50).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(150).unwrap();
const ENTER: &str = "\r";

/// The program is killed when this is dropped.
pub struct Terminal {
    child: Child,
    keyboard: OwnedWritePty,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: JoinHandle<()>,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Terminal").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Terminal {
    /// Starts `program` with exactly these variables, as the leader of a session of its own.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        folder: &Path,
        variables: &BTreeMap<OsString, OsString>,
    ) -> Result<Self> {
        let (pty, pts) = pty_process::open()?;
        pty.resize(Size::new(ROWS.get(), COLUMNS.get()))?;
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .envs(variables)
            .kill_on_drop(true)
            .spawn(pts)
            .with_context(|| format!("{} does not start", program.display()))?;
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let (output, keyboard) = pty.into_split();
        let reader = tokio::spawn(read_all(output, Arc::clone(&screen)));
        Ok(Self { child, keyboard, screen, reader })
    }

    /// None when it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// What stands on the screen, without empty lines.
    pub fn screen(&self) -> String {
        let contents = self.screen.lock().unwrap_or_else(PoisonError::into_inner).screen().contents();
        contents.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Waits until `text` stands on the screen.
    pub async fn wait_for(&mut self, text: &str, limit: Duration) -> Result<()> {
        let what = format!("{text:?} on the screen");
        let seen = wait::until(limit, &what, async || {
            if self.screen().contains(text) {
                return Some(Ok(()));
            }
            self.ended().map(|status| Err(anyhow::anyhow!("the program ended ({status}) before {what}")))
        });
        seen.await?
    }

    /// Types a line, waits until the program shows it, then presses Enter: what comes in one burst counts as pasted.
    pub async fn enter(&mut self, line: &str, limit: Duration) -> Result<()> {
        self.press(line).await?;
        self.wait_for(line, limit).await?;
        self.press(ENTER).await
    }

    pub async fn press(&mut self, keys: &str) -> Result<()> {
        self.keyboard.write_all(keys.as_bytes()).await.context("the terminal takes no keys")
    }

    /// Waits for the program's end.
    pub async fn wait_for_end(&mut self, limit: Duration) -> Result<ExitStatus> {
        match tokio::time::timeout(limit, self.child.wait()).await {
            Ok(status) => Ok(status?),
            Err(_) => bail!("the program still runs after {} s", limit.as_secs()),
        }
    }

    /// SIGKILL: the program can do nothing more.
    pub async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// The far end of a pty reads as an error once the last program has closed it.
async fn read_all(mut output: OwnedReadPty, screen: Arc<Mutex<vt100::Parser>>) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = output.read(&mut bytes).await {
        screen.lock().unwrap_or_else(PoisonError::into_inner).process(&bytes[..count]);
    }
}
