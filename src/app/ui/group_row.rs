// SPDX-License-Identifier: GPL-3.0-or-later
//! The heading above a group of sessions.

use glib::subclass::prelude::*;

use crate::model::GroupHeader;

mod imp {
    use std::cell::{OnceCell, RefCell};

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;

    use crate::model::GroupHeader;
    use crate::ui::{focus_target, label};
    use crate::words;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/group_row.ui")]
    pub struct GroupRow {
        #[template_child]
        title: TemplateChild<gtk::Label>,
        #[template_child]
        count: TemplateChild<gtk::Label>,
        /// What is shown.
        pub(super) header: RefCell<Option<GroupHeader>>,
        /// Follows the header shown.
        pub(super) signals: OnceCell<glib::SignalGroup>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for GroupRow {
        const NAME: &'static str = "DasboGroupRow";
        type Type = super::GroupRow;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for GroupRow {
        fn constructed(&self) {
            self.parent_constructed();
            let signals = self.signals.get_or_init(glib::SignalGroup::new::<GroupHeader>);
            let row = self.obj();
            signals.connect_closure(
                "notify::count",
                false,
                glib::closure_local!(
                    #[watch]
                    row,
                    move |_: GroupHeader, _: glib::ParamSpec| row.imp().update()
                ),
            );
        }
    }

    impl WidgetImpl for GroupRow {
        fn root(&self) {
            self.parent_root();
            self.update();
        }
    }

    impl BinImpl for GroupRow {}

    impl GroupRow {
        /// Shows what the header says now.
        pub(super) fn update(&self) {
            let Some(header) = self.header.borrow().clone() else {
                return;
            };
            let name = words::group(header.group());
            label::say(&self.title, &name);
            label::say(&self.count, &header.count().to_string());
            let sentence = format!("{name}, {}", words::sessions(header.count()));
            if let Some(target) = focus_target::of(&*self.obj()) {
                target.update_property(&[gtk::accessible::Property::Label(&sentence)]);
                // It may have spoken for a session before.
                target.reset_state(gtk::AccessibleState::Expanded);
            }
        }
    }
}

glib::wrapper! {
    /// A group's name and how many sessions it has.
    pub struct GroupRow(ObjectSubclass<imp::GroupRow>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl GroupRow {
    /// A heading for no group yet.
    pub fn new() -> Self {
        glib::Object::new()
    }

    /// Shows a group, or none.
    pub fn set_header(&self, header: Option<&GroupHeader>) {
        let imp = self.imp();
        imp.header.replace(header.cloned());
        imp.signals
            .get()
            .expect("set when it was made")
            .set_target(header.map(AsRef::<glib::Object>::as_ref));
        imp.update();
    }
}
