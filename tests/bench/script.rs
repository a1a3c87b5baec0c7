// SPDX-License-Identifier: GPL-3.0-or-later
//! What sessions do in a burst: each event leaves its trace in the table, so that none can be lost unseen.

use serde_json::{Value, json};

/// Events of one session.
pub const EVENTS: usize = 10;

/// How a session ends up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Quiet,
    Working,
    Waiting,
}

/// A third of the sessions each.
fn end(session: usize) -> End {
    match session % 3 {
        0 => End::Quiet,
        1 => End::Working,
        _ => End::Waiting,
    }
}

/// The id of a session.
pub fn id(session: usize) -> String {
    format!("b0000000-0000-4000-8000-{session:012x}")
}

/// The payloads of a session's events, in their order.
pub fn events(session: usize) -> Vec<Value> {
    let start =
        event(session, "SessionStart", json!({ "source": "startup", "model": format!("m-{session}") }));
    let prompt = event(session, "UserPromptSubmit", json!({ "prompt": format!("p-{session}") }));
    let last = match end(session) {
        End::Quiet => {
            vec![event(session, "Stop", json!({ "last_assistant_message": format!("a-{session}") }))]
        }
        End::Working => vec![tool(session)],
        End::Waiting => {
            vec![
                tool(session),
                event(session, "Notification", json!({ "notification_type": "permission_prompt" })),
            ]
        }
    };
    // The rest are tasks: so many made, so many done.
    let (made, done) = tasks(session);
    let task = |name: &str, number: usize| {
        event(session, name, json!({ "task_id": number.to_string(), "task_subject": "t" }))
    };
    let made = (1..=made).map(|number| task("TaskCreated", number));
    let done = (1..=done).map(|number| task("TaskCompleted", number));
    let events: Vec<_> = [start, prompt].into_iter().chain(made).chain(done).chain(last).collect();
    assert_eq!(events.len(), EVENTS);
    events
}

/// How many tasks a session makes, and how many of them it ends.
fn tasks(session: usize) -> (usize, usize) {
    if end(session) == End::Waiting { (4, 2) } else { (5, 2) }
}

fn tool(session: usize) -> Value {
    let input = json!({ "command": format!("c-{session}") });
    event(session, "PreToolUse", json!({ "tool_name": "Bash", "tool_use_id": "u", "tool_input": input }))
}

pub fn event(session: usize, name: &str, more: Value) -> Value {
    let mut payload = json!({
        "session_id": id(session),
        "hook_event_name": name,
        "cwd": format!("/home/user/project-{session}"),
    });
    if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
        payload.extend(more);
    }
    payload
}

/// How many events of a session left no trace in its line of the table.
pub fn missing(session: usize, line: &Value) -> usize {
    let (made, done) = tasks(session);
    let count = |key| usize::try_from(line["tasks"][key].as_u64().unwrap_or(0)).unwrap();
    let is = |found: &Value, wanted: String| usize::from(*found != wanted);
    let ends = match end(session) {
        End::Quiet => usize::from(line["state"] != "idle" || line["last_answer"] != format!("a-{session}")),
        End::Working => is(&line["tool"]["detail"], format!("c-{session}")),
        End::Waiting => {
            is(&line["tool"]["detail"], format!("c-{session}"))
                + usize::from(line["waiting"].as_array().is_none_or(Vec::is_empty))
        }
    };
    is(&line["model"], format!("m-{session}"))
        + is(&line["last_prompt"], format!("p-{session}"))
        + made.abs_diff(count("total"))
        + done.abs_diff(count("done"))
        + ends
}

/// The groups of rows, in their order.
pub const WAITING: usize = 0;
pub const WORKING: usize = 1;
pub const QUIET: usize = 2;

/// In which group its row stands.
pub fn group(line: &Value) -> usize {
    if line["waiting"].as_array().is_some_and(|waits| !waits.is_empty()) {
        WAITING
    } else if matches!(line["state"].as_str(), Some("thinking" | "tool")) {
        WORKING
    } else {
        QUIET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_misses_every_event() {
        for session in 0..3 {
            assert_eq!(missing(session, &Value::Null), EVENTS, "{:?}", end(session));
        }
    }

    #[test]
    fn a_whole_line_misses_none() {
        let line = json!({
            "model": "m-2", "last_prompt": "p-2", "tasks": { "done": 2, "total": 4 }, "state": "tool",
            "tool": { "name": "Bash", "detail": "c-2" }, "waiting": [{ "kind": "input" }],
        });
        assert_eq!(missing(2, &line), 0);
        assert_eq!(group(&line), WAITING);
    }
}
