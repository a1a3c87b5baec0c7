// SPDX-License-Identifier: GPL-3.0-or-later
//! The window of the log: the newest answers, newest first.

use std::io;
use std::path::PathBuf;

use adw::prelude::*;
use adw::subclass::prelude::*;
use glib::BoxedAnyObject;

use super::DecisionRow;
use crate::decision_log::{self, Entry};
use crate::words;

mod imp {
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;
    use gtk::gdk::{Key, ModifierType};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/decisions_window.ui")]
    pub struct DecisionsWindow {
        #[template_child]
        pub(super) nothing: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) failed: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) scroller: TemplateChild<gtk::ScrolledWindow>,
        #[template_child]
        pub(super) view: TemplateChild<gtk::ListView>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for DecisionsWindow {
        const NAME: &'static str = "DasboDecisionsWindow";
        type Type = super::DecisionsWindow;
        type ParentType = adw::Window;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
            klass.add_binding_action(Key::w, ModifierType::CONTROL_MASK, "window.close");
            klass.add_binding_action(Key::Escape, ModifierType::empty(), "window.close");
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for DecisionsWindow {}
    impl WidgetImpl for DecisionsWindow {}
    impl WindowImpl for DecisionsWindow {}
    impl AdwWindowImpl for DecisionsWindow {}
}

glib::wrapper! {
    /// The answers that were given.
    pub struct DecisionsWindow(ObjectSubclass<imp::DecisionsWindow>)
        @extends adw::Window, gtk::Window, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Native, gtk::Root,
            gtk::ShortcutManager;
}

impl DecisionsWindow {
    /// A window over another, that shows what this file holds as soon as it is read. Not shown yet.
    pub fn new(parent: Option<&gtk::Window>, path: PathBuf) -> Self {
        let window: Self = glib::Object::builder().property("transient-for", parent).build();
        window.imp().view.set_factory(Some(&factory()));
        glib::spawn_future_local(glib::clone!(
            #[weak]
            window,
            async move {
                if let Ok(entries) = gio::spawn_blocking(move || decision_log::read(&path)).await {
                    window.show_entries(entries);
                }
            }
        ));
        window
    }

    fn show_entries(&self, entries: io::Result<Vec<Entry>>) {
        let imp = self.imp();
        match entries {
            Err(error) => {
                imp.failed.set_description(Some(&glib::markup_escape_text(&words::system(&error))));
                imp.failed.set_visible(true);
            }
            Ok(entries) if entries.is_empty() => imp.nothing.set_visible(true),
            Ok(entries) => {
                let list: gio::ListStore = entries.into_iter().map(BoxedAnyObject::new).collect();
                imp.view.set_model(Some(&gtk::NoSelection::new(Some(list))));
                imp.scroller.set_visible(true);
            }
        }
    }
}

fn factory() -> gtk::SignalListItemFactory {
    let factory = gtk::SignalListItemFactory::new();
    factory.connect_setup(|_, item| {
        if let Some(item) = item.downcast_ref::<gtk::ListItem>() {
            item.set_activatable(false);
            item.set_child(Some(&DecisionRow::new()));
        }
    });
    factory.connect_bind(|_, item| {
        let Some(item) = item.downcast_ref::<gtk::ListItem>() else { return };
        let entry = item.item().and_downcast::<BoxedAnyObject>();
        if let (Some(row), Some(entry)) = (item.child().and_downcast::<DecisionRow>(), entry) {
            row.show(&entry.borrow::<Entry>());
        }
    });
    factory
}
