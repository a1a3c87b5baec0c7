// SPDX-License-Identifier: GPL-3.0-or-later
//! The line above a group of sessions.

use dasbo_core::session::Group;
use glib::subclass::prelude::*;

mod imp {
    use std::cell::{Cell, OnceCell};

    use dasbo_core::session::Group;
    use glib::prelude::*;
    use glib::subclass::prelude::*;

    #[derive(Debug, Default, glib::Properties)]
    #[properties(wrapper_type = super::GroupHeader)]
    pub struct GroupHeader {
        /// Which group.
        pub(super) group: OnceCell<Group>,
        /// How many sessions stand under it.
        #[property(get, set = Self::set_count, explicit_notify)]
        count: Cell<u32>,
    }

    impl GroupHeader {
        /// Takes the number of sessions under it.
        fn set_count(&self, count: u32) {
            if self.count.replace(count) != count {
                self.obj().notify_count();
            }
        }
    }

    #[glib::object_subclass]
    impl ObjectSubclass for GroupHeader {
        const NAME: &'static str = "DasboGroupHeader";
        type Type = super::GroupHeader;
    }

    #[glib::derived_properties]
    impl ObjectImpl for GroupHeader {}
}

glib::wrapper! {
    /// A group, and how many sessions stand in it.
    pub struct GroupHeader(ObjectSubclass<imp::GroupHeader>);
}

impl GroupHeader {
    /// A header for an empty group.
    pub fn new(group: Group) -> Self {
        let header: Self = glib::Object::new();
        header.imp().group.get_or_init(|| group);
        header
    }

    /// Which group.
    pub fn group(&self) -> Group {
        *self.imp().group.get().expect("set when it was made")
    }
}
