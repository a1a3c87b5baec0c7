// SPDX-License-Identifier: GPL-3.0-or-later
//! Keeps the times that the rows show up to date.

use dasbo_core::session::Group;
use gtk::gdk;
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use super::imp::SessionView;
use crate::model::SessionList;

/// Not in sight for another reason: known since GTK 4.12 (`GDK_TOPLEVEL_STATE_SUSPENDED`).
const SUSPENDED: gdk::ToplevelState = gdk::ToplevelState::from_bits_retain(1 << 16);

impl SessionView {
    /// Brings all rows up to date, and lets the clock run on.
    pub(super) fn refresh(&self) {
        self.minute.set(None);
        self.tick();
        self.update_clock();
    }

    /// The clock runs only while someone can see what it changes: each second while a time runs, else with the
    /// minute, which may be the first of another day.
    pub(super) fn update_clock(&self) {
        self.stop_clock();
        if !self.can_be_seen() {
            return;
        }
        let running = self.list.get().is_some_and(SessionList::running);
        let seconds = if running { 1 } else { seconds_to_the_minute() };
        let view = self.obj().downgrade();
        let tick = glib::timeout_add_seconds_local_once(seconds, move || {
            if let Some(view) = view.upgrade() {
                let imp = view.imp();
                imp.clock.take();
                imp.tick();
                imp.update_clock();
            }
        });
        self.clock.replace(Some(tick));
    }

    fn can_be_seen(&self) -> bool {
        let away = gdk::ToplevelState::MINIMIZED | SUSPENDED;
        self.obj().is_mapped() && self.toplevel().is_none_or(|toplevel| !toplevel.state().intersects(away))
    }

    pub(super) fn toplevel(&self) -> Option<gdk::Toplevel> {
        self.obj().native()?.surface()?.dynamic_cast().ok()
    }

    pub(super) fn stop_clock(&self) {
        if let Some(clock) = self.clock.take() {
            clock.remove();
        }
    }

    /// Brings the times up to date: of rows that rest only with the minute.
    fn tick(&self) {
        let minute = glib::DateTime::now_local().ok().map(|now| now.minute());
        let all = self.minute.replace(minute) != minute;
        for row in self.rows() {
            let rests = || row.session().is_some_and(|session| session.data().group() == Group::Quiet);
            if all || !rests() {
                row.tick();
            }
        }
    }
}

/// Until the clock on the wall shows another minute; a little after, rather than before.
fn seconds_to_the_minute() -> u32 {
    let second = glib::DateTime::now_local().map_or(0, |now| now.second());
    61 - u32::try_from(second).unwrap_or_default().min(60)
}
