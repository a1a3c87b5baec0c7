// SPDX-License-Identifier: GPL-3.0-or-later
//! The contract: what a real agent does, the panel shows.

pub mod claude;
mod report;
mod stage;

pub use report::Report;
pub use stage::{LIMIT, Stage};
