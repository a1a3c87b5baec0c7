// SPDX-License-Identifier: GPL-3.0-or-later
//! What is played. A scenario's name says what happens; each file name of the fixtures is one of these.

mod course;
mod interruptions;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::actor::Actor;
use crate::claude::Session;
use crate::model_server::{Scripts, Step};

/// A gate that is never opened.
const NEVER: &str = "never";

#[derive(Debug)]
pub(super) struct Scenario {
    pub name: &'static str,
    /// Of the command that opens the agent.
    pub arguments: &'static [&'static str],
    /// Bash needs a person's leave.
    pub asks: bool,
    /// The mode stands in the settings: then 2.1.332 begins with an offer to change it.
    pub offers_auto_mode: bool,
    /// The hooks are not there when the agent starts.
    pub late_hooks: bool,
    /// The one version that can play it; any, if there is none.
    version: Option<&'static str>,
}

const fn scenario(name: &'static str) -> Scenario {
    Scenario { name, arguments: ASK, asks: false, offers_auto_mode: false, late_hooks: false, version: None }
}

const fn asking(name: &'static str) -> Scenario {
    Scenario { asks: true, ..scenario(name) }
}

const fn started_with(name: &'static str, arguments: &'static [&'static str]) -> Scenario {
    Scenario { arguments, ..scenario(name) }
}

const ASK: &[&str] = &["--permission-mode", "default"];
const PLAN: &[&str] = &["--permission-mode", "plan"];

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("esc-while-bash-runs"),
    scenario("ctrl-c-while-bash-runs"),
    scenario("esc-while-text-streams"),
    scenario("ctrl-c-while-text-streams"),
    scenario("esc-before-the-first-byte"),
    scenario("ctrl-c-before-the-first-byte"),
    scenario("esc-while-thinking-streams"),
    scenario("ctrl-c-while-thinking-streams"),
    asking("esc-at-a-permission-prompt"),
    asking("ctrl-c-at-a-permission-prompt"),
    asking("no-at-a-permission-prompt"),
    scenario("esc-at-a-question"),
    scenario("ctrl-c-at-a-question"),
    started_with("esc-at-a-plan", PLAN),
    started_with("ctrl-c-at-a-plan", PLAN),
    scenario("esc-while-a-subagent-works"),
    scenario("ctrl-c-while-a-subagent-works"),
    scenario("esc-while-compacting"),
    scenario("ctrl-c-while-compacting"),
    scenario("two-prompts-after-esc"),
    scenario("esc-with-a-prompt-queued"),
    scenario("esc-while-text-streams-with-a-prompt-queued"),
    scenario("esc-before-the-first-byte-with-a-prompt-queued"),
    asking("yes-in-the-terminal-then-a-long-run"),
    scenario("background-shell-outlives-stop"),
    scenario("esc-while-a-background-shell-runs"),
    scenario("background-subagent-outlives-stop"),
    scenario("rename"),
    scenario("clear-while-named"),
    scenario("compact-then-prompt"),
    Scenario { version: Some("2.1.220"), ..scenario("compact-refused") },
    scenario("resume-inside"),
    Scenario { late_hooks: true, ..asking("begun-before-the-hooks") },
    started_with("p-run-with-bash", &["-p", "SCN:bash Please wait."]),
    scenario("api-error-then-prompt"),
    scenario("bang-command"),
    scenario("exit-after-a-prompt"),
    scenario("sigkill-while-bash-runs"),
    scenario("prompt-queued-while-bash-runs"),
    scenario("prompt-queued-while-text-streams"),
    Scenario {
        offers_auto_mode: true,
        version: Some("2.1.332"),
        ..started_with("dialog-open-at-the-start", &[])
    },
    Scenario {
        version: Some("2.1.332"),
        ..started_with("auto-mode-with-bash", &["--permission-mode", "auto"])
    },
];

impl Scenario {
    pub fn is_for(&self, version: &str) -> bool {
        self.version.is_none_or(|only| only == version)
    }

    pub async fn play(&self, actor: &mut Actor) -> Result<()> {
        let interrupts = ["esc-", "ctrl-c-", "no-"];
        if interrupts.iter().any(|key| self.name.starts_with(key)) {
            return interruptions::play(self.name, actor).await;
        }
        course::play(self.name, actor).await
    }
}

pub(super) fn scripts() -> Scripts {
    let long = "All work and no play makes a long answer.\n\n".repeat(12);
    let stuck = |step: Step| step.stuck_at(NEVER, 12, 8);
    Scripts::default()
        .with("plain", [Step::text("All is well.")])
        .with("bash", [bash(false), Step::text("It went well.")])
        .with("touch", [touch(), Step::text("It went well.")])
        .with("text", [stuck(Step::text(&long))])
        .with("held", [Step::text(&long).stuck_at("held", 12, 8)])
        .with("silent", [Step::text("Never said.").silent_until(NEVER)])
        .with("thinking", [stuck(Step::text("Never said.").after_thinking(&long))])
        .with("question", [question(), Step::text("As you like.")])
        .with("plan", [Step::tool("ExitPlanMode", json!({"plan": "Do it well."})), Step::text("Done.")])
        .with("agent", [agent(), Step::text("It works on that.")])
        .with("agent-and-text", [agent(), stuck(Step::text(&long))])
        .with("sub", [bash(false), Step::text("The subagent is done.")])
        .with("shell", [bash(true), Step::text("It runs on.")])
        .with("shell-and-text", [bash(true), stuck(Step::text(&long))])
        .with("error", [Step::error(400, "invalid_request_error", "the scripted service refuses this")])
        .with_summary(Step::text("A summary.").silent_until("summary"))
}

fn bash(in_background: bool) -> Step {
    let mut input = json!({"command": Session::waiting_command(false), "description": "Wait for the go"});
    if in_background {
        input["run_in_background"] = Value::Bool(true);
    }
    Step::tool("Bash", input)
}

/// What changes a file needs leave.
fn touch() -> Step {
    let command = format!("touch note && {}", Session::waiting_command(false));
    Step::tool("Bash", json!({"command": command, "description": "Wait for the go"}))
}

fn agent() -> Step {
    let input = json!({"description": "Wait for the go", "prompt": "SCN:sub Please wait.", "subagent_type": "general-purpose"});
    Step::tool("Agent", input)
}

fn question() -> Step {
    let option = |label: &str| json!({"label": label, "description": format!("Take {label}")});
    let options = [option("Postgres"), option("SQLite")];
    let question = json!({"question": "Which database?", "header": "Database", "options": options, "multiSelect": false});
    Step::tool("AskUserQuestion", json!({"questions": [question]}))
}

fn unknown(name: &str) -> Result<()> {
    bail!("nobody knows how to play {name}")
}
