// SPDX-License-Identifier: GPL-3.0-or-later
//! An approval: what a tool call would do, and whether it may.

use std::sync::Arc;

use adw::subclass::prelude::*;
use dasbo_core::request::{Decision, Request, RequestId};

use crate::model;

mod imp {
    use std::cell::{Cell, OnceCell};
    use std::sync::Arc;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::agents;
    use dasbo_core::request::{Content, Decision, Denial, Grant, Request, RequestId};
    use gtk::CompositeTemplate;

    use crate::answers::Wish;
    use crate::model;
    use crate::ui::grant_menu::grant_menu;
    use crate::ui::guard::Guard;
    use crate::ui::{ActionView, ButtonRow, focus_target};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/approval_view.ui")]
    pub struct ApprovalView {
        #[template_child]
        action: TemplateChild<ActionView>,
        #[template_child]
        note_box: TemplateChild<gtk::Box>,
        #[template_child]
        note: TemplateChild<gtk::Entry>,
        #[template_child]
        send_note: TemplateChild<gtk::Button>,
        #[template_child]
        drop_note: TemplateChild<gtk::Button>,
        #[template_child]
        deny: TemplateChild<adw::SplitButton>,
        #[template_child]
        deny_menu: TemplateChild<gtk::Popover>,
        #[template_child]
        deny_with_note: TemplateChild<gtk::Button>,
        #[template_child]
        deny_and_stop: TemplateChild<gtk::Button>,
        #[template_child]
        grants: TemplateChild<gtk::Popover>,
        #[template_child]
        allow: TemplateChild<gtk::Button>,
        pub(super) session: OnceCell<model::Session>,
        pub(super) request: OnceCell<(RequestId, Arc<Request>)>,
        guard: Guard,
        /// Whether all that is asked can be read.
        is_whole: Cell<bool>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ApprovalView {
        const NAME: &'static str = "DasboApprovalView";
        type Type = super::ApprovalView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            ActionView::ensure_type();
            ButtonRow::ensure_type();
            klass.bind_template();
            klass.set_accessible_role(gtk::AccessibleRole::Group);
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for ApprovalView {
        fn constructed(&self) {
            self.parent_constructed();
            self.guard.close(&*self.obj());
            self.guard.follow(&*self.obj());
            self.deny.connect_clicked(self.handler(|view, _| view.decide(Decision::Deny(Denial::Plain))));
            self.allow.connect_clicked(self.handler(|view, _| view.decide(Decision::Allow(None))));
            self.deny_with_note.connect_clicked(self.handler(|view, _| view.begin_note()));
            self.deny_and_stop.connect_clicked(self.handler(|view, _| {
                view.deny_menu.popdown();
                view.decide(Decision::Deny(Denial::Stop));
            }));
            self.send_note.connect_clicked(self.handler(|view, _| view.deny_with_note()));
            self.drop_note.connect_clicked(self.handler(|view, _| view.end_note()));
            self.note.connect_activate(self.handler(|view, _| view.deny_with_note()));
            self.name_arrow();
        }
    }

    impl WidgetImpl for ApprovalView {
        fn map(&self) {
            self.parent_map();
            self.watch();
        }
    }

    impl BinImpl for ApprovalView {}

    impl ApprovalView {
        /// Calls this for as long as the view is there.
        fn handler<T>(&self, act: impl Fn(&Self, &T) + 'static) -> impl Fn(&T) + 'static {
            let view = self.obj().downgrade();
            move |source| {
                if let Some(view) = view.upgrade() {
                    act(view.imp(), source);
                }
            }
        }

        /// The split button has no name for its second half.
        fn name_arrow(&self) {
            let menu_button = self.deny.last_child().and_downcast::<gtk::MenuButton>();
            if let Some(menu_button) = menu_button {
                let name = self.deny.dropdown_tooltip();
                menu_button.update_property(&[gtk::accessible::Property::Label(&name)]);
            }
        }

        /// In a note, keys mean its text.
        pub(super) fn is_writing(&self) -> bool {
            self.note.focus_child().is_some()
        }

        pub(super) fn show(&self) {
            let (Some(session), Some((id, request))) = (self.session.get(), self.request.get()) else {
                return;
            };
            let draft = session.draft(*id).note.clone();
            self.note_box.set_visible(draft.is_some());
            self.note.set_text(&draft.unwrap_or_default());
            self.follow_note();
            self.note.connect_changed(self.handler(|view, _| view.follow_note()));
            self.grants.connect_show(self.handler(|view, _| view.fill_grant_menu()));
            let shown = self.obj().downgrade();
            self.action.show(session, request, move || {
                if let Some(view) = shown.upgrade() {
                    view.imp().is_whole.set(true);
                    view.imp().watch();
                }
            });
        }

        /// Clicks are taken a moment from now: not before all can be seen.
        fn watch(&self) {
            if self.is_whole.get() && self.obj().is_mapped() {
                self.guard.open(&*self.obj());
            }
        }

        /// Filled when it is first seen: most cards are answered without.
        fn fill_grant_menu(&self) {
            if self.grants.child().is_some() {
                return;
            }
            let (Some(session), Some((_, request))) = (self.session.get(), self.request.get()) else {
                return;
            };
            let agent = agents::by_id(session.data().key.agent.0);
            if let (Some(agent), Content::Approval(approval)) = (agent, &request.content) {
                let choose = self.handler(|view, grant: &Grant| {
                    view.grants.popdown();
                    view.decide(Decision::Allow(Some(*grant)));
                });
                self.grants.set_child(Some(&grant_menu(approval, agent, move |grant| choose(&grant))));
            }
        }

        fn begin_note(&self) {
            self.deny_menu.popdown();
            self.note_box.set_visible(true);
            self.follow_note();
            self.note.grab_focus();
        }

        fn end_note(&self) {
            focus_target::leave(&*self.note_box);
            self.note_box.set_visible(false);
            self.note.set_text("");
            self.keep_note(None);
        }

        /// Keeps what is written, until it is sent or dropped.
        fn follow_note(&self) {
            let text = self.note.text();
            self.send_note.set_sensitive(!text.trim().is_empty());
            if self.note_box.get_visible() {
                self.keep_note(Some(text.into()));
            }
        }

        fn keep_note(&self, note: Option<String>) {
            if let (Some(session), Some((id, _))) = (self.session.get(), self.request.get()) {
                session.draft(*id).note = note;
            }
        }

        fn deny_with_note(&self) {
            let note = self.note.text().trim().to_owned();
            if !note.is_empty() {
                self.decide(Decision::Deny(Denial::Note(note)));
            }
        }

        /// Only ever called for something that the person did.
        pub(super) fn decide(&self, decision: Decision) {
            if let (Some(session), Some((id, _)), true) =
                (self.session.get(), self.request.get(), self.guard.is_open())
            {
                session.wish(*id, Wish::Decide(decision));
            }
        }
    }
}

glib::wrapper! {
    /// An approval: what a tool call would do, and whether it may.
    pub struct ApprovalView(ObjectSubclass<imp::ApprovalView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ApprovalView {
    /// A view for a request of a session.
    pub fn new(session: &model::Session, request: &Arc<Request>, id: RequestId) -> Self {
        let view: Self = glib::Object::new();
        view.imp().session.get_or_init(|| session.clone());
        view.imp().request.get_or_init(|| (id, request.clone()));
        view.imp().show();
        view
    }

    /// Does what a key in the card asks for. Whether it is not one for the note that is being written.
    pub fn key(&self, decision: Decision) -> glib::Propagation {
        if self.imp().is_writing() {
            return glib::Propagation::Proceed;
        }
        self.imp().decide(decision);
        glib::Propagation::Stop
    }
}
