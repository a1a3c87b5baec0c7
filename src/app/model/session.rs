// SPDX-License-Identifier: GPL-3.0-or-later
//! A session as an object: what the registry knows of it, and what the person did with its row.

use std::cell::{Ref, RefMut};

use async_channel::Sender;
use dasbo_core::request::RequestId;
use dasbo_core::session;
use glib::prelude::*;
use glib::subclass::prelude::*;

use super::Draft;
use crate::answers::Wish;

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};
    use std::collections::BTreeMap;
    use std::sync::OnceLock;

    use async_channel::Sender;
    use dasbo_core::request::RequestId;
    use dasbo_core::session;
    use glib::prelude::*;
    use glib::subclass::Signal;
    use glib::subclass::prelude::*;

    use crate::answers::Wish;
    use crate::model::Draft;

    #[derive(Debug, Default, glib::Properties)]
    #[properties(wrapper_type = super::Session)]
    pub struct Session {
        /// What the registry says.
        pub(super) data: OnceCell<RefCell<session::Session>>,
        /// Whether its row is unfolded.
        #[property(get, set = Self::set_expanded, explicit_notify)]
        expanded: Cell<bool>,
        /// What the person has entered for the requests that are open.
        pub(super) drafts: RefCell<BTreeMap<RequestId, Draft>>,
        /// Where what the person wants goes.
        pub(super) wishes: OnceCell<Sender<(RequestId, Wish)>>,
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
        let is_open = |id: &RequestId| data.held().any(|(_, held)| held.id == *id);
        self.imp().drafts.borrow_mut().retain(|id, _| is_open(id));
        self.imp().data.get().expect("set when it was made").replace(data);
        self.emit_by_name::<()>("changed", &[]);
    }

    /// Says what the person wants goes there.
    pub(super) fn set_wishes(&self, wishes: &Sender<(RequestId, Wish)>) {
        self.imp().wishes.get_or_init(|| wishes.clone());
    }

    /// What the person has entered for a request.
    pub fn draft(&self, request: RequestId) -> RefMut<'_, Draft> {
        RefMut::map(self.imp().drafts.borrow_mut(), |drafts| drafts.entry(request).or_default())
    }

    /// Lets the person answer again.
    pub(super) fn answer_again(&self, request: RequestId) {
        self.draft(request).sent = false;
        self.emit_by_name::<()>("changed", &[]);
    }

    /// Passes on what the person wants done about a request, once; cards then take no more of it.
    pub fn wish(&self, request: RequestId, wish: Wish) {
        if !std::mem::replace(&mut self.draft(request).sent, true)
            && let Some(wishes) = self.imp().wishes.get()
        {
            let _ = wishes.try_send((request, wish));
            self.emit_by_name::<()>("changed", &[]);
        }
    }
}
