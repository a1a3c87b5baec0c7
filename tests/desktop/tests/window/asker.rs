// SPDX-License-Identifier: GPL-3.0-or-later
//! An agent that asks what the test says, through the real helper.

use anyhow::{Context, Result, ensure};
use dasbo_test_support::agent::{FakeAgent, Hook, Ticket};
use dasbo_test_support::helper;
use serde_json::{Value, json};

use crate::stage::{LIMIT, Stage};

/// An agent whose hooks ask.
pub struct Asker {
    pub agent: FakeAgent,
    /// Its project's folder. It need not be there.
    pub project: String,
    session: String,
}

impl Asker {
    /// An agent at work in a project of this name.
    pub fn start(stage: &Stage, project: &str) -> Self {
        let agent = FakeAgent::start("claude", |program| stage.home.command(program));
        let session = format!("00000000-0000-4000-8000-{:012x}", agent.pid());
        let project = stage.home.path().join(project).display().to_string();
        let mut asker = Self { agent, project, session };
        asker.tell("SessionStart", &[&json!({"source": "startup"})]);
        asker.tell("UserPromptSubmit", &[&json!({"prompt": "go"})]);
        asker
    }

    fn tell(&mut self, event: &str, keys: &[&Value]) {
        let outcome = self.agent.run(self.hook("notify", event, keys), LIMIT);
        assert!(outcome.printed(""), "{event}: {outcome:?}");
    }

    /// Asks for a tool call; the payload has these keys beside.
    pub fn ask(&mut self, tool: &str, input: &Value, keys: &Value) -> Ticket {
        let call = json!({"tool_name": tool, "tool_input": input});
        self.agent.begin(self.hook("ask", "PermissionRequest", &[&call, keys]))
    }

    /// What a helper prints in the end.
    pub fn printed(&mut self, ticket: Ticket) -> Result<String> {
        let outcome = self.agent.outcome(ticket, LIMIT).context("the helper waits on")?;
        ensure!(outcome.status == Some(0) && outcome.stderr.is_empty(), "{outcome:?}");
        Ok(outcome.stdout)
    }

    fn hook(&self, mode: &str, event: &str, keys: &[&Value]) -> Hook {
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": "/nonexistent",
            "cwd": self.project,
            "hook_event_name": event,
            "permission_mode": "default",
        });
        for (key, value) in keys.iter().filter_map(|keys| keys.as_object()).flatten() {
            payload[key] = value.clone();
        }
        let pid = self.agent.pid().to_string();
        let variables = [
            ("CLAUDE_PROJECT_DIR", self.project.as_str()),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("CLAUDE_PID", &pid),
        ];
        Hook {
            command: format!("exec '{}' claude {mode} {event}", helper::path().display()),
            payload: format!("{payload}\n"),
            leave_stdin_open: false,
            env: variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}
