// SPDX-License-Identifier: GPL-3.0-or-later
//! A card that appears or is replaced under the pointer takes no click that was meant for what was there before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::moment::Moment;
use gtk::prelude::*;

use crate::clock;

/// What is shown for less was not what the person clicked on.
const SEEN_AFTER: Duration = Duration::from_millis(300);

/// Since when something is shown as it is. A screen reader finds it busy until it takes clicks.
#[derive(Debug, Clone, Default)]
pub struct Guard(Rc<State>);

#[derive(Debug, Default)]
struct State {
    since: Cell<Option<Moment>>,
    timer: RefCell<Option<glib::SourceId>>,
}

impl Guard {
    /// It is not shown, or not whole.
    pub fn close(&self, widget: &impl IsA<gtk::Widget>) {
        self.0.since.set(None);
        self.0.stop();
        say_busy(widget, true);
    }

    /// It is shown as it is from now on.
    pub fn open(&self, widget: &impl IsA<gtk::Widget>) {
        self.close(widget);
        self.0.since.set(Some(clock::now()));
        let (state, widget) = (Rc::downgrade(&self.0), widget.upcast_ref::<gtk::Widget>().downgrade());
        let timer = glib::timeout_add_local_once(SEEN_AFTER, move || {
            if let Some((state, widget)) = state.upgrade().zip(widget.upgrade()) {
                state.timer.take();
                say_busy(&widget, false);
            }
        });
        self.0.timer.replace(Some(timer));
    }

    /// Opens whenever the widget comes to be shown: for one that is whole from the first.
    pub fn open_when_shown(&self, widget: &impl IsA<gtk::Widget>) {
        let guard = self.clone();
        widget.connect_map(move |widget| guard.open(widget));
    }

    /// Whether a click now is meant for it.
    pub fn is_open(&self) -> bool {
        self.0.since.get().is_some_and(|since| was_seen(since, clock::now()))
    }
}

impl State {
    fn stop(&self) {
        if let Some(timer) = self.timer.take() {
            timer.remove();
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.stop();
    }
}

fn was_seen(since: Moment, now: Moment) -> bool {
    now.since(since) >= SEEN_AFTER
}

fn say_busy(widget: &impl IsA<gtk::Widget>, is_busy: bool) {
    widget.upcast_ref::<gtk::Widget>().update_state(&[gtk::accessible::State::Busy(is_busy)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glance_takes_a_moment() {
        let since = Moment::from_nanos(1_000_000_000);
        assert!(!was_seen(since, since));
        assert!(!was_seen(since, since + Duration::from_millis(299)));
        assert!(was_seen(since, since + Duration::from_millis(300)));
    }
}
