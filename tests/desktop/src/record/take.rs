// SPDX-License-Identifier: GPL-3.0-or-later
//! Plays scenarios, each with a home and a model server of its own, and keeps what was recorded.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::actor::{Actor, PROJECT};
use super::files::{Tape, Watch};
use super::finish::{Names, finish};
use super::scenarios::{SCENARIOS, Scenario, scripts};
use crate::claude::Home;
use crate::model_server::ModelServer;

/// The events that Dasbo installs.
const EVENTS: [&str; 21] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Elicitation",
    "ElicitationResult",
    "TaskCreated",
    "TaskCompleted",
    "CwdChanged",
];

/// Records the scenarios of these names, or all, into `folder`; true when every one was played to its end.
pub async fn record(program: &Path, version: &str, folder: &Path, wanted: &[String]) -> Result<bool> {
    let is_wanted = |one: &&Scenario| {
        wanted.is_empty() && one.is_for(version) || wanted.iter().any(|name| name == one.name)
    };
    let scenarios: Vec<&Scenario> = SCENARIOS.iter().filter(is_wanted).collect();
    ensure!(scenarios.len() >= wanted.len().max(1), "no such scenario");
    let mut all_well = true;
    for scenario in scenarios {
        let outcome = one(scenario, program, version, folder).await;
        all_well &= outcome.is_ok();
        match outcome {
            Ok(()) => println!("recorded  {}", scenario.name),
            Err(error) => println!("FAILED    {}: {error:#}", scenario.name),
        }
    }
    Ok(all_well)
}

async fn one(scenario: &Scenario, program: &Path, version: &str, folder: &Path) -> Result<()> {
    let home = Home::new(version, &[PROJECT])?;
    let recorder = recorder()?;
    let names = Names::new(&home, program, &recorder);
    let raw = home.runtime().join("recording");
    let tape = Tape::new(OpenOptions::new().append(true).create(true).open(&raw)?);
    let connected = settings(scenario, Some(&hooks(&recorder, &raw)));
    let first = if scenario.late_hooks { settings(scenario, None) } else { connected.clone() };
    fs::write(home.settings_file(), first.to_string())?;
    let model = ModelServer::start(scripts()).await?;
    let watch = Watch::start(&home.path().join(".claude"), tape.clone());
    let mut actor = Actor::start(program, scenario.arguments, home, model, raw, tape, connected)?;
    let outcome = scenario.play(&mut actor).await;
    let outcome = outcome.with_context(|| {
        let raw = fs::read_to_string(&actor.raw).unwrap_or_default();
        let events: Vec<String> = raw.lines().map(|line| line.chars().take(160).collect()).collect();
        format!("{}\n{}", actor.session.terminal.screen(), events.join("\n"))
    });
    drop(watch);
    outcome?;
    let raw = fs::read_to_string(&actor.raw)?;
    finish(&raw, &actor.home, &names, folder, scenario.name)
}

fn recorder() -> Result<PathBuf> {
    let recorder = std::env::current_exe()?.with_file_name("dasbo-record");
    ensure!(recorder.exists(), "{} is not built", recorder.display());
    Ok(recorder)
}

fn settings(scenario: &Scenario, hooks: Option<&Value>) -> Value {
    let allow: &[&str] = if scenario.asks { &[] } else { &["Bash"] };
    let mut settings = json!({"permissions": {"allow": allow}});
    if scenario.offers_auto_mode {
        settings["permissions"]["defaultMode"] = json!("default");
    }
    if let Some(hooks) = hooks {
        settings["hooks"] = hooks.clone();
    }
    settings
}

fn hooks(recorder: &Path, raw: &Path) -> Value {
    let hook = |event: &str| {
        let command = format!("exec '{}' '{}' {event}", recorder.display(), raw.display());
        json!([{"hooks": [{"type": "command", "command": command}]}])
    };
    let hooks: Map<String, Value> = EVENTS.iter().map(|event| ((*event).to_owned(), hook(event))).collect();
    Value::Object(hooks)
}
