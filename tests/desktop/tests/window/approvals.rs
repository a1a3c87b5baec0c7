// SPDX-License-Identifier: GPL-3.0-or-later
//! Approvals: every button of a card, and the bytes that the helper that waits then prints.

use std::time::Duration;

use anyhow::{Result, ensure};
use dasbo_desktop_tests::accessibility::{Key, Modifier, Node, State};
use dasbo_test_support::agent::Ticket;
use serde_json::{Value, json};

use crate::asker::Asker;
use crate::seen;
use crate::stage::{LIMIT, Stage};

/// A window, an agent that asks in it, and a command that it asks for.
pub(super) async fn asked(more: &Value) -> Result<(Stage, Asker, Ticket)> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    let ticket = asker.ask("Bash", &json!({"command": "npm test"}), more);
    Ok((stage, asker, ticket))
}

/// Waits until all cards take clicks.
pub(super) async fn ready<T>(stage: &Stage, what: &str, find: impl Fn(&Node) -> Option<T>) -> Result<T> {
    let is_busy = |tree: &Node| tree.find(|node| node.is(State::Busy)).is_some();
    stage.window.wait_for(LIMIT, what, |tree| if is_busy(tree) { None } else { find(tree) }).await
}

pub(super) fn button<'a>(tree: &'a Node, name: &str) -> Option<&'a Node> {
    tree.find(|node| node.is_button() && node.is(State::Focusable) && node.name == name)
}

async fn press(stage: &Stage, name: &str) -> Result<()> {
    let button = ready(stage, &format!("button {name:?}"), |tree| button(tree, name).cloned()).await?;
    stage.window.activate(&button).await
}

pub(super) fn decision(decision: &str) -> String {
    let before = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"#;
    format!("{before}{decision}}}}}")
}

/// Presses these buttons, one after the other; gives what the helper then prints.
async fn answer(suggestions: &Value, buttons: &[&str]) -> Result<String> {
    let (stage, mut asker, ticket) = asked(&json!({"permission_suggestions": suggestions})).await?;
    for name in buttons {
        press(&stage, name).await?;
    }
    let answer = asker.printed(ticket)?;
    stage.wait_until("end of the card", |tree| button(tree, "Allow").is_none()).await?;
    Ok(answer)
}

pub(super) const ALLOW: &str = r#"{"behavior":"allow"}"#;

#[tokio::test]
async fn allow_and_deny_are_printed_to_the_byte() -> Result<()> {
    ensure!(answer(&json!([]), &["Allow"]).await? == decision(ALLOW));
    ensure!(answer(&json!([]), &["Deny"]).await? == decision(r#"{"behavior":"deny"}"#));
    let stop = answer(&json!([]), &["Other ways to deny", "Deny and stop"]).await?;
    ensure!(stop == decision(r#"{"behavior":"deny","message":"Stop.","interrupt":true}"#), "{stop}");
    Ok(())
}

#[tokio::test]
async fn a_suggestion_is_given_back_as_it_came() -> Result<()> {
    let rule = r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#;
    let mode = r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#;
    let suggestions: Value = serde_json::from_str(&format!("[{rule},{mode}]"))?;
    for (name, update) in [
        ("Allow Bash(npm test *), in this project, .claude/settings.local.json", rule),
        ("Switch to accept edits: It edits files without asking, until this session ends", mode),
    ] {
        let said: Value = serde_json::from_str(&answer(&suggestions, &["Always…", name]).await?)?;
        let wanted = decision(&format!(r#"{{"behavior":"allow","updatedPermissions":[{update}]}}"#));
        ensure!(said == serde_json::from_str::<Value>(&wanted)?, "{said}");
    }
    Ok(())
}

#[tokio::test]
async fn every_use_of_a_tool_can_be_allowed_in_four_scopes() -> Result<()> {
    for (name, destination) in [
        ("Allow every Bash, in this project, .claude/settings.local.json", "localSettings"),
        ("Allow every Bash, until this session ends", "session"),
        (
            "Allow every Bash, in this project, for all who work on it, .claude/settings.json",
            "projectSettings",
        ),
        ("Allow every Bash, in all projects, ~/.claude/settings.json", "userSettings"),
    ] {
        let said = answer(&json!([]), &["Always…", name]).await?;
        let rules = r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"#;
        let wanted = format!(r#"{{"behavior":"allow","updatedPermissions":[{rules}"{destination}"}}]}}"#);
        ensure!(said == decision(&wanted), "{said}");
    }
    Ok(())
}

#[tokio::test]
async fn the_session_s_mode_can_be_switched() -> Result<()> {
    for (name, mode) in [
        ("Switch to accept edits: It edits files without asking, until this session ends", "acceptEdits"),
        (
            "Switch to auto: A classifier decides what it may do without asking, until this session ends",
            "auto",
        ),
    ] {
        let said = answer(&json!([]), &["Always…", name]).await?;
        let update = format!(r#"{{"type":"setMode","mode":"{mode}","destination":"session"}}"#);
        let wanted = decision(&format!(r#"{{"behavior":"allow","updatedPermissions":[{update}]}}"#));
        ensure!(said == wanted, "{said}");
    }
    Ok(())
}

/// Opens the note of the card and writes one.
async fn write_note(stage: &Stage, text: &str) -> Result<()> {
    press(stage, "Other ways to deny").await?;
    press(stage, "Deny with a note…").await?;
    let field = |tree: &Node| {
        let is_field = |node: &&Node| node.name.contains("Note to the agent") && node.is(State::Editable);
        tree.all().into_iter().find(is_field).cloned()
    };
    let field = ready(stage, "note", field).await?;
    stage.window.fill(&field, text).await
}

#[tokio::test]
async fn a_note_goes_with_a_no() -> Result<()> {
    let wanted = decision(r#"{"behavior":"deny","message":"Denied from the panel: use mkdir."}"#);
    let (stage, mut asker, ticket) = asked(&json!({})).await?;
    write_note(&stage, "Denied from the panel: use mkdir.").await?;
    press(&stage, "Send").await?;
    ensure!(asker.printed(ticket)? == wanted);
    // And by Enter: the field has the keyboard.
    let ticket = asker.ask("Bash", &json!({"command": "npm test"}), &json!({}));
    write_note(&stage, "Denied from the panel: use mkdir.").await?;
    stage.desktop.key(Key::Enter).await?;
    ensure!(asker.printed(ticket)? == wanted);
    // A note that was dropped is none.
    let ticket = asker.ask("Bash", &json!({"command": "npm test"}), &json!({}));
    write_note(&stage, "Never mind").await?;
    press(&stage, "No note").await?;
    press(&stage, "Deny").await?;
    ensure!(asker.printed(ticket)? == decision(r#"{"behavior":"deny"}"#));
    Ok(())
}

#[tokio::test]
async fn a_note_is_kept_while_another_request_is_looked_at() -> Result<()> {
    let by = json!({"agent_id": "a", "agent_type": "Explore"});
    let (stage, mut asker, ticket) = asked(&by).await?;
    write_note(&stage, "use mkdir").await?;
    asker.ask("Bash", &json!({"command": "npm ci"}), &by);
    press(&stage, "Next request").await?;
    ready(&stage, "request without a note", |tree| button(tree, "Send").is_none().then_some(())).await?;
    press(&stage, "Previous request").await?;
    press(&stage, "Send").await?;
    ensure!(asker.printed(ticket)? == decision(r#"{"behavior":"deny","message":"use mkdir"}"#));
    Ok(())
}

#[tokio::test]
async fn what_is_left_to_the_terminal_is_not_answered() -> Result<()> {
    let (stage, mut asker, ticket) = asked(&json!({})).await?;
    press(&stage, "Answer in the terminal").await?;
    ensure!(asker.printed(ticket)?.is_empty());
    stage.wait_until("end of the card", |tree| button(tree, "Allow").is_none()).await?;
    stage.wait_for_row("Claude Code, shop, waiting: Wants to run a command").await?;
    // Its details say what for.
    stage.enter_list().await?;
    stage.desktop.key(Key::Enter).await?;
    stage.wait_until("details", |tree| tree.named("$ npm test").is_some()).await
}

#[tokio::test]
async fn all_approvals_are_allowed_at_once_and_no_question() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    let by = |agent: &str| json!({"agent_id": agent, "agent_type": "Explore"});
    let first = asker.ask("Bash", &json!({"command": "npm test"}), &by("a"));
    let second = asker.ask("Bash", &json!({"command": "npm ci"}), &by("b"));
    let third = asker.ask("Write", &json!({"file_path": "a.txt", "content": "a"}), &by("b"));
    let options = json!([{"label": "Yes", "description": ""}, {"label": "No", "description": ""}]);
    let question = json!({"question": "Sure?", "header": "Sure", "options": options, "multiSelect": false});
    let question = asker.ask("AskUserQuestion", &json!({"questions": [question]}), &json!({}));
    stage.wait_until("the question", |tree| tree.named("Asks a question").is_some()).await?;
    press(&stage, "Allow all 3").await?;
    for ticket in [first, second, third] {
        ensure!(asker.printed(ticket)? == decision(ALLOW));
    }
    stage.wait_until("end of the approvals", |tree| button(tree, "Allow").is_none()).await?;
    ensure!(stage.panel.rows().await?.first().is_some_and(|row| row.waiting.len() == 1));
    ensure!(!asker.agent.has_ended(question, Duration::ZERO));
    Ok(())
}

#[tokio::test]
async fn every_control_has_a_name() -> Result<()> {
    let (stage, mut asker, _) = asked(&json!({"agent_id": "a", "agent_type": "Explore"})).await?;
    asker.ask("Bash", &json!({"command": "npm ci"}), &json!({"agent_id": "a", "agent_type": "Explore"}));
    ready(&stage, "both requests", |tree| button(tree, "Allow all 2").map(drop)).await?;
    for menu in ["Other ways to deny", "Always…"] {
        press(&stage, menu).await?;
    }
    let names = [
        "Previous request",
        "Next request",
        "Answer in the terminal",
        "Deny",
        "Other ways to deny",
        "Deny with a note…",
        "Deny and stop",
        "Always…",
        "Allow every Bash, until this session ends",
        "Allow",
    ];
    let all = |tree: &Node| names.iter().all(|name| button(tree, name).is_some()).then(|| tree.clone());
    let tree = ready(&stage, "all buttons by name", all).await?;
    let is_control = |node: &&Node| node.is_button() && node.is(State::Focusable);
    let unnamed = |node: &&Node| node.name.trim().is_empty() || node.name.starts_with("Gtk");
    let found = tree.all().into_iter().filter(is_control).find(unnamed);
    ensure!(found.is_none(), "{found:?}");
    ensure!(tree.named("Command").is_some_and(|text| !text.is_button()), "{tree}");
    Ok(())
}

#[tokio::test]
async fn keys_answer_in_a_card_with_the_focus_alone() -> Result<()> {
    let (stage, mut asker, first) = asked(&json!({})).await?;
    ready(&stage, "card", |tree| button(tree, "Allow").map(drop)).await?;
    // A card that came took no focus.
    stage.enter_list().await?;
    for key in [Key::Enter, Key::Enter] {
        stage.desktop.chord(Modifier::Control, key).await?;
    }
    stage.desktop.key(Key::Enter).await?;
    let unfolded = |tree: &Node| seen::row(tree, "shop").is_some_and(|row| row.is(State::Expanded));
    stage.wait_until("unfolded row", unfolded).await?;
    ensure!(!asker.agent.has_ended(first, Duration::ZERO));
    // Into the card.
    stage.desktop.key(Key::Tab).await?;
    let in_card = |tree: &Node| tree.focused().is_some_and(|focused| !focused.is_row());
    stage.wait_until("focus in the card", in_card).await?;
    stage.desktop.chord(Modifier::Control, Key::Enter).await?;
    ensure!(asker.printed(first)? == decision(ALLOW));
    // The next one takes no key that was meant for this one.
    let second = asker.ask("Bash", &json!({"command": "npm ci"}), &json!({}));
    ready(&stage, "second card", |tree| button(tree, "Allow").map(drop)).await?;
    stage.wait_for_focus("shop").await?;
    stage.desktop.chord(Modifier::Control, Key::Backspace).await?;
    stage.desktop.key(Key::Tab).await?;
    stage.wait_until("focus in the card", in_card).await?;
    ensure!(!asker.agent.has_ended(second, Duration::ZERO));
    stage.desktop.chord(Modifier::Control, Key::Backspace).await?;
    ensure!(asker.printed(second)? == decision(r#"{"behavior":"deny"}"#));
    Ok(())
}

pub(super) fn ensure_printed(asker: &mut Asker, ticket: Ticket) -> Result<()> {
    let said = asker.printed(ticket)?;
    ensure!(said == decision(ALLOW), "{said}");
    Ok(())
}

/// What stands in the text of this name, once all of it does.
async fn shown(stage: &Stage, name: &str) -> Result<String> {
    let text = ready(stage, name, |tree| tree.named(name).cloned()).await?;
    stage.window.text(&text).await
}

#[tokio::test]
async fn what_is_asked_can_be_read_in_full() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    let command = "echo \u{202e}oof\u{1b}[2K # <b>&amp;</b>";
    asker.ask(
        "Bash",
        &json!({"command": command, "description": "Says <i>foo</i>", "timeout": 3}),
        &json!({}),
    );
    ensure!(shown(&stage, "Command").await? == "echo ⟨U+202E⟩oof⟨ESC⟩[2K # <b>&amp;</b>");
    ensure!(shown(&stage, "Further input").await? == "timeout: 3");
    stage.wait_until("description", |tree| tree.named("Says <i>foo</i>").is_some()).await?;
    stage.wait_until("folder", |tree| tree.named("~/shop").is_some()).await?;
    press(&stage, "Deny").await?;
    asker.ask("mcp__x__<b>y</b>", &json!({"b": [1, {"c": "d\ne"}], "a": true}), &json!({}));
    ensure!(shown(&stage, "Input").await? == "b:\n  - 1\n  -\n    c:\n      d\n      e\na: true");
    stage.wait_until("tool", |tree| tree.named("mcp__x__<b>y</b>").is_some()).await
}

#[tokio::test]
async fn an_edit_is_a_diff_of_the_file() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    std::fs::create_dir_all(&asker.project)?;
    std::fs::write(format!("{}/a.txt", asker.project), "1\n2\n3\n4\n5\n6\n")?;
    let edit = |old: &str| json!({"file_path": "a.txt", "old_string": old, "new_string": "six"});
    asker.ask("Edit", &edit("6"), &json!({}));
    ensure!(shown(&stage, "Changes").await? == "3   3\n4   4\n5   5\n6 - 6\n6 + six");
    press(&stage, "Deny").await?;
    asker.ask("Edit", &edit("7"), &json!({}));
    let remark = "What is to be replaced was not found in the file: only what is sent is shown";
    stage.wait_until("remark", |tree| tree.named(remark).is_some()).await?;
    ensure!(shown(&stage, "Changes").await? == "- 7\n+ six");
    press(&stage, "Deny").await?;
    asker.ask("Write", &json!({"file_path": "b.txt", "content": "x\n"}), &json!({}));
    stage.wait_until("remark", |tree| tree.named("A new file").is_some()).await?;
    ensure!(shown(&stage, "Changes").await? == "1 + x");
    Ok(())
}

#[tokio::test]
async fn an_input_of_five_megabytes_is_shown_and_answered() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asker = Asker::start(&stage, "shop");
    let lines: String = std::iter::repeat_n(format!("echo {}\n", "x".repeat(500)), 10_000).collect();
    let ticket = asker.ask("Bash", &json!({"command": lines + "the end"}), &json!({}));
    ensure!(shown(&stage, "Command").await?.ends_with("\nthe end"));
    press(&stage, "Allow").await?;
    ensure_printed(&mut asker, ticket)
}
