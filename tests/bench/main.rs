// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo-bench [--keep | PART...]`: what Dasbo costs, each figure beside its bound. Run by `./dev bench`, on a display
//! and a bus of its own. Ends with 1 if a bound is exceeded. Writes the figures to target/bench.json, and the page about
//! this version to target/bench.md or, with `--keep`, to docs/performance.md.
//!
//! Ratios compare within one run, in turns, so that they hold on any machine, if it is quiet.

mod burst;
mod frames;
mod helper;
mod launch;
mod loop_probe;
mod report;
mod screen;
mod script;
mod spawn;
mod start;
mod transcripts;
mod wakeups;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use report::{Figure, Report};
use screen::Screen;

type Part = fn(&mut Screen) -> Vec<Figure>;

const PARTS: &[(&str, Part)] = &[
    ("helper", helper::measure),
    ("start", start::measure),
    ("burst", burst::measure),
    ("transcripts", transcripts::measure),
    ("wakeups", wakeups::measure),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |number: &str| number.parse().expect("a number");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--nest", depth] => helper::nest(number(depth)),
        ["--agent", agent] => burst::act(number(agent)),
        ["--keep"] => return run(&[], Path::new("docs/performance.md")),
        ref parts if parts.iter().all(|part| PARTS.iter().any(|(name, _)| name == part)) => {
            return run(parts, Path::new("target/bench.md"));
        }
        _ => {
            eprintln!("usage: dasbo-bench [--keep | helper|start|burst|transcripts|wakeups...]");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn run(parts: &[&str], page: &Path) -> ExitCode {
    let mut screen = Screen::open();
    let mut report = Report::new();
    print!("{}", report::heading());
    for (name, part) in PARTS.iter().filter(|(name, _)| parts.is_empty() || parts.contains(name)) {
        let begun = Instant::now();
        let figures = part(&mut screen);
        report.add(figures, begun.elapsed());
        eprintln!("  {name}: {:.0} s", begun.elapsed().as_secs_f64());
    }
    println!("{}", report.footer());
    report.write(Path::new("target/bench.json"));
    std::fs::write(page, report.page()).unwrap();
    if report.all_within_bounds() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
