// SPDX-License-Identifier: GPL-3.0-or-later
//! Follows a list model by its `items_changed` alone, as a view does.

use std::cell::RefCell;
use std::rc::Rc;

use gio::glib;
use gio::prelude::*;

/// A plain copy of a list model, kept by replaying what the model says of itself.
#[derive(Debug)]
pub struct ItemsChanged {
    model: gio::ListModel,
    record: Rc<RefCell<Record>>,
    handler: Option<glib::SignalHandlerId>,
}

/// One `items_changed`: position, removed, added.
pub type Triple = (u32, u32, u32);

#[derive(Debug)]
struct Record {
    items: Vec<glib::Object>,
    triples: Vec<Triple>,
}

impl ItemsChanged {
    /// Follows a model from now on.
    pub fn new(model: &impl IsA<gio::ListModel>) -> Self {
        let model: gio::ListModel = model.clone().upcast();
        let record = Record { items: items(&model, 0, model.n_items()), triples: Vec::new() };
        let record = Rc::new(RefCell::new(record));
        let recorded = Rc::clone(&record);
        let handler = model.connect_items_changed(move |model, position, removed, added| {
            // Read before the record is borrowed: a model may answer with a signal.
            let new = items(model, position, added);
            let mut record = recorded.borrow_mut();
            record.triples.push((position, removed, added));
            let first = position as usize;
            record.items.splice(first..first + removed as usize, new);
        });
        Self { model, record, handler: Some(handler) }
    }

    /// What the model said since the last call.
    pub fn take(&self) -> Vec<Triple> {
        std::mem::take(&mut self.record.borrow_mut().triples)
    }

    /// The model's items, as followed.
    pub fn items(&self) -> Vec<glib::Object> {
        self.record.borrow().items.clone()
    }

    /// Checks that the followed copy equals the model.
    ///
    /// # Panics
    ///
    /// When it does not: some `items_changed` was missing or wrong.
    pub fn check(&self) {
        let now = items(&self.model, 0, self.model.n_items());
        assert_eq!(self.items(), now, "the signals do not tell what the model holds");
        assert_eq!(self.model.item(self.model.n_items()), None);
    }
}

impl Drop for ItemsChanged {
    fn drop(&mut self) {
        if let Some(handler) = self.handler.take() {
            self.model.disconnect(handler);
        }
    }
}

fn items(model: &gio::ListModel, first: u32, count: u32) -> Vec<glib::Object> {
    (first..first + count).map(|position| model.item(position).expect("an item below n_items")).collect()
}
