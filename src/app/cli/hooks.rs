// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo hooks`: connects agents and disconnects them. The change is printed first.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use dasbo_core::agents::{AGENTS, Agent};
use dasbo_core::install::Status;

use super::code;
use super::options::Consent;
use crate::connect::{self, Failure, Planned, Task};
use crate::i18n::{gettext, gettext_f};

/// Says of each agent whether it is connected.
pub fn list() -> ExitCode {
    let mut out = io::stdout().lock();
    let said = AGENTS.iter().try_for_each(|agent| {
        let status = match connect::status(*agent) {
            Ok(Status::Connected) => gettext("connected"),
            Ok(Status::Partly) => gettext("partly connected: connect it again"),
            Ok(Status::NotConnected) => gettext("not connected"),
            Err(Failure(reason)) => reason,
        };
        writeln!(out, "{:12} {:20} {status}", agent.id().0, agent.name())
    });
    code(said.is_ok())
}

/// Changes an agent's settings, once the person has seen how.
pub fn change(agent: &'static dyn Agent, task: Task, consent: Consent) -> ExitCode {
    match try_change(agent, task, consent) {
        Ok(done) => code(done),
        Err(Failure(reason)) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn try_change(agent: &'static dyn Agent, task: Task, consent: Consent) -> Result<bool, Failure> {
    let planned = Planned::new(agent, task)?;
    let name = [("agent", agent.name())];
    if planned.change.is_empty() {
        tell(&match task {
            Task::Connect => gettext_f("{agent} is connected already. Nothing was changed.", &name),
            Task::Disconnect => gettext_f("{agent} is not connected. Nothing was changed.", &name),
        });
        // The helper may be older than this build, a journal left over.
        return planned.commit().map(|()| true);
    }
    tell(planned.change.diff().trim_end());
    if consent == Consent::Ask && !agreed()? {
        tell(&gettext("Nothing was changed."));
        return Ok(false);
    }
    planned.commit()?;
    tell(&match task {
        Task::Connect => {
            gettext_f("{agent} is connected. Its sessions show up in the panel from now on.", &name)
        }
        Task::Disconnect => gettext_f("{agent} is disconnected.", &name),
    });
    Ok(true)
}

fn agreed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure(gettext("Nothing was changed: add --yes to write this without being asked.")));
    }
    print!("\n{} ", gettext("Write this? [y/N]"));
    let mut answer = String::new();
    let heard = io::stdout().flush().and_then(|()| io::stdin().read_line(&mut answer));
    // Translators: the letters that mean yes, as in “[y/N]” above.
    let yes = gettext("y");
    Ok(heard.is_ok() && answer.trim().to_lowercase().starts_with(&yes))
}

/// What is printed is for the person to read: a closed pipe is no reason to stop.
fn tell(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}
