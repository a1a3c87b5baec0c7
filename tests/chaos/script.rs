// SPDX-License-Identifier: GPL-3.0-or-later
//! What agents tell, and how a row must look after it.

use dasbo_test_support::agent::Hook;
use dasbo_test_support::helper;
use fastrand::Rng;
use serde_json::{Value, json};

/// Names what belongs to this run.
pub const MARK: &str = "DASBO_CHAOS";

/// The hook of an event, with the guard that agents' settings have around it.
pub fn hook(session: &str, event: &str, more: Value) -> Hook {
    let mut payload = json!({
        "session_id": session, "hook_event_name": event, "cwd": format!("/home/user/{session}"),
    });
    if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
        payload.extend(more);
    }
    let helper = helper::path();
    let helper = helper.display();
    Hook {
        command: format!("[ ! -x '{helper}' ] || exec '{helper}' claude notify {event}"),
        payload: payload.to_string(),
        leave_stdin_open: false,
        env: [(MARK.to_owned(), std::process::id().to_string())].into(),
    }
}

pub fn prompt(session: &str, text: &str) -> Hook {
    hook(session, "UserPromptSubmit", json!({ "prompt": text }))
}

pub fn tool(session: &str, command: &str) -> Hook {
    let input = json!({ "command": command });
    hook(session, "PreToolUse", json!({ "tool_name": "Bash", "tool_use_id": command, "tool_input": input }))
}

pub fn tool_end(session: &str, command: &str) -> Hook {
    let input = json!({ "command": command });
    hook(session, "PostToolUse", json!({ "tool_name": "Bash", "tool_use_id": command, "tool_input": input }))
}

pub fn stop(session: &str, answer: &str) -> Hook {
    hook(session, "Stop", json!({ "last_assistant_message": answer }))
}

/// How a session's last turn ended, or did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Thinking,
    Tool,
    Waiting,
    Idle,
    Failed,
    /// Esc: only the session's file tells.
    Interrupted,
}

impl End {
    pub fn any(random: &mut Rng) -> Self {
        use End::{Failed, Idle, Interrupted, Thinking, Tool, Waiting};
        [Thinking, Tool, Waiting, Idle, Failed, Interrupted][random.usize(..6)]
    }

    /// The hooks that tell it, in their order. `word` is in all that they say.
    pub fn hooks(self, session: &str, word: &str) -> Vec<Hook> {
        let prompt = prompt(session, word);
        match self {
            Self::Thinking | Self::Interrupted => vec![prompt],
            Self::Tool => vec![prompt, tool(session, word)],
            Self::Waiting => {
                let asks = json!({ "notification_type": "permission_prompt" });
                vec![prompt, tool(session, word), hook(session, "Notification", asks)]
            }
            Self::Idle => vec![prompt, stop(session, word)],
            Self::Failed => vec![prompt, hook(session, "StopFailure", json!({ "error_details": word }))],
        }
    }

    /// What the session's file says then.
    pub fn status(self) -> &'static str {
        match self {
            Self::Thinking | Self::Tool => "busy",
            Self::Waiting => "waiting",
            Self::Idle | Self::Failed | Self::Interrupted => "idle",
        }
    }

    /// Whether a line of the table shows it. Where no hook told it, the status is all there is.
    pub fn is_shown(self, line: &Value, hooked: bool, word: &str) -> bool {
        let waits = line["waiting"].as_array().map_or(0, Vec::len);
        let (state, waiting) = match self {
            Self::Thinking => ("thinking", 0),
            Self::Tool => (if hooked { "tool" } else { "thinking" }, 0),
            Self::Waiting => (if hooked { "tool" } else { "thinking" }, 1),
            Self::Idle => ("idle", 0),
            Self::Failed => (if hooked { "error" } else { "idle" }, 0),
            Self::Interrupted => (if hooked { "interrupted" } else { "idle" }, 0),
        };
        let told = match self {
            Self::Tool | Self::Waiting => &line["tool"]["detail"],
            Self::Failed => &line["detail"],
            Self::Idle => &line["last_answer"],
            Self::Thinking | Self::Interrupted => &line["last_prompt"],
        };
        line["state"] == state && waits == waiting && (!hooked || told == word)
    }
}
