// SPDX-License-Identifier: GPL-3.0-or-later
//! Scenarios that run their course.

use anyhow::Result;
use nix::sys::signal::Signal;

use super::unknown;
use crate::record::actor::{Actor, ENTER, ESCAPE};

pub(super) async fn play(name: &str, actor: &mut Actor) -> Result<()> {
    if name == "p-run-with-bash" {
        return p_run(actor).await;
    }
    if name == "dialog-open-at-the-start" {
        return start_dialog(actor).await;
    }
    actor.ready().await?;
    match name {
        "two-prompts-after-esc" => two_prompts_after_esc(actor).await?,
        "yes-in-the-terminal-then-a-long-run" => long_run(actor).await?,
        "background-shell-outlives-stop" => {
            stopped("SCN:shell Run it.", actor).await?;
            background_ends(actor).await?;
        }
        "background-subagent-outlives-stop" => subagent(actor).await?,
        "rename" => rename(actor).await?,
        "clear-while-named" => clear(actor).await?,
        "compact-then-prompt" => compact(actor).await?,
        "compact-refused" => compact_too_soon(actor).await?,
        "resume-inside" => resume(actor).await?,
        "begun-before-the-hooks" => begun_before(actor).await?,
        "api-error-then-prompt" => api_error(actor).await?,
        "bang-command" => bang(actor).await?,
        "exit-after-a-prompt" => plain(actor).await?,
        "sigkill-while-bash-runs" => return sigkill(actor).await,
        "prompt-queued-while-bash-runs" => queued(actor).await?,
        "prompt-queued-while-text-streams" => queued_in_text(actor).await?,
        "auto-mode-with-bash" => tool(actor).await?,
        other => unknown(other)?,
    }
    actor.exit().await
}

async fn stopped(prompt: &str, actor: &mut Actor) -> Result<()> {
    actor.enter(prompt).await?;
    actor.event("Stop").await?;
    actor.settle().await
}

/// Esc closes it and changes nothing.
async fn start_dialog(actor: &mut Actor) -> Result<()> {
    actor.dialog().await?;
    actor.press("Escape", ESCAPE).await?;
    actor.status("idle").await?;
    actor.settle().await?;
    plain(actor).await?;
    actor.exit().await
}

async fn plain(actor: &mut Actor) -> Result<()> {
    stopped("SCN:plain How are things?", actor).await
}

async fn bash_runs(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:bash Please wait.").await?;
    actor.event("PreToolUse").await?;
    actor.settle().await
}

async fn let_go(actor: &mut Actor) -> Result<()> {
    actor.session.let_command_go().await?;
    actor.event("Stop").await?;
    actor.settle().await
}

async fn tool(actor: &mut Actor) -> Result<()> {
    bash_runs(actor).await?;
    let_go(actor).await
}

async fn two_prompts_after_esc(actor: &mut Actor) -> Result<()> {
    bash_runs(actor).await?;
    actor.press("Escape", ESCAPE).await?;
    actor.status("idle").await?;
    actor.settle().await?;
    plain(actor).await?;
    tool(actor).await
}

async fn long_run(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:touch Please wait.").await?;
    actor.event("PermissionRequest").await?;
    actor.event("Notification").await?;
    actor.dialog().await?;
    actor.press("Enter", ENTER).await?;
    actor.status("busy").await?;
    for _ in 0..4 {
        actor.settle().await?;
    }
    let_go(actor).await
}

/// The agent tells itself of the end by a prompt of its own.
async fn background_ends(actor: &mut Actor) -> Result<()> {
    actor.session.let_command_go().await?;
    actor.event("Stop").await?;
    actor.settle().await
}

async fn subagent(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:agent Delegate.").await?;
    actor.event("SubagentStart").await?;
    actor.settle().await?;
    actor.session.let_command_go().await?;
    actor.event("SubagentStop").await?;
    actor.event("Stop").await?;
    actor.settle().await
}

async fn rename(actor: &mut Actor) -> Result<()> {
    plain(actor).await?;
    actor.enter("/rename Fix the parser").await?;
    actor.settle().await?;
    plain(actor).await
}

async fn clear(actor: &mut Actor) -> Result<()> {
    rename(actor).await?;
    actor.enter("/clear").await?;
    actor.event("SessionStart").await?;
    actor.settle().await?;
    plain(actor).await
}

async fn compact(actor: &mut Actor) -> Result<()> {
    plain(actor).await?;
    plain(actor).await?;
    actor.enter("/compact").await?;
    actor.asked_for_summary().await?;
    actor.settle().await?;
    actor.model.open_gate("summary");
    actor.event("PostCompact").await?;
    actor.settle().await?;
    plain(actor).await
}

/// One exchange is too little to be compacted.
async fn compact_too_soon(actor: &mut Actor) -> Result<()> {
    plain(actor).await?;
    actor.enter("/compact").await?;
    actor.event("PreCompact").await?;
    actor.settle().await?;
    plain(actor).await
}

async fn resume(actor: &mut Actor) -> Result<()> {
    plain(actor).await?;
    actor.enter("/clear").await?;
    actor.event("SessionEnd").await?;
    actor.event("SessionStart").await?;
    actor.settle().await?;
    plain(actor).await?;
    actor.enter("/resume").await?;
    actor.screen("Resume").await?;
    actor.settle().await?;
    actor.press("Enter", ENTER).await?;
    actor.event("SessionEnd").await?;
    actor.settle().await?;
    plain(actor).await
}

/// Without hooks the registry file is all there is.
async fn begun_before(actor: &mut Actor) -> Result<()> {
    // So short a turn does not always reach the file.
    actor.enter("SCN:plain How are things?").await?;
    actor.screen("All is well.").await?;
    actor.settle().await?;
    actor.enter("SCN:touch Please wait.").await?;
    actor.dialog().await?;
    actor.press("Enter", ENTER).await?;
    actor.status("busy").await?;
    actor.settle().await?;
    actor.press("Escape", ESCAPE).await?;
    actor.status("idle").await?;
    actor.settle().await?;
    actor.enter("SCN:shell Run it.").await?;
    actor.status("shell").await?;
    actor.settle().await?;
    actor.session.let_command_go().await?;
    actor.status("idle").await?;
    actor.settle().await?;
    actor.connect()?;
    for _ in 0..3 {
        actor.settle().await?;
    }
    plain(actor).await
}

async fn api_error(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:error Can you?").await?;
    actor.event("StopFailure").await?;
    actor.settle().await?;
    plain(actor).await
}

async fn bang(actor: &mut Actor) -> Result<()> {
    plain(actor).await?;
    actor.session.terminal.press("!").await?;
    actor.settle_screen().await?;
    actor.enter("echo shell-mode").await?;
    actor.settle().await?;
    plain(actor).await
}

async fn sigkill(actor: &mut Actor) -> Result<()> {
    bash_runs(actor).await?;
    actor.signal(Signal::SIGKILL)?;
    actor.session.wait_for_end().await?;
    actor.settle().await
}

async fn queued(actor: &mut Actor) -> Result<()> {
    bash_runs(actor).await?;
    // 2.1.220 tells of it only when the turn takes it up.
    actor.enter("And this, later.").await?;
    actor.settle().await?;
    let_go(actor).await
}

/// No tool's end comes with which the turn could take it up.
async fn queued_in_text(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:held Talk.").await?;
    actor.screen("no play").await?;
    actor.settle().await?;
    actor.enter("SCN:plain And this, later.").await?;
    actor.settle().await?;
    actor.model.open_gate("held");
    actor.event("Stop").await?;
    actor.event("Stop").await?;
    actor.settle().await
}

async fn p_run(actor: &mut Actor) -> Result<()> {
    actor.event("PreToolUse").await?;
    actor.settle().await?;
    actor.session.let_command_go().await?;
    actor.session.wait_for_end().await?;
    actor.settle().await
}
