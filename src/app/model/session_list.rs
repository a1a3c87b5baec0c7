// SPDX-License-Identifier: GPL-3.0-or-later
//! All sessions in their groups, each group under its header, as one flat list.

use async_channel::Sender;
use dasbo_core::change::Change;
use dasbo_core::request::RequestId;
use dasbo_core::session::RowId;
use glib::subclass::prelude::*;

use super::Session;
use crate::answers::Wish;

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};
    use std::sync::OnceLock;

    use async_channel::Sender;
    use dasbo_core::request::RequestId;
    use dasbo_core::session::{self, Group, RowId};
    use gio::prelude::*;
    use gio::subclass::prelude::*;
    use glib::subclass::Signal;

    use crate::answers::Wish;
    use crate::model::Session;
    use crate::model::layout::{Layout, Place};

    #[derive(Debug, Default, glib::Properties)]
    #[properties(wrapper_type = super::SessionList)]
    pub struct SessionList {
        /// Who stands where.
        layout: RefCell<Layout>,
        /// The row that keeps its place.
        held: Cell<Option<RowId>>,
        /// Where what the person wants goes.
        pub(super) wishes: OnceCell<Sender<(RequestId, Wish)>>,
        /// How many sessions wait for the person.
        #[property(get)]
        waiting: Cell<u32>,
        /// How many sessions there are.
        #[property(get)]
        sessions: Cell<u32>,
        /// Whether any row shows a time that runs.
        #[property(get)]
        running: Cell<bool>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for SessionList {
        const NAME: &'static str = "DasboSessionList";
        type Type = super::SessionList;
        type Interfaces = (gio::ListModel,);
    }

    #[glib::derived_properties]
    impl ObjectImpl for SessionList {
        fn signals() -> &'static [Signal] {
            static SIGNALS: OnceLock<Vec<Signal>> = OnceLock::new();
            SIGNALS
                .get_or_init(|| vec![Signal::builder("moving").param_types([Session::static_type()]).build()])
        }
    }

    impl ListModelImpl for SessionList {
        fn item_type(&self) -> glib::Type {
            glib::Object::static_type()
        }

        fn n_items(&self) -> u32 {
            self.layout.borrow().len()
        }

        fn item(&self, position: u32) -> Option<glib::Object> {
            self.layout.borrow().item(position)
        }
    }

    impl SessionList {
        /// Adds a session, or updates the one in its row and moves it where it now belongs.
        pub(super) fn put(&self, data: session::Session) {
            let known = self.layout.borrow().find(data.row);
            if let Some((_, session)) = known {
                session.update(data);
                self.settle(&session);
            } else {
                let session = Session::new(data);
                if let Some(wishes) = self.wishes.get() {
                    session.set_wishes(wishes);
                }
                self.insert(&session);
            }
        }

        /// The session of a row.
        pub(super) fn session(&self, row: RowId) -> Option<Session> {
            self.layout.borrow().find(row).map(|(_, session)| session)
        }

        /// The session that a hook waits for with this request.
        pub(super) fn asking(&self, request: RequestId) -> Option<Session> {
            let sessions = (0..self.n_items()).filter_map(|at| self.item(at).and_downcast::<Session>());
            let asks = |session: &Session| session.data().held().any(|(_, held)| held.id == request);
            sessions.into_iter().find(asks)
        }

        /// Takes a row's session off the list.
        pub(super) fn take(&self, row: RowId) {
            if self.held.get() == Some(row) {
                self.held.set(None);
            }
            let known = self.layout.borrow().find(row);
            if let Some((place, _)) = known {
                self.remove(place);
            }
        }

        /// Lets the row held before go where it belongs, and holds another.
        pub(super) fn hold(&self, row: Option<RowId>) {
            let released = self.held.replace(row).filter(|before| Some(*before) != row);
            let session = released.and_then(|before| self.layout.borrow().find(before));
            if let Some((_, session)) = session {
                self.settle(&session);
            }
        }

        /// Moves a session that is not where it belongs. The held one moves only up, when it begins to wait.
        fn settle(&self, session: &Session) {
            let row = session.data().row;
            let misplaced = self.layout.borrow().misplaced(row, self.held.get());
            let Some(place) = misplaced else { return };
            let begins_to_wait = || session.data().group() == Group::Waiting && place.group != Group::Waiting;
            if self.held.get() != Some(row) || begins_to_wait() {
                self.obj().emit_by_name::<()>("moving", &[session]);
                self.remove(place);
                self.insert(session);
            }
        }

        fn insert(&self, session: &Session) {
            let (group, position, added) = self.layout.borrow_mut().insert(session, self.held.get());
            self.say(group, position, 0, added);
        }

        fn remove(&self, place: Place) {
            let (position, removed) = self.layout.borrow_mut().remove(place);
            self.say(place.group, position, removed, 0);
        }

        /// Tells of a change that was made. Nothing is borrowed by now.
        fn say(&self, group: Group, position: u32, removed: u32, added: u32) {
            let (header, count) = self.layout.borrow().header(group);
            self.obj().items_changed(position, removed, added);
            header.set_count(count);
        }

        /// Counts again, and tells of the counts that changed.
        pub(super) fn count(&self) {
            let (sessions, waiting, running) = self.layout.borrow().count();
            let obj = self.obj();
            if self.sessions.replace(sessions) != sessions {
                obj.notify_sessions();
            }
            if self.waiting.replace(waiting) != waiting {
                obj.notify_waiting();
            }
            if self.running.replace(running) != running {
                obj.notify_running();
            }
        }
    }
}

glib::wrapper! {
    /// The list model: headers of the groups that have sessions, and the sessions. Emits `moving` with a session that
    /// is about to leave its place for another.
    pub struct SessionList(ObjectSubclass<imp::SessionList>)
        @implements gio::ListModel;
}

impl Default for SessionList {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionList {
    /// An empty list.
    pub fn new() -> Self {
        glib::Object::new()
    }

    /// Says where what the person wants goes, for sessions that come after this.
    pub fn set_wishes(&self, wishes: Sender<(RequestId, Wish)>) {
        self.imp().wishes.get_or_init(|| wishes);
    }

    /// The session of a row.
    pub fn session(&self, row: RowId) -> Option<Session> {
        self.imp().session(row)
    }

    /// Lets the person answer a request again: the answer given was none.
    pub fn answer_again(&self, request: RequestId) {
        if let Some(session) = self.imp().asking(request) {
            session.answer_again(request);
        }
    }

    /// Follows the registry. A session keeps its object; a list signal goes out only for those that move.
    pub fn apply(&self, changes: impl IntoIterator<Item = Change>) {
        for change in changes {
            match change {
                Change::Added(data) | Change::Updated(data) => self.imp().put(*data),
                Change::Removed(row) => self.imp().take(row),
            }
        }
        self.imp().count();
    }

    /// Makes a row keep its place until another is held, or none: the one that the person has at hand. Only when it
    /// begins to wait does it go up all the same: that is for the person to see.
    pub fn set_held(&self, row: Option<RowId>) {
        self.imp().hold(row);
    }
}
