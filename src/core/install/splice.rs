// SPDX-License-Identifier: GPL-3.0-or-later
//! Small edits of a text, as data.

use serde::{Deserialize, Serialize};

/// One edit: at `offset`, `removed` gives way to `inserted`.
///
/// Lists of splices are sorted by offset and do not overlap; all offsets count in the text before the first edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// Where, in bytes of the text before.
    pub offset: usize,
    /// The text that stood there.
    pub removed: String,
    /// The text that stands there afterwards.
    pub inserted: String,
}

impl Splice {
    pub(super) fn insertion(offset: usize, inserted: impl Into<String>) -> Self {
        let (removed, inserted) = (String::new(), inserted.into());
        Self { offset, removed, inserted }
    }
}

/// The text after the edits; `None` when they were not made for this text.
pub fn apply(text: &str, splices: &[Splice]) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for splice in splices {
        result.push_str(text.get(at..splice.offset)?);
        let rest = text.get(splice.offset..)?.strip_prefix(&splice.removed)?;
        result.push_str(&splice.inserted);
        at = text.len() - rest.len();
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

/// The edits that lead back.
pub fn invert(splices: &[Splice]) -> Vec<Splice> {
    let mut shift = 0_isize;
    let back = |splice: &Splice| {
        let offset = splice.offset.saturating_add_signed(shift);
        shift += splice.inserted.len().cast_signed() - splice.removed.len().cast_signed();
        let (removed, inserted) = (splice.inserted.clone(), splice.removed.clone());
        Splice { offset, removed, inserted }
    };
    splices.iter().map(back).collect()
}
