// SPDX-License-Identifier: GPL-3.0-or-later
//! Format-preserving edits of other programs' configuration.
//!
//! Planning is pure, over text: [`plan`] to connect, [`undo`] to disconnect. [`Connection`] reads, plans and, when
//! told, writes: the journal first, then the configuration, each by rename. Nothing is ever written that was not
//! planned, verified and shown as a [`Change`] before.
//!
//! JSON is the one format so far (`json`); all else here knows texts and splices alone.

mod connection;
mod entries;
mod error;
mod file;
pub mod helper;
mod journal;
mod json;
mod places;
mod plan;
mod splice;
mod undo;

pub use connection::{Connection, Intent};
pub use entries::{Entries, HELPER_NAME, Hook, command, own_event};
pub use error::Error;
pub use journal::{Fingerprint, Journal, Placed, Step};
pub use json::{plan, status};
pub use places::Places;
pub use plan::{Change, Created, Plan, Status};
pub use splice::{Splice, apply, invert};
pub use undo::undo;

/// The largest configuration that is read, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 16 * 1024 * 1024;
