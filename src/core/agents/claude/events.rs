// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code's hook events in Dasbo's words.

use std::sync::Arc;

use super::ID;
use super::payload::{BackgroundTask, ErrorBody, Payload, ToolCall};
use super::{requests, tasks};
use crate::agents::NotUnderstood;
use crate::agents::lenient::{line, object, paragraph};
use crate::agents::process::{self, Whose};
use crate::agents::tool_input::ToolInput;
use crate::event::{
    About, Actor, Asks, Background, Beginning, Call, CompactTrigger, Ending, Event, Outcome, PermissionMode,
    SessionId, SessionKey, Source, Tool, WaitKind, What,
};
use crate::request::{Prompt, Request};
use crate::wire::{self, Frame, Header};

/// Names of Claude Code's process.
const PROCESS_NAMES: &[&str] = &["claude"];

pub(super) fn event(frame: &Frame) -> Result<Option<Event>, NotUnderstood> {
    let wire::Payload::Json(bytes) = &frame.payload else {
        return Err(NotUnderstood::NoPayload);
    };
    let payload: Payload = object(bytes)?;
    let header = &frame.header;
    let name = payload.hook_event_name.as_deref().unwrap_or(&header.event);
    let Some(what) = what(name, &payload, frame) else {
        return Ok(None);
    };
    let tasks = tasks::change(name, &payload, bytes);
    let id = payload.session_id.as_deref().and_then(SessionId::new).ok_or(NotUnderstood::NoSession)?;
    let process = match process::resolve(header, hint(header, "CLAUDE_PID"), PROCESS_NAMES) {
        Whose::Of(process) => Some(process),
        Whose::Unknown => None,
        Whose::Gone => return Ok(None),
    };
    Ok(Some(Event {
        session: SessionKey { agent: ID, id },
        at: header.at,
        actor: actor(&payload),
        source: Source::Hook,
        process,
        about: About { tasks, ..about(payload, header) },
        what,
    }))
}

fn actor(payload: &Payload) -> Actor {
    let id = payload.agent_id.as_ref().filter(|id| !id.is_empty());
    id.map_or(Actor::Main, |id| Actor::Subagent(id.clone()))
}

fn about(payload: Payload, header: &Header) -> About {
    About {
        tasks: None,
        cwd: payload.new_cwd.or(payload.cwd),
        // `cwd` follows `cd`; the project does not.
        project: header.hints.get("CLAUDE_PROJECT_DIR").cloned(),
        mode: payload.permission_mode.as_deref().and_then(mode),
        turn: payload.prompt_id,
        title: payload.session_title.map(|title| line(&title)).filter(|title| !title.is_empty()),
        model: payload.model,
        attended: attended(header),
        transcript: payload.transcript_path,
        ..About::default()
    }
}

fn hint<'a>(header: &'a Header, name: &str) -> Option<&'a str> {
    header.hints.get(name).map(String::as_str)
}

/// 2.1.220 says only how it was started.
fn attended(header: &Header) -> Option<bool> {
    let said = hint(header, "CLAUDE_CODE_SESSION_ATTENDED").map(|value| value != "0");
    let cli = hint(header, "CLAUDE_CODE_ENTRYPOINT").map(|value| value == "cli");
    said.into_iter().chain(cli).reduce(|one, other| one && other)
}

pub(super) fn mode(word: &str) -> Option<PermissionMode> {
    Some(match word {
        "default" => PermissionMode::Default,
        "plan" => PermissionMode::Plan,
        "acceptEdits" => PermissionMode::AcceptEdits,
        "bypassPermissions" => PermissionMode::BypassPermissions,
        "auto" => PermissionMode::Auto,
        "dontAsk" => PermissionMode::DontAsk,
        _ => return None,
    })
}

/// What happened. `None`: an event that changes nothing, or one that is not known.
fn what(name: &str, payload: &Payload, frame: &Frame) -> Option<What> {
    match name {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => tool_event(name, payload),
        "PostToolBatch" => batch_ended(payload),
        "PermissionRequest" | "Elicitation" => requested(name, payload, frame),
        _ => session_event(name, payload),
    }
}

fn session_event(name: &str, payload: &Payload) -> Option<What> {
    Some(match name {
        "SessionStart" => What::Began(beginning(payload)),
        "SessionEnd" => What::Ended(ending(payload)),
        "UserPromptSubmit" => What::Prompted(payload.prompt.as_deref().and_then(persons_prompt)),
        "Notification" => notification(payload)?,
        "ElicitationResult" => What::FormAnswered(payload.mcp_server_name.clone()),
        "Stop" => turn_ended(payload),
        "StopFailure" => What::TurnFailed(error_detail(payload)),
        "PreCompact" => What::CompactBegan,
        "PostCompact" => What::CompactEnded(compact_trigger(payload)),
        "SubagentStart" => What::HelperBegan,
        "SubagentStop" => What::HelperEnded,
        "CwdChanged" | "TaskCreated" | "TaskCompleted" => What::Seen,
        _ => return None,
    })
}

fn beginning(payload: &Payload) -> Beginning {
    match payload.source.as_deref() {
        Some("resume") => Beginning::Resume,
        Some("clear") => Beginning::Clear,
        Some("fork") => Beginning::Fork,
        Some("compact") => Beginning::Compact,
        _ => Beginning::Startup,
    }
}

fn ending(payload: &Payload) -> Ending {
    match payload.reason.as_deref() {
        Some("clear" | "resume") => Ending::Replaced,
        _ => Ending::Gone,
    }
}

fn compact_trigger(payload: &Payload) -> CompactTrigger {
    match payload.trigger.as_deref() {
        Some("auto") => CompactTrigger::Auto,
        _ => CompactTrigger::Manual,
    }
}

/// Background work reports back as a prompt that no person wrote (10b, 10g).
fn persons_prompt(prompt: &str) -> Option<String> {
    let machine_made = prompt.trim_start().starts_with("<task-notification>");
    (!machine_made).then(|| paragraph(prompt))
}

fn notification(payload: &Payload) -> Option<What> {
    match payload.notification_type.as_deref()? {
        "permission_prompt" | "elicitation_dialog" | "agent_needs_input" => Some(What::NeedsInput),
        "idle_prompt" => Some(What::IdlePrompt),
        "elicitation_response" => Some(What::FormAnswerNoted),
        _ => None,
    }
}

fn turn_ended(payload: &Payload) -> What {
    What::TurnEnded {
        answer: payload.last_assistant_message.as_deref().map(paragraph),
        background: payload.background_tasks.as_deref().map(background),
    }
}

fn background(tasks: &[BackgroundTask]) -> Background {
    let running = || tasks.iter().filter(|task| task.status.as_deref() == Some("running"));
    let is_subagent = |task: &&BackgroundTask| task.kind.as_deref() == Some("subagent");
    Background {
        subagents: running().filter(is_subagent).filter_map(|task| task.id.clone()).collect(),
        others: running().filter(|task| !is_subagent(task)).count(),
    }
}

/// What is known of an API error: details, else the last message, else the kind in words.
fn error_detail(payload: &Payload) -> Option<String> {
    let details = payload.error_details.as_deref().map(message_of_details);
    let message = payload.last_assistant_message.clone();
    let kind = payload.error.as_deref().filter(|kind| *kind != "unknown").map(|kind| kind.replace('_', " "));
    [details, message, kind].into_iter().flatten().map(|text| line(&text)).find(|text| !text.is_empty())
}

/// Of `400 {"error":{"message":…}}` only the message.
fn message_of_details(details: &str) -> String {
    let json = details.find('{').and_then(|at| details.get(at..));
    let body = json.and_then(|json| object::<ErrorBody>(json.as_bytes()).ok());
    let message = body.and_then(|body| body.error).and_then(|error| error.message);
    message.unwrap_or_else(|| details.to_owned())
}

fn tool_event(name: &str, payload: &Payload) -> Option<What> {
    let call = call(payload)?;
    Some(match name {
        "PreToolUse" => What::ToolBegan(call, asked(payload)),
        "PostToolUseFailure" => What::ToolEnded(call, Outcome::Failed),
        "PermissionDenied" => What::ToolEnded(call, Outcome::Denied(payload.reason.as_deref().map(line))),
        _ => What::ToolEnded(call, Outcome::Done),
    })
}

fn call(payload: &Payload) -> Option<Call> {
    let name = payload.tool_name.as_ref()?;
    Some(call_of(name, &payload.tool_input, payload.tool_use_id.as_ref()))
}

fn call_of(name: &str, input: &ToolInput, id: Option<&String>) -> Call {
    let tool = Tool { name: line(name), detail: input.detail.clone() };
    Call { id: id.cloned(), tool, input: input.fingerprint }
}

/// Tools that are themselves a question to the person.
fn asked(payload: &Payload) -> Option<WaitKind> {
    match payload.tool_name.as_deref()? {
        "AskUserQuestion" => Some(WaitKind::Question),
        "ExitPlanMode" => Some(WaitKind::Plan),
        _ => None,
    }
}

fn batch_ended(payload: &Payload) -> Option<What> {
    let of = |call: &ToolCall| Some(call_of(call.name.as_deref()?, &call.input, call.id.as_ref()));
    payload.tool_calls.as_ref().map(|calls| What::BatchEnded(calls.iter().filter_map(of).collect()))
}

fn requested(name: &str, payload: &Payload, frame: &Frame) -> Option<What> {
    let (kind, asks) = match name {
        "Elicitation" => (WaitKind::Form, Asks::During(payload.mcp_server_name.clone().unwrap_or_default())),
        _ => (asked(payload).unwrap_or(WaitKind::Approval), Asks::ForCall(call(payload)?)),
    };
    let wire::Payload::Json(json) = &frame.payload else { return None };
    let (content, input) = requests::content(kind, json);
    let prompt = prompt(name, payload, &frame.header);
    Some(What::Requested(Arc::new(Request { asks, content, prompt, input }), None))
}

/// A background subagent's dialog waits for the hook, and which subagents run in the background nobody says. Of forms
/// it is not known.
fn prompt(name: &str, payload: &Payload, header: &Header) -> Prompt {
    match attended(header) {
        Some(true) if name != "Elicitation" && actor(payload) == Actor::Main => Prompt::Beside,
        Some(false) => Prompt::Nowhere,
        _ => Prompt::HeldBack,
    }
}
