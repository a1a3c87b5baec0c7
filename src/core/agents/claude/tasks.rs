// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code's task list: `TaskCreate` and `TaskUpdate`, or `TodoWrite` where those are off.

use serde::Deserialize;

use super::payload::Payload;
use crate::agents::lenient::{items, line, name, object, part, text};
use crate::event::{TaskChange, TaskState};

/// The input of those tools, read only of their own events.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WithInput {
    #[serde(deserialize_with = "part")]
    tool_input: Option<Input>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    #[serde(rename = "taskId", deserialize_with = "name")]
    task_id: Option<String>,
    #[serde(deserialize_with = "name")]
    status: Option<String>,
    #[serde(deserialize_with = "items")]
    todos: Option<Vec<Todo>>,
}

/// An entry of `TodoWrite`'s list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Todo {
    #[serde(deserialize_with = "text")]
    content: Option<String>,
    #[serde(deserialize_with = "name")]
    status: Option<String>,
}

/// What the event of this name says about the task list. `json` is the whole payload.
pub(super) fn change(event: &str, payload: &Payload, json: &[u8]) -> Option<TaskChange> {
    match event {
        "TaskCreated" => Some(TaskChange::Added {
            id: payload.task_id.clone()?,
            subject: line(payload.task_subject.as_deref().unwrap_or_default()),
        }),
        "TaskCompleted" => {
            let id = payload.task_id.clone()?;
            Some(TaskChange::State { id, state: Some(TaskState::Completed) })
        }
        "PostToolUse" => match payload.tool_name.as_deref()? {
            "TaskUpdate" => updated(input(json)?),
            "TodoWrite" => input(json)?.todos.map(|todos| todos_written(&todos)),
            _ => None,
        },
        _ => None,
    }
}

fn input(json: &[u8]) -> Option<Input> {
    object::<WithInput>(json).ok()?.tool_input
}

fn updated(input: Input) -> Option<TaskChange> {
    let (id, status) = (input.task_id?, input.status?);
    match status.as_str() {
        "deleted" => Some(TaskChange::State { id, state: None }),
        status => state(status).map(|state| TaskChange::State { id, state: Some(state) }),
    }
}

fn todos_written(todos: &[Todo]) -> TaskChange {
    let state = |todo: &Todo| todo.status.as_deref().and_then(state).unwrap_or(TaskState::Pending);
    let task = |todo: &Todo| Some((line(todo.content.as_deref()?), state(todo)));
    TaskChange::All(todos.iter().filter_map(task).collect())
}

fn state(word: &str) -> Option<TaskState> {
    Some(match word {
        "pending" => TaskState::Pending,
        "in_progress" => TaskState::InProgress,
        "completed" => TaskState::Completed,
        _ => return None,
    })
}
