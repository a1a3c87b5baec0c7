// SPDX-License-Identifier: GPL-3.0-or-later
//! Work that goes on when the turn is over.

use anyhow::{Result, ensure};
use serde_json::json;

use super::ready;
use crate::claude::Session;
use crate::contract::Stage;
use crate::model_server::Step;
use crate::panel::{Row, State};

pub(super) fn shell_script() -> [Step; 2] {
    let command = Session::waiting_command(false);
    let input = json!({"command": command, "description": "Wait for the go", "run_in_background": true});
    [Step::tool("Bash", input), Step::text("It runs on.").held_at("shell")]
}

pub(super) fn agent_script() -> [Step; 2] {
    let input = json!({
        "description": "Wait for the go",
        "prompt": "SCN:subagent Please wait.",
        "subagent_type": "general-purpose",
        "run_in_background": true,
    });
    [Step::tool("Agent", input), Step::text("It is at it.").held_at("agent")]
}

pub(super) fn subagent_script() -> [Step; 2] {
    let input = json!({"command": Session::waiting_command(false), "description": "Wait for the go"});
    [Step::tool("Bash", input), Step::text("I have waited.")]
}

pub(super) async fn shell(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:shell Run it.").await?;
    stage.wait_for_state(&at, State::Thinking).await?;
    stage.model.open_gate("shell");
    let with_shell = |row: &Row| row.state == State::Idle && row.background == 1;
    let row = stage.wait_for(&at, "idle row with a shell", with_shell).await?;
    ensure!(row.helpers == 0, "a shell is no subagent: {row:?}");
    session.let_command_go().await?;
    stage.wait_for(&at, "idle row without a shell", is_quiet).await?;
    Ok(())
}

pub(super) async fn agent(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:agent Delegate.").await?;
    stage.wait_for(&at, "row with a helper", |row| row.helpers == 1).await?;
    stage.model.open_gate("agent");
    let with_helper = |row: &Row| row.state == State::Idle && row.helpers == 1;
    let row = stage.wait_for(&at, "idle row with a helper", with_helper).await?;
    ensure!(row.background == 0, "a subagent is no shell: {row:?}");
    session.let_command_go().await?;
    stage.wait_for(&at, "idle row without a helper", is_quiet).await?;
    Ok(())
}

fn is_quiet(row: &Row) -> bool {
    row.state == State::Idle && row.helpers == 0 && row.background == 0
}
