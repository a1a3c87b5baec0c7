// SPDX-License-Identifier: GPL-3.0-or-later
//! A card that appears, is replaced, or moves under the pointer takes no click that was meant for what was there before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::moment::Moment;
use gtk::gdk;
use gtk::prelude::*;

use crate::clock;

/// What is shown for less was not what the person clicked on.
const SEEN_AFTER: Duration = Duration::from_millis(300);

/// Since when something is shown as it is, where it is. A screen reader finds it busy until it takes clicks.
#[derive(Debug, Clone, Default)]
pub struct Guard(Rc<State>);

#[derive(Debug, Default)]
struct State {
    since: Cell<Option<Moment>>,
    /// Where it was drawn last: left and top in its window. What grows or shrinks inside of it does so by the person.
    place: Cell<Option<[i32; 2]>>,
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
        self.follow(widget);
    }

    /// Opens anew whenever the widget is drawn elsewhere than before.
    pub fn follow(&self, widget: &impl IsA<gtk::Widget>) {
        let frames: Rc<RefCell<Option<(gdk::FrameClock, glib::SignalHandlerId)>>> = Rc::default();
        let (guard, drawn) = (self.clone(), frames.clone());
        widget.connect_map(move |widget| {
            let (guard, followed) = (guard.clone(), widget.upcast_ref::<gtk::Widget>().downgrade());
            let look = move |_: &gdk::FrameClock| {
                if let Some(widget) = followed.upgrade() {
                    guard.look(&widget);
                }
            };
            drawn.replace(widget.frame_clock().map(|clock| {
                let id = clock.connect_after_paint(look);
                (clock, id)
            }));
        });
        widget.connect_unmap(move |_| {
            if let Some((clock, id)) = frames.take() {
                clock.disconnect(id);
            }
        });
    }

    fn look(&self, widget: &gtk::Widget) {
        let place = place(widget);
        if self.0.place.replace(place) != place && self.0.since.get().is_some() {
            self.open(widget);
        }
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

/// In whole pixels, or what is too small to be seen would count.
#[expect(clippy::cast_possible_truncation, reason = "no window is so large")]
fn place(widget: &gtk::Widget) -> Option<[i32; 2]> {
    let bounds = widget.compute_bounds(&widget.root()?)?;
    Some([bounds.x(), bounds.y()].map(|pixels| pixels.round() as i32))
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
