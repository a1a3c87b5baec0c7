// SPDX-License-Identifier: GPL-3.0-or-later
//! A window without sessions.

use std::fs;

use anyhow::{Context, Result, ensure};
use dasbo_desktop_tests::accessibility::Node;
use dasbo_desktop_tests::panel::PROGRAM;
use dasbo_test_support::helper;
use dasbo_test_support::home::Home;

use crate::seen;
use crate::stage::Stage;

const CONNECT: &str = "Connect Claude Code…";

/// Only these words: what other pages say is not there, not even for a screen reader.
fn says(tree: &Node, words: &str) -> bool {
    let pages = ["No agent is connected", "No sessions yet", "Another panel is running"];
    let texts = tree.texts();
    pages.iter().all(|page| texts.contains(page) == (*page == words)) && seen::items(tree).is_empty()
}

/// A home in which Claude Code has run before.
fn home_of_claude() -> Result<Home> {
    let home = Home::new();
    fs::create_dir(home.path().join(".claude"))?;
    Ok(home)
}

#[tokio::test]
async fn without_a_connected_agent_it_offers_to_connect() -> Result<()> {
    let stage = Stage::set_in(home_of_claude()?).await?;
    stage.wait_until("word that no agent is connected", |tree| says(tree, "No agent is connected")).await?;
    ensure!(seen::title(&stage.window.tree().await?) == "Dasbo");
    stage.window.press(CONNECT).await?;
    stage.wait_until("dialog", |tree| tree.named("Connect Claude Code?").is_some()).await?;
    let settings = stage.home.path().join(".claude/settings.json");
    ensure!(!settings.exists(), "connected before the person agreed");
    stage.window.press("Cancel").await?;
    stage.wait_until("end of the dialog", |tree| tree.named("Connect Claude Code?").is_none()).await?;
    ensure!(!settings.exists(), "connected although the person did not agree");
    Ok(())
}

#[tokio::test]
async fn connecting_in_the_window_writes_the_settings() -> Result<()> {
    let stage = Stage::set_in(home_of_claude()?).await?;
    stage.wait_until("word that no agent is connected", |tree| says(tree, "No agent is connected")).await?;
    stage.window.press(CONNECT).await?;
    stage.wait_until("dialog", |tree| tree.named("Connect Claude Code?").is_some()).await?;
    stage.window.press("Connect").await?;
    stage.wait_until("word that there are no sessions", |tree| says(tree, "No sessions yet")).await?;
    let settings = fs::read_to_string(stage.home.path().join(".claude/settings.json"))?;
    ensure!(settings.contains("claude notify UserPromptSubmit"), "{settings}");
    Ok(())
}

#[tokio::test]
async fn with_a_connected_agent_it_says_how_sessions_come() -> Result<()> {
    let home = home_of_claude()?;
    let connected = home
        .command(std::env::var_os(PROGRAM).context("no panel is named")?)
        .args(["hooks", "connect", "claude", "--yes"])
        .env(helper::VARIABLE, helper::path())
        .output()?;
    ensure!(connected.status.success(), "{connected:?}");
    let stage = Stage::set_in(home).await?;
    stage.wait_until("word that there are no sessions", |tree| says(tree, "No sessions yet")).await?;
    stage
        .wait_until("word how they come", |tree| {
            tree.texts().iter().any(|text| text.contains("Start Claude Code in any terminal"))
        })
        .await
}
