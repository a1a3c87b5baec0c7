// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo-chaos [SECONDS] [--seed N]`: agents work while everything around the panel breaks, and is mended again. Run by
//! `./dev chaos`, on a display, a bus and a home of its own. Ends with 1 if anything was not as it must be.
//!
//! What must be: no panel ends by itself or says that it is broken; no helper prints a word, fails or is slow; and once
//! all is mended, each living session's row shows what last happened in it, and there is no other row.

mod agent;
mod breakage;
mod files;
mod judge;
mod panels;
mod questions;
mod script;
mod tally;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use agent::Agent;
use breakage::Breakage;
use fastrand::Rng;
use lexopt::prelude::*;
use panels::Panels;
use tally::Tally;

const SECONDS: u64 = 300;

/// How long things break before all is mended and looked at.
const ROUND: Duration = Duration::from_secs(15);

/// Agents whose hooks are connected, and agents that only write their file.
const HOOKED: usize = 10;
const UNHOOKED: usize = 3;

fn main() -> ExitCode {
    let Ok((seconds, seed)) = arguments(lexopt::Parser::from_env()) else {
        eprintln!("usage: dasbo-chaos [SECONDS] [--seed N]");
        return ExitCode::from(2);
    };
    println!("seed {seed}: what is done is the same again with --seed {seed}, when is not");
    let tally = Tally::default();
    run(Duration::from_secs(seconds), Rng::with_seed(seed), &tally);
    print!("{}", tally.report());
    if tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn arguments(mut arguments: lexopt::Parser) -> Result<(u64, u64), lexopt::Error> {
    let (mut seconds, mut seed) = (SECONDS, fastrand::u64(..1_000_000));
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("seed") => seed = arguments.value()?.parse()?,
            Value(value) => seconds = value.parse()?,
            other => return Err(other.unexpected()),
        }
    }
    Ok((seconds, seed))
}

fn run(time: Duration, mut random: Rng, tally: &Tally) {
    let begun = Instant::now();
    let mut panels = Panels::open(tally);
    let mut agents: Vec<Agent> =
        (0..HOOKED + UNHOOKED).map(|number| Agent::new(number < HOOKED, random.fork())).collect();
    let mut breakage = Breakage::new(random);
    while begun.elapsed() < time && !tally.is_hopeless() {
        let end = Instant::now() + ROUND;
        std::thread::scope(|scope| {
            for agent in &mut agents {
                scope.spawn(move || agent.work(end, tally));
            }
            while Instant::now() < end {
                breakage.strike(&mut panels, end, tally);
            }
        });
        breakage::mend(&mut panels, tally);
        judge::judge(&mut panels, &mut agents, tally);
        eprintln!("{:4} s: {}", begun.elapsed().as_secs(), tally.line());
    }
    for agent in agents {
        agent.end(tally);
    }
    if !tally.is_clean() {
        panels.print_logs();
    }
    panels.close(tally);
}
