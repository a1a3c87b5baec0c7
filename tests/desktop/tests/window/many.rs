// SPDX-License-Identifier: GPL-3.0-or-later
//! More sessions than the window can show.

use anyhow::{Context, Result, ensure};
use dasbo_desktop_tests::accessibility::{Extents, Key, Node};
use dasbo_test_support::player::Player;

use crate::seen;
use crate::stage::{Stage, play, recorded};

const SESSIONS: usize = 60;

fn project(number: usize) -> String {
    format!("project-{number}")
}

/// Whether the row of a project can be seen at this place.
async fn is_at(stage: &Stage, project: &str, place: Extents) -> Result<bool> {
    let tree = stage.window.tree().await?;
    let (window, row) = (seen::window(&tree), seen::row(&tree, project));
    let (Some(window), Some(row)) = (window, row) else { return Ok(false) };
    stage.window.is_at(row, window, place).await
}

/// Where the row of a project can be seen.
async fn place(stage: &Stage, project: &str) -> Result<Extents> {
    let tree = stage.window.tree().await?;
    let place = stage.window.extents(seen::row(&tree, project).context("no row")?).await?;
    ensure!(is_at(stage, project, place).await?, "{project} is not at {place:?}");
    Ok(place)
}

/// Whether the first group has these rows alone.
fn works(tree: &Node, projects: &[usize]) -> bool {
    let sentence = |number: &usize| format!("Claude Code, {}, Thinking…", project(*number));
    let rows: Vec<String> = projects.iter().map(sentence).collect();
    seen::groups(tree).first().is_some_and(|(title, shown)| *title == "Working" && *shown == rows)
}

/// The list begins with the session that came last: of sixty, the forty-first is the twentieth from the top, and more
/// fit neither above nor below.
#[tokio::test]
async fn the_list_does_not_scroll_by_itself() -> Result<()> {
    let stage = Stage::set().await?;
    let mut agents: Vec<Player> =
        (1..=SESSIONS).map(|number| stage.agent(&project(number), recorded::CLEAR, 1)).collect();
    stage.wait_until("sixty sessions", |tree| tree.texts().contains(&"60 sessions")).await?;
    stage.enter_list().await?;
    for _ in 41..SESSIONS {
        stage.desktop.key(Key::Down).await?;
    }
    stage.wait_for_focus(&project(41)).await?;
    let before = [place(&stage, &project(41)).await?, place(&stage, &project(44)).await?];
    ensure!(before[0].y - before[1].y > 3 * before[1].height, "not four rows: {before:?}");
    // One from far above goes to the top, then one from below, which is not shown either, then one in between.
    for (moved, working) in [(60, &[60][..]), (20, &[20, 60]), (40, &[20, 40, 60])] {
        play(&mut agents[moved - 1], 1);
        stage.wait_until("row that moved to the top", |tree| works(tree, working)).await?;
        for (row, place) in [(41, before[0]), (44, before[1])] {
            let stayed = is_at(&stage, &project(row), place).await?;
            ensure!(stayed, "{} moved, and {} with it", project(moved), project(row));
        }
        stage.wait_for_focus(&project(41)).await?;
    }
    Ok(())
}
