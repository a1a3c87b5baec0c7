// SPDX-License-Identifier: GPL-3.0-or-later
//! What the registry says to whoever shows sessions.

use crate::session::{RowId, Session};

/// One change of the table of sessions. Applied in order, they rebuild it.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A row came.
    Added(Box<Session>),
    /// A row's session is now this.
    Updated(Box<Session>),
    /// A row went.
    Removed(RowId),
}
