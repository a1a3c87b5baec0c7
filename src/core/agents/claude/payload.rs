// SPDX-License-Identifier: GPL-3.0-or-later
//! What Claude Code writes to a hook's standard input: one JSON object, its keys depending on the event.

use serde::Deserialize;

use crate::agents::lenient::{items, name, part, text};
use crate::agents::tool_input::ToolInput;

/// The keys that Dasbo reads. Any of them may be absent; others are passed over unread.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    #[serde(deserialize_with = "name")]
    pub session_id: Option<String>,
    #[serde(deserialize_with = "name")]
    pub transcript_path: Option<String>,
    #[serde(deserialize_with = "text")]
    pub hook_event_name: Option<String>,
    #[serde(deserialize_with = "name")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "name")]
    pub prompt_id: Option<String>,
    #[serde(deserialize_with = "text")]
    pub permission_mode: Option<String>,
    #[serde(deserialize_with = "name")]
    pub agent_id: Option<String>,
    #[serde(deserialize_with = "text")]
    pub session_title: Option<String>,
    #[serde(deserialize_with = "name")]
    pub model: Option<String>,
    #[serde(deserialize_with = "text")]
    pub source: Option<String>,
    #[serde(deserialize_with = "text")]
    pub reason: Option<String>,
    #[serde(deserialize_with = "text")]
    pub trigger: Option<String>,
    #[serde(deserialize_with = "text")]
    pub prompt: Option<String>,
    #[serde(deserialize_with = "text")]
    pub tool_name: Option<String>,
    pub tool_input: ToolInput,
    #[serde(deserialize_with = "name")]
    pub tool_use_id: Option<String>,
    #[serde(deserialize_with = "items")]
    pub tool_calls: Option<Vec<ToolCall>>,
    #[serde(deserialize_with = "text")]
    pub notification_type: Option<String>,
    #[serde(deserialize_with = "text")]
    pub last_assistant_message: Option<String>,
    #[serde(deserialize_with = "items")]
    pub background_tasks: Option<Vec<BackgroundTask>>,
    #[serde(deserialize_with = "text")]
    pub error: Option<String>,
    #[serde(deserialize_with = "text")]
    pub error_details: Option<String>,
    #[serde(deserialize_with = "name")]
    pub mcp_server_name: Option<String>,
    #[serde(deserialize_with = "name")]
    pub task_id: Option<String>,
    #[serde(deserialize_with = "text")]
    pub task_subject: Option<String>,
    #[serde(deserialize_with = "name")]
    pub new_cwd: Option<String>,
}

/// An entry of `PostToolBatch`'s list.
#[derive(Debug, Deserialize)]
pub(super) struct ToolCall {
    #[serde(default, rename = "tool_name", deserialize_with = "text")]
    pub name: Option<String>,
    #[serde(default, rename = "tool_input")]
    pub input: ToolInput,
    #[serde(default, rename = "tool_use_id", deserialize_with = "name")]
    pub id: Option<String>,
}

/// An entry of `Stop`'s list of background work.
#[derive(Debug, Deserialize)]
pub(super) struct BackgroundTask {
    #[serde(default, deserialize_with = "name")]
    pub id: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "name")]
    pub kind: Option<String>,
    #[serde(default, deserialize_with = "name")]
    pub status: Option<String>,
}

/// What the service says of an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    #[serde(deserialize_with = "part")]
    pub error: Option<ServiceError>,
}

/// The part of it that is for people.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServiceError {
    #[serde(deserialize_with = "text")]
    pub message: Option<String>,
}
