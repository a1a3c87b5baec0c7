// SPDX-License-Identifier: GPL-3.0-or-later
//! What holds for every settings file: connecting keeps all that was there, disconnecting leaves nothing of ours.

use std::path::Path;

use dasbo_core::{
    agents::claude::install::entries,
    install::{Entries, Journal, Plan, Status, plan, status, undo},
};
use proptest::{collection::vec, prelude::*, test_runner::FileFailurePersistence};
use serde_json::{Value, json};

#[path = "install_properties/oracle.rs"]
mod oracle;
#[path = "install_properties/settings.rs"]
mod settings;

use oracle::{commands, meaning, root_start, without};
use settings::{Choices, OLD, settings};

const FILES: u32 = 10_000;

fn config(cases: u32) -> ProptestConfig {
    let nowhere = FileFailurePersistence::Off;
    ProptestConfig { cases, failure_persistence: Some(Box::new(nowhere)), ..ProptestConfig::default() }
}

fn choices() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..400)
}

/// Some of Claude's: in the generated files, and not.
fn wanted() -> Entries {
    let mut all = entries(Path::new("/home/it's/dasbo-hook"), None).unwrap();
    all.hooks.retain(|hook| {
        ["PreToolUse", "PermissionRequest", "Stop", "Elicitation", "CwdChanged"]
            .contains(&hook.event.as_str())
    });
    all
}

/// All of ours that can stand in a generated file.
fn ours(entries: &Entries) -> Vec<&str> {
    entries.hooks.iter().map(|hook| hook.command.as_str()).chain(OLD).collect()
}

fn journal(before: &str, plan: &Plan) -> Journal {
    let mut journal = Journal::new("claude", Path::new("/settings.json"));
    journal.record(Some(before), plan);
    Journal::parse(&journal.to_text()).unwrap()
}

fn taken_back(now: &str, journal: Option<&Journal>) -> String {
    undo(Some(now), "claude", journal).unwrap().expect("a file that was there stays")
}

/// The inserted ranges cut out again, by nothing but the plan's own numbers.
fn uninserted(plan: &Plan) -> String {
    let (mut rest, mut result, mut at) = (plan.after.as_str(), String::new(), 0);
    for splice in &plan.splices {
        let (kept, inserted) = rest.split_at(splice.offset - at);
        result += kept;
        result += &splice.removed;
        rest = inserted.strip_prefix(splice.inserted.as_str()).unwrap();
        at = splice.offset + splice.removed.len();
    }
    result + rest
}

/// The settings without the last group of each of our events, and without the containers that were not there.
fn without_last_groups(mut settings: Value, ours: &Entries, was: &Value) -> Value {
    let hooks = settings["hooks"].as_object_mut().unwrap();
    for hook in &ours.hooks {
        hooks[&hook.event].as_array_mut().unwrap().pop();
    }
    hooks.retain(|event, _| was["hooks"].get(event).is_some());
    if was.get("hooks").is_none() {
        settings.as_object_mut().unwrap().remove("hooks");
    }
    settings
}

/// A person or program at work on the connected settings.
fn edited(mut settings: Value, choices: &mut Choices, ours: &[&str]) -> Value {
    if choices.below(2) == 1 {
        settings["added"] = json!({"deep": [1, {"hooks": []}]});
    }
    if choices.below(3) == 1 {
        let gone: Vec<_> = ours.iter().copied().filter(|_| choices.below(3) == 1).collect();
        settings = without(settings, &gone);
    }
    settings
}

/// Another program's hook, beside ours in the group or behind it.
fn joined(mut settings: Value, inside: bool) -> Value {
    let other = json!({"type": "command", "command": "theirs"});
    let stop = settings["hooks"]["Stop"].as_array_mut().unwrap();
    match stop.last_mut().filter(|_| inside) {
        Some(group) => group["hooks"].as_array_mut().unwrap().push(other),
        None => stop.push(json!({"hooks": [other]})),
    }
    settings
}

fn printed(settings: &Value, pretty: bool) -> String {
    if pretty { serde_json::to_string_pretty(settings).unwrap() } else { settings.to_string() }
}

proptest! {
    #![proptest_config(config(FILES))]

    #[test]
    fn connecting_keeps_all_that_was_there(bytes in choices()) {
        let choices = &mut Choices(&bytes);
        let wanted = wanted();
        let before = settings(choices, false, false);
        let plan = plan(Some(&before), &wanted).unwrap();

        prop_assert!(plan.splices.iter().all(|splice| splice.removed.is_empty()));
        prop_assert_eq!(&uninserted(&plan), &before);
        let (was, is) = (meaning(&before), meaning(&plan.after));
        for hook in &wanted.hooks {
            let event = is["hooks"][&hook.event].as_array().unwrap();
            let mut group = json!({"hooks": [{"type": "command", "command": hook.command}]});
            if let Some(timeout) = hook.timeout {
                group["hooks"][0]["timeout"] = timeout.into();
            }
            prop_assert_eq!(event.last().unwrap(), &group);
        }
        prop_assert_eq!(without_last_groups(is, &wanted, &was), was);
        prop_assert_eq!(status(Some(&plan.after), &wanted).unwrap(), Status::Connected);
        prop_assert!(dasbo_core::install::plan(Some(&plan.after), &wanted).unwrap().is_empty());
    }

    #[test]
    fn disconnecting_leaves_nothing_of_ours(bytes in choices()) {
        let choices = &mut Choices(&bytes);
        let wanted = wanted();
        let before = settings(choices, false, false);
        let plan = plan(Some(&before), &wanted).unwrap();
        let (was, is) = (meaning(&before), meaning(&plan.after));

        // Unchanged since: the same bytes.
        let journal = journal(&before, &plan);
        prop_assert_eq!(&taken_back(&plan.after, Some(&journal)), &before);

        // Changed elsewhere: every other byte stays.
        let tail = "\n// something else\n";
        prop_assert_eq!(taken_back(&(plan.after.clone() + tail), Some(&journal)), before.clone() + tail);
        if was.as_object().is_some_and(|fields| !fields.is_empty()) {
            let (mut now, mut then) = (plan.after.clone(), before.clone());
            now.insert_str(root_start(&now) + 1, "\"first\": 1, ");
            then.insert_str(root_start(&then) + 1, "\"first\": 1, ");
            prop_assert_eq!(taken_back(&now, Some(&journal)), then);
        }

        // Printed anew by somebody else: equal in meaning.
        let seen = edited(is, choices, &ours(&wanted));
        let pretty = choices.below(2) == 0;
        let mut left = was;
        if let Some(added) = seen.get("added") {
            left["added"] = added.clone();
        }
        let back = taken_back(&printed(&seen, pretty), Some(&journal));
        prop_assert_eq!(meaning(&back), left);

        // The journal lost: nothing of ours stays, nothing of others goes.
        let back = meaning(&taken_back(&printed(&seen, pretty), None));
        let left = without(seen, &ours(&wanted));
        prop_assert_eq!(commands(&back), commands(&left));
    }
}

proptest! {
    #![proptest_config(config(FILES / 4))]

    #[test]
    fn entries_of_an_earlier_dasbo_are_ours_too(bytes in choices()) {
        let choices = &mut Choices(&bytes);
        let wanted = wanted();
        let ours = ours(&wanted);
        let before = settings(choices, false, true);
        let plan = plan(Some(&before), &wanted).unwrap();
        prop_assert_eq!(&uninserted(&plan), &before);
        prop_assert!(dasbo_core::install::plan(Some(&plan.after), &wanted).unwrap().is_empty());
        let journal = journal(&before, &plan);
        let left = without(meaning(&before), &ours);
        prop_assert_eq!(meaning(&taken_back(&plan.after, Some(&journal))), left.clone());
        let seen = joined(meaning(&plan.after), choices.below(2) == 0);
        let back = meaning(&taken_back(&printed(&seen, true), Some(&journal)));
        prop_assert!(commands(&back).contains(&"theirs"));
        prop_assert_eq!(commands(&back).len(), commands(&left).len() + 1);
        prop_assert!(!commands(&back).iter().any(|command| ours.contains(command)));
    }
}

proptest! {
    #![proptest_config(config(FILES / 10))]

    #[test]
    fn what_is_cut_short_is_refused(bytes in choices(), at in any::<prop::sample::Index>()) {
        let text = settings(&mut Choices(&bytes), true, true);
        let (open, close) = (text.find('{').unwrap_or_default(), text.rfind('}').unwrap_or_default());
        if close > open {
            let cut = (open + 1 + at.index(close - open)..=close).find(|cut| text.is_char_boundary(*cut)).unwrap();
            prop_assert!(plan(Some(&text[..cut]), &wanted()).is_err());
            prop_assert!(undo(Some(&text[..cut]), "claude", None).is_err());
        }
    }
}
