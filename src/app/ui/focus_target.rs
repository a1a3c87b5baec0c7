// SPDX-License-Identifier: GPL-3.0-or-later
//! Which widget of a list's row takes the focus, and so speaks for it to a screen reader.
//!
//! Since GTK 4.12 it is the list's own item. Before, an item leaves the focus to what is inside of it: to the first
//! button, for Enter to press, if the row itself does not take it.

use gtk::prelude::*;

use super::SessionRow;

/// Decides for a row that is about to go into a list's item.
pub fn choose(item: &gtk::ListItem, row: &impl IsA<gtk::Widget>, role: gtk::AccessibleRole) {
    if item.find_property("focusable").is_some() {
        item.set_property("focusable", true);
    } else {
        row.set_focusable(true);
        row.set_property("accessible-role", role);
    }
}

/// The one that was chosen. `None` outside of a window: a new item is nobody's yet, and a reference taken here would
/// be its only one.
pub fn of(row: &impl IsA<gtk::Widget>) -> Option<gtk::Widget> {
    row.root()?;
    if row.is_focusable() { Some(row.clone().upcast()) } else { row.parent() }
}

/// Gives the focus to the row if it is in a part of it that is about to go: it is not for what comes in its place.
/// Right after this, before the next key: a list that sees the focus move may change its rows.
pub fn leave(part: &impl IsA<gtk::Widget>) {
    let focus = part.root().and_then(|root| root.focus());
    let is_inside = |focus: &gtk::Widget| focus == part.upcast_ref() || focus.is_ancestor(part);
    if !focus.is_some_and(|focus| is_inside(&focus)) {
        return;
    }
    let row = part.ancestor(SessionRow::static_type()).map(|row| row.downgrade());
    glib::source::idle_add_local_full(glib::Priority::HIGH, move || {
        let row = row.as_ref().and_then(glib::WeakRef::upgrade).and_downcast::<SessionRow>();
        if let Some(target) = row.and_then(|row| of(&row)) {
            target.grab_focus();
        }
        glib::ControlFlow::Break
    });
}
