// SPDX-License-Identifier: GPL-3.0-or-later
//! Tool calls allowed and denied in a card. The bytes are those that Claude Code was seen to take.

use anyhow::{Result, ensure};

use crate::cards::{Asking, ensure_names, permission};
use crate::stage::Stage;

const KEYS: &str = r#""tool_name":"Bash","tool_input":{"command":"npm test","description":"Run the tests","timeout":600000},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}]"#;

const SUGGESTED: &str = r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#;

async fn ask(stage: &Stage) -> Result<Asking<'_>> {
    Asking::new(stage, "PermissionRequest", KEYS).await
}

fn granted(update: &str) -> String {
    permission(&format!(r#"{{"behavior":"allow","updatedPermissions":[{update}]}}"#))
}

async fn always(stage: &Stage, button: &str, update: &str) -> Result<()> {
    let asking = ask(stage).await?;
    asking.press("Always…").await?;
    asking.answer(button, &granted(update)).await
}

#[tokio::test]
async fn a_command_is_read_whole_and_allowed() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage).await?;
    let card = asking.card().await?;
    ensure_names(&card)?;
    ensure!(card.texts().contains(&"Run the tests"), "{card}");
    let command = stage.window.text(&asking.control("The command").await?).await?;
    ensure!(command == "npm test", "{command:?}");
    let rest = stage.window.text(&asking.control("The input").await?).await?;
    ensure!(rest.contains("timeout") && rest.contains("600000"), "{rest:?}");
    asking.answer("Allow", &permission(r#"{"behavior":"allow"}"#)).await
}

#[tokio::test]
async fn a_command_is_denied() -> Result<()> {
    let stage = Stage::set().await?;
    ask(&stage).await?.answer("Deny", &permission(r#"{"behavior":"deny"}"#)).await
}

#[tokio::test]
async fn a_note_goes_with_a_no() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage).await?;
    asking.press("Deny…").await?;
    asking.press_until("Deny with a Note…", "Deny with This Note").await?;
    asking.fill("Note to the agent", "Use make.").await?;
    let expected = permission(r#"{"behavior":"deny","message":"Use make."}"#);
    asking.answer("Deny with This Note", &expected).await
}

#[tokio::test]
async fn a_no_ends_the_turn() -> Result<()> {
    let stage = Stage::set().await?;
    let expected = permission(r#"{"behavior":"deny","message":"Stop.","interrupt":true}"#);
    let asking = ask(&stage).await?;
    asking.press("Deny…").await?;
    asking.answer("Deny and Stop", &expected).await
}

#[tokio::test]
async fn what_the_agent_suggests_is_allowed_always() -> Result<()> {
    let stage = Stage::set().await?;
    let button = "Bash(npm test *) in this project, for you, .claude/settings.local.json";
    always(&stage, button, SUGGESTED).await
}

#[tokio::test]
async fn a_mode_goes_with_a_yes() -> Result<()> {
    let stage = Stage::set().await?;
    let update = r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#;
    always(&stage, "Accept all edits until this session ends", update).await
}

#[tokio::test]
async fn every_use_of_a_tool_is_allowed_in_each_scope() -> Result<()> {
    let scopes = [
        ("Every Bash in this project, for you, .claude/settings.local.json", "localSettings"),
        ("Every Bash until this session ends", "session"),
        ("Every Bash in this project, for everybody, .claude/settings.json", "projectSettings"),
        ("Every Bash everywhere, ~/.claude/settings.json", "userSettings"),
    ];
    for (button, scope) in scopes {
        let stage = Stage::set().await?;
        let update = format!(
            r#"{{"type":"addRules","rules":[{{"toolName":"Bash"}}],"behavior":"allow","destination":"{scope}"}}"#
        );
        always(&stage, button, &update).await?;
    }
    Ok(())
}
