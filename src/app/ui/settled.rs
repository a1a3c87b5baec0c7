// SPDX-License-Identifier: GPL-3.0-or-later
//! A card may come up under a finger that is already on its way: for a moment its buttons do nothing.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::moment::Moment;
use gtk::prelude::*;

use crate::clock;

/// How long a card must have been shown before its buttons act.
const SETTLING: Duration = Duration::from_millis(300);

/// Since when a widget has been shown.
#[derive(Debug, Clone, Default)]
pub struct Settled(Rc<Cell<Option<Moment>>>);

impl Settled {
    /// Takes note of when this is shown first.
    pub fn watch(&self, widget: &impl IsA<gtk::Widget>) {
        let shown = self.0.clone();
        widget.connect_map(move |_| shown.set(shown.get().or_else(|| Some(clock::now()))));
    }

    /// Whether it has been shown for long enough to be meant by a click or a key.
    pub fn is_settled(&self) -> bool {
        is_long_ago(self.0.get(), clock::now())
    }
}

fn is_long_ago(shown: Option<Moment>, now: Moment) -> bool {
    shown.is_some_and(|shown| now.since(shown) >= SETTLING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_second_is_long() {
        let shown = Moment::from_nanos(5_000_000_000);
        let is_settled = |millis| is_long_ago(Some(shown), shown + Duration::from_millis(millis));
        assert!(!is_settled(0));
        assert!(!is_settled(299));
        assert!(is_settled(300));
        assert!(!is_long_ago(None, shown), "never shown");
    }
}
