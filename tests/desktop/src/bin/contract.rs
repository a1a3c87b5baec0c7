// SPDX-License-Identifier: GPL-3.0-or-later
//! `contract claude [--version V | --newest]`: the real agent against the panel, with nothing but loopback.

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use dasbo_desktop_tests::contract::{Report, claude as checks};
use dasbo_desktop_tests::{claude, isolation};
use lexopt::prelude::*;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

const USAGE: &str = "usage: contract claude [--version V | --newest]
DASBO_BIN names the panel's program, DASBO_HOOK_BIN the helper's; a display and a session bus must be there.";

fn main() -> ExitCode {
    match contract() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("contract: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The only part that needs the network comes first; threads come last, as a namespace is left by one thread only.
fn contract() -> Result<bool> {
    let version = version(lexopt::Parser::from_env()).map_err(|error| anyhow!("{error}\n{USAGE}"))?;
    let program = claude::install(&version)?;
    isolation::leave_the_network()?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        isolation::bring_loopback_up().await?;
        println!("Claude Code {version}");
        let mut report = Report::default();
        let (mut end, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::select! {
            outcome = checks::run(program, &version, &mut report) => outcome?,
            _ = end.recv() => bail!("told to end"),
            _ = interrupt.recv() => bail!("interrupted"),
        }
        Ok(report.close())
    })
}

fn version(mut arguments: lexopt::Parser) -> Result<String> {
    let mut agent = None;
    let mut version = claude::PINNED.to_owned();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("version") => version = arguments.value()?.string()?,
            Long("newest") => version = claude::newest()?,
            Value(name) if agent.is_none() => agent = Some(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    match agent.as_deref() {
        Some("claude") => Ok(version),
        Some(other) => bail!("no such agent: {other}"),
        None => bail!("which agent?"),
    }
}
