// SPDX-License-Identifier: GPL-3.0-or-later
//! A call's input for people to read: a line for each key, in the order in which it came.

use serde_json::Value;

/// A line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// How deep it stands. From 0.
    pub depth: usize,
    /// The key. `None` in a list.
    pub key: Option<String>,
    /// The value: a text as it is, anything else in JSON's writing. `None`: what is in it follows, deeper.
    pub value: Option<String>,
}

/// What is in an input beside these keys. An input that is not understood is shown as it came.
pub fn tree(input: &str, beside: &[&str]) -> Vec<Entry> {
    let mut entries = Vec::new();
    match serde_json::from_str(input) {
        Ok(Value::Object(object)) => {
            for (key, value) in object.into_iter().filter(|(key, _)| !beside.contains(&key.as_str())) {
                add(&mut entries, 0, Some(key), value);
            }
        }
        Ok(value) => add(&mut entries, 0, None, value),
        Err(_) => add(&mut entries, 0, None, Value::String(input.to_owned())),
    }
    entries
}

/// No deeper than `serde_json` reads.
fn add(entries: &mut Vec<Entry>, depth: usize, key: Option<String>, value: Value) {
    let say = |value, entries: &mut Vec<Entry>| entries.push(Entry { depth, key, value });
    match value {
        Value::String(text) => say(Some(text), entries),
        Value::Array(items) if !items.is_empty() => {
            say(None, entries);
            for item in items {
                add(entries, depth + 1, None, item);
            }
        }
        Value::Object(object) if !object.is_empty() => {
            say(None, entries);
            for (key, value) in object {
                add(entries, depth + 1, Some(key), value);
            }
        }
        plain => say(Some(plain.to_string()), entries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(input: &str, beside: &[&str]) -> Vec<String> {
        let say = |entry: &Entry| {
            let key = entry.key.as_deref().unwrap_or("-");
            format!("{}{key}: {}", " ".repeat(entry.depth), entry.value.as_deref().unwrap_or("↓"))
        };
        tree(input, beside).iter().map(say).collect()
    }

    #[test]
    fn keys_keep_their_order() {
        let input = r#"{"url":"https://example.org","b":1.50,"a":{"deep":[true,null,{"x":"y"}],"none":{}}}"#;
        assert_eq!(
            said(input, &[]),
            [
                "url: https://example.org",
                "b: 1.5",
                "a: ↓",
                " deep: ↓",
                "  -: true",
                "  -: null",
                "  -: ↓",
                "   x: y",
                " none: {}",
            ]
        );
    }

    #[test]
    fn what_is_shown_already_is_left_out_at_the_top_alone() {
        let input = r#"{"command":"ls","timeout":5,"more":{"command":"rm"}}"#;
        assert_eq!(said(input, &["command"]), ["timeout: 5", "more: ↓", " command: rm"]);
        assert_eq!(said(r#"{"command":"ls"}"#, &["command"]), Vec::<String>::new());
    }

    #[test]
    fn anything_else_is_shown_as_it_came() {
        assert_eq!(said("[1]", &[]), ["-: ↓", " -: 1"]);
        assert_eq!(said(r#"{"a":"\ud83d"}"#, &[]), [r#"-: {"a":"\ud83d"}"#]);
        assert_eq!(said("", &[]), ["-: "]);
    }
}
