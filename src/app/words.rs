// SPDX-License-Identifier: GPL-3.0-or-later
//! The sentences about a session: the same in rows, on the command line and for a screen reader.

mod bus;
mod cards;
mod decisions;
mod grants;
mod intake;
mod notifications;
mod requests;
mod time;
mod tokens;

use std::time::Duration;

use dasbo_core::agents::{self, Agent};
use dasbo_core::event::{AgentId, PermissionMode, TaskState, Tool, WaitKind};
use dasbo_core::moment::Moment;
use dasbo_core::session::{Group, NoteKind, Session, State, Wait};

use crate::i18n::{gettext, gettext_f, ngettext_f};

pub use bus::{not_answered, silence};
pub use cards::{
    approve, field_chosen, field_takes, field_title, form_heading, no_preview, plan, preview_of,
    question_hint, question_place, question_tab, shown, shown_name,
};
pub use decisions::{date_and_time, decision, decision_place, decision_texts};
pub use grants::{OfferedGrant, grants};
pub use intake::{failure, system, trouble};
pub use notifications::{notification_body, notification_title};
pub use requests::{allow_all, asked, folder, remaining, remark, request_heading, request_name, subject};
pub use time::{duration, rough_duration, running_time, time, wall_time};
pub use tokens::model;

/// What a row's words are about: of all that is true, what the person should know first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic<'a> {
    /// Nothing was heard for so long that the state may be old.
    NoNews(Duration),
    /// The person is asked for this, the first of so many things.
    Wait(&'a Wait, usize),
    /// Something that is shown for a moment.
    Note(&'a NoteKind),
    /// The conversation is being compacted.
    Compacting,
    /// The model works.
    Thinking,
    /// A tool runs.
    Tool(&'a Tool),
    /// The turn ended with an error; what is known of it.
    Error(Option<&'a str>),
    /// The person ended the turn.
    Interrupted,
    /// The turn ended, and other work goes on.
    Background,
    /// The turn ended just now.
    Finished,
    /// It waits for a prompt.
    Idle,
}

/// What to say of a session first.
pub fn topic(session: &Session, now: Moment) -> Topic<'_> {
    if let Some(silence) = session.no_news(now) {
        return Topic::NoNews(silence);
    }
    known_topic(session)
}

/// What to say of a session when its news are fresh.
fn known_topic(session: &Session) -> Topic<'_> {
    if let Some(wait) = session.waits.first() {
        return Topic::Wait(wait, session.waits.len());
    }
    if let Some(note) = session.note.as_ref().filter(|note| note.is_of_tool()) {
        return Topic::Note(&note.what);
    }
    if session.compacting {
        return Topic::Compacting;
    }
    match &session.state {
        State::Thinking => Topic::Thinking,
        State::Tool(tool) => Topic::Tool(tool),
        State::Error(detail) => Topic::Error(detail.as_deref()),
        State::Interrupted => Topic::Interrupted,
        State::Idle if session.works() => Topic::Background,
        State::Idle if session.finished_until.is_some() => Topic::Finished,
        State::Idle => Topic::Idle,
    }
}

/// A session's state in a few words: "Bash · cargo test", "Thinking… · 2 subagents".
pub fn state(session: &Session, now: Moment) -> String {
    parts(session, &topic(session, now)).join(" · ")
}

fn parts(session: &Session, topic: &Topic) -> Vec<String> {
    let mut parts = topic_parts(topic);
    if matches!(topic, Topic::NoNews(_)) {
        // What it last did is worth saying where it is more than a state that nobody can vouch for.
        let before = known_topic(session);
        if matches!(before, Topic::Wait(..) | Topic::Tool(_)) {
            parts.extend(topic_parts(&before));
        }
    }
    parts.extend(aside(session));
    parts.extend(helpers(session));
    parts
}

fn topic_parts(topic: &Topic) -> Vec<String> {
    let words = match topic {
        Topic::NoNews(silence) => no_news(*silence),
        Topic::Wait(wait, 1) => self::wait(wait),
        Topic::Wait(wait, count) => {
            let place = gettext_f("1 of {count}", &[("count", &count.to_string())]);
            return vec![self::wait(wait), place];
        }
        Topic::Note(note) => return self::note(note),
        Topic::Compacting => gettext("Compacting…"),
        Topic::Thinking => gettext("Thinking…"),
        Topic::Tool(tool) => return tool_parts(tool),
        Topic::Error(detail) => return error(*detail),
        Topic::Interrupted => gettext("Interrupted"),
        Topic::Background => gettext("Working in the background"),
        Topic::Finished => gettext("Finished"),
        Topic::Idle => gettext("Idle"),
    };
    vec![words]
}

/// "no news for 12 min", as the beginning of a sentence.
fn no_news(silence: Duration) -> String {
    match rough_duration(silence) {
        Some(time) => gettext_f("No news for {time}", &[("time", &time)]),
        None => gettext("No news"),
    }
}

/// "Bash · cargo test".
pub fn tool(tool: &Tool) -> String {
    tool_parts(tool).join(" · ")
}

fn tool_parts(tool: &Tool) -> Vec<String> {
    [&tool.name, &tool.detail].into_iter().filter(|part| !part.is_empty()).cloned().collect()
}

/// "API error", "server error".
fn error(detail: Option<&str>) -> Vec<String> {
    let rest = detail.map(|detail| without_prefix(detail, "API error")).filter(|rest| !rest.is_empty());
    std::iter::once(gettext("API error")).chain(rest.map(ToOwned::to_owned)).collect()
}

/// Some agents' own texts begin with the very words.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> &'a str {
    match text.split_at_checked(prefix.len()) {
        Some((begin, rest)) if begin.eq_ignore_ascii_case(prefix) => rest.trim_start_matches([':', ' ']),
        _ => text,
    }
}

/// What the person is asked for.
pub fn wait(wait: &Wait) -> String {
    match wait.kind {
        WaitKind::Approval => approval(wait.call.as_ref().map(|call| &call.tool)),
        WaitKind::Question => gettext("Asks a question"),
        WaitKind::Plan => gettext("Proposes a plan"),
        WaitKind::Form => gettext("Asks to fill in a form"),
        WaitKind::Input => gettext("Waits for you in its terminal"),
    }
}

fn approval(tool: Option<&Tool>) -> String {
    let Some(tool) = tool else {
        return gettext("Asks for your approval");
    };
    match (tool.name.as_str(), file_name(&tool.detail)) {
        ("Bash", _) => gettext("Wants to run a command"),
        ("Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "apply_patch", Some(file)) => {
            gettext_f("Wants to edit {file}", &[("file", file)])
        }
        ("Read", Some(file)) => gettext_f("Wants to read {file}", &[("file", file)]),
        (name, _) => gettext_f("Wants to use {tool}", &[("tool", name)]),
    }
}

fn file_name(path: &str) -> Option<&str> {
    path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty())
}

fn note(note: &NoteKind) -> Vec<String> {
    match note {
        NoteKind::ToolFailed(tool) => vec![gettext_f("{tool} failed", &[("tool", tool)])],
        NoteKind::ToolDenied(tool, reason) => {
            let denied = gettext_f("{tool} denied", &[("tool", tool)]);
            std::iter::once(denied).chain(reason.clone()).collect()
        }
        NoteKind::AnsweredElsewhere | NoteKind::AnsweredTooLate | NoteKind::NoLongerAsked => Vec::new(),
    }
}

/// How a request ended that nobody answered here, for a moment.
fn aside(session: &Session) -> Option<String> {
    match session.note.as_ref()?.what {
        NoteKind::AnsweredElsewhere => Some(gettext("answered in the terminal")),
        NoteKind::AnsweredTooLate => Some(gettext("answered in the terminal before you answered here")),
        NoteKind::NoLongerAsked => Some(gettext("no longer asked when you answered")),
        NoteKind::ToolFailed(_) | NoteKind::ToolDenied(..) => None,
    }
}

/// "2 subagents", while any run.
fn helpers(session: &Session) -> Option<String> {
    let count = session.helpers.len();
    let words = || ngettext_f("{n} subagent", "{n} subagents", count, &[("n", &count.to_string())]);
    (count > 0).then(words)
}

/// A whole sentence for a screen reader: "Claude Code, dasbo, waiting: Wants to run a command".
/// It has no running time in it, or it would be read again every second.
pub fn sentence(session: &Session, now: Moment) -> String {
    let topic = topic(session, now);
    let mut parts = vec![agent(session.key.agent).to_owned(), project(session)];
    let words = self::parts(session, &topic).join(", ");
    parts.push(match topic {
        Topic::Wait(..) => gettext_f("waiting: {request}", &[("request", &words)]),
        _ => words,
    });
    parts.extend(mode(session.mode).map(|mode| gettext_f("{mode} mode", &[("mode", &mode)])));
    parts.extend(tasks(session));
    parts.join(", ")
}

/// The project's name, or what to say without one.
pub fn project(session: &Session) -> String {
    session.project_name().map_or_else(unknown_project, ToOwned::to_owned)
}

/// What stands in the place of a project's name that is not known.
pub fn unknown_project() -> String {
    gettext("Unknown project")
}

/// "3 of 7 tasks done".
pub fn tasks(session: &Session) -> Option<String> {
    let (done, all) = session.task_count()?;
    let values: &[(&str, &str)] = &[("done", &done.to_string()), ("all", &all.to_string())];
    Some(ngettext_f("{done} of {all} task done", "{done} of {all} tasks done", all, values))
}

/// How far a task is.
pub fn task_state(state: TaskState) -> String {
    match state {
        TaskState::Pending => gettext("To do"),
        TaskState::InProgress => gettext("In progress"),
        TaskState::Completed => gettext("Done"),
    }
}

/// The badge of a mode that changes what the agent may do.
pub fn mode(mode: PermissionMode) -> Option<String> {
    match mode {
        PermissionMode::Default => None,
        PermissionMode::Plan => Some(gettext("plan")),
        PermissionMode::AcceptEdits => Some(gettext("accept edits")),
        PermissionMode::BypassPermissions => Some(gettext("bypass")),
        PermissionMode::Auto => Some(gettext("auto")),
        PermissionMode::DontAsk => Some(gettext("don’t ask")),
    }
}

/// What a mode means.
pub fn mode_meaning(mode: PermissionMode) -> String {
    match mode {
        PermissionMode::Default => gettext("It asks before it acts"),
        PermissionMode::Plan => gettext("It only reads and proposes a plan"),
        PermissionMode::AcceptEdits => gettext("It edits files without asking"),
        PermissionMode::BypassPermissions => gettext("It does everything without asking"),
        PermissionMode::Auto => gettext("A classifier decides what it may do without asking"),
        PermissionMode::DontAsk => gettext("What is not allowed beforehand is denied without asking"),
    }
}

/// The name of a group.
pub fn group(group: Group) -> String {
    match group {
        Group::Waiting => gettext("Waiting for you"),
        Group::Working => gettext("Working"),
        Group::Quiet => gettext("Quiet"),
    }
}

/// "6 sessions".
pub fn sessions(count: u32) -> String {
    let n = count.to_string();
    ngettext_f("{n} session", "{n} sessions", count as usize, &[("n", &n)])
}

/// "2 waiting for you", if any.
pub fn waiting(count: u32) -> Option<String> {
    let n = count.to_string();
    let words = || ngettext_f("{n} waiting for you", "{n} waiting for you", count as usize, &[("n", &n)]);
    (count > 0).then(words)
}

/// An agent's name. Names are not translated.
pub fn agent(agent: AgentId) -> &'static str {
    agents::by_id(agent.0).map_or(agent.0, Agent::name)
}

#[cfg(test)]
mod tests;
