// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo answer`: what the person types is what the agent's hook prints, or a sentence says why not.

use std::time::{SystemTime, UNIX_EPOCH};

use dasbo_test_support::agent::{FakeAgent, Hook, Outcome, Ticket};
use dasbo_test_support::helper;
use dasbo_test_support::wait::{LIMIT, eventually};
use serde_json::{Value, json};

use crate::desktop::Desktop;

const ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

/// The person's own session, where somebody sits.
const ATTENDED: [(&str, &str); 2] =
    [("CLAUDE_CODE_SESSION_ATTENDED", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli")];

/// A hook that waits for an answer.
struct Asking {
    agent: FakeAgent,
    ticket: Ticket,
    /// The request's id, from the table.
    id: String,
}

impl Asking {
    fn new(desktop: &Desktop, tool: &str, input: &Value) -> Self {
        let mut agent = desktop.agent();
        let payload = json!({
            "hook_event_name": "PermissionRequest", "session_id": "one", "tool_name": tool, "tool_input": input,
        });
        let ticket = agent.begin(Hook {
            command: format!("exec '{}' claude ask PermissionRequest", helper::path().display()),
            payload: payload.to_string(),
            env: ATTENDED.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..Hook::default()
        });
        let id = eventually("the request has an id", LIMIT, || request(desktop));
        Self { agent, ticket, id }
    }

    fn command(desktop: &Desktop) -> Self {
        Self::new(desktop, "Bash", &json!({"command": "make"}))
    }

    /// How its hook ended.
    fn outcome(&mut self) -> Outcome {
        self.agent.outcome(self.ticket, LIMIT).expect("the hook ends")
    }

    fn waits(&mut self) -> bool {
        !self.agent.has_ended(self.ticket, std::time::Duration::ZERO)
    }
}

/// The id of what the one session waits for, once it can be answered here.
fn request(desktop: &Desktop) -> Option<String> {
    let table: Value = serde_json::from_str(&desktop.status(&["--json"]).stdout).unwrap();
    table[0]["waiting"][0]["request"].as_str().map(str::to_owned)
}

/// Whether it failed with one sentence that says this, and printed nothing else.
fn refused(outcome: &Outcome, says: &str) -> bool {
    let is_sentence = outcome.stderr.lines().count() == 1 && outcome.stderr.contains(says);
    outcome.status == Some(1) && outcome.stdout.is_empty() && is_sentence
}

/// The log's lines, once there are as many as are expected, each with what is expected of it.
fn logged(desktop: &Desktop, expected: &[Value]) -> Vec<Value> {
    let path = desktop.home.state_folder().join("dasbo/decisions.jsonl");
    let read = || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let lines: Vec<Value> =
            text.split_terminator('\n').filter_map(|line| serde_json::from_str(line).ok()).collect();
        (lines.len() == expected.len()).then_some(lines)
    };
    let lines = eventually("the log has its lines", LIMIT, read);
    for (line, expected) in lines.iter().zip(expected) {
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&line[key], value, "{key} of {line}");
        }
    }
    lines
}

#[test]
fn allow_is_what_the_hook_prints() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let mut asking = Asking::command(&desktop);
    let table = desktop.status(&[]).stdout;
    assert!(table.trim_end().ends_with(&format!("  {}", asking.id)), "{table}");
    let answered = desktop.answer(&[&asking.id, "allow"]);
    assert!(answered.printed(""), "{answered:?}");
    let outcome = asking.outcome();
    assert!(outcome.printed(ALLOW), "{outcome:?}");
    assert_eq!(request(&desktop), None);

    let expected = json!({
        "agent": "claude", "session": "one", "project": null, "kind": "approval", "tool": "Bash",
        "detail": "make", "answer": "allow", "with": [], "scope": null, "from": "command-line",
    });
    logged(&desktop, &[expected]);

    let again = desktop.answer(&[&asking.id, "deny"]);
    assert!(refused(&again, "No such request is open"), "{again:?}");
}

#[test]
fn deny_tells_the_agent_the_note() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let mut asking = Asking::command(&desktop);
    let note = "Use „cargo“,\n\"not\" make";
    assert!(desktop.answer(&[&asking.id, "deny", "--note", note]).printed(""));
    let outcome = asking.outcome();
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let decision = &printed["hookSpecificOutput"]["decision"];
    assert_eq!(decision["behavior"], "deny");
    assert!(decision["message"].as_str().unwrap().contains(note), "{outcome:?}");
    assert_eq!(decision.get("interrupt"), None, "the agent goes on");
    let [line] = &logged(&desktop, &[json!({"answer": "deny", "with": [note]})])[..] else { panic!() };
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!(unix.abs_diff(line["when"].as_u64().unwrap()) <= 10, "{line}");
    assert!(line["waited"].as_u64().unwrap() <= 10, "{line}");
}

#[test]
fn what_is_not_open_is_not_answered() {
    let desktop = Desktop::new();
    let absent = desktop.answer(&["1f", "allow"]);
    assert!(refused(&absent, "Dasbo is not running"), "{absent:?}");
    assert!(!desktop.has_started_something());

    let _panel = desktop.panel();
    let mut asking = Asking::command(&desktop);
    let unknown = desktop.answer(&["1f", "allow"]);
    assert!(refused(&unknown, "No such request is open"), "{unknown:?}");
    for wrong in [&[&*asking.id][..], &[&asking.id, "yes"], &["no-id", "allow"]] {
        let outcome = desktop.answer(wrong);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
    }
    assert!(asking.waits());
}

#[test]
fn a_plan_is_not_answered_blindly() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let mut asking = Asking::new(&desktop, "ExitPlanMode", &json!({"plan": "1. Build it"}));
    let table = desktop.status(&[]).stdout;
    assert!(!table.contains(&asking.id), "{table}");
    for decision in ["allow", "deny"] {
        let outcome = desktop.answer(&[&asking.id, decision]);
        assert!(refused(&outcome, "It is not an approval"), "{outcome:?}");
    }
    assert!(asking.waits());
}

/// Two answers at once: one goes to the agent, and who gave the other is told that it did not.
#[test]
fn it_is_answered_once() {
    let desktop = Desktop::new();
    let _panel = desktop.panel();
    let mut asking = Asking::command(&desktop);
    let (allowed, denied) = std::thread::scope(|scope| {
        let allow = scope.spawn(|| desktop.answer(&[&asking.id, "allow"]));
        let deny = desktop.answer(&[&asking.id, "deny"]);
        (allow.join().unwrap(), deny)
    });
    let (well, other) = if allowed.status == Some(0) { (&allowed, &denied) } else { (&denied, &allowed) };
    assert!(well.printed(""), "{allowed:?} {denied:?}");
    let (open, decided) = (refused(other, "No such request is open"), refused(other, "answered already"));
    assert!(open || decided, "{other:?}");
    let allows = asking.outcome().stdout == ALLOW;
    assert_eq!(allows, allowed.status == Some(0));
    logged(&desktop, &[json!({"answer": if allows { "allow" } else { "deny" }})]);
}
