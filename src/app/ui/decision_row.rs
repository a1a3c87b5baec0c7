// SPDX-License-Identifier: GPL-3.0-or-later
//! An answer of the log: what was said to what, when, from where.

use adw::subclass::prelude::*;
use gtk::prelude::*;

use crate::decision_log::Entry;
use crate::words;

mod imp {
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/decision_row.ui")]
    pub struct DecisionRow {
        #[template_child]
        pub(super) title: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) time: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) asked: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) said: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) place: TemplateChild<gtk::Label>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for DecisionRow {
        const NAME: &'static str = "DasboDecisionRow";
        type Type = super::DecisionRow;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for DecisionRow {}
    impl WidgetImpl for DecisionRow {}
    impl BinImpl for DecisionRow {}
}

glib::wrapper! {
    /// A row of the list of answers.
    pub struct DecisionRow(ObjectSubclass<imp::DecisionRow>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl DecisionRow {
    /// A row that shows nothing yet.
    pub fn new() -> Self {
        glib::Object::new()
    }

    /// Shows an answer from now on.
    pub fn show(&self, entry: &Entry) {
        let imp = self.imp();
        imp.title.set_text(&words::decision(entry));
        imp.time.set_text(&words::date_and_time(entry.when));
        imp.place.set_text(&words::decision_place(entry));
        for (label, text) in [(&imp.asked, &entry.detail), (&imp.said, &words::decision_texts(entry))] {
            label.set_text(&words::shown(text));
            label.set_visible(!text.is_empty());
        }
    }
}
