// SPDX-License-Identifier: GPL-3.0-or-later
//! What the log says of one answer.

use std::time::Duration;

use dasbo_core::moment::Moment;
use dasbo_core::request;
use dasbo_core::request::{
    Action, Answer, Content, Decision, Denial, FieldValue, Grant, Permit, Question, Request, Rule,
};
use dasbo_core::session::{Session, Wait};
use serde::{Deserialize, Serialize};

use crate::answers::Origin;
use crate::table;

/// Characters kept of what was asked.
const LONG: usize = 4000;

/// Characters kept of any other text.
const SHORT: usize = 1000;

/// Texts kept of what was answered.
const TEXTS: usize = 16;

/// An answer that arrived. Keys are only ever added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was given (seconds, Unix time).
    pub when: i64,
    /// The agent's id.
    pub agent: String,
    /// The session's own id.
    pub session: String,
    /// The project's name.
    pub project: Option<String>,
    /// `approval`, `question`, `plan` or `form`.
    pub kind: String,
    /// The tool it was about.
    pub tool: Option<String>,
    /// What was asked: a command, a file, a question. May be empty.
    pub detail: String,
    /// What was answered.
    pub answer: Said,
    /// Of what was answered, what has words: rules, a note, answers, a form's fields.
    pub with: Vec<String>,
    /// For how long something was allowed beyond this once.
    pub scope: Option<Scope>,
    /// Where it was answered.
    pub from: Origin,
    /// How long it waited, in seconds.
    pub waited: u64,
}

/// What was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// A tool call was allowed.
    Allow,
    /// It was not, and the agent went on.
    Deny,
    /// It was not, and the agent's turn ended.
    Stop,
    /// Questions were answered.
    Answers,
    /// A plan was approved.
    Approve,
    /// It was sent back.
    KeepPlanning,
    /// A form was filled.
    Fill,
}

/// How long something is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Until the session ends.
    Session,
    /// In this project, for this person.
    Local,
    /// In this project, for all who work on it.
    Project,
    /// Everywhere, for this person.
    User,
}

impl Entry {
    /// What is to be said once this decision arrived.
    pub fn new(
        (session, wait, request): (&Session, &Wait, &Request),
        decision: &Decision,
        from: Origin,
        now: Moment,
    ) -> Self {
        let (answer, with, scope) = said(decision, &request.content);
        let waited: Duration = now.since(wait.since);
        Self {
            when: table::unix_time(now),
            agent: session.key.agent.0.to_owned(),
            session: clip(session.key.id.as_str(), SHORT),
            project: session.project_name().map(|name| clip(name, SHORT)),
            kind: table::kind(request.kind()).to_owned(),
            tool: wait.call.as_ref().map(|call| clip(&call.tool.name, SHORT)),
            detail: clip(&detail(wait, &request.content), LONG),
            answer,
            with: with.iter().take(TEXTS).map(|text| clip(text, SHORT)).collect(),
            scope,
            from,
            waited: waited.as_secs(),
        }
    }
}

fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn detail(wait: &Wait, content: &Content) -> String {
    match content {
        Content::Approval(approval) => match &approval.action {
            Action::Command { command, .. } => return command.clone(),
            Action::Edit { file, .. } | Action::Write { file, .. } | Action::Notebook { file, .. } => {
                return file.clone();
            }
            Action::Other => {}
        },
        Content::Questions(questions) => {
            return questions.iter().map(|question| question.text.as_str()).collect::<Vec<_>>().join("\n");
        }
        Content::Form(form) => return form.message.clone(),
        Content::Plan(_) | Content::Unclear(_) => {}
    }
    wait.call.as_ref().map(|call| call.tool.detail.clone()).unwrap_or_default()
}

fn said(decision: &Decision, content: &Content) -> (Said, Vec<String>, Option<Scope>) {
    let plain = |said, with: Option<&String>| (said, with.into_iter().cloned().collect(), None);
    match decision {
        Decision::Allow(grant) => {
            let (with, scope) = grant.map(|grant| granted(grant, content)).unwrap_or_default();
            (Said::Allow, with, scope)
        }
        Decision::Deny(Denial::Plain) => plain(Said::Deny, None),
        Decision::Deny(Denial::Note(note)) => plain(Said::Deny, Some(note)),
        Decision::Deny(Denial::Stop) => plain(Said::Stop, None),
        Decision::Answers(answers) => (Said::Answers, answered(answers, content), None),
        Decision::Approve { accept_edits, edited } => {
            let mode = accept_edits.then(|| "acceptEdits".to_owned());
            (Said::Approve, mode.into_iter().chain(edited.clone()).collect(), None)
        }
        Decision::KeepPlanning(note) => plain(Said::KeepPlanning, note.as_ref()),
        Decision::Fill(values) => (Said::Fill, values.iter().map(field).collect(), None),
    }
}

fn granted(grant: Grant, content: &Content) -> (Vec<String>, Option<Scope>) {
    let Content::Approval(approval) = content else { return Default::default() };
    match grant {
        Grant::Offer(place) => {
            let Some(offer) = approval.offers.get(place) else { return Default::default() };
            let with = match &offer.permit {
                Permit::Rules(rules) => rules.iter().map(rule).collect(),
                Permit::Directories(folders) => folders.clone(),
                Permit::Mode(mode) => vec![table::mode_word(*mode).to_owned()],
            };
            (with, Some(offer.scope.into()))
        }
        Grant::Tool(scope) => (vec![approval.tool.clone()], Some(scope.into())),
        Grant::Mode(mode) => (vec![table::mode_word(mode).to_owned()], Some(Scope::Session)),
    }
}

fn rule(Rule { tool, pattern }: &Rule) -> String {
    pattern.as_ref().map_or_else(|| tool.clone(), |pattern| format!("{tool}({pattern})"))
}

fn answered(answers: &[Answer], content: &Content) -> Vec<String> {
    let Content::Questions(questions) = content else { return Vec::new() };
    questions.iter().zip(answers).map(|(question, answer)| in_words(question, answer)).collect()
}

fn in_words(question: &Question, answer: &Answer) -> String {
    let chosen = answer.chosen.iter().filter_map(|&place| question.choices.get(place));
    let chosen = chosen.map(|choice| choice.label.as_str());
    let own = answer.own_words().into_iter().chain(answer.remark());
    chosen.chain(own).collect::<Vec<_>>().join(", ")
}

fn field((name, value): &(String, FieldValue)) -> String {
    match value {
        FieldValue::Text(text) => format!("{name}: {text}"),
        FieldValue::Number(number) => format!("{name}: {number}"),
        FieldValue::Boolean(is_so) => format!("{name}: {is_so}"),
    }
}

impl From<request::Scope> for Scope {
    fn from(scope: request::Scope) -> Self {
        match scope {
            request::Scope::Session => Self::Session,
            request::Scope::Local => Self::Local,
            request::Scope::Project => Self::Project,
            request::Scope::User => Self::User,
        }
    }
}
