// SPDX-License-Identifier: GPL-3.0-or-later
//! What a hook prints to give Claude Code a person's decision. These shapes and no others were seen to work (2.1.220,
//! 2.1.332); an answer with one invalid entry is discarded whole.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::verbatim::Object;
use crate::event::PermissionMode;
use crate::request::{
    Answer, Approval, Content, Decision, Denial, FieldValue, Form, Grant, Plan, Question, Request, Scope,
};

/// The bytes to print. `None`: Claude takes no such decision for this request.
pub(super) fn answer(request: &Request, decision: &Decision) -> Option<Vec<u8>> {
    let output = match (&request.content, decision) {
        (Content::Approval(_), Decision::Allow(None)) => Output::permission(Permission::default()),
        (Content::Approval(approval), Decision::Allow(Some(grant))) => {
            let granted = granted(approval, *grant)?;
            Output::permission(Permission {
                updated_permissions: Some(vec![granted]),
                ..Permission::default()
            })
        }
        (Content::Approval(_), Decision::Deny(denial)) => Output::permission(denied(denial)),
        (Content::Questions(questions), Decision::Answers(answers)) => {
            let input = answered(&request.input, questions, answers)?;
            Output::permission(Permission { updated_input: Some(input), ..Permission::default() })
        }
        (Content::Plan(plan), Decision::Approve { accept_edits, edited }) => {
            Output::permission(approved(request, plan, *accept_edits, edited.as_deref())?)
        }
        (Content::Plan(_), Decision::KeepPlanning(note)) => {
            let note = note.clone().map_or(Denial::Plain, Denial::Note);
            Output::permission(denied(&note))
        }
        (Content::Form(form), Decision::Fill(values)) => Output::form(filled(form, values)?),
        _ => return None,
    };
    serde_json::to_vec(&output).ok()
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    hook_specific_output: Specific,
}

#[derive(Debug, Serialize)]
#[serde(tag = "hookEventName")]
enum Specific {
    PermissionRequest { decision: Permission },
    Elicitation { action: &'static str, content: Map<String, Value> },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Permission {
    behavior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_permissions: Option<Vec<Box<RawValue>>>,
}

impl Default for Permission {
    fn default() -> Self {
        Self {
            behavior: "allow",
            message: None,
            interrupt: None,
            updated_input: None,
            updated_permissions: None,
        }
    }
}

impl Output {
    fn permission(decision: Permission) -> Self {
        Self { hook_specific_output: Specific::PermissionRequest { decision } }
    }

    fn form(content: Map<String, Value>) -> Self {
        Self { hook_specific_output: Specific::Elicitation { action: "accept", content } }
    }
}

/// With `interrupt` the message is lost, yet one is sent: so it was seen to work.
fn denied(denial: &Denial) -> Permission {
    let (message, interrupt) = match denial {
        Denial::Plain => (None, None),
        Denial::Note(note) => (Some(note.clone()), None),
        Denial::Stop => (Some("Stop.".to_owned()), Some(true)),
    };
    Permission { behavior: "deny", message, interrupt, ..Permission::default() }
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Update<'a> {
    AddRules { rules: [ToolRule<'a>; 1], behavior: &'static str, destination: &'static str },
    SetMode { mode: &'static str, destination: &'static str },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolRule<'a> {
    tool_name: &'a str,
}

fn granted(approval: &Approval, grant: Grant) -> Option<Box<RawValue>> {
    match grant {
        Grant::Offer(at) => RawValue::from_string(approval.offers.get(at)?.json.to_string()).ok(),
        Grant::Tool(scope) => {
            let rules = [ToolRule { tool_name: &approval.tool }];
            raw(&Update::AddRules { rules, behavior: "allow", destination: destination(scope) })
        }
        Grant::Mode(mode) => approval.modes.contains(&mode).then(|| set_mode(mode)).flatten(),
    }
}

fn set_mode(mode: PermissionMode) -> Option<Box<RawValue>> {
    let mode = match mode {
        PermissionMode::AcceptEdits => "acceptEdits",
        PermissionMode::Auto => "auto",
        _ => return None,
    };
    raw(&Update::SetMode { mode, destination: destination(Scope::Session) })
}

fn destination(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "session",
        Scope::Local => "localSettings",
        Scope::Project => "projectSettings",
        Scope::User => "userSettings",
    }
}

fn approved(request: &Request, plan: &Plan, accept_edits: bool, edited: Option<&str>) -> Option<Permission> {
    let updated = match edited.filter(|&edited| edited != plan.text) {
        None => RawValue::from_string(request.input.to_string()).ok()?,
        Some(edited) if edited.trim().is_empty() => return None,
        Some(edited) => {
            let mut input: Object = serde_json::from_str(&request.input).ok()?;
            input.set("plan", &edited)?;
            raw(&input)?
        }
    };
    let mode = if accept_edits { Some(vec![set_mode(PermissionMode::AcceptEdits)?]) } else { None };
    Some(Permission { updated_input: Some(updated), updated_permissions: mode, ..Permission::default() })
}

/// The input as it came, with answers under the text of their questions.
fn answered(input: &str, questions: &[Question], answers: &[Answer]) -> Option<Box<RawValue>> {
    if questions.len() != answers.len() {
        return None;
    }
    let (mut told, mut remarks) = (Map::new(), Map::new());
    for (question, answer) in questions.iter().zip(answers) {
        told.insert(question.text.clone(), words(question, answer)?.into());
        if let Some(notes) = answer.remark() {
            remarks.insert(question.text.clone(), json!({ "notes": notes }));
        }
    }
    let mut updated: Object = serde_json::from_str(input).ok()?;
    // What the agent may have put there itself is not the person's.
    updated.remove("answers");
    updated.remove("annotations");
    updated.set("answers", &told)?;
    if !remarks.is_empty() {
        updated.set("annotations", &remarks)?;
    }
    raw(&updated)
}

/// What the terminal itself would say: the labels chosen, and the person's own words.
fn words(question: &Question, answer: &Answer) -> Option<String> {
    let chosen = answer.chosen.iter().filter_map(|&at| question.choices.get(at));
    let labels = chosen.map(|choice| choice.label.as_str());
    let words: Vec<&str> = labels.chain(answer.own_words()).collect();
    question.is_answered(answer).then(|| words.join(", "))
}

/// The fields in the form's order.
fn filled(form: &Form, values: &[(String, FieldValue)]) -> Option<Map<String, Value>> {
    let of = |name: &String| values.iter().find(|(known, _)| known == name);
    let content = form.fields.iter().filter_map(|field| of(&field.name));
    let content = content.map(|(name, value)| (name.clone(), plain(value))).collect();
    form.is_filled(values).then_some(content)
}

fn plain(value: &FieldValue) -> Value {
    match value {
        FieldValue::Text(text) => text.clone().into(),
        FieldValue::Number(number) => number.clone().into(),
        FieldValue::Boolean(yes) => (*yes).into(),
    }
}

fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}
