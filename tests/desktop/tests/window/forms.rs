// SPDX-License-Identifier: GPL-3.0-or-later
//! Forms of MCP servers filled in a card. The bytes are those that Claude Code was seen to take.

use anyhow::{Result, ensure};
use dasbo_desktop_tests::accessibility::{Key, Modifier, Node, State};

use crate::cards::{Asking, control, ensure_names};
use crate::stage::Stage;

async fn ask<'a>(stage: &'a Stage, properties: &str, required: &str) -> Result<Asking<'a>> {
    let schema = format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#);
    let about = r#""mcp_server_name":"elicit","message":"Who are you?","mode":"form""#;
    Asking::new(stage, "Elicitation", &format!(r#"{about},"requested_schema":{schema}"#)).await
}

fn accepted(content: &str) -> String {
    let name = "Elicitation";
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","action":"accept","content":{content}}}}}"#)
}

const NAME_AND_COLOUR: &str = r#""name":{"type":"string","title":"Your name","description":"As it is written"},"color":{"type":"string","enum":["red","blue"]}"#;

/// Opens the list of choices of a field in which none is chosen, and chooses one by keys.
async fn choose(asking: &Asking<'_>, field: &str, choices: &[&str], choice: &str) -> Result<()> {
    asking.focus(&format!("{field}: Not chosen")).await?;
    let has_focus = |tree: &Node, name: &str| tree.focused().is_some_and(|focused| focused.name == name);
    asking.stage.desktop.key(Key::Space).await?;
    let opened = |tree: &Node| !has_focus(tree, &format!("{field}: Not chosen"));
    asking.stage.wait_until("open list", opened).await?;
    for _ in choices.iter().take_while(|other| **other != choice) {
        asking.stage.desktop.key(Key::Down).await?;
    }
    asking.stage.desktop.key(Key::Down).await?;
    asking.stage.desktop.key(Key::Enter).await?;
    let chosen = format!("{field}: {choice}");
    asking.stage.wait_until(&chosen, |tree| has_focus(tree, &chosen)).await
}

#[tokio::test]
async fn a_text_and_a_choice() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage, NAME_AND_COLOUR, r#""name""#).await?;
    let card = asking.card().await?;
    ensure_names(&card)?;
    for text in
        ["MCP server elicit asks", "Who are you?", "Your name", "As it is written", "Required", "color"]
    {
        ensure!(card.texts().contains(&text), "no {text:?} in {card}");
    }
    ensure!(!asking.can_press("Send").await?, "a name is required");
    asking.fill("Your name", "Ada").await?;
    choose(&asking, "color", &["red", "blue"], "blue").await?;
    asking.answer("Send", &accepted(r#"{"name":"Ada","color":"blue"}"#)).await
}

#[tokio::test]
async fn what_is_optional_and_empty_is_left_out() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage, NAME_AND_COLOUR, r#""name""#).await?;
    asking.focus("Your name").await?;
    stage.desktop.write("ada").await?;
    asking.answer("Send", &accepted(r#"{"name":"ada"}"#)).await
}

#[tokio::test]
async fn every_kind_of_field_with_its_default() -> Result<()> {
    let stage = Stage::set().await?;
    let properties = r#""s":{"type":"string","default":"x","maxLength":3},"n":{"type":"number","default":1.0},"i":{"type":"integer","default":-2},"b":{"type":"boolean","default":true},"c":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"l","title":"Blue"}],"default":"l"}"#;
    let asking = ask(&stage, properties, r#""s","n","i","b","c""#).await?;
    ensure_names(&asking.card().await?)?;
    asking.answer("Send", &accepted(r#"{"s":"x","n":1.0,"i":-2,"b":true,"c":"l"}"#)).await
}

#[tokio::test]
async fn every_kind_of_field_filled() -> Result<()> {
    let stage = Stage::set().await?;
    let properties = r#""s":{"type":"string","minLength":2},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean","title":"Dry run"},"o":{"type":"boolean","title":"Maybe"},"c":{"type":"string","enum":["red","blue"],"enumNames":["Red","Blue"]}"#;
    let asking = ask(&stage, properties, r#""s","n","i","b","c""#).await?;
    for (field, wrong, right) in [("s", "a", "ab"), ("n", "one", "2.50"), ("i", "1.5", "7")] {
        asking.fill(field, wrong).await?;
        asking
            .wait_until("what it takes", |card| card.texts().iter().any(|text| text.starts_with("Enter ")))
            .await?;
        asking.fill(field, right).await?;
        asking
            .wait_until("no fault", |card| !card.texts().iter().any(|text| text.starts_with("Enter ")))
            .await?;
    }
    ensure!(!asking.can_press("Send").await?, "no colour is chosen");
    choose(&asking, "c", &["Red", "Blue"], "Red").await?;
    choose(&asking, "Maybe", &["Yes", "No"], "No").await?;
    asking.focus("Dry run").await?;
    stage.desktop.key(Key::Space).await?;
    asking
        .wait_until("switch", |card| control(card, "Dry run").is_some_and(|node| node.is(State::Checked)))
        .await?;
    let expected = accepted(r#"{"s":"ab","n":2.5,"i":7,"b":true,"o":false,"c":"red"}"#);
    asking.answer("Send", &expected).await
}

#[tokio::test]
async fn control_return_sends() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asking = ask(&stage, NAME_AND_COLOUR, r#""name""#).await?;
    asking.focus("Your name").await?;
    // Nothing to send yet.
    stage.desktop.chord(Modifier::Control, Key::Enter).await?;
    stage.desktop.write("ada").await?;
    asking.control("Send").await?;
    asking
        .wait_until("complete form", |card| {
            control(card, "Send").is_some_and(|send| send.is(State::Sensitive))
        })
        .await?;
    asking.ensure_waiting()?;
    stage.desktop.chord(Modifier::Control, Key::Enter).await?;
    asking.ensure_printed(&accepted(r#"{"name":"ada"}"#))
}
