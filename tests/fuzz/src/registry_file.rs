// SPDX-License-Identifier: GPL-3.0-or-later
//! `~/.claude/sessions/PID.json`.

use std::path::Path;

use dasbo_core::agents::Agent;
use dasbo_core::agents::claude::Claude;
use dasbo_core::event::{Event, Source};
use dasbo_core::registry::Registry;
use serde_json::Value;

use crate::table::{self, CLOCK};

pub fn play(bytes: &[u8]) -> usize {
    let said = read(bytes);
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        // Written anew each key stands once, and one of another type hides none of the others.
        let anew = value.to_string();
        assert_eq!(read(anew.as_bytes()).is_some(), says_enough(&value), "{anew}");
        let end = anew.len() - 1;
        assert_eq!(read(&anew.as_bytes()[..end]), None, "half written, it said something");
    }
    let Some(said) = said else { return 0 };
    assert_eq!(said.source, Source::File);
    // Alone, and beside hooks.
    table::apply(&mut Registry::default(), [&said]);
    let hook = Event { source: Source::Hook, ..said.clone() };
    table::apply(&mut Registry::default(), [&hook, &said]);
    1
}

fn read(bytes: &[u8]) -> Option<Event> {
    Claude.session_file(Path::new("/home/user/.claude/sessions/7.json"), bytes, CLOCK)
}

/// An object that says which session it is, of which process, and since when.
fn says_enough(value: &Value) -> bool {
    let text = |key: &str| value.as_object().and_then(|file| file.get(key)).and_then(Value::as_str);
    let number = |key: &str| value.get(key).and_then(Value::as_u64);
    let id = text("sessionId").is_some_and(|id| !id.is_empty() && id.len() <= 4096);
    let pid = number("pid").is_some_and(|pid| u32::try_from(pid).is_ok());
    let start = text("procStart").is_some_and(|start| start.parse::<u64>().is_ok());
    id && pid && start && number("statusUpdatedAt").or(number("startedAt")).is_some()
}
