// SPDX-License-Identifier: GPL-3.0-or-later
//! The person of a recording: what they do is noted, and when they do it follows from what the agent has shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::files::Tape;
use crate::claude::{Home, Session};
use crate::model_server::ModelServer;
use crate::wait;

pub(super) const LIMIT: Duration = Duration::from_secs(25);

/// The file and the transcript lag by up to 0.7 s.
const QUIET: Duration = Duration::from_millis(1200);

/// A dialog takes no keys in its first moments.
const DIALOG: Duration = Duration::from_millis(2500);

const STILL: Duration = Duration::from_millis(400);

const MARK: char = '❯';

pub(super) const ESCAPE: &str = "\x1b";
pub(super) const CTRL_C: &str = "\x03";
pub(super) const ENTER: &str = "\r";
pub(super) const DOWN: &str = "\x1b[B";

#[derive(Debug)]
pub(super) struct Actor {
    pub session: Session,
    pub model: ModelServer,
    pub home: Home,
    pub raw: PathBuf,
    pub tape: Tape,
    /// Settings with the recording's hooks.
    connected: Value,
    /// Lines of the raw recording that were waited for already.
    seen: usize,
}

impl Actor {
    pub fn start(
        program: &Path,
        arguments: &[&str],
        home: Home,
        model: ModelServer,
        raw: PathBuf,
        tape: Tape,
        connected: Value,
    ) -> Result<Self> {
        tape.note(&json!({"person": {"do": "open", "x": arguments}}));
        let session = Session::start(program, arguments, &home, PROJECT, &model.url(), LIMIT)?;
        Ok(Self { session, model, home, raw, tape, connected, seen: 0 })
    }

    /// Waits until the program can be typed to.
    pub async fn ready(&mut self) -> Result<()> {
        self.session.wait_until_ready().await?;
        self.status("idle").await?;
        self.settle().await?;
        Ok(())
    }

    pub async fn enter(&mut self, line: &str) -> Result<()> {
        self.session.terminal.press(line).await?;
        self.session.terminal.wait_for(line, LIMIT).await?;
        self.tape.note(&json!({"person": {"do": "type", "x": line}}));
        self.session.terminal.press(ENTER).await
    }

    /// Presses one key that the recording calls `name`.
    pub async fn press(&mut self, name: &str, keys: &str) -> Result<()> {
        self.tape.note(&json!({"person": {"do": "keys", "x": [name]}}));
        self.session.terminal.press(keys).await
    }

    /// Connects the hooks while the program runs.
    pub fn connect(&self) -> Result<()> {
        self.tape.note(&json!({"person": {"do": "connect"}}));
        Ok(fs::write(self.home.settings_file(), self.connected.to_string())?)
    }

    pub fn signal(&mut self, signal: Signal) -> Result<()> {
        let pid = self.session.terminal.pid().context("it has ended")?;
        self.tape.note(&json!({"person": {"do": "signal", "x": signal.as_str()}}));
        Ok(kill(Pid::from_raw(i32::try_from(pid)?), signal)?)
    }

    /// Waits for the next hook event of this name.
    pub async fn event(&mut self, name: &str) -> Result<()> {
        let what = format!("event {name}");
        self.line(&what, |line| line["event"] == name).await
    }

    /// Waits until the registry file says so.
    pub async fn status(&mut self, status: &str) -> Result<()> {
        let what = format!("status {status}");
        let raw = self.raw.clone();
        wait::until(LIMIT, &what, async || {
            let lines = lines(&raw);
            let last = lines.iter().rev().find_map(|line| {
                let content = line.pointer("/registry/content")?.as_str()?;
                serde_json::from_str::<Value>(content).ok()
            });
            (last?["status"] == status).then_some(())
        })
        .await
    }

    /// Waits until the model was asked for this step, so often.
    pub async fn asked(&self, script: &str, step: usize) -> Result<()> {
        let what = format!("request for {script} {step}");
        wait::until(LIMIT, &what, async || {
            let received = self.model.received();
            let asked = received.iter().filter_map(|one| one.place.as_ref());
            asked.into_iter().any(|place| place.script == script && place.step == step).then_some(())
        })
        .await
    }

    /// Waits until the model was asked to sum up.
    pub async fn asked_for_summary(&mut self) -> Result<()> {
        wait::until(LIMIT, "request for a summary", async || {
            let received = self.model.received();
            let last = received.last()?.body.to_string();
            last.contains("detailed summary").then_some(())
        })
        .await
    }

    /// What stands behind the last mark on the screen: the choice of a dialog, or what is being typed.
    pub fn marked(&self) -> Option<String> {
        let screen = self.session.terminal.screen();
        let marked = screen.lines().rev().find_map(|line| line.trim_start().strip_prefix(MARK));
        marked.map(str::to_owned)
    }

    /// Waits until the screen stands still.
    pub async fn settle_screen(&mut self) -> Result<()> {
        let (mut before, mut since) = (String::new(), Instant::now());
        wait::until(LIMIT, "still screen", async || {
            let now = self.session.terminal.screen();
            if now != before {
                (before, since) = (now, Instant::now());
            }
            (since.elapsed() > STILL).then_some(())
        })
        .await
    }

    pub async fn screen(&mut self, text: &str) -> Result<()> {
        self.session.terminal.wait_for(text, LIMIT).await
    }

    /// A dialog stands on the screen and takes keys.
    pub async fn dialog(&mut self) -> Result<()> {
        self.status("waiting").await?;
        tokio::time::sleep(DIALOG).await;
        Ok(())
    }

    /// Waits until nothing more comes.
    pub async fn settle(&mut self) -> Result<()> {
        let (mut count, mut since) = (0, Instant::now());
        let raw = self.raw.clone();
        wait::until(LIMIT, "rest", async || {
            let now = lines(&raw).len();
            if now != count {
                (count, since) = (now, Instant::now());
            }
            (since.elapsed() > QUIET).then_some(())
        })
        .await
    }

    pub async fn exit(&mut self) -> Result<()> {
        self.enter("/exit").await?;
        self.session.wait_for_end().await?;
        self.settle().await
    }

    async fn line(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Result<()> {
        let (raw, seen) = (self.raw.clone(), self.seen);
        let found = wait::until(LIMIT, what, async || {
            let lines = lines(&raw);
            lines.iter().skip(seen).position(&is_it)
        });
        self.seen = seen + found.await? + 1;
        Ok(())
    }
}

pub(super) const PROJECT: &str = "project";

fn lines(raw: &Path) -> Vec<Value> {
    let text = fs::read_to_string(raw).unwrap_or_default();
    let jsons = text.lines().filter_map(|line| line.split_once('\t'));
    jsons.filter_map(|(_, json)| serde_json::from_str(json).ok()).collect()
}
