// SPDX-License-Identifier: GPL-3.0-or-later
//! Records how a list model changes.

use std::cell::RefCell;
use std::rc::Rc;

use gio::prelude::*;

/// One `items-changed`: where, how many items went there, how many came there.
pub type Splice = (u32, u32, u32);

/// Records every `items-changed` of a list from now on.
#[derive(Debug)]
pub struct ItemsChanged {
    list: gio::ListModel,
    handler: Option<gio::glib::SignalHandlerId>,
    splices: Rc<RefCell<Vec<Splice>>>,
}

impl ItemsChanged {
    /// Starts recording `list`.
    pub fn of(list: &impl IsA<gio::ListModel>) -> Self {
        let list = list.upcast_ref::<gio::ListModel>().clone();
        let splices = Rc::new(RefCell::new(Vec::new()));
        let record = splices.clone();
        let handler = list.connect_items_changed(move |_, position, removed, added| {
            record.borrow_mut().push((position, removed, added));
        });
        Self { list, handler: Some(handler), splices }
    }

    /// What was recorded since the last time.
    pub fn take(&self) -> Vec<Splice> {
        self.splices.take()
    }
}

impl Drop for ItemsChanged {
    fn drop(&mut self) {
        if let Some(handler) = self.handler.take() {
            self.list.disconnect(handler);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_each_change_once() {
        let list = gio::ListStore::new::<gio::Menu>();
        list.append(&gio::Menu::new());
        let changes = ItemsChanged::of(&list);
        list.splice(0, 1, &[gio::Menu::new(), gio::Menu::new()]);
        list.remove(1);
        assert_eq!(changes.take(), [(0, 1, 2), (1, 1, 0)]);
        assert!(changes.take().is_empty());
    }
}
