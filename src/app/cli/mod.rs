// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line. It needs no display.

mod answer;
mod hooks;
mod options;
mod status;

use std::io::{self, Write};
use std::process::ExitCode;

pub use options::{Command, USAGE, parse};

/// Runs a command that opens no window.
pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Panel => ExitCode::SUCCESS,
        Command::Status(options) => status::run(*options),
        Command::Answer(options) => answer::run(options),
        Command::Hooks => hooks::list(),
        Command::Change(agent, task, consent) => hooks::change(*agent, *task, *consent),
        Command::Help => say(&options::help()),
        Command::Version => say(&format!("dasbo {}", crate::config::VERSION)),
    }
}

fn say(text: &str) -> ExitCode {
    code(writeln!(io::stdout(), "{text}").is_ok())
}

fn code(succeeded: bool) -> ExitCode {
    if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
