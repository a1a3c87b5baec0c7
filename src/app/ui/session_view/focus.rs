// SPDX-License-Identifier: GPL-3.0-or-later
//! The keys that move between the rows, and which row has the focus.

use std::time::Duration;

use gtk::DirectionType;
use gtk::gdk::{Key, ModifierType};
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use super::imp::{SessionView, toggle};
use crate::clock;
use crate::model::Session;
use crate::ui::{GroupRow, SessionRow, focus_target};

/// How long after a key the row with the focus keeps its place.
const AT_HAND: Duration = Duration::from_secs(10);

impl SessionView {
    pub(super) fn setup_keys(&self) {
        let keys = gtk::EventControllerKey::new();
        // Before the list's own keys, which would take Space.
        keys.set_propagation_phase(gtk::PropagationPhase::Capture);
        let view = self.obj();
        keys.connect_key_pressed(glib::clone!(
            #[weak]
            view,
            #[upgrade_or]
            glib::Propagation::Proceed,
            move |_, key, _, modifiers| view.imp().key_pressed(key, modifiers)
        ));
        self.list_view.add_controller(keys);
    }

    fn key_pressed(&self, key: Key, modifiers: ModifierType) -> glib::Propagation {
        self.key_at.set(Some(clock::now()));
        self.direction.set(match key {
            Key::Up | Key::KP_Up | Key::Page_Up | Key::KP_Page_Up | Key::End => DirectionType::Up,
            Key::ISO_Left_Tab => DirectionType::TabBackward,
            _ => DirectionType::Down,
        });
        if self.release.borrow().is_none() {
            self.follow_focus(true);
        }
        let item = self.list_view.focus_child();
        let row = item.and_then(|item| item.first_child()).and_downcast::<SessionRow>();
        // What is inside of a row has its own use for Space.
        let row = row.filter(|row| focus_target::of(row).is_some_and(|target| target.is_focus()));
        let chord = modifiers.intersects(ModifierType::CONTROL_MASK | ModifierType::ALT_MASK);
        let (Key::space | Key::KP_Space, Some(row), false) = (key, row, chord) else {
            return glib::Propagation::Proceed;
        };
        toggle(row.session().as_ref());
        glib::Propagation::Stop
    }

    /// Holds the row that has the focus; a heading passes it on.
    pub(super) fn follow_focus(&self, window_is_active: bool) {
        let Some(list) = self.list.get() else {
            return;
        };
        let focused = || self.list_view.focus_child().and_then(|item| item.first_child());
        let on_heading = || focused().and_downcast::<GroupRow>().is_some();
        if on_heading() {
            // Moving the focus calls this again.
            let direction = self.direction.get();
            self.list_view.child_focus(direction);
            if on_heading() {
                self.turn_back(direction);
            }
            return;
        }
        if focused().is_none() {
            self.direction.set(DirectionType::Down);
        }
        let session = focused().and_downcast::<SessionRow>().and_then(|row| row.session());
        let row = session.as_ref().map(|session| session.data().row);
        self.focused.replace(session.filter(|_| !self.beforehand.take()));
        list.set_held(row.filter(|_| window_is_active && self.is_at_hand()));
    }

    /// Whether the keyboard was used here a moment ago; then it is looked at again when that is long past.
    fn is_at_hand(&self) -> bool {
        self.stop_release();
        let focus_is_shown = self.obj().root().and_downcast::<gtk::Window>();
        if focus_is_shown.is_some_and(|window| window.gets_focus_visible()) {
            self.key_at.set(Some(clock::now()));
        }
        let left = self.key_at.get().map(|at| AT_HAND.saturating_sub(clock::now().since(at)));
        let Some(left) = left.filter(|left| !left.is_zero()) else {
            return false;
        };
        let view = self.obj().downgrade();
        let release = glib::timeout_add_local_once(left, move || {
            if let Some(view) = view.upgrade() {
                view.imp().release.take();
                let window = view.root().and_downcast::<gtk::Window>();
                view.follow_focus(window.is_some_and(|window| window.is_active()));
            }
        });
        self.release.replace(Some(release));
        true
    }

    pub(super) fn stop_release(&self) {
        if let Some(release) = self.release.take() {
            release.remove();
        }
    }

    /// The focus stays with the session that the person gave it, wherever its row goes.
    pub(super) fn follow(&self, session: &Session) {
        if self.focused.borrow().as_ref() != Some(session) {
            return;
        }
        let (view, session) = (self.obj().downgrade(), session.clone());
        // Before anyone looks where the focus went meanwhile.
        glib::source::idle_add_local_full(glib::Priority::HIGH, move || {
            if let Some(view) = view.upgrade() {
                view.imp().focus(&session);
            }
            glib::ControlFlow::Break
        });
    }

    /// Gives the first row the focus, as long as the person did not choose another.
    pub(super) fn focus_first(&self) {
        if let Some(target) = self.rows().first().and_then(focus_target::of) {
            self.beforehand.set(true);
            target.grab_focus();
        }
    }

    /// Gives a session's row the focus, and brings it into sight.
    pub(super) fn focus(&self, session: &Session) {
        let Some(list) = self.list.get() else { return };
        let Some(position) =
            (0..list.n_items()).find(|at| list.item(*at).as_ref() == Some(session.upcast_ref()))
        else {
            return;
        };
        let show = |position: u32| {
            let _ = self.list_view.activate_action("list.scroll-to-item", Some(&position.to_variant()));
        };
        show(position);
        let row = self.rows().into_iter().find(|row| row.session().as_ref() == Some(session));
        if let Some(target) = row.and_then(|row| focus_target::of(&row)) {
            target.grab_focus();
            // With what stands above it, which may be its group's heading.
            show(position.saturating_sub(1));
        }
    }

    /// Where to go from the topmost heading: back to the rows, or out of the list.
    fn turn_back(&self, direction: DirectionType) {
        let root = self.obj().root();
        match root.filter(|_| direction == DirectionType::TabBackward) {
            Some(root) => root.child_focus(direction),
            None => self.list_view.child_focus(DirectionType::Down),
        };
    }
}
