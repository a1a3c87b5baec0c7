// SPDX-License-Identifier: GPL-3.0-or-later
//! What the model says while it is answered.

use serde_json::json;

use super::Check;
use crate::claude::Home;
use crate::model_server::{PLAN_FILE, Scripts, Step};

/// What the model says in these checks.
pub fn scripts(mut scripts: Scripts, home: &Home) -> Scripts {
    let write = |project: &str, file: &str| {
        Step::tool("Write", json!({"file_path": home.project(project).join(file), "content": "A note."}))
    };
    for check in
        [Check::Allow, Check::DenyWithNote, Check::YesInTerminal, Check::NoInTerminal, Check::PanelKilled]
    {
        let project = check.project();
        scripts = scripts.with(project, [write(project, "one.txt"), Step::text("So be it.")]);
    }
    let always = Check::Always.project();
    scripts = scripts
        .with(always, [write(always, "one.txt"), write(always, "two.txt"), Step::text("Both are there.")])
        .with(Check::QuestionSingle.project(), [question(false), Step::text("I see.")])
        .with(Check::QuestionMultiple.project(), [question(true), Step::text("I see.")])
        .with(Check::QuestionFree.project(), [question(false), Step::text("I see.")]);
    let plan = || {
        let content = "# The plan\n\n1. Do it well.\n";
        [
            Step::tool("Write", json!({"file_path": PLAN_FILE, "content": content})),
            Step::tool("ExitPlanMode", json!({})),
            Step::text("As you say."),
        ]
    };
    for check in [Check::PlanApproved, Check::PlanEdited, Check::PlanSentBack] {
        scripts = scripts.with(check.project(), plan());
    }
    let two = Check::TwoSubagents.project();
    let agent = |name: &str| {
        json!({
            "description": name, "prompt": format!("SCN:{name} Write it."),
            "subagent_type": "general-purpose", "run_in_background": true,
        })
    };
    scripts
        .with(
            "delegate",
            [
                Step::tool("Agent", agent("first")).and_tool("Agent", agent("second")),
                Step::text("They are at it."),
            ],
        )
        .with("first", [write(two, "first.txt"), Step::text("First is done.")])
        .with("second", [write(two, "second.txt"), Step::text("Second is done.")])
}

fn question(multiple: bool) -> Step {
    let choice = |label: &str| json!({"label": label, "description": "a database"});
    let question = json!({
        "question": "Which database?", "header": "Database",
        "options": [choice("SQLite"), choice("Postgres")], "multiSelect": multiple,
    });
    Step::tool("AskUserQuestion", json!({"questions": [question]}))
}
