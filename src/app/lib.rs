// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel and the command line.

pub mod config;
pub mod intake;

/// The program.
pub fn main() -> glib::ExitCode {
    glib::ExitCode::SUCCESS
}
