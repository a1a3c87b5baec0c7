// SPDX-License-Identifier: GPL-3.0-or-later
//! What a settings file means, found without the product's parser.

use serde_json::{Map, Value};

/// The meaning of JSON with comments and trailing commas; blank text means an empty object.
pub fn meaning(text: &str) -> Value {
    let strict = strict(text);
    if strict.trim().is_empty() {
        return Value::Object(Map::new());
    }
    serde_json::from_str(&strict).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The text without byte-order mark, comments and trailing commas.
fn strict(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut result = String::new();
    while let Some(next) = rest.chars().next() {
        let length = length(rest, next);
        if matches!(next, ']' | '}') && result.trim_end().ends_with(',') {
            result.truncate(result.trim_end().len() - 1);
        }
        if next != '/' {
            result += &rest[..length];
        }
        rest = &rest[length..];
    }
    result
}

/// Where the outermost object opens.
pub fn root_start(text: &str) -> usize {
    let mut at = 0;
    while let Some(next) = text[at..].chars().next().filter(|next| *next != '{') {
        at += length(&text[at..], next);
    }
    at
}

/// How long the string, comment or other character at the beginning of a text is.
fn length(text: &str, first: char) -> usize {
    match first {
        '"' => string_length(text),
        '/' if text.starts_with("//") => text.find(['\n', '\r']).unwrap_or(text.len()),
        '/' => text.find("*/").expect("an end of the comment") + 2,
        _ => first.len_utf8(),
    }
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, next)| {
        let ends = *next == '"' && !escaped;
        escaped = *next == '\\' && !escaped;
        ends
    });
    end.expect("an end of the string").0 + 1
}

/// Every command anywhere in a value.
pub fn commands(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().flat_map(commands).collect(),
        Value::Object(fields) => {
            let own = fields.get("command").and_then(Value::as_str);
            own.into_iter().chain(fields.values().flat_map(commands)).collect()
        }
        _ => Vec::new(),
    }
}

/// The settings without the given commands and the groups that hold nothing else. Containers stay.
pub fn without(mut settings: Value, ours: &[&str]) -> Value {
    let events = settings.get_mut("hooks").and_then(Value::as_object_mut);
    for groups in events.into_iter().flat_map(|events| events.values_mut()).filter_map(Value::as_array_mut) {
        groups.retain_mut(|group| {
            let Some(list) = group.get_mut("hooks").and_then(Value::as_array_mut) else {
                return true;
            };
            let before = list.len();
            list.retain(|hook| !hook["command"].as_str().is_some_and(|command| ours.contains(&command)));
            before == list.len() || !list.is_empty()
        });
    }
    settings
}
