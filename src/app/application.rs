// SPDX-License-Identifier: GPL-3.0-or-later
//! The application: one process a session bus, its windows, its actions.

mod actions;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::rc::Rc;

use adw::prelude::*;
use adw::subclass::prelude::*;
use dasbo_core::agents::Agent;
use dasbo_core::{install, wire};
use glib::clone;

use crate::connect::{Failure, Planned, Task};
use crate::decision_log::{self, DecisionLog};
use crate::desktop::bus;
use crate::desktop::notifications::Notifications;
use crate::i18n::gettext;
use crate::intake::{self, OpenError, Status};
use crate::model::SessionList;
use crate::panel::Panel;
use crate::settings::Settings;
use crate::ui::{self, ConnectDialog, PanelState, Window};
use crate::{config, connect, words};

/// Opens the panel, or shows the window of the one that runs.
pub fn run() -> ExitCode {
    log_to_stderr();
    if gtk::init().is_err() {
        eprintln!("{}", gettext("Dasbo needs a display; “dasbo status” does not."));
        return ExitCode::FAILURE;
    }
    raise_open_files();
    ui::init();
    let status = Application::new().run();
    ExitCode::from(status.get())
}

/// `DASBO_LOG` says how much (`debug`, `dasbo::intake=trace`); by itself only what is wrong.
fn log_to_stderr() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("DASBO_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
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
    use std::cell::{Cell, OnceCell, RefCell};
    use std::rc::Rc;

    use adw::prelude::*;
    use adw::subclass::prelude::*;

    use dasbo_core::install;

    use crate::desktop::notifications::Notifications;
    use crate::model::SessionList;
    use crate::panel::Panel;
    use crate::settings::Settings;

    #[derive(Debug, Default)]
    pub struct Application {
        pub list: OnceCell<SessionList>,
        pub panel: OnceCell<Rc<Panel>>,
        /// How the agents' settings stand, once they were read.
        pub connection: Cell<Option<install::Status>>,
        /// Whether a change of them is being asked about or made: one at a time.
        pub changing: Cell<bool>,
        pub bus: RefCell<Option<zbus::Connection>>,
        pub notifications: OnceCell<Rc<Notifications>>,
        pub settings: OnceCell<Settings>,
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

        fn shutdown(&self) {
            if let Some(notifications) = self.notifications.get() {
                notifications.withdraw_all();
            }
            self.parent_shutdown();
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
        self.our_window().unwrap_or_else(|| {
            let window = Window::new(self, self.list());
            window.set_state(self.state());
            // Settings change elsewhere: look again whenever the person comes back.
            window.connect_is_active_notify(clone!(
                #[weak(rename_to = application)]
                self,
                move |window| {
                    if window.is_active() {
                        application.look_for_connections();
                        application.panel().catch_up();
                    }
                }
            ));
            window
        })
    }

    fn our_window(&self) -> Option<Window> {
        self.windows().into_iter().find_map(|window| window.downcast().ok())
    }

    fn panel(&self) -> &Rc<Panel> {
        self.imp().panel.get_or_init(|| {
            let (sender, wishes) = async_channel::unbounded();
            self.list().set_wishes(sender);
            let panel = Panel::new(self.list().clone());
            panel.notify_with(self.notifications().clone());
            glib::spawn_future_local(panel.clone().attend_all(wishes));
            panel
        })
    }

    fn notifications(&self) -> &Rc<Notifications> {
        self.imp().notifications.get_or_init(|| Notifications::new(self))
    }

    /// Starts to listen and to answer.
    fn start(&self) {
        let (callers, queries, replies) = bus::callers();
        glib::spawn_future_local(self.panel().clone().answer(queries));
        glib::spawn_future_local(self.panel().clone().reply_all(replies));
        if let Some(places) = install::Places::new(std::env::vars_os()) {
            self.panel().set_log(DecisionLog::start(decision_log::path(&places)));
        }
        self.follow_settings();
        self.listen();
        self.look_for_connections();
        glib::spawn_future_local(clone!(
            #[weak(rename_to = application)]
            self,
            async move {
                match bus::serve(callers).await {
                    Ok(connection) => drop(application.imp().bus.replace(Some(connection))),
                    Err(error) => tracing::warn!(%error, "“dasbo status” cannot reach this panel"),
                }
            }
        ));
    }

    /// Does as the settings say, now and when they change.
    fn follow_settings(&self) {
        let Some(settings) = Settings::open() else {
            tracing::warn!("the settings' schema is not installed: all is as it is by itself");
            return;
        };
        let follow = |application: &Self, settings: &Settings| {
            application.notifications().set_urgent(settings.are_notifications_urgent());
            application.panel().set_policy(settings.policy());
        };
        follow(self, &settings);
        settings.connect_changed(clone!(
            #[weak(rename_to = application)]
            self,
            move |settings| follow(&application, settings)
        ));
        self.imp().settings.get_or_init(|| settings);
    }

    /// Shows the preferences, the same ones if they are there.
    /// Starts to hear agents; again, after that failed.
    fn listen(&self) {
        let on_status = clone!(
            #[weak(rename_to = application)]
            self,
            move || application.show_state()
        );
        match wire::socket_path(|name| std::env::var_os(name), rustix::process::getuid().as_raw()) {
            Some(path) => {
                let places = install::Places::new(std::env::vars_os());
                let (inbox, desk) = intake::start(path, places, self.panel().policy());
                self.panel().listen(inbox, desk, on_status);
            }
            None => self.panel().set_intake(Status::Failed(OpenError::NoRuntimeFolder.into())),
        }
    }

    fn show_state(&self) {
        if let Some(window) = self.our_window() {
            window.set_state(self.state());
        }
    }

    fn state(&self) -> PanelState {
        match self.panel().intake() {
            Some(Status::HeldElsewhere) => PanelState::HeldElsewhere,
            Some(Status::Failed(reason)) => PanelState::Failed(words::failure(&reason)),
            Some(Status::Listening) | None => match self.imp().connection.get() {
                None => PanelState::Starting,
                Some(install::Status::NotConnected) => PanelState::NotConnected,
                Some(install::Status::Partly) => PanelState::PartlyConnected,
                Some(install::Status::Connected) => PanelState::Listening,
            },
        }
    }

    /// Reads the agents' settings aside and shows how they stand.
    fn look_for_connections(&self) {
        glib::spawn_future_local(clone!(
            #[weak(rename_to = application)]
            self,
            async move {
                if let Ok(status) = gio::spawn_blocking(connect::overall_status).await {
                    application.set_connection(status);
                }
            }
        ));
    }

    fn set_connection(&self, status: install::Status) {
        self.imp().connection.set(Some(status));
        let enable = |name: &str, enabled: bool| {
            if let Some(action) = self.lookup_action(name).and_downcast::<gio::SimpleAction>() {
                action.set_enabled(enabled);
            }
        };
        enable("connect", status != install::Status::Connected);
        enable("disconnect", status != install::Status::NotConnected);
        self.show_state();
    }

    /// Shows what connecting or disconnecting an agent would write, and writes it if the person agrees.
    async fn change(self, agent: &'static dyn Agent, task: Task) {
        if self.imp().changing.replace(true) {
            return;
        }
        if let Err(failure) = self.try_change(agent, task).await {
            self.show_failure(&failure);
        }
        self.imp().changing.set(false);
        self.look_for_connections();
    }

    async fn try_change(&self, agent: &'static dyn Agent, task: Task) -> Result<(), Failure> {
        let planned = aside(move || Planned::new(agent, task)).await?;
        if !planned.change.is_empty() {
            let parent = self.active_window().or_else(|| self.our_window().and_upcast());
            let dialog = ConnectDialog::new(parent.as_ref(), agent.name(), task, &planned.change.diff());
            if !dialog.ask().await {
                return Ok(());
            }
        }
        aside(move || planned.commit()).await
    }

    fn show_failure(&self, Failure(reason): &Failure) {
        let dialog = adw::MessageDialog::builder()
            .heading(gettext("Nothing was changed"))
            .body(reason)
            .modal(true)
            .build();
        dialog.set_transient_for(self.active_window().as_ref());
        dialog.add_response("close", &gettext("_Close"));
        dialog.present();
    }
}

/// Does what reads or writes files aside from the main loop.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let broken = |_| Err(Failure(gettext("Dasbo made a mistake. Please report this.")));
    gio::spawn_blocking(work).await.unwrap_or_else(broken)
}
