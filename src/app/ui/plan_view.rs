// SPDX-License-Identifier: GPL-3.0-or-later
//! A plan to approve.

use adw::subclass::prelude::*;
use dasbo_core::request::{Plan, RequestId};

use crate::model;

mod imp {
    use std::cell::{Cell, OnceCell};

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::request::{Decision, Plan, RequestId};
    use gtk::CompositeTemplate;

    use crate::answers::Wish;
    use crate::ui::guard::Guard;
    use crate::ui::{label, plan_text, shortcut};
    use crate::{model, words};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/plan_view.ui")]
    pub struct PlanView {
        #[template_child]
        text: TemplateChild<gtk::TextView>,
        #[template_child]
        file: TemplateChild<gtk::Label>,
        #[template_child]
        approvals: TemplateChild<gtk::Box>,
        #[template_child]
        approve: TemplateChild<gtk::Button>,
        #[template_child]
        accept_edits: TemplateChild<gtk::Button>,
        #[template_child]
        edit: TemplateChild<gtk::ToggleButton>,
        #[template_child]
        discard: TemplateChild<gtk::Button>,
        #[template_child]
        note: TemplateChild<gtk::Entry>,
        #[template_child]
        keep_planning: TemplateChild<gtk::Button>,
        pub(super) shown: OnceCell<(model::Session, Plan, RequestId)>,
        /// Whether the text to be changed is whole.
        is_whole: Cell<bool>,
        guard: Guard,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for PlanView {
        const NAME: &'static str = "DasboPlanView";
        type Type = super::PlanView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for PlanView {
        fn constructed(&self) {
            self.parent_constructed();
            let view = self.obj();
            self.guard.open_when_shown(&*view);
            shortcut::press_on_control_return(&*view, &self.approve);
        }
    }

    impl WidgetImpl for PlanView {}
    impl BinImpl for PlanView {}

    impl PlanView {
        fn shown(&self) -> &(model::Session, Plan, RequestId) {
            self.shown.get().expect("given when it was made")
        }

        /// Shows the plan as the person left it, and follows them.
        pub(super) fn begin(&self) {
            let (session, plan, id) = self.shown();
            let draft = session.draft(*id).clone();
            label::say(&self.file, &plan.file.as_deref().map(words::shown_name).unwrap_or_default());
            label::explain_when_cut(&self.file);
            self.edit.set_visible(plan_text::can_be_edited(&plan.text));
            self.edit.set_active(draft.editing);
            self.note.set_text(draft.note.as_deref().unwrap_or_default());
            self.show_text();
            self.connect();
        }

        fn connect(&self) {
            let view = self.obj();
            let decide = |button: &gtk::Button, make: fn(&Self) -> Decision| {
                button.connect_clicked(glib::clone!(
                    #[weak]
                    view,
                    move |_| view.imp().decide(make)
                ));
            };
            decide(&self.approve, |view| view.approved(false));
            decide(&self.accept_edits, |view| view.approved(true));
            decide(&self.keep_planning, Self::sent_back);
            self.edit.connect_toggled(glib::clone!(
                #[weak]
                view,
                move |edit| view.imp().set_editing(edit.is_active())
            ));
            self.discard.connect_clicked(glib::clone!(
                #[weak]
                view,
                move |_| view.imp().discard()
            ));
            self.note.connect_changed(glib::clone!(
                #[weak]
                view,
                move |note| view.imp().set_note(&note.text())
            ));
        }

        fn decide(&self, make: fn(&Self) -> Decision) {
            if self.guard.is_open() {
                let (session, _, id) = self.shown();
                session.wish(*id, Wish::Decide(make(self)));
            }
        }

        fn approved(&self, accept_edits: bool) -> Decision {
            let (session, _, id) = self.shown();
            Decision::Approve { accept_edits, edited: session.draft(*id).plan.clone() }
        }

        fn sent_back(&self) -> Decision {
            let note = self.note.text();
            Decision::KeepPlanning((!note.trim().is_empty()).then(|| note.into()))
        }

        fn set_note(&self, note: &str) {
            let (session, _, id) = self.shown();
            session.draft(*id).note = (!note.is_empty()).then(|| note.to_owned());
        }

        fn set_editing(&self, editing: bool) {
            let (session, _, id) = self.shown();
            session.draft(*id).editing = editing;
            self.show_text();
        }

        fn discard(&self) {
            let (session, _, id) = self.shown();
            session.draft(*id).plan = None;
            self.edit.grab_focus();
            self.show_text();
        }

        /// Shows the plan as it would be approved now.
        fn show_text(&self) {
            let (session, plan, id) = self.shown();
            let draft = session.draft(*id).clone();
            let text = draft.plan.as_ref().unwrap_or(&plan.text);
            self.is_whole.set(false);
            let buffer = if draft.editing { self.editable(text) } else { plan_text::formatted(text) };
            self.text.set_buffer(Some(&buffer));
            self.text.set_monospace(draft.editing);
            self.text.set_editable(draft.editing && self.is_whole.get());
            self.text.set_cursor_visible(draft.editing);
            self.text.update_property(&[gtk::accessible::Property::Label(&words::plan(draft.editing))]);
            self.update();
        }

        fn editable(&self, text: &str) -> gtk::TextBuffer {
            let view = self.obj();
            let whole = glib::clone!(
                #[weak]
                view,
                move |buffer: &gtk::TextBuffer| view.imp().let_edit(buffer)
            );
            plan_text::plain(text, whole)
        }

        fn let_edit(&self, buffer: &gtk::TextBuffer) {
            self.is_whole.set(true);
            self.text.set_editable(true);
            buffer.place_cursor(&buffer.start_iter());
            let view = self.obj();
            buffer.connect_changed(glib::clone!(
                #[weak]
                view,
                move |buffer| view.imp().changed(buffer)
            ));
        }

        fn changed(&self, buffer: &gtk::TextBuffer) {
            let (session, plan, id) = self.shown();
            let text = buffer.text(&buffer.start_iter(), &buffer.end_iter(), true);
            session.draft(*id).plan = (text != plan.text).then(|| text.into());
            self.update();
        }

        /// Says what the buttons would do.
        fn update(&self) {
            let (session, _, id) = self.shown();
            let plan = session.draft(*id).plan.clone();
            let is_edited = plan.is_some();
            let has_text = plan.is_none_or(|plan| !plan.trim().is_empty());
            for (button, accept_edits) in [(&self.approve, false), (&self.accept_edits, true)] {
                button.set_label(&words::approve(accept_edits, is_edited));
                button.set_sensitive(has_text);
            }
            self.discard.set_visible(is_edited);
            // The longer words do not fit beside each other in a narrow window.
            let across = if is_edited { gtk::Orientation::Vertical } else { gtk::Orientation::Horizontal };
            self.approvals.set_orientation(across);
        }
    }
}

glib::wrapper! {
    /// A plan to approve.
    pub struct PlanView(ObjectSubclass<imp::PlanView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl PlanView {
    /// A view for a request of a session.
    pub fn new(session: &model::Session, plan: &Plan, id: RequestId) -> Self {
        let view: Self = glib::Object::new();
        view.imp().shown.get_or_init(|| (session.clone(), plan.clone(), id));
        view.imp().begin();
        view
    }
}
