// SPDX-License-Identifier: GPL-3.0-or-later
//! All that Dasbo can decide without a screen.
//!
//! One direction: a frame from the helper (`wire`) becomes an `event` (`agents` alone knows dialects), the
//! `registry` applies it to a `session` and says what changed. Time, files and /proc come in as arguments.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![warn(missing_docs)]

pub mod agents;
pub mod change;
pub mod event;
pub mod install;
pub mod moment;
pub mod process;
pub mod registry;
pub mod request;
pub mod session;
pub mod watch;
pub mod wire;
