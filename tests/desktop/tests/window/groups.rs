// SPDX-License-Identifier: GPL-3.0-or-later
//! The groups, the counts, the names.

use anyhow::{Context, Result, ensure};

use crate::seen;
use crate::stage::{Stage, play, recorded};

#[tokio::test]
async fn rows_stand_under_the_right_headings() -> Result<()> {
    const QUIET: &str = "Claude Code, wiki, Idle";
    const WORKING: &str = "Claude Code, shop, Thinking…";
    let stage = Stage::set().await?;
    let _quiet = stage.agent("wiki", recorded::CLEAR, 1);
    stage.wait_for_groups(&[("Quiet", &[QUIET])]).await?;
    let _working = stage.agent("shop", recorded::FAILING_TOOL, 2);
    stage.wait_for_groups(&[("Working", &[WORKING]), ("Quiet", &[QUIET])]).await?;
    let mut asking = stage.agent("site", recorded::APPROVAL, 4);
    let waits = "Claude Code, site, waiting: Wants to run a command";
    stage
        .wait_for_groups(&[("Waiting for you", &[waits]), ("Working", &[WORKING]), ("Quiet", &[QUIET])])
        .await?;
    // Approved in the terminal: the tool has run.
    play(&mut asking, 1);
    let thinks = "Claude Code, site, Thinking…";
    stage.wait_for_groups(&[("Working", &[WORKING, thinks]), ("Quiet", &[QUIET])]).await
}

#[tokio::test]
async fn the_title_counts_who_waits() -> Result<()> {
    let stage = Stage::set().await?;
    let _quiet = stage.agent("wiki", recorded::CLEAR, 1);
    stage.wait_for_row("Claude Code, wiki, Idle").await?;
    ensure!(seen::title(&stage.window.tree().await?) == "Dasbo");
    let mut first = stage.agent("site", recorded::APPROVAL, 4);
    stage.wait_until("title that counts one", |tree| seen::title(tree) == "1 waiting for you").await?;
    let mut second = stage.agent("shop", recorded::QUESTION, 4);
    stage.wait_until("title that counts two", |tree| seen::title(tree) == "2 waiting for you").await?;
    stage.wait_for_row("Claude Code, shop, waiting: Asks a question").await?;
    play(&mut first, 1);
    stage.wait_until("title that counts one again", |tree| seen::title(tree) == "1 waiting for you").await?;
    second.agent().kill();
    stage.wait_until("title without a count", |tree| seen::title(tree) == "Dasbo").await
}

/// Of a heading too: whoever goes from heading to heading hears what is below.
#[tokio::test]
async fn everything_has_a_name() -> Result<()> {
    let stage = Stage::set().await?;
    let _quiet = stage.agent("wiki", recorded::CLEAR, 1);
    let _working = stage.agent("shop", recorded::FAILING_TOOL, 2);
    let _asking = stage.agent("site", recorded::APPROVAL, 4);
    stage.wait_until("three groups", |tree| seen::groups(tree).len() == 3).await?;
    let tree = stage.window.tree().await?;
    let buttons: Vec<_> = tree.all().into_iter().filter(|node| node.is_button()).collect();
    ensure!(buttons.iter().any(|button| button.name == "Main Menu"), "{tree}");
    for button in buttons {
        ensure!(!button.name.trim().is_empty(), "a button without a name in\n{tree}");
    }
    for (title, rows) in seen::groups(&tree) {
        let heading = seen::items(&tree).into_iter().find(|item| item.texts().first() == Some(&title));
        let heading = heading.context("no heading")?;
        ensure!(heading.name == format!("{title}, 1 session"), "{heading}");
        ensure!(rows.len() == 1 && rows.iter().all(|row| row.starts_with("Claude Code, ")), "{tree}");
    }
    Ok(())
}
