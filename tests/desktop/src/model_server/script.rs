// SPDX-License-Identifier: GPL-3.0-or-later
//! What the model shall say: scripts, and which step of which script a request is at.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

/// Marks the script's name in a prompt.
const MARK: &str = "SCN:";

/// Scripts by name.
#[derive(Debug, Default)]
pub struct Scripts {
    steps: HashMap<String, Vec<Step>>,
    summary: Option<Step>,
}

/// One answer of the model, or the failures that come before it.
#[derive(Debug, Clone, Default)]
pub struct Step {
    pub(super) blocks: Vec<Block>,
    pub(super) failure: Option<Failure>,
    pub(super) gate: Option<String>,
    /// Nothing at all is sent before this gate is open.
    pub(super) silent: Option<String>,
    /// So many events of the answer come before the gate.
    pub(super) before_gate: usize,
    pub(super) delay: Duration,
    pub(super) pace: Option<Pace>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Option<Value>,
}

#[derive(Debug, Clone)]
pub(super) enum Block {
    Text(String),
    Thinking(String),
    ToolUse { name: String, input: Value, flagged: Option<String> },
}

#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub status: u16,
    pub kind: String,
    pub message: String,
    pub times: usize,
}

/// So many characters in each piece of a stream, and a pause after each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub characters: usize,
    pub gap: Duration,
}

/// Where a conversation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub script: String,
    /// How many answers the model has given since the prompt that named the script.
    pub step: usize,
}

impl Scripts {
    #[must_use]
    pub fn with(mut self, name: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.insert(name.to_owned(), steps.into_iter().collect());
        self
    }

    /// What is answered when a conversation is to be compacted.
    #[must_use]
    pub fn with_summary(mut self, step: Step) -> Self {
        self.summary = Some(step);
        self
    }

    pub(super) fn summary(&self) -> Option<&Step> {
        self.summary.as_ref()
    }

    pub(super) fn step(&self, place: &Place) -> Option<&Step> {
        self.steps.get(&place.script)?.get(place.step)
    }
}

impl Step {
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::default().and(Block::Text(text.to_owned()))
    }

    #[must_use]
    pub fn tool(name: &str, input: Value) -> Self {
        Self::default().and(Block::ToolUse { name: name.to_owned(), input, flagged: None })
    }

    /// A tool call that the service calls dangerous when it is asked to judge (auto mode).
    #[must_use]
    pub fn flagged_tool(name: &str, input: Value, why: &str) -> Self {
        Self::default().and(Block::ToolUse { name: name.to_owned(), input, flagged: Some(why.to_owned()) })
    }

    /// The service fails every time.
    #[must_use]
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        Self::default().failing(usize::MAX, status, kind, message)
    }

    /// The service fails so many times, then gives this answer.
    #[must_use]
    pub fn failing(mut self, times: usize, status: u16, kind: &str, message: &str) -> Self {
        self.failure = Some(Failure { status, kind: kind.to_owned(), message: message.to_owned(), times });
        self
    }

    /// Thinks first.
    #[must_use]
    pub fn after_thinking(mut self, thought: &str) -> Self {
        self.blocks.insert(0, Block::Thinking(thought.to_owned()));
        self
    }

    #[must_use]
    pub fn and_text(self, text: &str) -> Self {
        self.and(Block::Text(text.to_owned()))
    }

    #[must_use]
    pub fn and_tool(self, name: &str, input: Value) -> Self {
        self.and(Block::ToolUse { name: name.to_owned(), input, flagged: None })
    }

    /// The stream begins, then says nothing until `ModelServer::open_gate` names this gate.
    #[must_use]
    pub fn held_at(mut self, gate: &str) -> Self {
        self.gate = Some(gate.to_owned());
        self
    }

    /// Not a byte comes before `ModelServer::open_gate` names this gate.
    #[must_use]
    pub fn silent_until(mut self, gate: &str) -> Self {
        self.silent = Some(gate.to_owned());
        self
    }

    /// The answer comes in pieces of so few characters; after so many pieces it stops at this gate.
    #[must_use]
    pub fn stuck_at(mut self, gate: &str, characters: usize, pieces: usize) -> Self {
        self.before_gate = pieces + 1; // a block's start is an event too
        self.held_at(gate).slow(characters, Duration::ZERO)
    }

    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Streams a few characters at a time, with a pause after each.
    #[must_use]
    pub fn slow(mut self, characters: usize, gap: Duration) -> Self {
        self.pace = Some(Pace { characters: characters.max(1), gap });
        self
    }

    #[must_use]
    pub fn stop_reason(mut self, reason: &str) -> Self {
        self.stop_reason = Some(reason.to_owned());
        self
    }

    /// Replaces keys of the usage that is reported.
    #[must_use]
    pub fn usage(mut self, usage: Value) -> Self {
        self.usage = Some(usage);
        self
    }

    fn and(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }
}

/// Where the conversation in a request stands: the last prompt that names a script decides.
pub(super) fn place(body: &Value) -> Option<Place> {
    let messages = body.get("messages")?.as_array()?;
    let (at, script) =
        messages.iter().enumerate().rev().filter(|(_, message)| message["role"] == "user").find_map(
            |(at, message)| script_name(&text(&message["content"])).map(|name| (at, name.to_owned())),
        )?;
    let step = messages.iter().skip(at).filter(|message| message["role"] == "assistant").count();
    Some(Place { script, step })
}

/// Whether the last thing said in a request is to sum the conversation up.
pub(super) fn asks_for_summary(body: &Value) -> bool {
    let last = body["messages"].as_array().and_then(|messages| messages.last());
    last.is_some_and(|message| text(&message["content"]).contains("detailed summary"))
}

/// A message's content is a string, or a list of blocks; only its text counts, not what a tool gave back.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn script_name(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once(MARK)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len());
    rest.get(..end).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Place, place};

    fn at(script: &str, step: usize) -> Place {
        Place { script: script.to_owned(), step }
    }

    #[test]
    fn counts_answers_since_the_prompt_that_names_the_script() {
        let body = json!({"messages": [
            {"role": "user", "content": "SCN:first hello"},
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": [{"type": "text", "text": "Please SCN:second."}]},
            {"role": "assistant", "content": [{"type": "tool_use"}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "SCN:third"}]},
        ]});
        assert_eq!(place(&body), Some(at("second", 1)));
    }

    #[test]
    fn a_request_that_names_no_script_has_no_place() {
        assert_eq!(place(&json!({"messages": [{"role": "user", "content": "hello SCN:"}]})), None);
        assert_eq!(place(&json!({})), None);
    }
}
