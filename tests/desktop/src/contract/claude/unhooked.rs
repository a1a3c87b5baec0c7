// SPDX-License-Identifier: GPL-3.0-or-later
//! What no hook tells: interruptions, names, sessions that were there before the hooks.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{EARLY, FILES_ARE_READ, evidence, ready};
use crate::claude::Session;
use crate::contract::{LIMIT, Report, Stage};
use crate::model_server::Step;
use crate::panel::{Row, State};
use crate::wait;

const ESC: &str = "\x1b";

/// A dialog does not hear a key that comes too soon: it is pressed again after this time.
const PRESSED_AGAIN: Duration = Duration::from_secs(3);

const WORDS: &str = "Say a few words, then no more";

/// Stops in the middle.
pub(super) fn stuck_talk() -> Step {
    Step::text(&format!("{WORDS}.\n\n").repeat(4)).stuck_at("never", WORDS.len(), 2)
}

pub(super) async fn esc_in_tool(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:tool Please wait.").await?;
    stage.wait_for_state(&at, State::Tool).await?;
    esc(stage, session).await?;
    session.enter("SCN:endless And now?").await?;
    stage.wait_for_state(&at, State::Thinking).await?;
    Ok(())
}

pub(super) async fn esc_in_text(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:talk Talk.").await?;
    session.terminal.wait_for(WORDS, LIMIT).await?;
    stage.wait_for_state(&at, State::Thinking).await?;
    esc(stage, session).await
}

pub(super) async fn esc_in_silence(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:silence Say nothing.").await?;
    stage.wait_for_state(&at, State::Thinking).await?;
    asked(stage, "silence").await?;
    esc(stage, session).await
}

pub(super) async fn esc_at_prompt(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:write Note it.").await?;
    let is_asked = |row: &Row| {
        let mut waiting = row.waiting.iter();
        waiting.any(|one| one.kind == "approval" && one.tool.as_deref() == Some("Write"))
    };
    stage.wait_for(&at, "row that waits", is_asked).await?;
    session.terminal.wait_for("Do you want to", LIMIT).await?;
    esc(stage, session).await?;
    let row = stage.row(&at).await?.context("the row went away")?;
    ensure!(row.waiting.is_empty(), "it still waits: {row:?}");
    Ok(())
}

pub(super) async fn rename(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("/rename Fix the parser").await?;
    let is_named = |row: &Row| row.title.as_deref() == Some("Fix the parser");
    let row = stage.wait_for(&at, "row with the title", is_named).await?;
    ensure!(row.state == State::Idle, "a name is no work for the model: {row:?}");
    Ok(())
}

/// A session of which no hook has spoken yet; it is given back while it runs.
pub(super) async fn begun_before(stage: &mut Stage, report: &mut Report) -> Option<Session> {
    const PROMISE: &str = "begun before connecting: a row, idle and thinking by Claude's own file";
    if !FILES_ARE_READ {
        Report::postponed(PROMISE);
        return None;
    }
    let mut session = match stage.open(EARLY) {
        Ok(session) => session,
        Err(error) => {
            report.failed(PROMISE, &error, "");
            return None;
        }
    };
    match without_hooks(stage, &mut session).await {
        Ok(()) => report.passed(PROMISE),
        Err(error) => report.failed(PROMISE, &error, &evidence(stage, &session)),
    }
    Some(session)
}

async fn without_hooks(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:tool Please wait.").await?;
    stage.wait_for_state(&at, State::Thinking).await?;
    session.let_command_go().await?;
    asked(stage, "tool").await?;
    stage.model.open_gate("tool");
    stage.wait_for_state(&at, State::Idle).await?;
    Ok(())
}

/// The same session, once its hooks are there.
pub(super) async fn goes_on_connected(stage: &mut Stage, mut session: Session, report: &mut Report) {
    const PROMISE: &str = "connected while it runs: the same row, and its hooks speak";
    match with_hooks(stage, &mut session).await {
        Ok(()) => report.passed(PROMISE),
        Err(error) => report.failed(PROMISE, &error, &evidence(stage, &session)),
    }
}

async fn with_hooks(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    let before = stage.row(&at).await?.context("there is no row")?;
    // It takes Claude Code a moment to see that its settings have changed: a prompt may come too soon.
    let told = |row: &Row| row.last_prompt.as_deref() == Some("SCN:brief Anything?");
    let row = wait::until(LIMIT, "prompt told by a hook", async || {
        if let Err(error) = session.enter("SCN:brief Anything?").await {
            return Some(Err(error));
        }
        stage.wait_for_within(PRESSED_AGAIN, &at, "prompt told by a hook", told).await.ok().map(Ok)
    });
    let row = row.await??;
    ensure!(row.session == before.session, "another session than before: {row:?}");
    Ok(())
}

/// Presses Esc until the row says so.
async fn esc(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    let is_so = |row: &Row| row.state == State::Interrupted;
    session.terminal.press(ESC).await?;
    let first = stage.wait_for_within(PRESSED_AGAIN, &at, "interrupted row", is_so).await;
    if first.is_err() && session.terminal.screen().contains("Esc to cancel") {
        session.terminal.press(ESC).await?;
    }
    let row = stage.wait_for(&at, "interrupted row", is_so).await?;
    ensure!(row.tool.is_none() && row.waiting.is_empty(), "what was interrupted is still there: {row:?}");
    Ok(())
}

async fn asked(stage: &Stage, script: &str) -> Result<()> {
    let what = format!("request for {script}");
    wait::until(LIMIT, &what, async || {
        let received = stage.model.received();
        let mut places = received.iter().filter_map(|one| one.place.as_ref());
        places.any(|place| place.script == script).then_some(())
    })
    .await
}
