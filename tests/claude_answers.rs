// SPDX-License-Identifier: GPL-3.0-or-later
//! What a hook prints to give Claude Code a person's decision. The expected bytes are those that were seen to work with
//! the real Claude Code: it discards an answer whole that has one invalid entry.

use std::collections::BTreeMap;
use std::sync::Arc;

use dasbo_core::agents;
use dasbo_core::event::What;
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::request::{Decision, Request};
use dasbo_core::wire::{Form, Frame, Header, Mode, Payload, VERSION};

#[path = "claude_answers/approvals.rs"]
mod approvals;
#[path = "claude_answers/echo.rs"]
mod echo;
#[path = "claude_answers/forms.rs"]
mod forms;
#[path = "claude_answers/plans.rs"]
mod plans;
#[path = "claude_answers/properties.rs"]
mod properties;
#[path = "claude_answers/questions.rs"]
mod questions;
#[path = "claude_answers/wrong.rs"]
mod wrong;

/// The request that an event with these keys, in JSON, makes.
fn request(event: &str, keys: &str) -> Arc<Request> {
    let payload = format!(r#"{{"session_id":"s","hook_event_name":"{event}",{keys}}}"#);
    let header = Header {
        version: VERSION,
        agent: "claude".into(),
        mode: Mode::Ask,
        event: event.into(),
        at: Moment::from_nanos(1),
        helper: ProcessId { pid: 90, start: 900 },
        again: false,
        chain: Vec::new(),
        pidfds: Vec::new(),
        hints: BTreeMap::new(),
        terminal: BTreeMap::new(),
        form: Form::Json,
        length: payload.len(),
    };
    let event = agents::event(&Frame { header, payload: Payload::Json(payload.clone().into_bytes()) });
    match event.unwrap().unwrap().what {
        What::Requested(request, _) => request,
        other => panic!("{payload} makes {other:?}"),
    }
}

/// A permission request for a tool's call, its input in JSON.
fn asked(tool: &str, input: &str) -> Arc<Request> {
    request("PermissionRequest", &format!(r#""tool_name":"{tool}","tool_input":{input}"#))
}

/// What is printed for a decision.
fn printed(request: &Request, decision: &Decision) -> Option<String> {
    let claude = agents::by_id("claude").unwrap();
    claude.answer(request, decision).map(|bytes| String::from_utf8(bytes).unwrap())
}

/// What is printed, with this decision in it.
#[expect(clippy::unnecessary_wraps, reason = "it is compared with what is printed")]
fn permission(decision: &str) -> Option<String> {
    let name = "PermissionRequest";
    Some(format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","decision":{decision}}}}}"#))
}
