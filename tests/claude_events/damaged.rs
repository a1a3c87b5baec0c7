// SPDX-License-Identifier: GPL-3.0-or-later
//! Recorded payloads, whole and damaged.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{header, told};

/// Every payload in the fixtures, with its event.
fn recorded() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
    let versions = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files =
        versions.flat_map(|version| fs::read_dir(version).unwrap().map(|entry| entry.unwrap().path()));
    let recordings = files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    let lines = recordings.flat_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    });
    let hook = |mut line: Value| Some((line.get("event")?.as_str()?.to_owned(), line["payload"].take()));
    let mut recorded: Vec<_> = lines.filter_map(hook).collect();
    recorded.sort_by_cached_key(|(event, payload)| (event.clone(), payload.to_string()));
    recorded
}

#[test]
fn every_recorded_payload_is_understood() {
    let recorded = recorded();
    assert!(recorded.len() > 400, "{} payloads", recorded.len());
    for (name, payload) in recorded {
        let told = told(header(&name), payload.to_string().as_bytes());
        let event = told.unwrap_or_else(|error| panic!("{name}: {error}: {payload}"));
        // Not installed, and in the fixtures all the same.
        let is_silent = name == "UserPromptExpansion";
        assert_eq!(event.is_none(), is_silent, "{name}: {payload}");
        if let Some(event) = event {
            assert_eq!(Some(event.session.id.as_str()), payload["session_id"].as_str());
        }
    }
}

/// One way to damage a payload.
#[derive(Debug, Clone)]
enum Damage {
    Drop,
    Replace(Value),
    Truncate(prop::sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("text"),
        json!([]),
        json!([[], {}, 1, "x"]),
        json!({}),
        json!({"command": {"command": 1}}),
    ];
    prop_oneof![
        Just(Damage::Drop),
        prop::sample::select(values.to_vec()).prop_map(Damage::Replace),
        any::<prop::sample::Index>().prop_map(Damage::Truncate),
    ]
}

/// Damages one of all values within `payload`, the one that `at` chooses.
fn apply(payload: &mut Value, at: prop::sample::Index, damage: &Damage) {
    let places = places(payload, "");
    let Some(place) = places.get(at.index(places.len().max(1))) else { return };
    let (parent, key) = place.rsplit_once('/').unwrap();
    match damage {
        Damage::Drop => match payload.pointer_mut(parent).unwrap() {
            Value::Object(values) => drop(values.remove(&unescaped(key))),
            Value::Array(values) => drop(values.remove(key.parse().unwrap())),
            _ => unreachable!(),
        },
        Damage::Replace(other) => *payload.pointer_mut(place).unwrap() = other.clone(),
        Damage::Truncate(at) => {
            if let Some(Value::String(text)) = payload.pointer_mut(place) {
                *text = text.chars().take(at.index(text.chars().count() + 1)).collect();
            }
        }
    }
}

/// JSON pointers to all that is within a value.
fn places(value: &Value, here: &str) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(values) => {
            values.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
        }
        Value::Object(values) => values.iter().map(|(key, value)| (escaped(key), value)).collect(),
        _ => Vec::new(),
    };
    let below = |(key, value): (String, &Value)| {
        let place = format!("{here}/{key}");
        let within = places(value, &place);
        std::iter::once(place).chain(within)
    };
    children.into_iter().flat_map(below).collect()
}

/// As a part of a JSON pointer (RFC 6901).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_payloads_tell_of_no_other_session(
        number in any::<prop::sample::Index>(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), damage()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        thread_local!(static RECORDED: Vec<(String, Value)> = recorded());
        let (name, mut payload) = RECORDED.with(|recorded| number.get(recorded).clone());
        for (at, damage) in damages {
            apply(&mut payload, at, &damage);
        }
        let mut bytes = payload.to_string().into_bytes();
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let header = header(&name);
        if let Ok(Some(event)) = told(header.clone(), &bytes) {
            prop_assert_eq!(event.session.agent.0, "claude");
            prop_assert_eq!(Some(event.session.id.as_str()), payload["session_id"].as_str());
            prop_assert_eq!(event.at, header.at);
            prop_assert!(event.process.is_some_and(|process| process.id.pid == 50));
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), deep in 0_usize..300) {
        let _ = told(header("Stop"), &bytes);
        let nested = [b"{\"tool_input\":".to_vec(), vec![b'['; deep], bytes].concat();
        let _ = told(header("PreToolUse"), &nested);
    }
}
