// SPDX-License-Identifier: GPL-3.0-or-later
//! Shows what connecting an agent writes, and asks.

use adw::prelude::*;
use adw::subclass::prelude::*;

use crate::i18n::gettext_f;

mod imp {
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/connect_dialog.ui")]
    pub struct ConnectDialog {
        #[template_child]
        pub(super) diff: TemplateChild<gtk::TextView>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ConnectDialog {
        const NAME: &'static str = "DasboConnectDialog";
        type Type = super::ConnectDialog;
        type ParentType = adw::MessageDialog;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for ConnectDialog {}
    impl WidgetImpl for ConnectDialog {}
    impl WindowImpl for ConnectDialog {}
    impl MessageDialogImpl for ConnectDialog {}
}

glib::wrapper! {
    /// What connecting an agent writes, and whether to.
    pub struct ConnectDialog(ObjectSubclass<imp::ConnectDialog>)
        @extends adw::MessageDialog, gtk::Window, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Native, gtk::Root,
            gtk::ShortcutManager;
}

impl ConnectDialog {
    /// A dialog about an agent, over a window. Not shown yet.
    pub fn new(parent: Option<&gtk::Window>, agent: &str, diff: &str) -> Self {
        let dialog: Self = glib::Object::builder().property("transient-for", parent).build();
        dialog.set_heading(Some(&gettext_f("Connect {agent}?", &[("agent", agent)])));
        dialog.imp().diff.buffer().set_text(diff);
        dialog
    }

    /// Runs `connect` once the person agrees.
    pub fn on_agreed(&self, connect: impl Fn() + 'static) {
        self.connect_response(Some("connect"), move |_, _| connect());
    }
}
