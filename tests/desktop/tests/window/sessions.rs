// SPDX-License-Identifier: GPL-3.0-or-later
//! One session's row, from its first event to its end.

use anyhow::{Context, Result, ensure};
use dasbo_desktop_tests::accessibility::Node;

use crate::seen;
use crate::stage::{Stage, play, recorded};

#[tokio::test]
async fn a_row_follows_its_session() -> Result<()> {
    let stage = Stage::set().await?;
    let mut agent = stage.agent("shop", recorded::FAILING_TOOL, 1);
    stage.wait_for_row("Claude Code, shop, Idle").await?;
    play(&mut agent, 1);
    let row = stage.wait_for_row("Claude Code, shop, Thinking…").await?;
    ensure!(row.texts().contains(&"Thinking…"), "{row}");
    play(&mut agent, 1);
    let row = stage.wait_for_row("Claude Code, shop, Bash, echo out; echo err >&2; exit 3").await?;
    ensure!(row.texts().contains(&"Bash · echo out; echo err >&2; exit 3"), "{row}");
    play(&mut agent, 1);
    stage.wait_for_row("Claude Code, shop, Bash failed").await?;
    play(&mut agent, 1);
    stage.wait_for_row("Claude Code, shop, Thinking…").await?;
    play(&mut agent, 1);
    stage.wait_for_row("Claude Code, shop, Finished").await?;
    stage.wait_for_row("Claude Code, shop, Idle").await?;
    ensure!(seen::rows(&stage.window.tree().await?).len() == 1);
    play(&mut agent, 1);
    stage.wait_until("end of the row", |tree| seen::items(tree).is_empty()).await
}

#[tokio::test]
async fn an_error_says_what_the_agent_said() -> Result<()> {
    const SAID: &str = "529 Overloaded. This is a server-side issue, usually temporary";
    let stage = Stage::set().await?;
    let _agent = stage.agent("infra", recorded::OVERLOADED, 3);
    let row = |tree: &Node| {
        let row = seen::row(tree, "infra")?;
        row.name.starts_with(&format!("Claude Code, infra, API error, {SAID}")).then(|| row.clone())
    };
    let row = stage.window.wait_for(crate::stage::LIMIT, "row with the error", row).await?;
    let status = row.texts().into_iter().any(|text| text.starts_with(&format!("API error · {SAID}")));
    ensure!(status, "{row}");
    Ok(())
}

#[tokio::test]
async fn a_row_goes_when_its_process_is_killed() -> Result<()> {
    let stage = Stage::set().await?;
    let mut killed = stage.agent("shop", recorded::FAILING_TOOL, 3);
    let _other = stage.agent("wiki", recorded::CLEAR, 1);
    stage
        .wait_for_groups(&[
            ("Working", &["Claude Code, shop, Bash, echo out; echo err >&2; exit 3"]),
            ("Quiet", &["Claude Code, wiki, Idle"]),
        ])
        .await?;
    killed.agent().kill();
    stage.wait_for_groups(&[("Quiet", &["Claude Code, wiki, Idle"])]).await
}

#[tokio::test]
async fn after_clear_the_same_row_goes_on() -> Result<()> {
    let stage = Stage::set().await?;
    let mut agent = stage.agent("shop", recorded::CLEAR, 3);
    let before = stage.wait_for_row("Claude Code, shop, Idle").await?;
    let session = session(&stage).await?;
    play(&mut agent, 2);
    stage.wait_for_groups(&[("Quiet", &["Claude Code, shop, Idle"])]).await?;
    let tree = stage.window.tree().await?;
    let after = seen::row(&tree, "shop").context("no row")?;
    ensure!(after.id() == before.id(), "another row stands for the session");
    ensure!(self::session(&stage).await? != session, "/clear was not played");
    // A Stop that needs no prompt: the row follows the new session.
    play(&mut agent, 1);
    stage.wait_for_groups(&[("Quiet", &["Claude Code, shop, Finished"])]).await
}

/// The id of the one session there is.
async fn session(stage: &Stage) -> Result<String> {
    let rows = stage.panel.rows().await?;
    ensure!(rows.len() == 1, "{rows:?}");
    Ok(rows.into_iter().next().context("no session")?.session)
}
