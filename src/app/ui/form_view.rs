// SPDX-License-Identifier: GPL-3.0-or-later
//! A form to fill.

use adw::subclass::prelude::*;
use dasbo_core::request::{Form, RequestId};

use crate::model;

mod imp {
    use std::cell::OnceCell;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::request::{Decision, Field, Form, RequestId};
    use gtk::CompositeTemplate;

    use crate::answers::Wish;
    use crate::ui::guard::Guard;
    use crate::ui::{FieldRow, field_row, label, shortcut};
    use crate::{model, words};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/form_view.ui")]
    pub struct FormView {
        #[template_child]
        heading: TemplateChild<gtk::Label>,
        #[template_child]
        message: TemplateChild<gtk::Label>,
        #[template_child]
        fields: TemplateChild<gtk::Box>,
        #[template_child]
        send: TemplateChild<gtk::Button>,
        pub(super) shown: OnceCell<(model::Session, Form, RequestId)>,
        guard: Guard,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for FormView {
        const NAME: &'static str = "DasboFormView";
        type Type = super::FormView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for FormView {
        fn constructed(&self) {
            self.parent_constructed();
            let view = self.obj();
            self.guard.open_when_shown(&*view);
            shortcut::press_on_control_return(&*view, &self.send);
            self.send.connect_clicked(glib::clone!(
                #[weak]
                view,
                move |_| view.imp().send()
            ));
        }
    }

    impl WidgetImpl for FormView {}
    impl BinImpl for FormView {}

    impl FormView {
        fn shown(&self) -> &(model::Session, Form, RequestId) {
            self.shown.get().expect("given when it was made")
        }

        /// Shows the form as it was left, at first with its defaults.
        pub(super) fn begin(&self) {
            let (session, form, id) = self.shown();
            label::say(&self.heading, &words::form_heading(form));
            let message = (!form.message.trim().is_empty()).then(|| words::shown(&form.message));
            label::say_or_hide(&self.message, message.as_deref());
            let mut draft = session.draft(*id);
            if !std::mem::replace(&mut draft.begun, true) {
                let initial = |field: &Field| Some((field.name.clone(), field_row::initial(field)?));
                draft.fields = form.fields.iter().filter_map(initial).collect();
            }
            let values = draft.fields.clone();
            drop(draft);
            for field in &form.fields {
                let value = values.iter().find(|(name, _)| *name == field.name);
                self.add_field(field, &FieldRow::new(field, value.map(|(_, value)| value)));
            }
            self.update();
        }

        fn add_field(&self, field: &Field, row: &FieldRow) {
            let view = self.obj();
            let name = field.name.clone();
            let changed = glib::closure_local!(
                #[weak]
                view,
                move |row: FieldRow| view.imp().keep(&name, &row)
            );
            row.connect_closure("changed", false, changed);
            self.fields.append(row);
        }

        fn keep(&self, name: &str, row: &FieldRow) {
            let (session, _, id) = self.shown();
            let mut draft = session.draft(*id);
            draft.fields.retain(|(known, _)| known != name);
            draft.fields.extend(row.value().map(|value| (name.to_owned(), value)));
            drop(draft);
            self.update();
        }

        fn update(&self) {
            let (session, form, id) = self.shown();
            let is_filled = form.is_filled(&session.draft(*id).fields);
            self.send.set_sensitive(is_filled);
        }

        fn send(&self) {
            let (session, _, id) = self.shown();
            let fields = session.draft(*id).fields.clone();
            if self.guard.is_open() {
                session.wish(*id, Wish::Decide(Decision::Fill(fields)));
            }
        }
    }
}

glib::wrapper! {
    /// A form to fill.
    pub struct FormView(ObjectSubclass<imp::FormView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl FormView {
    /// A view for a request of a session.
    pub fn new(session: &model::Session, form: &Form, id: RequestId) -> Self {
        let view: Self = glib::Object::new();
        view.imp().shown.get_or_init(|| (session.clone(), form.clone(), id));
        view.imp().begin();
        view
    }
}
