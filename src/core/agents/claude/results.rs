// SPDX-License-Identifier: GPL-3.0-or-later
//! Whether a tool call has its result, by the transcript.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::agents::lenient::{items, line, name, object, part, text};
use crate::agents::tool_input::ToolInput;
use crate::event::{Asks, Call};
use crate::request::Request;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(deserialize_with = "part")]
    message: Option<Message>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    #[serde(deserialize_with = "items")]
    content: Option<Vec<Block>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block {
    #[serde(rename = "type", deserialize_with = "text")]
    kind: Option<String>,
    #[serde(deserialize_with = "name")]
    id: Option<String>,
    #[serde(deserialize_with = "text")]
    name: Option<String>,
    input: ToolInput,
    #[serde(deserialize_with = "name")]
    tool_use_id: Option<String>,
}

/// Whether the last call in these lines that a request can be about has its result.
pub(super) fn has_result(request: &Request, lines: &[Vec<u8>]) -> bool {
    let Asks::ForCall(call) = &request.asks else { return false };
    let mut last = None;
    let mut results = BTreeSet::new();
    for block in lines.iter().flat_map(|line| blocks(line)) {
        match block.kind.as_deref() {
            Some("tool_use") if is_of(&block, call) => last = block.id,
            Some("tool_result") => results.extend(block.tool_use_id),
            _ => {}
        }
    }
    last.is_some_and(|id| results.contains(&id))
}

fn blocks(bytes: &[u8]) -> Vec<Block> {
    let parsed = object::<Line>(bytes).ok();
    parsed.and_then(|line| line.message).and_then(|message| message.content).unwrap_or_default()
}

fn is_of(block: &Block, call: &Call) -> bool {
    let named = block.name.as_deref().is_some_and(|name| line(name) == call.tool.name);
    named && block.input.fingerprint == call.input
}
