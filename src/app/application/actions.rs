// SPDX-License-Identifier: GPL-3.0-or-later
//! The application's actions: of its menu, and those that notifications name.

use adw::prelude::*;
use dasbo_core::agents;
use dasbo_core::install;
use dasbo_core::request::{Decision, Denial};
use dasbo_core::session::RowId;
use gio::ActionEntry;
use glib::subclass::prelude::*;

use super::Application;
use crate::answers::{Origin, Wish};
use crate::connect::Task;
use crate::decision_log;
use crate::desktop::notifications;
use crate::ui::{DecisionsWindow, Preferences};

impl Application {
    /// Makes all of them.
    pub(super) fn set_up_actions(&self) {
        let quit =
            ActionEntry::builder("quit").activate(|application: &Self, _, _| application.quit()).build();
        let listen =
            ActionEntry::builder("listen").activate(|application: &Self, _, _| application.listen()).build();
        let decisions = ActionEntry::builder("decisions")
            .activate(|application: &Self, _, _| application.show_decisions())
            .build();
        let [connect, disconnect] =
            [("connect", Task::Connect), ("disconnect", Task::Disconnect)].map(|(name, task)| {
                ActionEntry::builder(name)
                    .parameter_type(Some(glib::VariantTy::STRING))
                    .activate(move |application: &Self, _, agent| {
                        let id = agent.and_then(glib::Variant::str);
                        if let Some(agent) = id.and_then(agents::by_id) {
                            glib::spawn_future_local(application.clone().change(agent, task));
                        }
                    })
                    .build()
            });
        let preferences = ActionEntry::builder("preferences")
            .activate(|application: &Self, _, _| application.show_preferences())
            .build();
        self.add_action_entries([quit, connect, disconnect, listen, decisions, preferences]);
        self.set_up_answers();
        self.set_accels_for_action("app.preferences", &["<Control>comma"]);
        self.set_accels_for_action("win.show-help-overlay", &["<Control>question"]);
    }

    /// What the buttons of notifications do, and a click on one.
    fn set_up_answers(&self) {
        let answers = [
            (notifications::ALLOW, Decision::Allow(None)),
            (notifications::DENY, Decision::Deny(Denial::Plain)),
        ];
        self.add_action_entries(answers.map(|(name, decision)| {
            ActionEntry::builder(name)
                .parameter_type(Some(glib::VariantTy::STRING))
                .activate(move |application: &Self, _, request| application.answer(request, decision.clone()))
                .build()
        }));
        let show = ActionEntry::builder(notifications::SHOW)
            .parameter_type(Some(glib::VariantTy::STRING))
            .activate(|application: &Self, _, row| application.show_row(row));
        self.add_action_entries([show.build()]);
    }

    /// Shows the window, and in it this row if it is still there.
    fn show_row(&self, row: Option<&glib::Variant>) {
        let window = self.window();
        window.present();
        let row = row.and_then(glib::Variant::str).and_then(|row| row.parse().ok()).map(RowId);
        if let Some(session) = row.and_then(|row| self.list().session(row)) {
            window.show_session(&session);
        }
    }

    /// Answers the request that is named, if it is still open.
    fn answer(&self, request: Option<&glib::Variant>, decision: Decision) {
        let Some(id) = request.and_then(glib::Variant::str).and_then(|id| id.parse().ok()) else { return };
        if let Err(reason) = self.panel().attend(id, Wish::Decide(decision), Origin::Notification) {
            tracing::warn!(request = %id, %reason, "not answered");
            if let Some(row) = self.notifications().row_of_over(id) {
                self.panel().answered_late(id, row);
            }
        }
    }

    fn show_preferences(&self) {
        let Some(settings) = self.imp().settings.get() else { return };
        let shown = self.windows().into_iter().find_map(|window| window.downcast::<Preferences>().ok());
        shown.unwrap_or_else(|| Preferences::new(&self.window(), settings)).present();
    }

    fn show_decisions(&self) {
        let open = self.windows().into_iter().find(ObjectExt::is::<DecisionsWindow>);
        if let Some(window) = open {
            window.present();
        } else if let Some(places) = install::Places::new(std::env::vars_os()) {
            let parent = self.our_window().and_upcast();
            DecisionsWindow::new(parent.as_ref(), decision_log::path(&places)).present();
        }
    }
}
