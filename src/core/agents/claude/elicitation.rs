// SPDX-License-Identifier: GPL-3.0-or-later
//! The forms of MCP servers, from the payload of `Elicitation`. Their schema is a flat JSON Schema.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::agents::lenient::{name, object, text};
use crate::request::{Field, FieldKind, FieldValue, Form};

/// More fields than anybody fills in a card.
const MOST_FIELDS: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    #[serde(deserialize_with = "name")]
    mcp_server_name: Option<String>,
    #[serde(deserialize_with = "text")]
    message: Option<String>,
    #[serde(deserialize_with = "text")]
    mode: Option<String>,
    requested_schema: Option<Schema>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Schema {
    properties: Map<String, Value>,
    required: Vec<String>,
}

/// A form, if every field of it is of a kind that can be filled here.
pub(super) fn form(json: &[u8]) -> Option<Form> {
    let payload: Payload = object(json).ok()?;
    if payload.mode.as_deref().is_some_and(|mode| mode != "form") {
        return None;
    }
    let schema = payload.requested_schema?;
    let known = |name: &String| schema.properties.contains_key(name);
    if !schema.required.iter().all(known) || !(1..=MOST_FIELDS).contains(&schema.properties.len()) {
        return None;
    }
    let required = |name: &String| schema.required.contains(name);
    let field = |(name, schema): (&String, &Value)| field(name, schema, required(name));
    Some(Form {
        server: payload.mcp_server_name.unwrap_or_default(),
        message: payload.message.unwrap_or_default(),
        fields: schema.properties.iter().map(field).collect::<Option<_>>()?,
    })
}

fn field(name: &str, schema: &Value, required: bool) -> Option<Field> {
    let kind = kind(schema)?;
    let said = |key| schema.get(key).and_then(Value::as_str).map(str::to_owned);
    let default = schema.get("default").and_then(|value| default(&kind, value));
    let (title, description) = (said("title"), said("description"));
    Some(Field { name: name.to_owned(), title, description, kind, required, default })
}

/// The value types that MCP allows in a form, without those that need a check of their own (formats, ranges).
fn kind(schema: &Value) -> Option<FieldKind> {
    let checked = ["format", "pattern", "minimum", "maximum", "multipleOf", "items", "anyOf", "allOf"];
    if checked.iter().any(|key| schema.get(key).is_some()) {
        return None;
    }
    if let Some(choices) = schema.get("enum").or_else(|| schema.get("oneOf")) {
        return choices_of(choices, schema.get("enumNames")).map(FieldKind::OneOf);
    }
    let count = |key| schema.get(key).map(|value| value.as_u64().and_then(|count| count.try_into().ok()));
    Some(match schema.get("type")?.as_str()? {
        "string" => FieldKind::Text {
            least: count("minLength").map_or(Some(0), |count| count)?,
            most: match count("maxLength") {
                Some(count) => Some(count?),
                None => None,
            },
        },
        "number" => FieldKind::Number,
        "integer" => FieldKind::Integer,
        "boolean" => FieldKind::Boolean,
        _ => return None,
    })
}

fn choices_of(choices: &Value, names: Option<&Value>) -> Option<Vec<(String, String)>> {
    let choices = choices.as_array().filter(|choices| !choices.is_empty())?;
    let title = |at: usize, value: &str| {
        let name = names.and_then(|names| names.get(at)).and_then(Value::as_str);
        name.unwrap_or(value).to_owned()
    };
    let choice = |(at, choice): (usize, &Value)| match choice {
        Value::String(value) => Some((value.clone(), title(at, value))),
        Value::Object(choice) => {
            let value = choice.get("const")?.as_str()?;
            Some((value.to_owned(), choice.get("title").and_then(Value::as_str).unwrap_or(value).to_owned()))
        }
        _ => None,
    };
    choices.iter().enumerate().map(choice).collect()
}

fn default(kind: &FieldKind, value: &Value) -> Option<FieldValue> {
    match (kind, value) {
        (FieldKind::Text { .. }, Value::String(text)) => Some(FieldValue::Text(text.clone())),
        (FieldKind::OneOf(choices), Value::String(text)) => {
            choices.iter().any(|(value, _)| value == text).then(|| FieldValue::Text(text.clone()))
        }
        (FieldKind::Number | FieldKind::Integer, Value::Number(number)) => {
            Some(FieldValue::Number(number.clone()))
        }
        (FieldKind::Boolean, Value::Bool(yes)) => Some(FieldValue::Boolean(*yes)),
        _ => None,
    }
}
