// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code's part of the contract.
//!
//! Nothing here goes by the clock: an answer is held at a gate of the model server, a command at a pipe, until the
//! panel has shown what it must.

mod answers;
mod background;
mod unhooked;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use serde_json::json;

use super::{LIMIT, Report, Stage};
use crate::claude::{Home, Session};
use crate::model_server::{Scripts, Step};
use crate::panel::{Row, State, Tool};
use crate::wait;

const REFUSAL: &str = "the scripted service refuses this";

/// Whether the panel reads Claude Code's own files. Until it does, what no hook tells is not checked.
const FILES_ARE_READ: bool = true;

/// Every check plays in a project of its name, with a Claude Code of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    PlainPrompt,
    Tool,
    FailingTool,
    ApiError,
    Clear,
    BackgroundShell,
    BackgroundAgent,
    EscInTool,
    EscInText,
    EscInSilence,
    EscAtPrompt,
    Rename,
    Exit,
    Kill,
}

/// The project of the session that begins before anything is connected.
const EARLY: &str = "begun-before";

const CHECKS: [Check; 14] = [
    Check::PlainPrompt,
    Check::Tool,
    Check::FailingTool,
    Check::ApiError,
    Check::Clear,
    Check::BackgroundShell,
    Check::BackgroundAgent,
    Check::EscInTool,
    Check::EscInText,
    Check::EscInSilence,
    Check::EscAtPrompt,
    Check::Rename,
    Check::Exit,
    Check::Kill,
];

impl Check {
    fn project(self) -> &'static str {
        match self {
            Self::PlainPrompt => "plain-prompt",
            Self::Tool => "tool",
            Self::FailingTool => "failing-tool",
            Self::ApiError => "api-error",
            Self::Clear => "clear",
            Self::BackgroundShell => "background-shell",
            Self::BackgroundAgent => "background-agent",
            Self::EscInTool => "esc-in-tool",
            Self::EscInText => "esc-in-text",
            Self::EscInSilence => "esc-in-silence",
            Self::EscAtPrompt => "esc-at-prompt",
            Self::Rename => "rename",
            Self::Exit => "exit",
            Self::Kill => "kill",
        }
    }

    fn promise(self) -> &'static str {
        match self {
            Self::PlainPrompt => "a plain prompt: a row appears, thinks, is idle",
            Self::Tool => "a tool: its name and what it does, then thinking, then idle",
            Self::FailingTool => "a failing tool: thinking after it, then idle, no error",
            Self::ApiError => "an API error: error and what the service said, until the next prompt",
            Self::Clear => "/clear: the same row goes on with a new session, idle",
            Self::BackgroundShell => "a background shell: idle with it after the turn, until it ends",
            Self::BackgroundAgent => {
                "a background subagent: idle with a helper after the turn, until it ends"
            }
            Self::EscInTool => "Esc while a tool runs: interrupted, until the next prompt",
            Self::EscInText => "Esc while text streams: interrupted",
            Self::EscInSilence => "Esc before the first byte: interrupted",
            Self::EscAtPrompt => "Esc at a permission prompt: nothing waits any more, interrupted",
            Self::Rename => "/rename: the row has that title, and stays idle",
            Self::Exit => "/exit: the row goes",
            Self::Kill => "SIGKILL: the row goes",
        }
    }

    /// Whether hooks alone cannot tell.
    fn needs_files(self) -> bool {
        matches!(
            self,
            Self::EscInTool | Self::EscInText | Self::EscInSilence | Self::EscAtPrompt | Self::Rename
        )
    }

    async fn play(self, stage: &mut Stage, session: &mut Session) -> Result<()> {
        match self {
            Self::PlainPrompt => plain_prompt(stage, session).await,
            Self::Tool => tool(stage, session).await,
            Self::FailingTool => failing_tool(stage, session).await,
            Self::ApiError => api_error(stage, session).await,
            Self::Clear => clear(stage, session).await,
            Self::BackgroundShell => background::shell(stage, session).await,
            Self::BackgroundAgent => background::agent(stage, session).await,
            Self::EscInTool => unhooked::esc_in_tool(stage, session).await,
            Self::EscInText => unhooked::esc_in_text(stage, session).await,
            Self::EscInSilence => unhooked::esc_in_silence(stage, session).await,
            Self::EscAtPrompt => unhooked::esc_at_prompt(stage, session).await,
            Self::Rename => unhooked::rename(stage, session).await,
            Self::Exit => exit(stage, session).await,
            Self::Kill => kill(stage, session).await,
        }
    }
}

/// Plays all checks with this program.
pub async fn run(program: PathBuf, version: &str, report: &mut Report) -> Result<()> {
    let projects: Vec<&str> =
        CHECKS.map(Check::project).into_iter().chain([EARLY]).chain(answers::projects()).collect();
    let home = Home::new(version, &projects)?;
    let file = home.project(Check::EscAtPrompt.project()).join("note.txt");
    let scripts = answers::scripts(scripts(&file), &home);
    let Some(mut stage) =
        noted(report, "the panel starts and answers", Stage::set(program, home, scripts).await)
    else {
        return Ok(());
    };
    let early = unhooked::begun_before(&mut stage, report).await;
    let connected = stage.panel.run(&["hooks", "connect", "claude", "--yes"]).await;
    if noted(report, "Claude Code is connected", connected).is_none() {
        return Ok(());
    }
    if let Some(session) = early {
        unhooked::goes_on_connected(&mut stage, session, report).await;
    }
    for check in CHECKS {
        if check.needs_files() && !FILES_ARE_READ {
            Report::postponed(check.promise());
        } else {
            one(check, &mut stage, report).await;
        }
    }
    noted(report, "every hook was silent and well, by Claude Code's own account", silent_hooks(&stage));
    answers::run(&mut stage, report).await;
    noted(report, "a hook of someone else still runs", other_hook_runs(&stage));
    noted(report, "disconnecting puts the settings back to the byte", disconnect(&stage).await);
    Ok(())
}

fn noted<T>(report: &mut Report, promise: &str, outcome: Result<T>) -> Option<T> {
    match outcome {
        Ok(value) => {
            report.passed(promise);
            Some(value)
        }
        Err(error) => {
            report.failed(promise, &error, "");
            None
        }
    }
}

async fn one(check: Check, stage: &mut Stage, report: &mut Report) {
    let mut session = match stage.open(check.project()) {
        Ok(session) => session,
        Err(error) => return report.failed(check.promise(), &error, ""),
    };
    match check.play(stage, &mut session).await {
        Ok(()) => report.passed(check.promise()),
        Err(error) => report.failed(check.promise(), &error, &evidence(stage, &session)),
    }
}

fn evidence(stage: &Stage, session: &Session) -> String {
    format!(
        "the panel's last tables:\n{}\nthe terminal:\n{}\nthe panel's log:\n{}",
        stage.recent_tables(),
        session.terminal.screen(),
        stage.panel.log()
    )
}

/// `file` is one that only a person may let be written.
fn scripts(file: &Path) -> Scripts {
    let command =
        |fails| json!({"command": Session::waiting_command(fails), "description": "Wait for the go"});
    Scripts::default()
        .with("plain", [Step::text("All is well.").held_at("plain")])
        .with("tool", [Step::tool("Bash", command(false)), Step::text("It went well.").held_at("tool")])
        .with(
            "failing-tool",
            [Step::tool("Bash", command(true)), Step::text("It failed.").held_at("failing-tool")],
        )
        .with("error", [Step::error(400, "invalid_request_error", REFUSAL)])
        .with("after-error", [Step::text("Better now.").held_at("after-error")])
        .with("brief", [Step::text("Done.")])
        .with("endless", [Step::text("Never said.").held_at("never")])
        .with("shell", background::shell_script())
        .with("agent", background::agent_script())
        .with("subagent", background::subagent_script())
        .with("talk", [unhooked::stuck_talk()])
        .with("silence", [Step::text("Never said.").silent_until("never")])
        .with("write", [Step::tool("Write", json!({"file_path": file, "content": "A note."}))])
}

/// The row that comes with the program, before any prompt.
async fn ready(stage: &mut Stage, session: &mut Session) -> Result<Row> {
    session.wait_until_ready().await?;
    let row = stage.wait_for_state(session.project(), State::Idle).await?;
    let name = session.project().file_name().map(|name| name.to_string_lossy().into_owned());
    ensure!(
        row.agent == "claude" && Some(&row.project) == name.as_ref(),
        "the row has the wrong name: {row:?}"
    );
    ensure!(row.pid == session.terminal.pid(), "the row has the wrong process: {row:?}");
    Ok(row)
}

async fn plain_prompt(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    let first = ready(stage, session).await?;
    session.enter("SCN:plain How are things?").await?;
    let thinking = stage.wait_for_state(&at, State::Thinking).await?;
    ensure!(thinking.session == first.session, "the prompt made another session");
    stage.model.open_gate("plain");
    let idle = stage.wait_for_state(&at, State::Idle).await?;
    ensure!(idle.last_prompt.as_deref() == Some("SCN:plain How are things?"), "wrong last prompt: {idle:?}");
    ensure!(idle.last_answer.as_deref() == Some("All is well."), "wrong last answer: {idle:?}");
    ensure!(
        idle.mode.is_none() && idle.waiting.is_empty(),
        "nothing was asked and no mode was set: {idle:?}"
    );
    Ok(())
}

/// Plays up to the moment when the command has ended and the model has the word again.
async fn command(stage: &mut Stage, session: &mut Session, prompt: &str, line: &str) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter(prompt).await?;
    let row = stage.wait_for_state(&at, State::Tool).await?;
    let expected = Tool { name: "Bash".to_owned(), detail: Some(line.to_owned()) };
    ensure!(row.tool.as_ref() == Some(&expected), "wrong tool: {row:?}");
    session.let_command_go().await?;
    let thinking = stage.wait_for_state(&at, State::Thinking).await?;
    ensure!(thinking.tool.is_none(), "a tool that has ended is still there: {thinking:?}");
    Ok(())
}

async fn tool(stage: &mut Stage, session: &mut Session) -> Result<()> {
    command(stage, session, "SCN:tool Please wait.", &Session::waiting_command(false)).await?;
    stage.model.open_gate("tool");
    stage.wait_for_state(session.project(), State::Idle).await?;
    Ok(())
}

async fn failing_tool(stage: &mut Stage, session: &mut Session) -> Result<()> {
    command(stage, session, "SCN:failing-tool Please fail.", &Session::waiting_command(true)).await?;
    stage.model.open_gate("failing-tool");
    let idle = stage.wait_for_state(session.project(), State::Idle).await?;
    ensure!(idle.last_answer.as_deref() == Some("It failed."), "wrong last answer: {idle:?}");
    Ok(())
}

async fn api_error(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:error Can you?").await?;
    let row = stage.wait_for_state(&at, State::Error).await?;
    let detail = row.detail.as_deref().unwrap_or_default();
    ensure!(detail.contains(REFUSAL), "the row does not say what the service said: {row:?}");
    session.enter("SCN:after-error And now?").await?;
    let thinking = stage.wait_for_state(&at, State::Thinking).await?;
    ensure!(thinking.detail.is_none(), "the error is still there: {thinking:?}");
    stage.model.open_gate("after-error");
    stage.wait_for_state(&at, State::Idle).await?;
    Ok(())
}

async fn clear(stage: &mut Stage, session: &mut Session) -> Result<()> {
    let at = session.project().to_owned();
    ready(stage, session).await?;
    session.enter("SCN:brief Anything?").await?;
    let answered = |row: &Row| row.state == State::Idle && row.last_answer.as_deref() == Some("Done.");
    let before = stage.wait_for(&at, "idle row with the answer", answered).await?;
    session.enter("/clear").await?;
    let after = wait::until(LIMIT, "new session in the row", async || match stage.row(&at).await {
        Ok(Some(row)) => (row.session != before.session).then_some(Ok(row)),
        Ok(None) => Some(Err(anyhow!("the row went away"))),
        Err(error) => Some(Err(error)),
    });
    let after = after.await??;
    ensure!(after.state == State::Idle && after.pid == before.pid, "not the same row, idle: {after:?}");
    Ok(())
}

async fn exit(stage: &mut Stage, session: &mut Session) -> Result<()> {
    ready(stage, session).await?;
    session.enter("/exit").await?;
    let status = session.wait_for_end().await?;
    ensure!(status.success(), "Claude Code ended with {status}");
    stage.wait_until_gone(session.project()).await
}

async fn kill(stage: &mut Stage, session: &mut Session) -> Result<()> {
    ready(stage, session).await?;
    session.enter("SCN:endless Go on for ever.").await?;
    stage.wait_for_state(session.project(), State::Thinking).await?;
    session.terminal.kill().await?;
    stage.wait_until_gone(session.project()).await
}

fn silent_hooks(stage: &Stage) -> Result<()> {
    let traces = stage.home.hook_traces()?;
    ensure!(traces.is_empty(), "{}", traces.join("\n"));
    Ok(())
}

fn other_hook_runs(stage: &Stage) -> Result<()> {
    ensure!(stage.home.other_hook_runs() > 0, "it has not run");
    Ok(())
}

async fn disconnect(stage: &Stage) -> Result<()> {
    let file = stage.home.settings_file();
    ensure!(std::fs::read_to_string(&file)? != stage.home.original_settings(), "it was never connected");
    stage.panel.run(&["hooks", "disconnect", "claude", "--yes"]).await?;
    let settings = std::fs::read_to_string(&file)?;
    ensure!(settings == stage.home.original_settings(), "the settings are now:\n{settings}");
    Ok(())
}
