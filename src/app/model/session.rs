// SPDX-License-Identifier: GPL-3.0-or-later
//! A session as an object: what the registry knows of it, and what the person did with its row.

use std::cell::Ref;

use dasbo_core::session;
use glib::prelude::*;
use glib::subclass::prelude::*;

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};
    use std::sync::OnceLock;

    use dasbo_core::session;
    use glib::prelude::*;
    use glib::subclass::Signal;
    use glib::subclass::prelude::*;

    #[derive(Debug, Default, glib::Properties)]
    #[properties(wrapper_type = super::Session)]
    pub struct Session {
        /// What the registry says.
        pub(super) data: OnceCell<RefCell<session::Session>>,
        /// Whether its row is unfolded.
        #[property(get, set = Self::set_expanded, explicit_notify)]
        expanded: Cell<bool>,
    }

    impl Session {
        /// Unfolds or folds its row.
        fn set_expanded(&self, expanded: bool) {
            if self.expanded.replace(expanded) != expanded {
                self.obj().notify_expanded();
            }
        }
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Session {
        const NAME: &'static str = "DasboSession";
        type Type = super::Session;
    }

    #[glib::derived_properties]
    impl ObjectImpl for Session {
        fn signals() -> &'static [Signal] {
            static SIGNALS: OnceLock<Vec<Signal>> = OnceLock::new();
            SIGNALS.get_or_init(|| vec![Signal::builder("changed").build()])
        }
    }
}

glib::wrapper! {
    /// One session. Emits `changed` when what is known of it changed.
    pub struct Session(ObjectSubclass<imp::Session>);
}

impl Session {
    /// A session, folded.
    pub fn new(data: session::Session) -> Self {
        let session: Self = glib::Object::new();
        session.imp().data.get_or_init(|| data.into());
        session
    }

    /// What is known of it.
    pub fn data(&self) -> Ref<'_, session::Session> {
        self.imp().data.get().expect("set when it was made").borrow()
    }

    /// Takes what is now known; says so once, if anything changed.
    pub fn update(&self, data: session::Session) {
        if *self.data() == data {
            return;
        }
        self.imp().data.get().expect("set when it was made").replace(data);
        self.emit_by_name::<()>("changed", &[]);
    }
}
