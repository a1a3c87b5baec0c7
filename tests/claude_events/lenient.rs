// SPDX-License-Identifier: GPL-3.0-or-later
//! Payloads that are not as expected.

use dasbo_core::agents::{self, NotUnderstood};
use dasbo_core::event::{TaskChange, TaskState, What};
use dasbo_core::wire::{Frame, Payload};
use serde_json::json;

use crate::{event, event_of, header, told, what};

#[test]
fn what_is_not_known_is_passed_over() {
    for name in [
        "UserPromptExpansion",
        "MessageDisplay",
        "InstructionsLoaded",
        "ConfigChange",
        "TeammateIdle",
        "Setup",
        "PreModelSwitch",
        "WorktreeCreate",
        "NewIn30",
        "",
        "stop",
    ] {
        assert_eq!(event_of(name, json!({"prompt": "x", "tool_name": "Bash"})), None, "{name}");
    }
    let keys = json!({"new_key": {"deep": [1, {"a": null}]}, "": 1, "effort": {"level": "high"}});
    assert_eq!(event("Stop", keys), event("Stop", json!({})));
}

#[test]
fn a_field_of_another_type_is_as_good_as_absent() {
    for wrong in [json!(7), json!(null), json!(["x"]), json!({"a": "b"}), json!(true)] {
        for (name, key) in [
            ("Stop", "last_assistant_message"),
            ("Stop", "cwd"),
            ("Stop", "prompt_id"),
            ("Stop", "permission_mode"),
            ("Stop", "agent_id"),
            ("Stop", "session_title"),
            ("SessionStart", "source"),
            ("SessionStart", "model"),
            ("SessionEnd", "reason"),
            ("UserPromptSubmit", "prompt"),
            ("PostCompact", "trigger"),
            ("Elicitation", "mcp_server_name"),
            ("TaskCreated", "task_id"),
            ("CwdChanged", "new_cwd"),
        ] {
            let damaged = event(name, json!({key: wrong}));
            assert_eq!(damaged, event(name, json!({})), "{name}: {key} = {wrong}");
        }
    }
    assert_eq!(event("Stop", json!({"background_tasks": {}})), event("Stop", json!({})));
}

/// One entry of a list that is not as expected costs only what cannot be read of it.
#[test]
fn lists_are_read_as_far_as_they_can_be() {
    let calls = json!({"tool_calls": [
        7,
        {"tool_input": {}},
        {"tool_name": "Bash", "tool_use_id": 5},
        {"tool_name": "Read", "tool_use_id": "t", "tool_input": "text"},
    ]});
    let What::BatchEnded(calls) = what("PostToolBatch", calls) else { panic!("no batch") };
    let calls: Vec<_> = calls.iter().map(|call| (call.tool.name.as_str(), call.id.as_deref())).collect();
    assert_eq!(calls, [("Bash", None), ("Read", Some("t"))]);

    let tasks = json!({"background_tasks": [
        "x",
        {"id": "a", "type": "subagent", "status": "running"},
        {"id": "b", "type": "shell", "status": "running"},
        {"id": 3, "type": "shell", "status": "running"},
        {"id": "c", "type": "shell", "status": "completed"},
    ]});
    let What::TurnEnded { background: Some(background), .. } = what("Stop", tasks) else { panic!("no list") };
    assert_eq!((background.subagents, background.others), (vec!["a".to_owned()], 2));

    let todos = json!({"tool_name": "TodoWrite", "tool_input": {"todos": [
        {"content": "one", "status": "completed"},
        {"content": 2},
        {"content": "three", "status": 3},
    ]}});
    let all = vec![("one".to_owned(), TaskState::Completed), ("three".to_owned(), TaskState::Pending)];
    assert_eq!(event("PostToolUse", todos).about.tasks, Some(TaskChange::All(all)));
}

#[test]
fn without_a_session_there_is_no_event() {
    for id in ["\"\"", "7", "null", "[\"s\"]", "{}"] {
        let payload = format!(r#"{{"hook_event_name":"Stop","session_id":{id}}}"#);
        let told = told(header("Stop"), payload.as_bytes());
        assert!(matches!(told, Err(NotUnderstood::NoSession)), "{id}: {told:?}");
    }
}

#[test]
fn only_an_object_is_a_payload() {
    for payload in [r#"["s","Stop"]"#, r#" [["s"],"Stop"]"#, "\"s\"", "7", "null", "true", "", " "] {
        assert!(told(header("Stop"), payload.as_bytes()).is_err(), "{payload}");
    }
    for payload in [Payload::Omitted, Payload::Raw(br#"{"session_id":"s"}"#.to_vec())] {
        let told = agents::event(&Frame { header: header("Stop"), payload });
        assert!(matches!(told, Err(NotUnderstood::NoPayload)), "{told:?}");
    }
}

/// JavaScript cuts texts between the halves of a character, and writes the half as it is: `"\ud83d"`.
#[test]
fn half_a_character_does_not_cost_the_event() {
    let of = |text: &str| {
        let payload =
            format!(r#"{{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"{text}"}}"#);
        match told(header("Stop"), payload.as_bytes()).unwrap().unwrap().what {
            What::TurnEnded { answer, .. } => answer.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    for (text, expected) in [
        (r"cut \ud83d", "cut \u{fffd}"),
        (r"\uDE00 cut", "\u{fffd} cut"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}"),
        (r"\ud83d\n", "\u{fffd}"),
        (r"\ud83dx\\ud83d", "\u{fffd}x\\ud83d"),
        (r"\\\ud83d", "\\\u{fffd}"),
        (r"\ud83d\ude00", "\u{1f600}"),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
    let failed =
        r#"{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"Bash","error":"\ud83d"}"#;
    assert!(told(header("PostToolUseFailure"), failed.as_bytes()).unwrap().is_some());
    for broken in
        [r#"{"session_id":"\ud83"#, r#"{"session_id":"\u"#, r#"{"session_id":"\ud83d"#, r#"{"a":"\uzzzz"}"#]
    {
        assert!(told(header("Stop"), broken.as_bytes()).is_err(), "{broken}");
    }
}

/// The command line names the event too.
#[test]
fn a_payload_without_its_events_name_is_the_hooks_event() {
    let payload = br#"{"session_id":"s","task_id":"1","task_subject":"x"}"#;
    let event = told(header("TaskCreated"), payload).unwrap().unwrap();
    assert_eq!(event.what, What::Seen);
    assert_eq!(event.about.tasks, Some(TaskChange::Added { id: "1".into(), subject: "x".into() }));
}

/// An event is kept, and many of them stand in a queue: it must not be as large as its payload.
#[test]
fn very_long_texts_are_cut() {
    let long = "long ".repeat(200_000);
    for (name, key) in [
        ("UserPromptSubmit", "prompt"),
        ("Stop", "last_assistant_message"),
        ("StopFailure", "error_details"),
        ("StopFailure", "error"),
        ("PermissionDenied", "reason"),
        ("PreToolUse", "tool_name"),
        ("TaskCreated", "task_subject"),
        ("TaskCreated", "task_id"),
        ("Stop", "session_title"),
        ("Stop", "cwd"),
        ("CwdChanged", "new_cwd"),
        ("Stop", "prompt_id"),
        ("Stop", "model"),
        ("Stop", "agent_id"),
        ("PreToolUse", "tool_use_id"),
        ("Elicitation", "mcp_server_name"),
    ] {
        let mut keys = json!({"tool_name": "Bash", "task_id": "1"});
        keys[key] = json!(long);
        let size = format!("{:?}", event(name, keys)).len();
        assert!(size < 16 << 10, "{name} with a long {key}: {size}");
    }
    let input = json!({"tool_name": "Bash", "tool_input": {"command": long}});
    assert!(format!("{:?}", event("PreToolUse", input)).len() < 16 << 10);
    let long_id = json!({"hook_event_name": "Stop", "session_id": long}).to_string();
    assert!(told(header("Stop"), long_id.as_bytes()).is_err(), "no session has such an id");
}
