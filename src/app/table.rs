// SPDX-License-Identifier: GPL-3.0-or-later
//! The table of sessions as scripts read it: `dasbo status --json`, and what the D-Bus interface hands out.

use std::borrow::Cow;

use dasbo_core::event::{PermissionMode, Tool, WaitKind};
use dasbo_core::moment::Moment;
use dasbo_core::session::{Session, State};
use serde::{Deserialize, Serialize};

use crate::{clock, words};

/// One session. Keys are only ever added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The agent's id.
    pub agent: Cow<'static, str>,
    /// The session's own id.
    pub session: String,
    /// The project's name.
    pub project: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// The branch the project is on.
    pub branch: Option<String>,
    /// The permission mode, in the agent's word, if it is not the default.
    pub mode: Option<String>,
    /// `idle`, `thinking`, `tool`, `error` or `interrupted`.
    pub state: Cow<'static, str>,
    /// The tool that runs.
    pub tool: Option<ToolLine>,
    /// What is known of the error.
    pub detail: Option<String>,
    /// What the person is asked for, oldest first.
    pub waiting: Vec<WaitLine>,
    /// Whether the conversation is being compacted.
    pub compacting: bool,
    /// Subagents that run.
    pub helpers: usize,
    /// Other background work.
    pub background: usize,
    /// The task list, counted.
    pub tasks: Option<TaskLine>,
    /// The state in words, as the panel shows it.
    pub words: String,
    /// How long it works or waits, or since when it rests, as the panel shows it.
    pub time: String,
    /// In this state since (seconds, Unix time).
    pub since: i64,
    /// The session's start (seconds, Unix time).
    pub started: i64,
    /// The folder the agent works in.
    pub cwd: Option<String>,
    /// The agent's process.
    pub pid: Option<u32>,
    /// The model's id.
    pub model: Option<String>,
    /// The person's last prompt.
    pub last_prompt: Option<String>,
    /// The agent's last words.
    pub last_answer: Option<String>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolLine {
    /// Its name.
    pub name: String,
    /// What it works on.
    pub detail: String,
}

/// Something the person is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitLine {
    /// `approval`, `question`, `plan`, `form` or `input`.
    pub kind: Cow<'static, str>,
    /// The tool it is about.
    pub tool: Option<String>,
    /// Its id, while it can be answered here.
    pub request: Option<String>,
}

/// The task list, counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskLine {
    /// Tasks done.
    pub done: usize,
    /// Of all.
    pub total: usize,
}

/// The table, in the order of the panel's rows.
pub fn lines<'a>(sessions: impl Iterator<Item = &'a Session>, now: Moment) -> Vec<Line> {
    let mut sessions: Vec<&Session> = sessions.collect();
    sessions.sort_by(|one, other| one.order(other));
    sessions.into_iter().map(|session| Line::new(session, now)).collect()
}

impl Line {
    fn new(session: &Session, now: Moment) -> Self {
        let wait = |wait: &dasbo_core::session::Wait| WaitLine {
            kind: kind(wait.kind).into(),
            tool: wait.call.as_ref().map(|call| call.tool.name.clone()),
            request: wait.held.map(|held| held.id.to_string()),
        };
        Self {
            agent: session.key.agent.0.into(),
            session: session.key.id.to_string(),
            project: session.project_name().map(str::to_owned),
            title: session.title.clone(),
            branch: session.branch.clone(),
            mode: mode(session.mode).map(str::to_owned),
            state: state(&session.state).into(),
            tool: tool(&session.state),
            detail: if let State::Error(detail) = &session.state { detail.clone() } else { None },
            waiting: session.waits.iter().map(wait).collect(),
            compacting: session.compacting,
            helpers: session.helpers.len(),
            background: session.background,
            tasks: session.task_count().map(|(done, total)| TaskLine { done, total }),
            words: words::state(session, now),
            time: words::time(session, now),
            since: unix_time(session.since),
            started: unix_time(session.started),
            cwd: session.cwd.clone(),
            pid: session.process.map(|process| process.id.pid),
            model: session.model.clone(),
            last_prompt: session.last_prompt.clone(),
            last_answer: session.last_answer.clone(),
        }
    }
}

/// A moment in seconds of Unix time.
pub fn unix_time(moment: Moment) -> i64 {
    clock::wall().unix_seconds(moment).try_into().unwrap_or(0)
}

fn tool(state: &State) -> Option<ToolLine> {
    let State::Tool(Tool { name, detail }) = state else { return None };
    Some(ToolLine { name: name.clone(), detail: detail.clone() })
}

fn state(state: &State) -> &'static str {
    match state {
        State::Idle => "idle",
        State::Thinking => "thinking",
        State::Tool(_) => "tool",
        State::Error(_) => "error",
        State::Interrupted => "interrupted",
    }
}

/// The word for what is asked.
pub fn kind(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Approval => "approval",
        WaitKind::Question => "question",
        WaitKind::Plan => "plan",
        WaitKind::Form => "form",
        WaitKind::Input => "input",
    }
}

fn mode(mode: PermissionMode) -> Option<&'static str> {
    (mode != PermissionMode::Default).then(|| mode_word(mode))
}

/// The agent's word for a mode.
pub fn mode_word(mode: PermissionMode) -> &'static str {
    match mode {
        PermissionMode::Default => "default",
        PermissionMode::Plan => "plan",
        PermissionMode::AcceptEdits => "acceptEdits",
        PermissionMode::BypassPermissions => "bypassPermissions",
        PermissionMode::Auto => "auto",
        PermissionMode::DontAsk => "dontAsk",
    }
}
