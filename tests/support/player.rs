// SPDX-License-Identifier: GPL-3.0-or-later
//! Plays a recording through the real helper.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use dasbo_core::wire::Mode;

use crate::agent::{FakeAgent, Hook, Ticket};
use crate::recording::{RecordedHook, Recording};
use crate::wait::LIMIT;

/// The agent whose recordings are played.
const AGENT: &str = "claude";

/// The events that Dasbo installs, all but those that it answers. Others that a recording has are not played.
const TOLD: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "ElicitationResult",
    "TaskCreated",
    "TaskCompleted",
    "CwdChanged",
];

/// The events that it answers.
const ASKED: &[&str] = &["PermissionRequest", "Elicitation"];

/// How long a question gets to reach the panel before the recording goes on: an agent does not wait for its answer.
const ASK_LEAD: Duration = Duration::from_millis(200);

/// How fast a recording is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// Without pauses.
    AtOnce,
    /// In recorded time, times this.
    Times(f64),
}

/// How a recording is told from the next that is played beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Role {
    /// The name of its project's folder, instead of the recorded one.
    pub project: Option<String>,
    /// Makes its session ids its own, where it is given.
    pub number: Option<u16>,
    /// Hooks played, instead of all.
    pub until: Option<usize>,
}

/// Plays one recording, with a fake agent of its own. When it is dropped, its agent ends.
#[derive(Debug)]
pub struct Player {
    agent: FakeAgent,
    hooks: Vec<(Duration, Hook)>,
    asked: Vec<Ticket>,
}

impl Player {
    /// Makes ready to play `recording` through `helper`. `command` makes the command that runs a program.
    pub fn new(
        helper: &Path,
        recording: &Recording,
        role: &Role,
        command: impl FnOnce(&Path) -> Command,
    ) -> Self {
        let agent = FakeAgent::start(AGENT, command);
        let changes = changes(recording, role);
        let hooks = recording
            .hooks()
            .filter_map(|(at, hook)| {
                let at = Duration::try_from_secs_f64(at.unwrap_or(0.0)).unwrap_or_default();
                Some((at, adapt(helper, hook, &changes, agent.pid())?))
            })
            .take(role.until.unwrap_or(usize::MAX))
            .collect();
        Self { agent, hooks, asked: Vec::new() }
    }

    /// The pid of its agent.
    pub fn pid(&self) -> u32 {
        self.agent.pid()
    }

    /// How many hooks it plays.
    pub fn len(&self) -> usize {
        self.hooks.len()
    }

    /// Whether it plays none.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Plays it to its end, each hook after the one before. Panics when a hook prints on standard error or fails.
    pub fn play(&mut self, pace: Pace) {
        let begun = Instant::now();
        for (at, hook) in std::mem::take(&mut self.hooks) {
            if let Pace::Times(factor) = pace {
                std::thread::sleep(at.mul_f64(factor).saturating_sub(begun.elapsed()));
            }
            self.play_one(hook);
        }
    }

    /// Plays the next hook, if there is one. Panics as `play` does.
    pub fn step(&mut self) {
        if !self.hooks.is_empty() {
            let (_, hook) = self.hooks.remove(0);
            self.play_one(hook);
        }
    }

    /// The tickets of the hooks that ask, in their order: they may still wait.
    pub fn asked(&self) -> &[Ticket] {
        &self.asked
    }

    /// Its agent.
    pub fn agent(&mut self) -> &mut FakeAgent {
        &mut self.agent
    }

    fn play_one(&mut self, hook: Hook) {
        let asks = hook.command.contains(" ask ");
        let command = hook.command.clone();
        let ticket = self.agent.begin(hook);
        if asks {
            self.asked.push(ticket);
            self.agent.has_ended(ticket, ASK_LEAD);
            return;
        }
        let outcome = self.agent.outcome(ticket, LIMIT);
        let good = outcome.as_ref().is_some_and(|outcome| outcome.printed(""));
        assert!(good, "{command}: {outcome:?}");
    }
}

/// Texts that are replaced in payloads and variables.
type Changes = Vec<(String, String)>;

fn changes(recording: &Recording, role: &Role) -> Changes {
    let folder = |(_, hook): (_, &RecordedHook)| hook.env.get("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let project = recording.hooks().find_map(folder).zip(role.project.as_ref());
    let project = project.map(|(old, name)| {
        let new = old.with_file_name(name);
        (old.display().to_string(), new.display().to_string())
    });
    let mut sessions: Vec<&str> =
        recording.hooks().filter_map(|(_, hook)| hook.payload.get("session_id")?.as_str()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let own = |(session, number): (&str, u16)| (session.to_owned(), own_session(session, number));
    let numbered = sessions.into_iter().filter_map(|session| Some((session, role.number?)));
    numbered.map(own).chain(project).collect()
}

/// A UUID stays one: its last four digits tell the number.
fn own_session(session: &str, number: u16) -> String {
    let kept = session.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    format!("{}{number:04x}", &session[..kept])
}

/// The hook as it is run here. `None` for one that Dasbo does not install.
fn adapt(helper: &Path, recorded: &RecordedHook, changes: &Changes, pid: u32) -> Option<Hook> {
    let event = recorded.event.as_str();
    let mode = if ASKED.contains(&event) {
        Mode::Ask
    } else if TOLD.contains(&event) {
        Mode::Notify
    } else {
        return None;
    };
    let change = |text: String| {
        let replace = |text: String, (old, new): &(String, String)| text.replace(old, new);
        changes.iter().fold(text, replace)
    };
    let mut env: std::collections::BTreeMap<_, _> =
        recorded.env.iter().map(|(name, value)| (name.clone(), change(value.clone()))).collect();
    if let Some(value) = env.get_mut("CLAUDE_PID") {
        *value = pid.to_string();
    }
    let helper = helper.display().to_string().replace('\'', r"'\''");
    Some(Hook {
        command: format!("exec '{helper}' {AGENT} {} {event}", mode.as_str()),
        payload: change(recorded.payload.to_string()) + "\n",
        leave_stdin_open: false,
        env,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDING: &str = r#"{"at":0.0,"event":"SessionStart","payload":{"session_id":"aaaaaaaa-0000-4000-8000-00000000abcd","cwd":"/home/user/project"},"env":{"CLAUDE_PID":"7","CLAUDE_PROJECT_DIR":"/home/user/project"}}
{"at":0.1,"event":"statusLine","payload":{"session_id":"aaaaaaaa-0000-4000-8000-00000000abcd"},"env":{}}
{"at":0.2,"event":"PermissionRequest","payload":{"session_id":"aaaaaaaa-0000-4000-8000-00000000abcd","cwd":"/home/user/project/sub"},"env":{}}
"#;

    fn adapted(role: &Role) -> Vec<Hook> {
        let recording = Recording::parse(RECORDING).unwrap();
        let changes = changes(&recording, role);
        let adapt = |(_, hook)| adapt(Path::new("/it's/hook"), hook, &changes, 42);
        recording.hooks().filter_map(adapt).collect()
    }

    #[test]
    fn plays_what_is_installed_for_the_agent_that_runs() {
        let hooks = adapted(&Role::default());
        let commands: Vec<&str> = hooks.iter().map(|hook| hook.command.as_str()).collect();
        assert_eq!(
            commands,
            [
                r"exec '/it'\''s/hook' claude notify SessionStart",
                r"exec '/it'\''s/hook' claude ask PermissionRequest"
            ]
        );
        assert_eq!(hooks[0].env["CLAUDE_PID"], "42");
        assert_eq!(hooks[0].env["CLAUDE_PROJECT_DIR"], "/home/user/project");
    }

    #[test]
    fn a_role_has_its_own_project_and_sessions() {
        let hooks = adapted(&Role { project: Some("shop".into()), number: Some(2), until: None });
        assert_eq!(hooks[0].env["CLAUDE_PROJECT_DIR"], "/home/user/shop");
        let payload: serde_json::Value = serde_json::from_str(&hooks[1].payload).unwrap();
        assert_eq!(payload["cwd"], "/home/user/shop/sub");
        assert_eq!(payload["session_id"], "aaaaaaaa-0000-4000-8000-000000000002");
    }
}
