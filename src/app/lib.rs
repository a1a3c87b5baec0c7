// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel and the command line.
//!
//! The way of an event: `intake` reads it from the socket and hands it to `panel`, which applies it to the registry
//! of `dasbo-core` and feeds what changed to `model`, the list that `ui` shows. `words` says in sentences what the
//! core says in types; `table` says it to scripts, over `desktop::bus`, to `cli`. Back go only a person's answers, from
//! a card to `answers` and from there to the helper that waits.

pub mod answers;
mod application;
mod cli;
pub mod clock;
mod code;
mod config;
pub mod connect;
pub mod decision_log;
pub mod desktop;
pub mod i18n;
pub mod intake;
pub mod markdown;
pub mod model;
mod on_disk;
pub mod panel;
mod pending;
mod settings;
pub mod table;
pub mod ui;
pub mod words;

use std::process::ExitCode;

/// The program.
pub fn main() -> ExitCode {
    i18n::init();
    match cli::parse(std::env::args_os()) {
        Ok(cli::Command::Panel) => application::run(),
        Ok(command) => cli::run(&command),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(cli::USAGE)
        }
    }
}
