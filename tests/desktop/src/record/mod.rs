// SPDX-License-Identifier: GPL-3.0-or-later
//! Recordings for fixtures/: the real agent plays a scenario, and everything that could be known of it is written down.

mod actor;
mod files;
mod finish;
mod line;
mod scenarios;
mod take;

pub use line::{RawHook, RawLine};
pub use take::record;
