// SPDX-License-Identifier: GPL-3.0-or-later
//! Changes that are not shown yet: of each row only the last one, so that a burst costs what is seen of it.

use std::collections::{HashMap, VecDeque};

use dasbo_core::change::Change;
use dasbo_core::session::RowId;

/// The rows that changed, in the order in which they began to.
#[derive(Debug, Default)]
pub struct Pending {
    order: VecDeque<RowId>,
    changes: HashMap<RowId, Change>,
}

impl Pending {
    /// Adds changes in their order.
    pub fn add(&mut self, changes: Vec<Change>) {
        for change in changes {
            let row = row(&change);
            if self.changes.insert(row, change).is_none() {
                self.order.push_back(row);
            }
        }
    }

    /// Takes out what is to be shown next. A row that came and went meanwhile is only said to be gone.
    pub fn next(&mut self) -> Option<Change> {
        self.order.pop_front().and_then(|row| self.changes.remove(&row))
    }

    /// Whether all is shown.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

fn row(change: &Change) -> RowId {
    match change {
        Change::Added(session) | Change::Updated(session) => session.row,
        Change::Removed(row) => *row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_row_the_last_change_is_left() {
        let gone = |row| Change::Removed(RowId(row));
        let mut pending = Pending::default();
        pending.add(vec![gone(1), gone(2), gone(1)]);
        assert_eq!(pending.next(), Some(gone(1)));
        pending.add(vec![gone(1)]);
        assert_eq!([pending.next(), pending.next(), pending.next()], [Some(gone(2)), Some(gone(1)), None]);
        assert!(pending.is_empty());
    }
}
