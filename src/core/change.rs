// SPDX-License-Identifier: GPL-3.0-or-later
//! What changed among the sessions: all that the registry tells those who show them.

use crate::session::{RowId, Session};

/// One change. Applied in order, from an empty list on, changes give the registry's sessions.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A session appeared.
    Added(Box<Session>),
    /// A session is now as this says.
    Updated(Box<Session>),
    /// The session of this row is gone.
    Removed(RowId),
}
