// SPDX-License-Identifier: GPL-3.0-or-later
//! The mouse in a card: what it means, and what it can not have meant.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dasbo_desktop_tests::accessibility::State;
use serde_json::json;

use crate::approvals::{ALLOW, asked, button, decision, ensure_printed, ready};
use crate::asker::Asker;
use crate::seen;
use crate::stage::{LIMIT, Stage};

/// The middle of a button, where the mouse meets it: no window manager moves the window from the display's origin.
async fn middle(stage: &Stage, name: &str) -> Result<(i32, i32)> {
    let button = ready(stage, name, |tree| button(tree, name).cloned()).await?;
    let place = stage.window.extents(&button).await?;
    Ok((place.x + place.width / 2, place.y + place.height / 2))
}

#[tokio::test]
async fn the_mouse_reaches_the_buttons_and_folds_no_row() -> Result<()> {
    let (stage, mut asker, first) = asked(&json!({})).await?;
    let (x, y) = middle(&stage, "Allow").await?;
    // Beside the buttons.
    stage.desktop.click(20, y).await?;
    stage.desktop.click(x, y).await?;
    ensure!(asker.printed(first)? == decision(ALLOW));
    let tree = stage.window.tree().await?;
    ensure!(seen::row(&tree, "shop").is_some_and(|row| !row.is(State::Expanded)), "{tree}");
    Ok(())
}

#[tokio::test]
async fn a_card_takes_no_click_meant_for_the_one_before() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    let by = || json!({"agent_id": "a", "agent_type": "Explore"});
    // Where this machine is too slow to click at once, it tries again.
    for _ in 0..10 {
        let first = asker.ask("Bash", &json!({"command": "npm test"}), &by());
        ready(&stage, "first card", |tree| button(tree, "Allow").map(drop)).await?;
        let second = asker.ask("Bash", &json!({"command": "npm ci"}), &by());
        ready(&stage, "both", |tree| button(tree, "Allow all 2").map(drop)).await?;
        let (x, y) = middle(&stage, "Allow").await?;
        stage.desktop.click(x, y).await?;
        ensure!(asker.printed(first)? == decision(ALLOW));
        stage.desktop.click(x, y).await?;
        let tree = stage.window.tree().await?;
        let was_early = tree.named("1 of 2").is_none() && tree.find(|node| node.is(State::Busy)).is_some();
        let was_answered = asker.agent.has_ended(second, Duration::from_millis(500));
        if was_early {
            ensure!(!was_answered, "a click in the first moment was taken");
        }
        if !was_answered {
            let (x, y) = middle(&stage, "Allow").await?;
            stage.desktop.click(x, y).await?;
        }
        ensure_printed(&mut asker, second)?;
        if was_early {
            return Ok(());
        }
    }
    anyhow::bail!("this machine was never fast enough")
}

/// Cards of two who ask stand one below the other: once the first is answered, the second comes up under the finger.
#[tokio::test]
async fn a_card_that_moves_under_the_finger_takes_no_click_at_once() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    let by = |agent: &str| json!({"agent_id": agent, "agent_type": "Explore"});
    let first = asker.ask("Bash", &json!({"command": "npm test"}), &by("a"));
    ready(&stage, "first card", |tree| button(tree, "Allow").map(drop)).await?;
    let second = asker.ask("Bash", &json!({"command": "npm run"}), &by("b"));
    ready(&stage, "both", |tree| button(tree, "Allow all 2").map(drop)).await?;
    let (x, y) = middle(&stage, "Allow").await?;
    let mut answered = Vec::new();
    for ticket in [first, second] {
        let end = Instant::now() + LIMIT;
        while !asker.agent.has_ended(ticket, Duration::from_millis(5)) {
            ensure!(Instant::now() < end, "not answered");
            stage.desktop.click(x, y).await?;
        }
        answered.push(Instant::now());
    }
    // 300 ms after it came to its place, less what it takes to see the first answer.
    let between = answered[1] - answered[0];
    ensure!(between >= Duration::from_millis(250), "answered {between:?} after the first");
    Ok(())
}
