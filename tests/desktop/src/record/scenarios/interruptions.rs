// SPDX-License-Identifier: GPL-3.0-or-later
//! A person interrupts, then goes on with another prompt.

use anyhow::Result;

use super::unknown;
use crate::record::actor::{Actor, CTRL_C, DOWN, ENTER, ESCAPE};

pub(super) async fn play(name: &str, actor: &mut Actor) -> Result<()> {
    actor.ready().await?;
    let Some((key, moment)) = parts(name) else {
        return unknown(name);
    };
    up_to(moment, actor).await?;
    match key {
        "esc" => actor.press("Escape", ESCAPE).await?,
        "ctrl-c" if moment.starts_with("at-a-") => ctrl_c_then_esc(actor).await?,
        "ctrl-c" => actor.press("C-c", CTRL_C).await?,
        _ => say_no(actor).await?,
    }
    actor.settle().await?;
    empty_the_composer(actor).await?;
    actor.enter("SCN:plain And now?").await?;
    actor.event("Stop").await?;
    actor.settle().await?;
    // What went on in the background ends now.
    if actor.session.let_command_go_if_it_waits() {
        actor.event("Stop").await?;
        actor.settle().await?;
    }
    actor.exit().await
}

fn parts(name: &str) -> Option<(&str, &str)> {
    ["esc", "ctrl-c", "no"]
        .into_iter()
        .find_map(|key| Some((key, name.strip_prefix(key)?.strip_prefix('-')?)))
}

async fn up_to(moment: &str, actor: &mut Actor) -> Result<()> {
    match moment {
        "while-bash-runs" => bash_runs(actor).await,
        "while-text-streams" => streams("SCN:text Talk.", "no play", actor).await,
        "while-thinking-streams" => {
            actor.enter("SCN:thinking Think.").await?;
            actor.asked("thinking", 0).await?;
            actor.settle().await
        }
        "before-the-first-byte" => {
            actor.enter("SCN:silent Say nothing.").await?;
            actor.asked("silent", 0).await?;
            actor.settle().await
        }
        "at-a-permission-prompt" => dialog("SCN:touch Please wait.", actor).await,
        "at-a-question" => dialog("SCN:question Ask me.", actor).await,
        "at-a-plan" => dialog("SCN:plan Plan it.", actor).await,
        "while-a-subagent-works" => {
            actor.enter("SCN:agent-and-text Delegate.").await?;
            actor.event("SubagentStart").await?;
            actor.event("PreToolUse").await?;
            actor.settle().await
        }
        "while-compacting" => {
            // 2.1.220 does not compact a single exchange.
            plain(actor).await?;
            plain(actor).await?;
            actor.enter("/compact").await?;
            actor.event("PreCompact").await?;
            actor.asked_for_summary().await
        }
        "with-a-prompt-queued" => {
            bash_runs(actor).await?;
            actor.enter("SCN:plain And this, later.").await?;
            actor.settle().await
        }
        "while-text-streams-with-a-prompt-queued" => {
            streams("SCN:text Talk.", "no play", actor).await?;
            actor.enter("SCN:plain And this, later.").await?;
            actor.settle().await
        }
        "before-the-first-byte-with-a-prompt-queued" => {
            actor.enter("SCN:silent Say nothing.").await?;
            actor.asked("silent", 0).await?;
            actor.settle().await?;
            actor.enter("SCN:plain And this, later.").await?;
            actor.settle().await
        }
        "while-a-background-shell-runs" => streams("SCN:shell-and-text Run it.", "no play", actor).await,
        other => unknown(other),
    }
}

async fn plain(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:plain How are things?").await?;
    actor.event("Stop").await?;
    actor.status("idle").await?;
    actor.settle().await
}

async fn bash_runs(actor: &mut Actor) -> Result<()> {
    actor.enter("SCN:bash Please wait.").await?;
    actor.event("PreToolUse").await?;
    actor.settle().await
}

async fn streams(prompt: &str, text: &str, actor: &mut Actor) -> Result<()> {
    actor.enter(prompt).await?;
    actor.screen(text).await?;
    actor.settle().await
}

async fn dialog(prompt: &str, actor: &mut Actor) -> Result<()> {
    actor.enter(prompt).await?;
    actor.event("PermissionRequest").await?;
    actor.dialog().await
}

/// Ctrl+C does not close a dialog.
async fn ctrl_c_then_esc(actor: &mut Actor) -> Result<()> {
    actor.press("C-c", CTRL_C).await?;
    actor.settle().await?;
    actor.press("Escape", ESCAPE).await
}

/// No is the last of the choices: going down beyond the end stays there, or comes round; so it is looked for.
async fn say_no(actor: &mut Actor) -> Result<()> {
    while !actor.marked().is_some_and(|choice| choice.contains("No")) {
        actor.press("Down", DOWN).await?;
        actor.settle_screen().await?;
    }
    actor.press("Enter", ENTER).await
}

/// A prompt that was interrupted before it had an answer comes back to where it was typed.
async fn empty_the_composer(actor: &mut Actor) -> Result<()> {
    let is_back = |text: String| text.contains("SCN:") || text.contains("/compact");
    if actor.marked().is_some_and(is_back) {
        actor.press("C-u", "\x15").await?;
        actor.settle_screen().await?;
    }
    Ok(())
}
