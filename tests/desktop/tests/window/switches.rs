// SPDX-License-Identifier: GPL-3.0-or-later
//! What is switched off is asked in the terminal alone: by a settings file of the throw-away home, as a person's own
//! settings are read.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use dasbo_desktop_tests::accessibility::{Desktop, Node};
use dasbo_desktop_tests::panel::Panel;
use dasbo_test_support::home::Home;

use crate::cards::Asking;
use crate::seen;
use crate::stage::{LIMIT, Stage, window_of};

/// Where the keyfile backend of `GSettings` keeps them.
fn file(home: &Home) -> PathBuf {
    home.path().join(".config/glib-2.0/settings/keyfile")
}

/// Writes the settings beside and puts them in place, as that backend does.
fn set(home: &Home, settings: &str) -> Result<()> {
    let file = file(home);
    fs::create_dir_all(file.parent().unwrap())?;
    let beside = file.with_extension("beside");
    fs::write(&beside, format!("[org/dasbo/Dasbo]\n{settings}\n"))?;
    Ok(fs::rename(beside, file)?)
}

async fn stage(settings: &str) -> Result<Stage> {
    let home = Home::new();
    set(&home, settings)?;
    let variables = [("GSETTINGS_BACKEND", "keyfile".into())];
    let panel = Panel::start_with(&home.path(), &home.runtime_folder(), &variables, LIMIT).await?;
    let desktop = Desktop::connect().await?;
    let window = window_of(&desktop, &panel).await?;
    Ok(Stage::of(home, panel, desktop, window))
}

fn has_card(tree: &Node) -> bool {
    seen::row(tree, "shop").is_some_and(|row| row.named("Answer in the terminal").is_some())
}

#[tokio::test]
async fn switched_off_a_request_goes_to_its_terminal_at_once() -> Result<()> {
    let stage = stage("approvals-off=@as []").await?;
    let mut asking = Asking::permission(&stage, "Bash", r#"{"command":"make"}"#).await?;
    asking.ensure_waiting()?;
    set(&stage.home, "approvals-off=['claude']")?;
    asking.ensure_left(None)?;
    stage.wait_until("row without a card", |tree| !has_card(tree)).await?;
    stage.wait_for_row("Claude Code, shop, waiting: Wants to run a command").await?;

    let keys = r#""tool_name":"Write","tool_input":{"file_path":"/home/user/shop/a","content":""}"#;
    let next = asking.ask("PermissionRequest", keys);
    asking.ensure_left(Some(next))?;
    let tree = stage.window.tree().await?;
    ensure!(!has_card(&tree), "a card for what is asked in the terminal:\n{tree}");
    Ok(())
}

#[tokio::test]
async fn one_switch_is_not_the_other() -> Result<()> {
    let stage = stage("questions-off=['claude']").await?;
    let mut asking = Asking::permission(&stage, "Bash", r#"{"command":"make"}"#).await?;
    let question = r#"{"question":"Which?","header":"It","options":[{"label":"A"},{"label":"B"}]}"#;
    let keys = format!(r#""tool_name":"AskUserQuestion","tool_input":{{"questions":[{question}]}}"#);
    let next = asking.ask("PermissionRequest", &keys);
    asking.ensure_left(Some(next))?;
    asking.ensure_waiting()
}
