// SPDX-License-Identifier: GPL-3.0-or-later
//! Plans approved, changed and sent back in a card. The bytes are those that Claude Code was seen to take.

use std::time::Duration;

use anyhow::{Result, ensure};
use dasbo_desktop_tests::accessibility::{Key, Modifier};

use crate::cards::{Asking, ensure_names, permission};
use crate::stage::Stage;

const PLAN: &str = r##"{"plan":"# Health\n\nSee [the guide](https://example.org/health).\n\n1. \u0057rite `it`\n2. <b>Test</b>","planFilePath":"/home/user/.claude/plans/a.md"}"##;

/// The same as a person reads it.
const READ: &str = "Health\nSee the guide (https://example.org/health).\n1. Write it\n2. <b>Test</b>";

const ACCEPT_EDITS: &str =
    r#","updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]"#;

async fn propose<'a>(stage: &'a Stage, input: &str) -> Result<Asking<'a>> {
    Asking::permission(stage, "ExitPlanMode", input).await
}

fn approved(input: &str, mode: &str) -> String {
    permission(&format!(r#"{{"behavior":"allow","updatedInput":{input}{mode}}}"#))
}

#[tokio::test]
async fn a_plan_is_read_and_approved() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = propose(&stage, PLAN).await?;
    let card = asking.card().await?;
    ensure_names(&card)?;
    ensure!(card.texts().contains(&"/home/user/.claude/plans/a.md"), "{card}");
    let text = stage.window.text(&asking.control("The plan").await?).await?;
    ensure!(text == READ, "{text:?}");
    asking.answer("Approve", &approved(PLAN, "")).await
}

#[tokio::test]
async fn a_plan_is_approved_with_its_edits() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = propose(&stage, PLAN).await?;
    asking.answer("Approve, Accept Edits", &approved(PLAN, ACCEPT_EDITS)).await
}

#[tokio::test]
async fn a_plan_is_sent_back() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = propose(&stage, PLAN).await?;
    asking.answer("Keep Planning", &permission(r#"{"behavior":"deny"}"#)).await
}

#[tokio::test]
async fn a_plan_is_sent_back_with_a_note() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = propose(&stage, PLAN).await?;
    asking.fill("What to plan differently", "Use \"SQLite\" – é").await?;
    let expected = permission(r#"{"behavior":"deny","message":"Use \"SQLite\" – é"}"#);
    asking.answer("Keep Planning", &expected).await
}

/// A plan changed by keys.
async fn edit(stage: &Stage) -> Result<Asking<'_>> {
    let asking = propose(stage, PLAN).await?;
    asking.press("Edit the plan").await?;
    let text = asking.control("The plan, in Markdown").await?;
    let markdown =
        "# Health\n\nSee [the guide](https://example.org/health).\n\n1. Write `it`\n2. <b>Test</b>";
    ensure!(stage.window.text(&text).await? == markdown);
    ensure_names(&asking.card().await?)?;
    ensure!(asking.can_press("Approve").await?, "nothing was changed yet");
    asking.focus("The plan, in Markdown").await?;
    stage.desktop.write("mine ").await?;
    asking.control("Approve as Edited").await?;
    asking.control("Discard your changes of the plan").await?;
    Ok(asking)
}

fn edited() -> String {
    PLAN.replace(r"\u0057", "W").replace("# Health", "mine # Health")
}

#[tokio::test]
async fn a_plan_is_edited_and_approved() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = edit(&stage).await?;
    asking.answer("Approve as Edited", &approved(&edited(), "")).await
}

#[tokio::test]
async fn a_plan_is_edited_and_approved_with_its_edits() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = edit(&stage).await?;
    asking.answer("Approve as Edited, Accept Edits", &approved(&edited(), ACCEPT_EDITS)).await
}

#[tokio::test]
async fn control_return_approves_what_is_shown() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asking = edit(&stage).await?;
    // Read as it would be approved.
    asking.press("Edit the plan").await?;
    let read = asking.control("The plan").await?;
    let text = stage.window.text(&read).await?;
    ensure!(text.starts_with("mine # Health\nSee"), "{text:?}");
    asking.focus("The plan").await?;
    asking.ensure_waiting()?;
    stage.desktop.chord(Modifier::Control, Key::Enter).await?;
    asking.ensure_printed(&approved(&edited(), ""))
}

#[tokio::test]
async fn changes_are_discarded() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = edit(&stage).await?;
    asking.press("Discard your changes of the plan").await?;
    asking.answer("Approve", &approved(PLAN, "")).await
}

#[tokio::test]
async fn a_mouse_leads_into_the_text() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = propose(&stage, PLAN).await?;
    asking.click("Edit the plan").await?;
    asking.control("The plan, in Markdown").await?;
    asking.click("The plan, in Markdown").await?;
    stage.desktop.write("x").await?;
    asking.control("Approve as Edited").await?;
    asking.press("Discard your changes of the plan").await?;
    asking.answer("Approve", &approved(PLAN, "")).await
}

/// The next request comes up under the finger that has just answered the one before.
#[tokio::test]
async fn clicks_meant_for_one_request_do_not_answer_the_next() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asking = propose(&stage, PLAN).await?;
    let next = format!(r#""tool_name":"ExitPlanMode","tool_input":{}"#, PLAN.replace("Health", "Other"));
    let next = asking.ask("PermissionRequest", &next);
    asking.wait_until("two requests", |card| card.texts().contains(&"1 of 2")).await?;
    let place = stage.window.extents(&asking.control("Approve").await?).await?;
    let first = asking.click_until_answered(None, place).await?;
    let second = asking.click_until_answered(Some(next), place).await?;
    // 300 ms after it was shown, less what it takes to see the first answer.
    ensure!(second - first >= Duration::from_millis(250), "answered {:?} after the first", second - first);
    asking.ensure_printed(&approved(PLAN, ""))
}

#[tokio::test]
async fn a_plan_of_ten_thousand_lines_is_shown_whole() -> Result<()> {
    let stage = Stage::set().await?;
    let lines: Vec<String> = (1..=10_000).map(|line| format!("{line}. Step **{line}**")).collect();
    let input = format!(r#"{{"plan":"{}"}}"#, lines.join(r"\n"));
    let asking = propose(&stage, &input).await?;
    let expected: Vec<String> = (1..=10_000).map(|line| format!("{line}. Step {line}")).collect();
    let expected = expected.join("\n");
    let whole = dasbo_desktop_tests::wait::until(crate::stage::LIMIT, "whole plan", async || {
        let plan = asking.control("The plan").await.ok()?;
        let text = stage.window.text(&plan).await.ok()?;
        (text == expected).then_some(())
    });
    whole.await?;
    asking.answer("Approve", &approved(&input, "")).await
}
