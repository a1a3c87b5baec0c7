// SPDX-License-Identifier: GPL-3.0-or-later
//! What Claude Code asks, from the payload of `PermissionRequest` and `Elicitation`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::elicitation;
use super::events::mode;
use crate::agents::lenient::{name, object, text};
use crate::event::{PermissionMode, WaitKind};
use crate::request::{
    Action, Approval, Choice, Content, Offer, Permit, Plan, Question, Replacement, Rule, Scope,
};

/// Modes that a session can be switched to whatever it was started with (bypassing is ignored unless it was).
const MODES: &[PermissionMode] = &[PermissionMode::AcceptEdits, PermissionMode::Auto];

/// More questions at once than anybody asks (Claude asks at most four).
const MOST_QUESTIONS: usize = 10;

/// More choices than fit a card.
const MOST_CHOICES: usize = 100;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    #[serde(deserialize_with = "text")]
    tool_name: Option<String>,
    tool_input: Option<Box<RawValue>>,
    permission_suggestions: Option<Box<RawValue>>,
    #[serde(deserialize_with = "text")]
    permission_mode: Option<String>,
}

/// What is asked, and the input as it came, for answers repeat it.
pub(super) fn content(kind: WaitKind, json: &[u8]) -> (Content, Box<str>) {
    if kind == WaitKind::Form {
        return (elicitation::form(json).map_or(Content::Unclear(kind), Content::Form), Box::default());
    }
    let Ok(payload) = serde_json::from_slice::<Payload>(json) else {
        return (Content::Unclear(kind), Box::default());
    };
    let input: Box<str> = payload.tool_input.as_ref().map(|input| input.get().into()).unwrap_or_default();
    let content = match kind {
        WaitKind::Question => questions(&input).map(Content::Questions),
        WaitKind::Plan => plan(&input).map(Content::Plan),
        _ => approval(&payload, &input).map(Content::Approval),
    };
    (content.unwrap_or(Content::Unclear(kind)), input)
}

fn approval(payload: &Payload, input: &str) -> Option<Approval> {
    let tool = payload.tool_name.clone().filter(|tool| !tool.is_empty())?;
    let now = payload.permission_mode.as_deref().and_then(mode);
    Some(Approval {
        action: action(&tool, input).unwrap_or(Action::Other),
        tool,
        offers: payload.permission_suggestions.as_ref().map(|list| offers(list.get())).unwrap_or_default(),
        modes: MODES.iter().copied().filter(|&mode| Some(mode) != now).collect(),
    })
}

/// Inputs of Claude's own tools. A key of another type than expected: the input is shown as it is.
#[derive(Debug, Deserialize)]
struct Input {
    command: Option<String>,
    description: Option<String>,
    file_path: Option<String>,
    old_string: Option<String>,
    new_string: Option<String>,
    #[serde(default)]
    replace_all: Option<bool>,
    edits: Option<Vec<Edit>>,
    content: Option<String>,
    notebook_path: Option<String>,
    cell_id: Option<String>,
    new_source: Option<String>,
    edit_mode: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Edit {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

fn action(tool: &str, input: &str) -> Option<Action> {
    if !matches!(tool, "Bash" | "Edit" | "MultiEdit" | "Write" | "NotebookEdit") {
        return None;
    }
    let input: Input = object(input.as_bytes()).ok()?;
    Some(match tool {
        "Bash" => Action::Command { command: input.command?, description: input.description },
        "Edit" => {
            let (old, new) = (input.old_string?, input.new_string?);
            let replacement = Replacement { old, new, all: input.replace_all.unwrap_or_default() };
            Action::Edit { file: input.file_path?, replacements: vec![replacement] }
        }
        "MultiEdit" => {
            let edit = |edit: Edit| Replacement {
                old: edit.old_string,
                new: edit.new_string,
                all: edit.replace_all,
            };
            let replacements = input.edits?.into_iter().map(edit).collect();
            Action::Edit { file: input.file_path?, replacements }
        }
        "Write" => Action::Write { file: input.file_path?, content: input.content? },
        _ => Action::Notebook {
            file: input.notebook_path?,
            cell: input.cell_id,
            source: input.new_source?,
            change: input.edit_mode,
        },
    })
}

/// Those that can be said in words and that Claude takes: with one that it does not, the whole answer is lost.
fn offers(list: &str) -> Vec<Offer> {
    let list: Vec<Box<RawValue>> = serde_json::from_str(list).unwrap_or_default();
    list.iter().filter_map(|suggestion| offer(suggestion.get())).collect()
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Suggestion {
    AddRules { rules: Vec<SuggestedRule>, behavior: String, destination: String },
    AddDirectories { directories: Vec<String>, destination: String },
    SetMode { mode: String, destination: String },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SuggestedRule {
    tool_name: String,
    rule_content: Option<String>,
}

fn offer(json: &str) -> Option<Offer> {
    let (permit, destination) = match object(json.as_bytes()).ok()? {
        Suggestion::AddRules { rules, behavior, destination } if behavior == "allow" => {
            let rule = |rule: SuggestedRule| Rule { tool: rule.tool_name, pattern: rule.rule_content };
            (Permit::Rules(rules.into_iter().map(rule).collect()), destination)
        }
        Suggestion::AddRules { .. } => return None,
        Suggestion::AddDirectories { directories, destination } => {
            (Permit::Directories(directories), destination)
        }
        Suggestion::SetMode { mode: word, destination } => {
            let mode = mode(&word).filter(|&mode| mode != PermissionMode::BypassPermissions)?;
            (Permit::Mode(mode), destination)
        }
    };
    let says_something = match &permit {
        Permit::Rules(rules) => !rules.is_empty(),
        Permit::Directories(folders) => !folders.is_empty(),
        Permit::Mode(_) => true,
    };
    says_something.then_some(Offer { permit, scope: scope(&destination)?, json: json.into() })
}

fn scope(destination: &str) -> Option<Scope> {
    Some(match destination {
        "session" => Scope::Session,
        "localSettings" => Scope::Local,
        "projectSettings" => Scope::Project,
        "userSettings" => Scope::User,
        _ => return None,
    })
}

/// Reads an object that an answer repeats: not mended, or the answer would not fit the question.
fn exact<T: DeserializeOwned>(input: &str) -> Option<T> {
    input.trim_start().starts_with('{').then(|| serde_json::from_str(input).ok()).flatten()
}

#[derive(Debug, Deserialize)]
struct Asked {
    questions: Vec<AskedQuestion>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AskedQuestion {
    question: String,
    #[serde(default)]
    header: Option<String>,
    #[serde(default)]
    options: Vec<AskedOption>,
    #[serde(default)]
    multi_select: bool,
}

#[derive(Debug, Deserialize)]
struct AskedOption {
    label: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    preview: Option<String>,
}

/// Answers go by the text of question and choice: those must be there, and tell one from another.
fn questions(input: &str) -> Option<Vec<Question>> {
    let asked: Asked = exact(input)?;
    let questions: Vec<Question> = asked.questions.into_iter().map(question).collect();
    let clear = |question: &Question| {
        question.choices.len() <= MOST_CHOICES
            && all_differ(question.choices.iter().map(|choice| choice.label.as_str()))
    };
    let all_clear = (1..=MOST_QUESTIONS).contains(&questions.len())
        && all_differ(questions.iter().map(|question| question.text.as_str()))
        && questions.iter().all(clear);
    all_clear.then_some(questions)
}

fn question(asked: AskedQuestion) -> Question {
    let choice = |option: AskedOption| Choice {
        label: option.label,
        description: option.description,
        preview: option.preview,
    };
    Question {
        text: asked.question,
        header: asked.header,
        choices: asked.options.into_iter().map(choice).collect(),
        multiple: asked.multi_select,
    }
}

fn all_differ<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = Vec::new();
    for text in texts {
        if text.trim().is_empty() || seen.contains(&text) {
            return false;
        }
        seen.push(text);
    }
    true
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Planned {
    plan: String,
    #[serde(default, deserialize_with = "name")]
    plan_file_path: Option<String>,
}

/// Without a text there is nothing that a person could approve here.
fn plan(input: &str) -> Option<Plan> {
    let planned: Planned = exact(input)?;
    let text = Some(planned.plan).filter(|text| !text.trim().is_empty())?;
    Some(Plan { text, file: planned.plan_file_path })
}
