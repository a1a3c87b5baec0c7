// SPDX-License-Identifier: GPL-3.0-or-later
//! The list of all sessions under their groups.

use adw::subclass::prelude::*;
use gtk::prelude::*;

use crate::model::{Session, SessionList};

mod focus;
mod times;

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::moment::Moment;
    use gtk::gdk;
    use gtk::{CompositeTemplate, DirectionType};

    use crate::model::{GroupHeader, Session, SessionList};
    use crate::ui::{GroupRow, SessionRow, focus_target};

    #[derive(Debug, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/session_view.ui")]
    pub struct SessionView {
        #[template_child]
        pub(super) list_view: TemplateChild<gtk::ListView>,
        #[template_child]
        pub(super) scroller: TemplateChild<gtk::ScrolledWindow>,
        /// What is shown.
        pub(super) list: OnceCell<SessionList>,
        /// Runs while times can be seen.
        pub(super) clock: RefCell<Option<glib::SourceId>>,
        /// The minute that rows at rest were last brought up to date in.
        pub(super) minute: Cell<Option<i32>>,
        /// Tells when the window is minimised, while this is mapped.
        pub(super) watch: RefCell<Option<(gdk::Toplevel, glib::SignalHandlerId)>>,
        /// Where the last key moved.
        pub(super) direction: Cell<DirectionType>,
        /// When the keyboard was last used here.
        pub(super) key_at: Cell<Option<Moment>>,
        /// Ends the hold of the row with the focus, when the keyboard was not used for long.
        pub(super) release: RefCell<Option<glib::SourceId>>,
        /// Whether the next row with the focus has it without the person.
        pub(super) beforehand: Cell<bool>,
        /// The session whose row the person gave the focus.
        pub(super) focused: RefCell<Option<Session>>,
    }

    impl Default for SessionView {
        fn default() -> Self {
            Self {
                list_view: TemplateChild::default(),
                scroller: TemplateChild::default(),
                list: OnceCell::default(),
                clock: RefCell::default(),
                minute: Cell::default(),
                watch: RefCell::default(),
                direction: Cell::new(DirectionType::Down),
                key_at: Cell::default(),
                release: RefCell::default(),
                beforehand: Cell::default(),
                focused: RefCell::default(),
            }
        }
    }

    #[glib::object_subclass]
    impl ObjectSubclass for SessionView {
        const NAME: &'static str = "DasboSessionView";
        type Type = super::SessionView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for SessionView {
        fn constructed(&self) {
            self.parent_constructed();
            self.setup_factory();
            self.setup_keys();
            self.list_view.connect_activate(|list_view, position| {
                let session = list_view.model().and_then(|model| model.item(position));
                toggle(session.and_downcast_ref());
            });
        }

        fn dispose(&self) {
            self.stop_clock();
            self.stop_release();
        }
    }

    impl WidgetImpl for SessionView {
        fn map(&self) {
            self.parent_map();
            self.refresh();
            let view = self.obj().downgrade();
            let watch = self.toplevel().map(|toplevel| {
                let id = toplevel.connect_state_notify(move |_| {
                    if let Some(view) = view.upgrade() {
                        view.imp().refresh();
                    }
                });
                (toplevel, id)
            });
            self.watch.replace(watch);
        }

        fn unmap(&self) {
            self.stop_clock();
            if let Some((toplevel, id)) = self.watch.take() {
                toplevel.disconnect(id);
            }
            self.parent_unmap();
        }
    }

    impl BinImpl for SessionView {}

    impl SessionView {
        fn setup_factory(&self) {
            let factory = gtk::SignalListItemFactory::new();
            factory.connect_bind(|_, item| bind(item.downcast_ref().expect("a list item")));
            factory.connect_unbind(|_, item| unbind(item.downcast_ref().expect("a list item")));
            self.list_view.set_factory(Some(&factory));
        }

        /// The sessions' rows that there are.
        pub(super) fn rows(&self) -> Vec<SessionRow> {
            let items = std::iter::successors(self.list_view.first_child(), WidgetExt::next_sibling);
            items.filter_map(|item| item.first_child().and_downcast()).collect()
        }

        /// The list keeps in place what it shows. At its top that would hide who comes to wait, above.
        pub(super) fn stay_at_top(&self) {
            let adjustment = self.scroller.vadjustment();
            if adjustment.value() <= adjustment.lower() {
                let first = 0_u32.to_variant();
                let _ = self.list_view.activate_action("list.scroll-to-item", Some(&first));
            }
        }
    }

    /// Folds or unfolds a session's row.
    pub(super) fn toggle(session: Option<&Session>) {
        if let Some(session) = session {
            session.set_expanded(!session.expanded());
        }
    }

    /// Gives a list item the right row for its object; the one it has, if it fits.
    fn bind(item: &gtk::ListItem) {
        let object = item.item();
        item.set_selectable(false);
        if let Some(session) = object.and_downcast_ref::<Session>() {
            let row = item.child().and_downcast::<SessionRow>().unwrap_or_else(|| {
                let row = SessionRow::new();
                focus_target::choose(item, &row, gtk::AccessibleRole::ListItem);
                item.set_child(Some(&row));
                row
            });
            item.set_activatable(true);
            row.set_session(Some(session));
        } else if let Some(header) = object.and_downcast_ref::<GroupHeader>() {
            let row = item.child().and_downcast::<GroupRow>().unwrap_or_else(|| {
                let row = GroupRow::new();
                focus_target::choose(item, &row, gtk::AccessibleRole::Heading);
                item.set_child(Some(&row));
                row
            });
            item.set_activatable(false);
            row.set_header(Some(header));
        }
    }

    fn unbind(item: &gtk::ListItem) {
        let child = item.child();
        if let Some(row) = child.and_downcast_ref::<SessionRow>() {
            row.set_session(None);
        } else if let Some(row) = child.and_downcast_ref::<GroupRow>() {
            row.set_header(None);
        }
    }
}

glib::wrapper! {
    /// The rows, and the keys that move between them.
    pub struct SessionView(ObjectSubclass<imp::SessionView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl SessionView {
    /// Shows a list. Called once.
    pub fn set_list(&self, list: &SessionList) {
        let imp = self.imp();
        imp.list.get_or_init(|| list.clone());
        let model = gtk::NoSelection::new(Some(list.clone()));
        imp.list_view.set_model(Some(&model));
        // Connected after the list view is: it knows of the change by then.
        model.connect_items_changed(glib::clone!(
            #[weak(rename_to = view)]
            self,
            move |_, _, _, _| view.imp().stay_at_top()
        ));
        let view = self;
        list.connect_closure(
            "moving",
            false,
            glib::closure_local!(
                #[watch]
                view,
                move |_: SessionList, session: Session| view.imp().follow(&session)
            ),
        );
        list.connect_closure(
            "notify::running",
            false,
            glib::closure_local!(
                #[watch]
                view,
                move |_: SessionList, _: glib::ParamSpec| view.imp().update_clock()
            ),
        );
        imp.update_clock();
    }

    /// Brings all rows up to date: time may have passed that no clock counted.
    pub fn refresh(&self) {
        self.imp().refresh();
    }

    /// Brings a session's row into sight and gives it the focus.
    pub fn show_session(&self, session: &Session) {
        self.imp().focus(session);
    }

    /// Gives the first row the focus, before the person gives it another.
    pub fn focus_first(&self) {
        self.imp().focus_first();
    }

    /// Takes note of where the focus is.
    pub fn follow_focus(&self, window_is_active: bool) {
        self.imp().follow_focus(window_is_active);
    }
}
