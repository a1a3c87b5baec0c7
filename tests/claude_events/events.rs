// SPDX-License-Identifier: GPL-3.0-or-later
//! What each event becomes.

use dasbo_core::event::{
    Actor, Asks, Beginning, CompactTrigger, Ending, Outcome, PermissionMode, TaskChange, TaskState, WaitKind,
    What,
};
use dasbo_core::process::Ancestor;
use dasbo_core::wire::Header;
use serde_json::{Value, json};

use crate::{ancestor, event, event_of, header, told, what};

#[test]
fn an_error_says_the_best_that_is_known() {
    let body =
        r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}"#;
    for (keys, expected) in [
        (json!({"error": "invalid_request", "error_details": body}), Some("prompt is too long")),
        (json!({"error_details": "400 {broken"}), Some("400 {broken")),
        (json!({"error_details": "400 {\"error\":{}}"}), Some("400 {\"error\":{}}")),
        (json!({"error_details": "plain", "last_assistant_message": "other"}), Some("plain")),
        (json!({"error_details": "", "last_assistant_message": "API Error: 500"}), Some("API Error: 500")),
        (json!({"error_details": {"a": 1}, "last_assistant_message": " said \n twice "}), Some("said twice")),
        (json!({"error": "rate_limit", "last_assistant_message": ""}), Some("rate limit")),
        (json!({"error": "authentication_failed"}), Some("authentication failed")),
        (json!({"error": "unknown", "last_assistant_message": "Bad key"}), Some("Bad key")),
        (json!({"error": "unknown"}), None),
        (json!({"error": ""}), None),
        (json!({"error": 500}), None),
        (json!({}), None),
    ] {
        let expected = What::TurnFailed(expected.map(str::to_owned));
        assert_eq!(what("StopFailure", keys.clone()), expected, "{keys}");
    }
}

#[test]
fn compacting_ends_as_its_trigger_says() {
    assert_eq!(what("PreCompact", json!({"trigger": "auto", "custom_instructions": ""})), What::CompactBegan);
    let ended = |trigger| what("PostCompact", json!({"trigger": trigger, "compact_summary": "x"}));
    assert_eq!(ended("auto"), What::CompactEnded(CompactTrigger::Auto));
    assert_eq!(ended("manual"), What::CompactEnded(CompactTrigger::Manual));
}

#[test]
fn notifications_tell_only_what_is_known_of_them() {
    let of = |kind: Value| event_of("Notification", json!({"message": "m", "notification_type": kind}));
    for kind in ["permission_prompt", "elicitation_dialog", "agent_needs_input"] {
        assert_eq!(of(json!(kind)).unwrap().what, What::NeedsInput, "{kind}");
    }
    assert_eq!(of(json!("idle_prompt")).unwrap().what, What::IdlePrompt);
    assert_eq!(of(json!("elicitation_response")).unwrap().what, What::FormAnswerNoted);
    for kind in [json!("auth_success"), json!("none"), json!(""), json!("new_in_3_0"), json!(null), json!(7)]
    {
        assert_eq!(of(kind.clone()), None, "{kind}");
    }
    assert_eq!(event_of("Notification", json!({})), None);
}

#[test]
fn an_empty_agent_id_is_the_session_itself() {
    assert_eq!(event("SubagentStop", json!({"agent_id": "", "agent_type": ""})).actor, Actor::Main);
    assert_eq!(event("Stop", json!({})).actor, Actor::Main);
    assert_eq!(
        event("PreToolUse", json!({"agent_id": "a1", "tool_name": "Bash"})).actor,
        Actor::Subagent("a1".into())
    );
}

#[test]
fn modes_are_known_or_not_told() {
    let mode = |word: &str| event("Stop", json!({"permission_mode": word})).about.mode;
    for (word, expected) in [
        ("default", PermissionMode::Default),
        ("plan", PermissionMode::Plan),
        ("acceptEdits", PermissionMode::AcceptEdits),
        ("bypassPermissions", PermissionMode::BypassPermissions),
        ("auto", PermissionMode::Auto),
        ("dontAsk", PermissionMode::DontAsk),
    ] {
        assert_eq!(mode(word), Some(expected), "{word}");
    }
    for word in ["", "Plan", "yolo"] {
        assert_eq!(mode(word), None, "{word}");
    }
}

#[test]
fn a_tool_is_told_by_its_name_and_the_best_of_its_input() {
    for (input, detail) in [
        (json!({"command": " ls \n -l ", "description": "lists"}), "ls -l"),
        (json!({"file_path": "/a", "path": "/b"}), "/a"),
        (json!({"path": "/b", "pattern": "x"}), "/b"),
        (json!({"pattern": "x", "url": "u"}), "x"),
        (json!({"url": "u", "description": "d"}), "u"),
        (json!({"description": "d", "prompt": "p"}), "d"),
        (json!({"command": ["ls"], "url": "u"}), "u"),
        (json!({"other": "x"}), ""),
        (json!("ls"), ""),
        (json!(["command"]), ""),
        (json!(null), ""),
        (json!(7), ""),
    ] {
        let keys = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": input});
        let What::ToolBegan(call, None) = what("PreToolUse", keys) else { panic!("{input}") };
        assert_eq!((call.tool.name.as_str(), call.tool.detail.as_str()), ("Bash", detail), "{input}");
        assert_eq!(call.id.as_deref(), Some("t"));
    }
    assert_eq!(
        event_of("PreToolUse", json!({"tool_input": {"command": "ls"}})),
        None,
        "a call without a tool"
    );
}

#[test]
fn calls_without_an_id_are_one_if_tool_and_input_are() {
    let call = |name: &str, input: &str| {
        let payload = format!(
            r#"{{"session_id":"s","hook_event_name":"{name}","tool_name":"Bash","tool_input":{input}}}"#
        );
        match told(header(name), payload.as_bytes()).unwrap().unwrap().what {
            What::ToolBegan(call, _) | What::ToolEnded(call, _) => call,
            other => panic!("{other:?}"),
        }
    };
    let began = call("PreToolUse", r#"{"command":"ls","timeout":1}"#);
    assert!(
        began.is_same(&call("PostToolUse", r#"{"timeout":1, "command":"l\u0073"}"#)),
        "order and spelling"
    );
    assert!(!began.is_same(&call("PostToolUse", r#"{"command":"ls","timeout":2}"#)));
    let beginning = "x".repeat(1_000);
    let long = |end: &str| call("PreToolUse", &format!(r#"{{"command":"{beginning}{end}"}}"#));
    assert!(!long("a").is_same(&long("b")), "what is shown of them is equal");
}

#[test]
fn tool_ends_and_questions() {
    let tool = |name| json!({"tool_name": name, "tool_input": {}, "reason": " too \n risky "});
    let outcome = |event| match what(event, tool("Bash")) {
        What::ToolEnded(_, outcome) => outcome,
        other => panic!("{other:?}"),
    };
    assert_eq!(outcome("PostToolUse"), Outcome::Done);
    assert_eq!(outcome("PostToolUseFailure"), Outcome::Failed);
    assert_eq!(outcome("PermissionDenied"), Outcome::Denied(Some("too risky".into())));
    for (name, kind) in [("AskUserQuestion", WaitKind::Question), ("ExitPlanMode", WaitKind::Plan)] {
        assert!(matches!(what("PreToolUse", tool(name)), What::ToolBegan(_, Some(asked)) if asked == kind));
        let What::Requested(request, None) = what("PermissionRequest", tool(name)) else { panic!("{name}") };
        assert_eq!(request.kind(), kind);
    }
    let What::Requested(request, None) = what("PermissionRequest", tool("Bash")) else {
        panic!("no request")
    };
    assert_eq!(request.kind(), WaitKind::Approval);
    assert!(matches!(&request.asks, Asks::ForCall(call) if call.tool.name == "Bash"));
    let What::Requested(form, None) = what("Elicitation", json!({"mcp_server_name": "who"})) else {
        panic!("no form")
    };
    assert_eq!((form.kind(), &form.asks), (WaitKind::Form, &Asks::During("who".into())));
    assert_eq!(what("ElicitationResult", json!({"action": "decline"})), What::FormAnswered(None));
}

#[test]
fn beginnings_and_ends() {
    for (source, expected) in [
        ("startup", Beginning::Startup),
        ("resume", Beginning::Resume),
        ("clear", Beginning::Clear),
        ("fork", Beginning::Fork),
        ("compact", Beginning::Compact),
        ("new in 3.0", Beginning::Startup),
    ] {
        assert_eq!(what("SessionStart", json!({"source": source})), What::Began(expected), "{source}");
    }
    for (reason, expected) in [
        ("clear", Ending::Replaced),
        ("resume", Ending::Replaced),
        ("prompt_input_exit", Ending::Gone),
        ("logout", Ending::Gone),
        ("other", Ending::Gone),
        ("", Ending::Gone),
    ] {
        assert_eq!(what("SessionEnd", json!({"reason": reason})), What::Ended(expected), "{reason}");
    }
    assert_eq!(what("SessionEnd", json!({})), What::Ended(Ending::Gone));
}

#[test]
fn a_prompt_that_no_person_wrote_is_not_theirs() {
    let prompted = |prompt: &str| what("UserPromptSubmit", json!({"prompt": prompt}));
    assert_eq!(prompted(" go on \n"), What::Prompted(Some("go on".into())));
    for machine_made in ["<task-notification>\n<task-id>a</task-id>", " \n<task-notification>"] {
        assert_eq!(prompted(machine_made), What::Prompted(None));
    }
    let quoted = "what is <task-notification>?";
    assert_eq!(prompted(quoted), What::Prompted(Some(quoted.into())));
}

#[test]
fn tasks_come_change_and_go() {
    let update = |input: Value| {
        event("PostToolUse", json!({"tool_name": "TaskUpdate", "tool_input": input})).about.tasks
    };
    let state = |state| Some(TaskChange::State { id: "1".into(), state });
    assert_eq!(update(json!({"taskId": "1", "status": "deleted"})), state(None));
    assert_eq!(update(json!({"taskId": "1", "status": "in_progress"})), state(Some(TaskState::InProgress)));
    assert_eq!(update(json!({"taskId": "1", "status": "pending"})), state(Some(TaskState::Pending)));
    for nothing in [
        json!({"taskId": "1", "status": "new in 3.0"}),
        json!({"taskId": "1", "subject": "other"}),
        json!({"status": "completed"}),
        json!({"taskId": 1, "status": "completed"}),
        json!("1"),
    ] {
        assert_eq!(update(nothing.clone()), None, "{nothing}");
    }
    assert_eq!(
        event("TaskCreated", json!({"task_id": "1", "task_subject": " do \n it "})).about.tasks,
        Some(TaskChange::Added { id: "1".into(), subject: "do it".into() })
    );
    assert_eq!(
        event("TaskCompleted", json!({"task_id": "1"})).about.tasks,
        state(Some(TaskState::Completed))
    );
}

#[test]
fn the_agents_own_word_for_its_process_counts_if_it_can_be_true() {
    let resolved = |hint: Option<&str>, chain: &[Ancestor]| {
        let hints = hint.map(|pid| ("CLAUDE_PID".to_owned(), pid.to_owned())).into_iter().collect();
        let header = Header { hints, chain: chain.to_vec(), ..header("Stop") };
        let event = told(header, br#"{"session_id":"s","hook_event_name":"Stop"}"#).unwrap().unwrap();
        event.process.map(|process| process.id.pid)
    };
    let plain = [ancestor(80, "sh", ""), ancestor(50, "claude", ""), ancestor(40, "bash", "")];
    let nested = [&plain[..], &[ancestor(30, "claude", ""), ancestor(20, "zsh", "")]].concat();
    assert_eq!(resolved(Some("50"), &plain), Some(50));
    assert_eq!(resolved(Some("30"), &nested), Some(30), "it is in the chain and has the name");
    assert_eq!(resolved(None, &nested), Some(50), "the nearest");
    for wrong in ["30", "40", "80", "0", "-1", "", "x", "99999999999"] {
        assert_eq!(resolved(Some(wrong), &plain), Some(50), "{wrong}");
    }
    // Another agent, started inside Claude: the hint is the outer one's, and here it would be right. See the next.
    let node = [ancestor(80, "sh", ""), ancestor(60, "node", "node /usr/bin/claude -p")];
    assert_eq!(resolved(Some("30"), &node), Some(60));
    assert_eq!(resolved(Some("60"), &node), Some(60));
    let other = [ancestor(80, "sh", ""), ancestor(60, "node", "node server.js"), ancestor(50, "claude", "")];
    assert_eq!(resolved(Some("60"), &other), None, "a name that is not its own");
    assert_eq!(resolved(Some("30"), &other), None, "never past an interpreter");
    assert_eq!(resolved(Some("30"), &[]), None);
}
