// SPDX-License-Identifier: GPL-3.0-or-later
//! `contract claude [--version V | --newest]`: the real agent against the panel, with nothing but loopback.
//! `contract record`: the real agent on its own, for fixtures/.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use dasbo_desktop_tests::contract::{Report, claude as checks};
use dasbo_desktop_tests::{claude, isolation, record};
use lexopt::prelude::*;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

const USAGE: &str = "usage: contract claude [--version V | --newest]
       contract record [--version V] [--into FOLDER] [SCENARIO...]
DASBO_BIN names the panel's program, DASBO_HOOK_BIN the helper's; a display and a session bus must be there. Recording
needs none of these; it writes FOLDER/VERSION/SCENARIO.jsonl, FOLDER being fixtures/claude if it is not given.";

/// What is to be done with the agent.
#[derive(Debug)]
enum Task {
    Check,
    Record { folder: PathBuf, scenarios: Vec<String> },
}

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
    let (task, versions) =
        arguments(lexopt::Parser::from_env()).map_err(|error| anyhow!("{error}\n{USAGE}"))?;
    let installed = |version: &String| Ok((claude::install(version)?, version.clone()));
    let programs: Vec<(PathBuf, String)> = versions.iter().map(installed).collect::<Result<_>>()?;
    isolation::leave_the_network()?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        isolation::bring_loopback_up().await?;
        let (mut end, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::select! {
            outcome = with_all(&task, programs) => outcome,
            _ = end.recv() => bail!("told to end"),
            _ = interrupt.recv() => bail!("interrupted"),
        }
    })
}

async fn with_all(task: &Task, programs: Vec<(PathBuf, String)>) -> Result<bool> {
    let mut report = Report::default();
    let mut recorded_all = true;
    for (program, version) in programs {
        println!("Claude Code {version}");
        match task {
            Task::Check => checks::run(program, &version, &mut report).await?,
            Task::Record { folder, scenarios } => {
                let folder = folder.join(&version);
                recorded_all &= record::record(&program, &version, &folder, scenarios).await?;
            }
        }
    }
    Ok(match task {
        Task::Check => report.close(),
        Task::Record { .. } => recorded_all,
    })
}

fn arguments(mut arguments: lexopt::Parser) -> Result<(Task, Vec<String>)> {
    let mut words = Vec::new();
    let mut versions: Vec<String> = claude::PINNED.map(str::to_owned).into();
    let mut folder = PathBuf::from("fixtures/claude");
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("version") => versions = vec![arguments.value()?.string()?],
            Long("newest") => versions = vec![claude::newest()?],
            Long("into") => folder = arguments.value()?.into(),
            Value(word) => words.push(word.string()?),
            other @ (Short(_) | Long(_)) => return Err(other.unexpected().into()),
        }
    }
    let mut words = words.into_iter();
    let task = match (words.next().as_deref(), words.collect::<Vec<_>>()) {
        (Some("claude"), rest) if rest.is_empty() => Task::Check,
        (Some("record"), scenarios) => Task::Record { folder, scenarios },
        (Some(other), _) => bail!("no such agent: {other}"),
        (None, _) => bail!("which agent?"),
    };
    Ok((task, versions))
}
