// SPDX-License-Identifier: GPL-3.0-or-later
//! A step as the Messages API says it: one JSON message, or a stream of server-sent events.

use serde_json::{Map, Value, json};

use super::script::{Block, Pace, Step};

/// Stands in an input for the path of the plan's file.
pub const PLAN_FILE: &str = "{{plan-file}}";

/// One server-sent event: its name and its data.
pub(super) type Event = (&'static str, Value);

/// An answer, ready to be sent whole or in pieces.
#[derive(Debug)]
pub(super) struct Answer {
    message: Value,
    blocks: Vec<Value>,
    verdicts: Option<Value>,
}

impl Answer {
    /// `number` makes the ids unique among the answers of one server.
    pub fn new(step: &Step, request: &Value, number: usize) -> Self {
        let blocks: Vec<Value> = step
            .blocks
            .iter()
            .enumerate()
            .map(|(index, block)| with_plan_file(content(block, number, index), request))
            .collect();
        let default_reason =
            if blocks.iter().any(|block| block["type"] == "tool_use") { "tool_use" } else { "end_turn" };
        let message = json!({
            "id": format!("msg_{number:024}"),
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": blocks,
            "stop_reason": step.stop_reason.as_deref().unwrap_or(default_reason),
            "stop_sequence": null,
            "usage": usage(step.usage.as_ref()),
        });
        let verdicts = request.get("safeguards").map(|_| verdicts(&step.blocks, &blocks));
        Self { message, blocks, verdicts }
    }

    pub fn whole(&self) -> &Value {
        &self.message
    }

    /// What a stream says before the first word.
    pub fn opening(&self) -> Event {
        let mut message = self.message.clone();
        message["content"] = json!([]);
        message["stop_reason"] = Value::Null;
        message["usage"]["output_tokens"] = json!(1);
        ("message_start", json!({"type": "message_start", "message": message}))
    }

    /// The blocks, in pieces, and the end.
    pub fn rest(&self, pace: Option<Pace>) -> Vec<Event> {
        let characters = pace.map_or(usize::MAX, |pace| pace.characters);
        let mut events: Vec<Event> = self
            .blocks
            .iter()
            .enumerate()
            .flat_map(|(index, block)| streamed(index, block, characters))
            .collect();
        let mut delta = json!({"stop_reason": self.message["stop_reason"], "stop_sequence": null});
        if let Some(verdicts) = &self.verdicts {
            delta["safeguard_results"] = verdicts.clone();
        }
        let usage = &self.message["usage"];
        events.push(("message_delta", json!({"type": "message_delta", "delta": delta, "usage": usage})));
        events.push(("message_stop", json!({"type": "message_stop"})));
        events
    }
}

/// How the API reports a failure.
pub(super) fn failure(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

fn content(block: &Block, number: usize, index: usize) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Thinking(thought) => {
            json!({"type": "thinking", "thinking": thought, "signature": format!("signature{number}")})
        }
        Block::ToolUse { name, input, .. } => {
            json!({"type": "tool_use", "id": format!("toolu_{number:020}{index:04}"), "name": name, "input": input})
        }
    }
}

/// Claude Code says in a request where the plan is to be written.
fn with_plan_file(block: Value, request: &Value) -> Value {
    let text = block.to_string();
    if !text.contains(PLAN_FILE) {
        return block;
    }
    let path = plan_file(&request.to_string()).unwrap_or_default();
    serde_json::from_str(&text.replace(PLAN_FILE, &path)).unwrap_or(block)
}

fn plan_file(request: &str) -> Option<String> {
    let at = request.find("/.claude/plans/")?;
    let is_end = |c: char| c.is_whitespace() || "\"'`\\".contains(c);
    let begin = request[..at].rfind(is_end).map_or(0, |end| end + 1);
    let end = at + request[at..].find(".md")? + ".md".len();
    Some(request[begin..end].to_owned())
}

fn usage(own: Option<&Value>) -> Value {
    let mut usage = json!({
        "input_tokens": 1200,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 5000,
        "output_tokens": 42,
        "service_tier": "standard",
    });
    if let (Some(usage), Some(own)) = (usage.as_object_mut(), own.and_then(Value::as_object)) {
        usage.extend(own.clone());
    }
    usage
}

/// Auto mode asks the service to judge each tool call.
fn verdicts(script: &[Block], blocks: &[Value]) -> Value {
    let verdicts: Map<String, Value> =
        script.iter().zip(blocks).filter_map(|(said, block)| verdict(said, block)).collect();
    json!([{"type": "dangerous_tool_use", "status": {"type": "available", "tool_uses": verdicts}}])
}

fn verdict(said: &Block, block: &Value) -> Option<(String, Value)> {
    let Block::ToolUse { flagged, .. } = said else {
        return None;
    };
    let verdict = match flagged {
        None => json!({"type": "evaluated", "outcome": "not_flagged"}),
        Some(why) => json!({"type": "evaluated", "outcome": "flagged", "explanation": why}),
    };
    Some((block["id"].as_str()?.to_owned(), verdict))
}

/// One block in pieces: a start with nothing in it, deltas, for a thought its signature, a stop.
fn streamed(index: usize, block: &Value, characters: usize) -> Vec<Event> {
    let (empty, key, kind, full) = match block["type"].as_str() {
        Some("text") => (json!({"type": "text", "text": ""}), "text", "text_delta", text_of(&block["text"])),
        Some("thinking") => {
            let empty = json!({"type": "thinking", "thinking": "", "signature": ""});
            (empty, "thinking", "thinking_delta", text_of(&block["thinking"]))
        }
        _ => {
            let empty = json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
            (empty, "partial_json", "input_json_delta", block["input"].to_string())
        }
    };
    let mut events = vec![(
        "content_block_start",
        json!({"type": "content_block_start", "index": index, "content_block": empty}),
    )];
    events.extend(
        pieces(&full, characters).into_iter().map(|piece| delta(index, &json!({"type": kind, key: piece}))),
    );
    if block["type"] == "thinking" {
        events.push(delta(index, &json!({"type": "signature_delta", "signature": block["signature"]})));
    }
    events.push(("content_block_stop", json!({"type": "content_block_stop", "index": index})));
    events
}

fn delta(index: usize, delta: &Value) -> Event {
    ("content_block_delta", json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn pieces(text: &str, characters: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(characters).map(|piece| piece.iter().collect()).collect()
}
