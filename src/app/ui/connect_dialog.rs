// SPDX-License-Identifier: GPL-3.0-or-later
//! Shows what connecting or disconnecting an agent writes, and asks.

use adw::prelude::*;
use adw::subclass::prelude::*;

use crate::connect::Task;
use crate::i18n::{gettext, gettext_f};

/// The response that means yes.
const AGREE: &str = "agree";

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
    /// A dialog about what to do with an agent, over a window. Not shown yet.
    pub fn new(parent: Option<&gtk::Window>, agent: &str, task: Task, diff: &str) -> Self {
        let dialog: Self = glib::Object::builder().property("transient-for", parent).build();
        let agent = [("agent", agent)];
        if task == Task::Disconnect {
            dialog.set_heading(Some(&gettext_f("Disconnect {agent}?", &agent)));
            dialog.set_body(&gettext("These lines are taken out of its settings. All else stays as it is."));
            dialog.set_response_label(AGREE, &gettext("_Disconnect"));
            dialog.set_response_appearance(AGREE, adw::ResponseAppearance::Destructive);
        } else {
            dialog.set_heading(Some(&gettext_f("Connect {agent}?", &agent)));
        }
        dialog.imp().diff.buffer().set_text(diff);
        dialog
    }

    /// Shows it, and waits for what the person says: whether to do it.
    pub async fn ask(&self) -> bool {
        let (answer, answered) = async_channel::bounded(1);
        self.connect_response(None, move |_, response| {
            let _ = answer.try_send(response == AGREE);
        });
        self.present();
        answered.recv().await.unwrap_or(false)
    }
}
