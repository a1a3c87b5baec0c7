// SPDX-License-Identifier: GPL-3.0-or-later
//! The application: one process a session bus, its windows, its actions.

use std::cell::{OnceCell, RefCell};
use std::process::ExitCode;
use std::rc::Rc;

use adw::prelude::*;
use adw::subclass::prelude::*;
use dasbo_core::wire;
use gettextrs::gettext;
use gio::ActionEntry;
use glib::clone;

use crate::config;
use crate::desktop::bus;
use crate::intake::{self, Status};
use crate::model::SessionList;
use crate::panel::Panel;
use crate::ui::{PanelState, Window};

/// Opens the panel, or shows the window of the one that runs.
pub fn run() -> ExitCode {
    log_to_stderr();
    raise_open_files();
    gio::resources_register_include!("dasbo.gresource").expect("the resources are built in");
    let status = Application::new().run();
    ExitCode::from(status.get())
}

/// `DASBO_LOG` says how much (`debug`, `dasbo::intake=trace`); by itself only what is wrong.
fn log_to_stderr() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("DASBO_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// A thousand sessions are a thousand pidfds; many systems begin with 1024 open files.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum.map(|most| most.min(1 << 16)), ..limit };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays low");
    }
}

mod imp {
    use super::*;

    #[derive(Debug, Default)]
    pub struct Application {
        pub list: OnceCell<SessionList>,
        pub panel: OnceCell<Rc<Panel>>,
        pub intake: RefCell<Option<Status>>,
        pub bus: RefCell<Option<zbus::Connection>>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Application {
        const NAME: &'static str = "DasboApplication";
        type Type = super::Application;
        type ParentType = adw::Application;
    }

    impl ObjectImpl for Application {}

    impl ApplicationImpl for Application {
        fn startup(&self) {
            self.parent_startup();
            let application = self.obj();
            application.set_up_actions();
            application.start();
        }

        fn activate(&self) {
            self.parent_activate();
            self.obj().window().present();
        }
    }

    impl GtkApplicationImpl for Application {}
    impl AdwApplicationImpl for Application {}
}

glib::wrapper! {
    /// The application.
    pub struct Application(ObjectSubclass<imp::Application>)
        @extends adw::Application, gtk::Application, gio::Application,
        @implements gio::ActionGroup, gio::ActionMap;
}

impl Application {
    fn new() -> Self {
        glib::Object::builder()
            .property("application-id", config::APP_ID)
            .property("resource-base-path", "/org/dasbo/Dasbo")
            .build()
    }

    fn list(&self) -> &SessionList {
        self.imp().list.get_or_init(SessionList::new)
    }

    fn window(&self) -> Window {
        let shown = self.windows().into_iter().find_map(|window| window.downcast().ok());
        shown.unwrap_or_else(|| {
            let window = Window::new(self, self.list());
            window.set_state(self.state());
            window
        })
    }

    /// Starts to listen and to answer.
    fn start(&self) {
        let panel = self.imp().panel.get_or_init(|| Panel::new(self.list().clone()));
        let (sender, queries) = bus::queries();
        let on_status = clone!(
            #[weak(rename_to = application)]
            self,
            move |status| application.set_intake(status)
        );
        match wire::socket_path(|name| std::env::var_os(name), rustix::process::getuid().as_raw()) {
            Some(path) => panel.run(intake::start(path), queries, on_status),
            None => self.set_intake(Status::Failed(gettext("There is no runtime folder (XDG_RUNTIME_DIR)."))),
        }
        glib::spawn_future_local(clone!(
            #[weak(rename_to = application)]
            self,
            async move {
                match bus::serve(sender).await {
                    Ok(connection) => drop(application.imp().bus.replace(Some(connection))),
                    Err(error) => tracing::warn!(%error, "“dasbo status” cannot reach this panel"),
                }
            }
        ));
    }

    fn set_intake(&self, status: Status) {
        self.imp().intake.replace(Some(status));
        for window in self.windows() {
            if let Ok(window) = window.downcast::<Window>() {
                window.set_state(self.state());
            }
        }
    }

    fn state(&self) -> PanelState {
        match &*self.imp().intake.borrow() {
            Some(Status::HeldElsewhere) => PanelState::HeldElsewhere,
            _ => PanelState::Listening,
        }
    }

    fn set_up_actions(&self) {
        let quit =
            ActionEntry::builder("quit").activate(|application: &Self, _, _| application.quit()).build();
        self.add_action_entries([quit]);
    }
}
