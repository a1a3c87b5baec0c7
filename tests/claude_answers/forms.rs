// SPDX-License-Identifier: GPL-3.0-or-later
//! Forms of MCP servers, filled.

use std::sync::Arc;

use dasbo_core::request::{Content, Decision, FieldValue, Request};

use crate::{printed, request};

/// A form of these properties, in JSON, of which these are required.
pub fn form(properties: &str, required: &str) -> Arc<Request> {
    let schema = format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#);
    let keys = r#""mcp_server_name":"elicit","message":"Who are you?","mode":"form""#;
    request("Elicitation", &format!(r#"{keys},"requested_schema":{schema}"#))
}

pub fn fill(values: &[(&str, FieldValue)]) -> Decision {
    Decision::Fill(values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

pub fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.into())
}

fn number(text: &str) -> FieldValue {
    FieldValue::Number(text.parse().unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what is printed")]
fn accepted(content: &str) -> Option<String> {
    Some(format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"Elicitation","action":"accept","content":{content}}}}}"#
    ))
}

/// The form of the recording, and the answer that worked.
#[test]
fn a_text_and_a_choice() {
    let recorded = form(
        r#""name":{"type":"string","title":"Name","description":"Your name"},"color":{"type":"string","enum":["red","blue"]}"#,
        r#""name""#,
    );
    let expected = r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"name":"Ada","color":"blue"}}}"#;
    let both = fill(&[("color", text("blue")), ("name", text("Ada"))]);
    assert_eq!(printed(&recorded, &both).unwrap(), expected);
    assert_eq!(printed(&recorded, &fill(&[("name", text("Ada"))])), accepted(r#"{"name":"Ada"}"#));
    assert_eq!(printed(&recorded, &fill(&[("color", text("blue"))])), None, "a name is required");
    assert_eq!(printed(&recorded, &fill(&[("name", text("Ada")), ("color", text("green"))])), None);
    assert_eq!(printed(&recorded, &fill(&[("name", FieldValue::Boolean(true))])), None);
    assert_eq!(printed(&recorded, &fill(&[("name", text("Ada")), ("other", text("x"))])), None);
    assert_eq!(printed(&recorded, &fill(&[("name", text("A")), ("name", text("B"))])), None);
}

#[test]
fn numbers_and_switches() {
    let all = form(
        r#""n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string","minLength":2,"maxLength":3}"#,
        "",
    );
    let values =
        [("n", number("1.5")), ("i", number("-3")), ("b", FieldValue::Boolean(false)), ("s", text("äö"))];
    assert_eq!(printed(&all, &fill(&values)), accepted(r#"{"n":1.5,"i":-3,"b":false,"s":"äö"}"#));
    assert_eq!(printed(&all, &fill(&[])), accepted("{}"));
    assert_eq!(printed(&all, &fill(&[("i", number("1.5"))])), None);
    assert_eq!(printed(&all, &fill(&[("s", text("a"))])), None);
    assert_eq!(printed(&all, &fill(&[("s", text("abcd"))])), None);
}

#[test]
fn choices_with_names_are_answered_by_their_values() {
    for properties in [
        r#""c":{"type":"string","enum":["r","b"],"enumNames":["Red","Blue"]}"#,
        r#""c":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}]}"#,
    ] {
        let request = form(properties, r#""c""#);
        assert_eq!(printed(&request, &fill(&[("c", text("b"))])), accepted(r#"{"c":"b"}"#));
        assert_eq!(printed(&request, &fill(&[("c", text("Blue"))])), None);
    }
}

#[test]
fn forms_that_cannot_be_filled_here_are_left_to_the_terminal() {
    for (properties, required) in [
        ("", ""),
        (r#""a":{"type":"array","items":{"type":"string"}}"#, ""),
        (r#""a":{"type":"object"}"#, ""),
        (r#""a":{"type":"string","format":"email"}"#, ""),
        (r#""a":{"type":"integer","minimum":1}"#, ""),
        (r#""a":{"type":"string","enum":[]}"#, ""),
        (r#""a":{"type":"string"}"#, r#""b""#),
        (r#""a":"string""#, ""),
    ] {
        let request = form(properties, required);
        assert!(matches!(request.content, Content::Unclear(_)), "{properties}: {:?}", request.content);
        assert_eq!(printed(&request, &fill(&[("a", text("x"))])), None, "{properties}");
    }
    let url = request("Elicitation", r#""mcp_server_name":"x","mode":"url","url":"https://example.org""#);
    assert!(matches!(url.content, Content::Unclear(_)));
}
