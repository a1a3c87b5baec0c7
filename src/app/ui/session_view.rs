// SPDX-License-Identifier: GPL-3.0-or-later
//! The list of all sessions under their groups.

use adw::subclass::prelude::*;
use gtk::prelude::*;

use crate::model::{Session, SessionList};

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};
    use std::time::Duration;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::moment::Moment;
    use gtk::gdk::{Key, ModifierType};
    use gtk::{CompositeTemplate, DirectionType};

    use crate::clock;
    use crate::model::{GroupHeader, Session, SessionList};
    use crate::ui::{GroupRow, SessionRow, speaker};

    /// How long after a key the row with the focus keeps its place.
    const AT_HAND: Duration = Duration::from_secs(10);

    #[derive(Debug, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/session_view.ui")]
    pub struct SessionView {
        #[template_child]
        pub(super) list_view: TemplateChild<gtk::ListView>,
        #[template_child]
        scroller: TemplateChild<gtk::ScrolledWindow>,
        /// What is shown.
        pub(super) list: OnceCell<SessionList>,
        /// Runs while a running time can be seen.
        clock: RefCell<Option<glib::SourceId>>,
        /// Where the last key moved.
        direction: Cell<DirectionType>,
        /// When the keyboard was last used here.
        key_at: Cell<Option<Moment>>,
        /// Ends the hold of the row with the focus, when the keyboard was not used for long.
        release: RefCell<Option<glib::SourceId>>,
        /// Whether the next row with the focus has it without the person.
        beforehand: Cell<bool>,
        /// The session whose row the person gave the focus.
        focused: RefCell<Option<Session>>,
    }

    impl Default for SessionView {
        fn default() -> Self {
            Self {
                list_view: TemplateChild::default(),
                scroller: TemplateChild::default(),
                list: OnceCell::default(),
                clock: RefCell::default(),
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
            self.tick();
            self.update_clock();
        }

        fn unmap(&self) {
            self.stop_clock();
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

        fn setup_keys(&self) {
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
            let row = row.filter(|row| speaker::of(row).is_some_and(|speaker| speaker.is_focus()));
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

        fn stop_release(&self) {
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
            if let Some(speaker) = self.rows().first().and_then(speaker::of) {
                self.beforehand.set(true);
                speaker.grab_focus();
            }
        }

        /// Gives a session's row the focus, and brings it into sight.
        fn focus(&self, session: &Session) {
            let Some(list) = self.list.get() else { return };
            let Some(position) =
                (0..list.n_items()).find(|at| list.item(*at).as_ref() == Some(session.upcast_ref()))
            else {
                return;
            };
            // With what stands above it, which may be its group's heading.
            for position in [position.saturating_sub(1), position] {
                let _ = self.list_view.activate_action("list.scroll-to-item", Some(&position.to_variant()));
            }
            let row = self.rows().into_iter().find(|row| row.session().as_ref() == Some(session));
            if let Some(speaker) = row.and_then(|row| speaker::of(&row)) {
                speaker.grab_focus();
            }
        }

        /// The sessions' rows that there are.
        fn rows(&self) -> Vec<SessionRow> {
            let items = std::iter::successors(self.list_view.first_child(), WidgetExt::next_sibling);
            items.filter_map(|item| item.first_child().and_downcast()).collect()
        }

        /// Where to go from the topmost heading: back to the rows, or out of the list.
        fn turn_back(&self, direction: DirectionType) {
            let root = self.obj().root();
            match root.filter(|_| direction == DirectionType::TabBackward) {
                Some(root) => root.child_focus(direction),
                None => self.list_view.child_focus(DirectionType::Down),
            };
        }

        /// The list keeps in place what it shows. At its top that would hide who comes to wait, above.
        pub(super) fn stay_at_top(&self) {
            let adjustment = self.scroller.vadjustment();
            if adjustment.value() <= adjustment.lower() {
                let first = 0_u32.to_variant();
                let _ = self.list_view.activate_action("list.scroll-to-item", Some(&first));
            }
        }

        /// The clock runs only while someone can see a running time.
        pub(super) fn update_clock(&self) {
            let runs = self.obj().is_mapped() && self.list.get().is_some_and(SessionList::running);
            if !runs {
                self.stop_clock();
            } else if self.clock.borrow().is_none() {
                let view = self.obj();
                let tick = glib::clone!(
                    #[weak]
                    view,
                    #[upgrade_or]
                    glib::ControlFlow::Break,
                    move || {
                        view.imp().tick();
                        glib::ControlFlow::Continue
                    }
                );
                self.clock.replace(Some(glib::timeout_add_seconds_local(1, tick)));
            }
        }

        fn stop_clock(&self) {
            if let Some(clock) = self.clock.take() {
                clock.remove();
            }
        }

        fn tick(&self) {
            for row in self.rows() {
                row.tick();
            }
        }
    }

    /// Folds or unfolds a session's row.
    fn toggle(session: Option<&Session>) {
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
                speaker::choose(item, &row, gtk::AccessibleRole::ListItem);
                item.set_child(Some(&row));
                row
            });
            item.set_activatable(true);
            row.set_session(Some(session));
        } else if let Some(header) = object.and_downcast_ref::<GroupHeader>() {
            let row = item.child().and_downcast::<GroupRow>().unwrap_or_else(|| {
                let row = GroupRow::new();
                speaker::choose(item, &row, gtk::AccessibleRole::Heading);
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

    /// Gives the first row the focus, before the person gives it another.
    pub fn focus_first(&self) {
        self.imp().focus_first();
    }

    /// Takes note of where the focus is.
    pub fn follow_focus(&self, window_is_active: bool) {
        self.imp().follow_focus(window_is_active);
    }
}
