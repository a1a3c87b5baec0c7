// SPDX-License-Identifier: GPL-3.0-or-later
//! One field of a form.

use adw::prelude::*;
use adw::subclass::prelude::*;
use dasbo_core::request::{Field, FieldKind, FieldValue};

use crate::i18n::gettext;
use crate::words;

mod imp {
    use std::cell::{OnceCell, RefCell};
    use std::sync::OnceLock;

    use adw::subclass::prelude::*;
    use dasbo_core::request::{Field, FieldValue};
    use glib::subclass::Signal;
    use gtk::CompositeTemplate;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/field_row.ui")]
    pub struct FieldRow {
        #[template_child]
        pub(super) first_line: TemplateChild<gtk::Box>,
        #[template_child]
        pub(super) title: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) required: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) description: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) control: TemplateChild<adw::Bin>,
        #[template_child]
        pub(super) takes: TemplateChild<gtk::Label>,
        pub(super) field: OnceCell<Field>,
        /// What it holds.
        pub(super) value: RefCell<Option<FieldValue>>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for FieldRow {
        const NAME: &'static str = "DasboFieldRow";
        type Type = super::FieldRow;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for FieldRow {
        fn signals() -> &'static [Signal] {
            static SIGNALS: OnceLock<Vec<Signal>> = OnceLock::new();
            SIGNALS.get_or_init(|| vec![Signal::builder("changed").build()])
        }
    }

    impl WidgetImpl for FieldRow {}
    impl BinImpl for FieldRow {}
}

glib::wrapper! {
    /// A field: what is to be entered, and where. Emits `changed` when the person entered something.
    pub struct FieldRow(ObjectSubclass<imp::FieldRow>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl FieldRow {
    /// A field that holds this, be it what it takes or not.
    pub fn new(field: &Field, value: Option<&FieldValue>) -> Self {
        let row: Self = glib::Object::new();
        let imp = row.imp();
        imp.field.get_or_init(|| field.clone());
        imp.value.replace(value.cloned());
        let title = words::field_title(field);
        imp.title.set_label(&title);
        imp.required.set_visible(field.required);
        let description = field.description.as_deref().filter(|text| !text.trim().is_empty());
        let description = description.map(words::shown);
        crate::ui::label::say_or_hide(&imp.description, description.as_deref());
        row.add_control(field, &title, description.as_deref());
        row.say_what_it_takes();
        row
    }

    /// What it holds. `None`: nothing.
    pub fn value(&self) -> Option<FieldValue> {
        self.imp().value.borrow().clone()
    }

    fn field(&self) -> &Field {
        self.imp().field.get().expect("given when it was made")
    }

    fn add_control(&self, field: &Field, title: &str, description: Option<&str>) {
        let control: gtk::Widget = match &field.kind {
            FieldKind::Boolean if is_switch(field) => self.switch().upcast(),
            FieldKind::Boolean => self.yes_or_no().upcast(),
            FieldKind::OneOf(choices) => self.drop_down(choices).upcast(),
            kind => self.entry(kind).upcast(),
        };
        control.update_property(&[gtk::accessible::Property::Label(title)]);
        control.update_property(&[gtk::accessible::Property::Required(field.required)]);
        if let Some(description) = description {
            control.update_property(&[gtk::accessible::Property::Description(description)]);
        }
        if control.is::<gtk::Switch>() {
            self.imp().title.set_hexpand(true);
            self.imp().first_line.append(&control);
        } else {
            self.imp().control.set_child(Some(&control));
        }
    }

    fn entry(&self, kind: &FieldKind) -> gtk::Entry {
        let text = match self.value() {
            Some(FieldValue::Text(text)) => text,
            Some(FieldValue::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let entry = gtk::Entry::builder().text(text).build();
        if matches!(kind, FieldKind::Number | FieldKind::Integer) {
            entry.set_input_purpose(gtk::InputPurpose::Number);
        }
        entry.connect_changed(glib::clone!(
            #[weak(rename_to = row)]
            self,
            move |entry| row.set_value(entered(&row.field().kind, &entry.text()))
        ));
        entry
    }

    fn switch(&self) -> gtk::Switch {
        let switch = gtk::Switch::builder().valign(gtk::Align::Center).build();
        switch.set_active(self.value() == Some(FieldValue::Boolean(true)));
        switch.connect_active_notify(glib::clone!(
            #[weak(rename_to = row)]
            self,
            move |switch| row.set_value(Some(FieldValue::Boolean(switch.is_active())))
        ));
        switch
    }

    /// For what may also be left open.
    fn yes_or_no(&self) -> gtk::DropDown {
        let choices = [(true, gettext("Yes")), (false, gettext("No"))];
        self.choose(choices.map(|(value, name)| (FieldValue::Boolean(value), name)).into())
    }

    fn drop_down(&self, choices: &[(String, String)]) -> gtk::DropDown {
        let choice =
            |(value, name): &(String, String)| (FieldValue::Text(value.clone()), words::shown_name(name));
        self.choose(choices.iter().map(choice).collect())
    }

    /// A list of choices, with one for none where that is so or may be.
    fn choose(&self, choices: Vec<(FieldValue, String)>) -> gtk::DropDown {
        let value = self.value();
        let none = (value.is_none() || !self.field().required).then(|| (None, gettext("Not chosen")));
        let some = choices.into_iter().map(|(value, name)| (Some(value), name));
        let (values, names): (Vec<Option<FieldValue>>, Vec<String>) = none.into_iter().chain(some).unzip();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let list = gtk::DropDown::from_strings(&names);
        let chosen = values.iter().position(|known| *known == value).unwrap_or(0);
        list.set_selected(u32::try_from(chosen).unwrap_or(0));
        list.set_list_factory(Some(&named_items()));
        say_chosen(&list, self.field());
        list.connect_selected_notify(glib::clone!(
            #[weak(rename_to = row)]
            self,
            move |list| {
                say_chosen(list, row.field());
                row.set_value(values.get(list.selected() as usize).cloned().flatten());
            }
        ));
        list
    }

    fn set_value(&self, value: Option<FieldValue>) {
        self.imp().value.replace(value);
        self.say_what_it_takes();
        self.emit_by_name::<()>("changed", &[]);
    }

    /// While it holds something else.
    fn say_what_it_takes(&self) {
        let field = self.field();
        let takes = self.value().is_none_or(|value| field.takes(&value));
        self.imp().takes.set_label(&words::field_takes(&field.kind));
        self.imp().takes.set_visible(!takes);
        if let Some(entry) = self.imp().control.child().and_downcast::<gtk::Entry>() {
            if takes {
                entry.remove_css_class("error");
            } else {
                entry.add_css_class("error");
            }
            entry.update_state(&[gtk::accessible::State::Invalid(if takes {
                gtk::AccessibleInvalidState::False
            } else {
                gtk::AccessibleInvalidState::True
            })]);
        }
    }
}

/// What takes the focus is a button inside of the list; in GTK 4.8 it says nothing by itself.
fn say_chosen(list: &gtk::DropDown, field: &Field) {
    let chosen = list.selected_item().and_downcast::<gtk::StringObject>();
    let chosen = chosen.map(|chosen| chosen.string()).unwrap_or_default();
    if let Some(button) = list.first_child() {
        let words = words::field_chosen(field, &chosen);
        button.update_property(&[gtk::accessible::Property::Label(&words)]);
    }
}

/// The choices of a list; in GTK 4.8 its own items say nothing to a screen reader.
fn named_items() -> gtk::SignalListItemFactory {
    let factory = gtk::SignalListItemFactory::new();
    factory.connect_bind(|_, item| {
        let Some(item) = item.downcast_ref::<gtk::ListItem>() else { return };
        let choice = item.item().and_downcast::<gtk::StringObject>().map(|choice| choice.string());
        let label = crate::ui::label::wrapping(&choice.unwrap_or_default());
        let name_row = |label: &gtk::Label| {
            if let Some(row) = label.parent() {
                row.update_property(&[gtk::accessible::Property::Label(&label.label())]);
            }
        };
        // A new item has no row yet.
        label.connect_parent_notify(name_row);
        item.set_child(Some(&label));
        name_row(&label);
    });
    factory
}

/// Whether there is no third state: what a switch shows is what is sent.
fn is_switch(field: &Field) -> bool {
    field.required || field.default.is_some()
}

/// What a field holds that the person has not touched.
pub fn initial(field: &Field) -> Option<FieldValue> {
    let default = field.default.clone().filter(|value| field.takes(value) && is_plain(value));
    match field.kind {
        FieldKind::Boolean if field.required => Some(default.unwrap_or(FieldValue::Boolean(false))),
        _ => default,
    }
}

/// Whether an entry shows it as it is. What hides something is not put in for the person.
fn is_plain(value: &FieldValue) -> bool {
    match value {
        FieldValue::Text(text) => *dasbo_core::request::visible(text) == *text && !text.contains('\n'),
        FieldValue::Number(_) | FieldValue::Boolean(_) => true,
    }
}

/// What was entered; a text where it is not what the field takes.
fn entered(kind: &FieldKind, text: &str) -> Option<FieldValue> {
    let number = || text.trim().parse().ok().map(FieldValue::Number);
    let read = match kind {
        FieldKind::Number | FieldKind::Integer => number(),
        _ => None,
    };
    (!text.is_empty()).then(|| read.unwrap_or_else(|| FieldValue::Text(text.to_owned())))
}
