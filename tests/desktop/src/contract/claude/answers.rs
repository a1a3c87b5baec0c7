// SPDX-License-Identifier: GPL-3.0-or-later
//! Answers from the panel: what a person clicks in the real window is what the real Claude Code does.

mod scripts;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

pub(super) use scripts::scripts;

use super::{evidence, ready};
use crate::claude::Session;
use crate::contract::{LIMIT, Report, Stage};
use crate::panel::{Row, State};
use crate::wait;

const ENTER: &str = "\r";
const ESC: &str = "\x1b";

/// Buttons and entries of the cards, by their names.
mod card {
    pub const ALLOW: &str = "Allow";
    pub const ALWAYS: &str = "Always…";
    pub const DENY: &str = "Deny";
    pub const DENY_OTHERWISE: &str = "Other ways to deny";
    pub const DENY_WITH_NOTE: &str = "Deny with a note…";
    pub const NOTE: &str = "Note to the agent";
    pub const SEND_NOTE: &str = "Send";
    pub const EVERY_WRITE: &str = "Allow every Write, in this project, .claude/settings.local.json";
    pub const SEND: &str = "Send";
    pub const OWN_ANSWER: &str = "Your own answer";
    pub const APPROVE: &str = "Approve";
    pub const EDIT_PLAN: &str = "Edit the plan";
    pub const PLAN: &str = "The plan, in Markdown";
    pub const APPROVE_EDITED: &str = "Approve as Edited";
    pub const PLAN_NOTE: &str = "What to plan differently";
    pub const KEEP_PLANNING: &str = "Keep Planning";
}

/// Each plays in a project of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Allow,
    DenyWithNote,
    Always,
    QuestionSingle,
    QuestionMultiple,
    QuestionFree,
    PlanApproved,
    PlanEdited,
    PlanSentBack,
    YesInTerminal,
    NoInTerminal,
    TwoSubagents,
    PanelKilled,
}

const CHECKS: [Check; 13] = [
    Check::Allow,
    Check::DenyWithNote,
    Check::Always,
    Check::QuestionSingle,
    Check::QuestionMultiple,
    Check::QuestionFree,
    Check::PlanApproved,
    Check::PlanEdited,
    Check::PlanSentBack,
    Check::YesInTerminal,
    Check::NoInTerminal,
    Check::TwoSubagents,
    Check::PanelKilled,
];

impl Check {
    fn project(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::DenyWithNote => "deny-with-note",
            Self::Always => "always",
            Self::QuestionSingle => "question-single",
            Self::QuestionMultiple => "question-multiple",
            Self::QuestionFree => "question-free",
            Self::PlanApproved => "plan-approved",
            Self::PlanEdited => "plan-edited",
            Self::PlanSentBack => "plan-sent-back",
            Self::YesInTerminal => "yes-in-terminal",
            Self::NoInTerminal => "no-in-terminal",
            Self::TwoSubagents => "two-subagents",
            Self::PanelKilled => "panel-killed",
        }
    }

    fn promise(self) -> &'static str {
        match self {
            Self::Allow => "Allow by a click: the file is written",
            Self::DenyWithNote => "Deny with a note: nothing is written, and the model reads the note",
            Self::Always => {
                "Always: the second call is not asked, and the rule stands in the project's local settings"
            }
            Self::QuestionSingle => "a question: the model reads the choice",
            Self::QuestionMultiple => "a question with several answers: the model reads all of them",
            Self::QuestionFree => "a question answered in own words: the model reads them",
            Self::PlanApproved => "a plan approved: it is carried out",
            Self::PlanEdited => "a plan edited and approved: the model reads the person's plan",
            Self::PlanSentBack => "a plan sent back: the model reads why, and goes on planning",
            Self::YesInTerminal => "Yes in the terminal first: the card goes",
            Self::NoInTerminal => "No in the terminal: the card goes at once",
            Self::TwoSubagents => "two subagents ask at once: each gets its own answer",
            Self::PanelKilled => {
                "the panel is killed while asked: the terminal's own prompt works, and the next panel is asked again"
            }
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::PlanApproved | Self::PlanEdited | Self::PlanSentBack => &["--permission-mode", "plan"],
            _ => &[],
        }
    }

    async fn play(self, stage: &mut Stage, session: &mut Session) -> Result<()> {
        let mut scene = Scene { stage, session, project: self.project() };
        match self {
            Self::Allow => scene.allow().await,
            Self::DenyWithNote => scene.deny_with_note().await,
            Self::Always => scene.always().await,
            Self::QuestionSingle => scene.question(&["Postgres"], None).await,
            Self::QuestionMultiple => scene.question(&["SQLite", "Postgres"], None).await,
            Self::QuestionFree => scene.question(&[], Some("Neither of them")).await,
            Self::PlanApproved => scene.plan_approved().await,
            Self::PlanEdited => scene.plan_edited().await,
            Self::PlanSentBack => scene.plan_sent_back().await,
            Self::YesInTerminal => scene.yes_in_terminal().await,
            Self::NoInTerminal => scene.no_in_terminal().await,
            Self::TwoSubagents => scene.two_subagents().await,
            Self::PanelKilled => scene.panel_killed().await,
        }
    }
}

/// The projects that the checks need.
pub(super) fn projects() -> impl Iterator<Item = &'static str> {
    CHECKS.into_iter().map(Check::project)
}

/// Plays all of them.
pub(super) async fn run(stage: &mut Stage, report: &mut Report) {
    for check in CHECKS {
        let opened = stage.open_with(check.project(), check.arguments());
        let mut session = match opened {
            Ok(session) => session,
            Err(error) => {
                report.failed(check.promise(), &error, "");
                continue;
            }
        };
        match check.play(stage, &mut session).await {
            Ok(()) => report.passed(check.promise()),
            Err(error) => report.failed(check.promise(), &error, &evidence(stage, &session)),
        }
    }
}

struct Scene<'a> {
    stage: &'a mut Stage,
    session: &'a mut Session,
    project: &'static str,
}

impl Scene<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.session.project().join(name)
    }

    fn at(&self) -> PathBuf {
        self.session.project().to_owned()
    }

    /// Up to the moment when the panel shows that it is asked.
    async fn asked(&mut self) -> Result<()> {
        ready(self.stage, self.session).await?;
        self.session.enter(&format!("SCN:{} Go on.", self.project)).await?;
        self.stage.wait_for(&self.at(), "row that waits", |row| !row.waiting.is_empty()).await?;
        Ok(())
    }

    /// Presses, and waits until nothing is asked any more.
    async fn answer(&mut self, button: &str) -> Result<()> {
        self.stage.hand.press(self.project, button).await?;
        self.until_asked(0).await
    }

    async fn until_asked(&mut self, requests: usize) -> Result<()> {
        let what = format!("row with {requests} requests");
        self.stage.wait_for(&self.at(), &what, |row| row.waiting.len() == requests).await.map(drop)
    }

    async fn until_idle(&mut self) -> Result<Row> {
        self.stage.wait_for_state(&self.at(), State::Idle).await
    }

    async fn until_file(&self, name: &str) -> Result<()> {
        let file = self.file(name);
        wait::until(LIMIT, name, async || file.exists().then_some(())).await
    }

    /// What the model was given as the result of the last of so many calls.
    async fn result(&self, calls: usize) -> Result<String> {
        wait::until(LIMIT, "result of the call", async || {
            let received = self.stage.model.received();
            let of_script = |body: &&crate::model_server::Received| {
                body.place.as_ref().is_some_and(|place| place.script == self.project && place.step == calls)
            };
            received.iter().rev().find(of_script).and_then(|one| last_result(&one.body))
        })
        .await
    }

    async fn allow(&mut self) -> Result<()> {
        self.asked().await?;
        ensure!(!self.file("one.txt").exists(), "it was written before anybody allowed it");
        self.answer(card::ALLOW).await?;
        self.until_file("one.txt").await?;
        self.until_idle().await.map(drop)
    }

    async fn deny_with_note(&mut self) -> Result<()> {
        self.asked().await?;
        self.stage.hand.press(self.project, card::DENY_OTHERWISE).await?;
        self.stage.hand.press(self.project, card::DENY_WITH_NOTE).await?;
        self.stage.hand.write(self.project, card::NOTE, "Not there, in docs.").await?;
        self.answer(card::SEND_NOTE).await?;
        let result = self.result(1).await?;
        ensure!(result.contains("Not there, in docs."), "the model read: {result}");
        self.until_idle().await?;
        ensure!(!self.file("one.txt").exists(), "it was written all the same");
        Ok(())
    }

    async fn always(&mut self) -> Result<()> {
        self.asked().await?;
        self.stage.hand.press(self.project, card::ALWAYS).await?;
        self.answer(card::EVERY_WRITE).await?;
        self.until_file("two.txt").await?;
        self.until_idle().await?;
        let settings = std::fs::read_to_string(self.file(".claude/settings.local.json"))?;
        let settings: Value = serde_json::from_str(&settings)?;
        ensure!(settings["permissions"]["allow"] == json!(["Write"]), "the settings are: {settings}");
        Ok(())
    }

    async fn question(&mut self, choices: &[&str], own: Option<&str>) -> Result<()> {
        self.asked().await?;
        for choice in choices {
            self.stage.hand.choose(self.project, choice).await?;
        }
        if let Some(own) = own {
            self.stage.hand.write(self.project, card::OWN_ANSWER, own).await?;
        }
        self.answer(card::SEND).await?;
        let result = self.result(1).await?;
        for word in choices.iter().chain(own.iter()) {
            ensure!(result.contains(word), "the model read: {result}");
        }
        self.until_idle().await.map(drop)
    }

    async fn plan_approved(&mut self) -> Result<()> {
        self.asked().await?;
        self.answer(card::APPROVE).await?;
        let result = self.result(2).await?;
        ensure!(result.contains("approved"), "the model read: {result}");
        let row = self.until_idle().await?;
        ensure!(row.mode.is_none(), "it still plans: {row:?}");
        Ok(())
    }

    async fn plan_edited(&mut self) -> Result<()> {
        self.asked().await?;
        self.stage.hand.press(self.project, card::EDIT_PLAN).await?;
        self.stage.hand.write(self.project, card::PLAN, "# The plan\n\n1. Do it better.\n").await?;
        self.answer(card::APPROVE_EDITED).await?;
        let result = self.result(2).await?;
        ensure!(result.contains("Do it better."), "the model read: {result}");
        self.until_idle().await.map(drop)
    }

    async fn plan_sent_back(&mut self) -> Result<()> {
        self.asked().await?;
        self.stage.hand.write(self.project, card::PLAN_NOTE, "Test it first.").await?;
        self.answer(card::KEEP_PLANNING).await?;
        let result = self.result(2).await?;
        ensure!(result.contains("Test it first."), "the model read: {result}");
        let row = self.until_idle().await?;
        ensure!(row.mode.as_deref() == Some("plan"), "it no longer plans: {row:?}");
        Ok(())
    }

    async fn yes_in_terminal(&mut self) -> Result<()> {
        self.asked().await?;
        self.session.terminal.wait_for("Do you want to", LIMIT).await?;
        self.in_terminal(ENTER).await?;
        self.until_file("one.txt").await?;
        self.until_idle().await?;
        self.stage.hand.wait_until_gone(self.project, card::ALLOW).await?;
        Ok(())
    }

    async fn no_in_terminal(&mut self) -> Result<()> {
        self.asked().await?;
        self.session.terminal.wait_for("Do you want to", LIMIT).await?;
        self.in_terminal(ESC).await?;
        self.stage.hand.wait_until_gone(self.project, card::DENY).await?;
        self.stage.wait_for_state(&self.at(), State::Interrupted).await?;
        ensure!(!self.file("one.txt").exists(), "it was written all the same");
        Ok(())
    }

    async fn two_subagents(&mut self) -> Result<()> {
        ready(self.stage, self.session).await?;
        self.session.enter("SCN:delegate Both.").await?;
        let both = |row: &Row| row.waiting.len() == 2;
        self.stage.wait_for(&self.at(), "row that waits twice", both).await?;
        // Whose card is the upper one is not known before.
        self.stage.hand.press_beside(self.project, "first.txt", card::ALLOW).await?;
        self.until_asked(1).await?;
        self.until_file("first.txt").await?;
        self.stage.hand.press_beside(self.project, "second.txt", card::DENY).await?;
        self.until_asked(0).await?;
        self.stage.wait_for(&self.at(), "end of the subagents", |row| row.helpers == 0).await?;
        ensure!(!self.file("second.txt").exists(), "it was written although it was denied");
        Ok(())
    }

    async fn panel_killed(&mut self) -> Result<()> {
        self.asked().await?;
        self.session.terminal.wait_for("Do you want to", LIMIT).await?;
        self.stage.restart_panel().await?;
        self.stage.wait_for(&self.at(), "row that waits again", |row| !row.waiting.is_empty()).await?;
        ensure!(!self.file("one.txt").exists(), "nobody allowed it");
        self.in_terminal(ENTER).await?;
        self.until_file("one.txt").await?;
        self.stage.wait_for(&self.at(), "row that no longer waits", |row| row.waiting.is_empty()).await?;
        self.until_idle().await.map(drop)
    }

    /// A dialog does not hear a key that comes too soon.
    async fn in_terminal(&mut self, key: &str) -> Result<()> {
        for _ in 0..5 {
            self.session.terminal.press(key).await?;
            let at = self.at();
            let soon = std::time::Duration::from_secs(3);
            let over = self.stage.wait_for_within(soon, &at, "end of the wait", |row| row.waiting.is_empty());
            if over.await.is_ok() {
                return Ok(());
            }
        }
        anyhow::bail!("the terminal takes no answer:\n{}", self.session.terminal.screen())
    }
}

fn last_result(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array()?;
    let blocks = messages.iter().rev().filter_map(|message| message["content"].as_array()).flatten();
    let result = blocks.into_iter().find(|block| block["type"] == "tool_result")?;
    Some(result["content"].to_string())
}
