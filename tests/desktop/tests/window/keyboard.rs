// SPDX-License-Identifier: GPL-3.0-or-later
//! All by keys: they come from XTEST, as a keyboard's do.

use anyhow::{Context, Result, ensure};
use dasbo_desktop_tests::accessibility::{Key, Modifier, Node, State};
use dasbo_desktop_tests::wait;

use crate::seen;
use crate::stage::{LIMIT, Stage, play, recorded};

#[tokio::test]
async fn keys_go_through_the_window() -> Result<()> {
    let stage = Stage::set().await?;
    let _quiet = stage.agent("wiki", recorded::CLEAR, 1);
    let _first = stage.agent("shop", recorded::FAILING_TOOL, 2);
    let _second = stage.agent("site", recorded::FAILING_TOOL, 2);
    stage
        .wait_for_groups(&[
            ("Working", &["Claude Code, shop, Thinking…", "Claude Code, site, Thinking…"]),
            ("Quiet", &["Claude Code, wiki, Idle"]),
        ])
        .await?;
    stage.enter_list().await?;
    stage.wait_for_focus("shop").await?;
    // Between the second and the third there is a heading.
    for (key, project) in [
        (Key::Down, "site"),
        (Key::Up, "shop"),
        (Key::Down, "site"),
        (Key::Down, "wiki"),
        (Key::Up, "site"),
        (Key::Down, "wiki"),
    ] {
        stage.desktop.key(key).await?;
        stage.wait_for_focus(project).await?;
    }
    stage.desktop.key(Key::Tab).await?;
    let on_menu = |tree: &Node| tree.focused().is_some_and(|focused| focused.name == "Main Menu");
    stage.wait_until("focus on the menu", on_menu).await
}

#[tokio::test]
async fn control_w_closes_the_window() -> Result<()> {
    let stage = Stage::set().await?;
    stage.wait_until("window with the keyboard", |tree| tree.focused().is_some()).await?;
    stage.desktop.chord(Modifier::Control, Key::W).await?;
    // The panel may end with it, or not.
    wait::until(LIMIT, "end of the window", async || {
        let tree = stage.window.tree().await;
        tree.map_or(true, |tree| seen::title(&tree).is_empty()).then_some(())
    })
    .await
}

/// Whether an unfolded row shows what it must.
fn shows_details(row: &Node) -> bool {
    let texts = row.texts();
    let below = |heading: &str, text: &str| texts.windows(2).any(|pair| pair == [heading, text]);
    below("Last prompt", "one SCN:plain")
        && below("Last answer", "plain answer")
        && below("Folder", "/home/user/shop")
}

#[tokio::test]
async fn a_row_unfolds_and_folds() -> Result<()> {
    let stage = Stage::set().await?;
    let _agent = stage.agent("shop", recorded::CLEAR, 3);
    let row = stage.wait_for_row("Claude Code, shop, Idle").await?;
    ensure!(row.is(State::Expandable) && !row.is(State::Expanded), "{row}");
    ensure!(!row.texts().contains(&"plain answer"), "{row}");
    stage.enter_list().await?;
    for key in [Key::Enter, Key::Space] {
        stage.desktop.key(key).await?;
        let row = |tree: &Node| seen::row(tree, "shop").filter(|row| row.is(State::Expanded)).cloned();
        let row = stage.window.wait_for(LIMIT, "unfolded row", row).await?;
        ensure!(shows_details(&row), "{row}");
        ensure!(row.is(State::Focused), "{row}");
        stage.desktop.key(key).await?;
        stage
            .wait_until("folded row", |tree| {
                seen::row(tree, "shop").is_some_and(|row| {
                    !row.is(State::Expanded)
                        && row.is(State::Focused)
                        && !row.texts().contains(&"plain answer")
                })
            })
            .await?;
    }
    Ok(())
}

#[tokio::test]
async fn focus_and_unfolded_row_stay_while_others_change() -> Result<()> {
    let stage = Stage::set().await?;
    let mut above = stage.agent("above", recorded::APPROVAL, 3);
    let mut own = stage.agent("own", recorded::FAILING_TOOL, 1);
    stage.wait_for_row("Claude Code, own, Idle").await?;
    stage.enter_list().await?;
    stage.desktop.key(Key::Down).await?;
    stage.wait_for_focus("own").await?;
    stage.desktop.key(Key::Enter).await?;
    let before = held(&stage, "unfolded row", |_| true).await?;
    let is_same = |row: Node| -> Result<()> {
        ensure!(row.id() == before.id(), "another element stands for the session now");
        Ok(())
    };

    play(&mut above, 1);
    is_same(held(&stage, "wait above", |tree| seen::title(tree) == "1 waiting for you").await?)?;
    let mut below = stage.agent("below", recorded::CLEAR, 1);
    is_same(held(&stage, "row that came", |tree| seen::row(tree, "below").is_some()).await?)?;
    play(&mut below, 1);
    is_same(
        held(&stage, "row that moved", |tree| {
            seen::groups(tree).iter().any(|(title, rows)| *title == "Working" && rows.len() == 1)
        })
        .await?,
    )?;
    // Its own news leave it where it is as well, until the focus goes.
    play(&mut own, 2);
    let news = "Claude Code, own, Bash, echo out; echo err >&2; exit 3";
    let in_its_place = |tree: &Node| seen::groups(tree).last() == Some(&("Quiet", vec![news]));
    is_same(held(&stage, "row with news", in_its_place).await?)?;
    below.agent().kill();
    above.agent().kill();
    is_same(held(&stage, "rows that went", |tree| seen::rows(tree).len() == 1).await?)?;

    let _other = stage.agent("other", recorded::CLEAR, 1);
    is_same(held(&stage, "another row", |tree| seen::rows(tree).len() == 2).await?)?;
    let tree = stage.window.tree().await?;
    let is_last = seen::rows(&tree).last().is_some_and(|row| row.is(State::Focused));
    stage.desktop.key(if is_last { Key::Up } else { Key::Down }).await?;
    stage.wait_for_focus("other").await?;
    stage.wait_for_groups(&[("Working", &[news]), ("Quiet", &["Claude Code, other, Idle"])]).await
}

/// Waits for a change; the row of `own` must have the focus and be unfolded all the time.
async fn held(stage: &Stage, what: &str, changed: impl Fn(&Node) -> bool) -> Result<Node> {
    let row =
        stage.window.wait_for(LIMIT, what, |tree| changed(tree).then(|| seen::row(tree, "own").cloned()));
    let row = row.await?.context("the row is gone")?;
    ensure!(row.is(State::Focused) && row.is(State::Expanded), "after {what}: {row}");
    Ok(row)
}
