// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code's task list: `TaskCreate` and `TaskUpdate`, or `TodoWrite` where those are off.

use serde_json::Value;

use super::payload::{Payload, Todo};
use crate::agents::lenient::{items_of, line};
use crate::event::{TaskChange, TaskState};

/// What the event of this name says about the task list.
pub(super) fn change(name: &str, payload: &Payload) -> Option<TaskChange> {
    match name {
        "TaskCreated" => Some(TaskChange::Added {
            id: payload.task_id.clone()?,
            subject: line(payload.task_subject.as_deref().unwrap_or_default()),
        }),
        "TaskCompleted" => {
            let id = payload.task_id.clone()?;
            Some(TaskChange::State { id, state: Some(TaskState::Completed) })
        }
        "PostToolUse" => match payload.tool_name.as_deref()? {
            "TaskUpdate" => updated(&payload.tool_input),
            "TodoWrite" => todos(&payload.tool_input),
            _ => None,
        },
        _ => None,
    }
}

fn updated(input: &Value) -> Option<TaskChange> {
    let text = |key| input.get(key).and_then(Value::as_str);
    let (id, status) = (text("taskId")?.to_owned(), text("status")?);
    match status {
        "deleted" => Some(TaskChange::State { id, state: None }),
        _ => state(status).map(|state| TaskChange::State { id, state: Some(state) }),
    }
}

fn todos(input: &Value) -> Option<TaskChange> {
    let todos: Vec<Todo> = items_of(input.get("todos")?.clone())?;
    let state = |todo: &Todo| todo.status.as_deref().and_then(state).unwrap_or(TaskState::Pending);
    Some(TaskChange::All(todos.iter().map(|todo| (line(&todo.content), state(todo))).collect()))
}

fn state(word: &str) -> Option<TaskState> {
    Some(match word {
        "pending" => TaskState::Pending,
        "in_progress" => TaskState::InProgress,
        "completed" => TaskState::Completed,
        _ => return None,
    })
}
