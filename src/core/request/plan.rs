// SPDX-License-Identifier: GPL-3.0-or-later
//! A plan to approve.

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The plan, in Markdown. Not empty.
    pub text: String,
    /// The file it stands in.
    pub file: Option<String>,
}
