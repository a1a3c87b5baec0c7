// SPDX-License-Identifier: GPL-3.0-or-later
//! Connecting to any settings, and disconnecting again.

use std::path::Path;

use dasbo_core::agents::claude::install::{AGENT, entries};
use dasbo_core::install::{Entries, Journal, Plan, Status, apply, invert, plan, status, undo};
use serde_json::Value;

pub fn play(bytes: &[u8]) -> usize {
    let Ok(text) = str::from_utf8(bytes) else { return 0 };
    let wanted = wanted();
    alone(text);
    let Ok(plan) = plan(Some(text), &wanted) else { return 0 };
    connected(text, &plan, &wanted);
    disconnected(text, &plan);
    1
}

/// Few, so that the fuzzer spends its time on the text.
fn wanted() -> Entries {
    let mut all = entries(Path::new("/home/it's/dasbo-hook"), None).expect("an absolute path");
    all.hooks.retain(|hook| ["Stop", "PermissionRequest"].contains(&hook.event.as_str()));
    all
}

/// Taking out what is ours, without knowing what was written.
fn alone(text: &str) {
    let Ok(left) = undo(Some(text), AGENT, None) else { return };
    let left = left.expect("a file that was there stays");
    if status(Some(text), &wanted()).is_ok_and(|held| held == Status::NotConnected) {
        assert_eq!(left, text, "nothing was ours");
    }
    let again = undo(Some(&left), AGENT, None).expect("what was written can be read");
    assert_eq!(again.as_deref(), Some(left.as_str()), "something was left");
    // Where an event that we want stands twice, it is refused.
    assert!(
        status(Some(&left), &wanted()).is_ok_and(|left| left == Status::NotConnected)
            || plan(Some(text), &wanted()).is_err()
    );
}

fn connected(text: &str, done: &Plan, wanted: &Entries) {
    assert_eq!(apply(text, &done.splices).as_ref(), Some(&done.after));
    assert_eq!(apply(&done.after, &invert(&done.splices)).as_deref(), Some(text), "a byte was lost");
    assert_eq!(status(Some(&done.after), wanted).expect("it can be read"), Status::Connected);
    assert!(plan(Some(&done.after), wanted).expect("it can be read").is_empty(), "once is not enough");
    // What is JSON proper stays it, and says what it said.
    if let Ok(before) = serde_json::from_str::<Value>(text) {
        let after: Value = serde_json::from_str(&done.after).expect("it was JSON before");
        let others = |value: &Value| {
            let mut fields = value.as_object().cloned().expect("settings are an object");
            fields.remove("hooks");
            fields
        };
        assert_eq!(others(&before), others(&after));
        for hook in &wanted.hooks {
            assert!(after["hooks"][&hook.event].to_string().contains("/dasbo-hook' claude "));
        }
    }
}

fn disconnected(text: &str, done: &Plan) {
    let mut journal = Journal::new(AGENT, Path::new("/settings.json"));
    journal.record(Some(text), done);
    let journal = Journal::parse(&journal.to_text()).expect("what was written can be read");
    let back = |now: &str| undo(Some(now), AGENT, Some(&journal)).expect("what was written can be read");
    // What an earlier Dasbo wrote goes as well.
    if done.fresh {
        assert_eq!(back(&done.after).as_deref(), Some(text), "there and back it is another file");
        for at in [0, 1, 2].map(|third| place(&done.after, third)) {
            changed_far_from_ours(text, done, &journal, at);
        }
        let tail = "\n// something else\n";
        assert_eq!(back(&format!("{}{tail}", done.after)), Some(format!("{text}{tail}")));
    }
    if let Ok(before) = serde_json::from_str::<Value>(text).as_ref()
        && done.fresh
        && !has_fraction(before)
    {
        // Printed anew by another program.
        let after: Value = serde_json::from_str(&done.after).expect("it was JSON before");
        let left = back(&format!("{after:#}")).expect("a file that was there stays");
        assert_eq!(
            serde_json::from_str::<Value>(&left).ok().as_ref(),
            Some(before),
            "it says something else"
        );
    }
    let left = back(&done.after).expect("a file that was there stays");
    assert_eq!(status(Some(&left), &wanted()).expect("it can be read"), Status::NotConnected);
    assert!(undo(Some(&done.after), AGENT, None).is_ok(), "without the journal there is no way back");
}

/// Somewhere in a part of a text, always in the same place.
fn place(text: &str, part: usize) -> usize {
    let sum = text.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let at = (text.len() * part + sum % text.len().max(1)) / 3;
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// A line was begun far from ours since: it stays, as every other byte. (In a string it makes the file unreadable.)
fn changed_far_from_ours(text: &str, done: &Plan, journal: &Journal, at: usize) {
    // What is kept of a splice's surroundings: 32 characters.
    const FAR: usize = 32 * 4;
    let mut before = at;
    for (splice, back) in done.splices.iter().zip(invert(&done.splices)) {
        let ours = back.offset..back.offset + splice.inserted.len();
        if (ours.start.saturating_sub(FAR)..=ours.end + FAR).contains(&at) {
            return;
        }
        if ours.end < at {
            before -= splice.inserted.len();
            before += splice.removed.len();
        }
    }
    let insert = |text: &str, at: usize| {
        let mut text = text.to_owned();
        text.insert(at, '\n');
        text
    };
    if let Ok(left) = undo(Some(&insert(&done.after, at)), AGENT, Some(journal)) {
        assert_eq!(left, Some(insert(text, before)), "a change elsewhere was lost");
    }
}

/// Printed and read again, fractions can differ in their last place.
fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_fraction),
        Value::Object(fields) => fields.values().any(has_fraction),
        _ => false,
    }
}
