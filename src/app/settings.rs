// SPDX-License-Identifier: GPL-3.0-or-later
//! The person's settings, kept by `GSettings`.

use std::time::Duration;

use dasbo_core::agents::AGENTS;
use dasbo_core::event::AgentId;
use dasbo_core::request::{Policy, Switches};
use gio::prelude::*;
use gio::{SettingsSchema, SettingsSchemaSource};

use crate::config::APP_ID;

/// The agents that ask for approvals in their terminal.
pub const APPROVALS_OFF: &str = "approvals-off";
/// The agents that ask questions and propose plans in their terminal.
pub const QUESTIONS_OFF: &str = "questions-off";
/// For how many seconds a request is held that its terminal does not show meanwhile. 0: until it is answered.
pub const HELD_BACK_SECONDS: &str = "held-back-seconds";
/// Whether notifications are urgent.
pub const NOTIFICATIONS_URGENT: &str = "notifications-urgent";

const KEYS: [&str; 4] = [APPROVALS_OFF, QUESTIONS_OFF, HELD_BACK_SECONDS, NOTIFICATIONS_URGENT];

/// Where the build put the schema, for a program that is not installed.
const BUILT: &str = concat!(env!("OUT_DIR"), "/schemas");

/// The person's settings.
#[derive(Debug, Clone)]
pub struct Settings(gio::Settings);

impl Settings {
    /// The settings of this person. `None`: the installation has no schema for them.
    pub fn open() -> Option<Self> {
        let installed = SettingsSchemaSource::default().and_then(|source| schema(&source));
        let schema = installed.or_else(|| schema(&built()?))?;
        Some(Self(gio::Settings::new_full(&schema, gio::SettingsBackend::NONE, None)))
    }

    /// What is answered here, and for how long a request is held.
    pub fn policy(&self) -> Policy {
        let switches = |agent| Switches {
            approvals: self.is_on(APPROVALS_OFF, agent),
            questions: self.is_on(QUESTIONS_OFF, agent),
        };
        let agents = AGENTS.iter().map(|agent| (agent.id(), switches(agent.id()))).collect();
        let seconds = self.0.uint(HELD_BACK_SECONDS);
        let held_back = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
        Policy { agents, held_back, ..Policy::default() }
    }

    /// Whether notifications are urgent.
    pub fn are_notifications_urgent(&self) -> bool {
        self.0.boolean(NOTIFICATIONS_URGENT)
    }

    /// Whether a key that lists agents does not list this one.
    pub fn is_on(&self, key: &str, agent: AgentId) -> bool {
        !self.0.strv(key).iter().any(|off| off == agent.0)
    }

    /// Takes an agent from a key that lists agents, or adds it. Others stay, also those that this build does not know.
    pub fn set_on(&self, key: &str, agent: AgentId, on: bool) {
        if self.is_on(key, agent) == on {
            return;
        }
        let listed = self.0.strv(key);
        let mut off: Vec<&str> =
            listed.iter().map(glib::GStringPtr::as_str).filter(|off| *off != agent.0).collect();
        off.extend((!on).then_some(agent.0));
        if let Err(error) = self.0.set_strv(key, off) {
            tracing::warn!(%error, key, "a setting cannot be changed");
        }
    }

    /// Calls back when any of them changed.
    pub fn connect_changed(&self, on_change: impl Fn(&Self) + 'static) {
        self.0.connect_changed(None, move |settings, _| on_change(&Self(settings.clone())));
    }

    /// Keeps a property of a widget and a key the same.
    pub fn bind(&self, key: &str, object: &impl IsA<glib::Object>, property: &str) {
        self.0.bind(key, object, property).build();
    }

    /// Calls back when a key changed, as long as a switch is there.
    pub fn watch(&self, key: &str, switch: &gtk::Switch, on_change: impl Fn(&Self, &gtk::Switch) + 'static) {
        let on_change = glib::closure_local!(
            #[watch]
            switch,
            move |settings: gio::Settings, _key: &str| on_change(&Self(settings), switch)
        );
        self.0.connect_closure(&format!("changed::{key}"), false, on_change);
    }
}

/// An installation that is older than this program may lack a key, and to read that one would end it.
fn schema(source: &SettingsSchemaSource) -> Option<SettingsSchema> {
    source.lookup(APP_ID, true).filter(|schema| KEYS.iter().all(|key| schema.has_key(key)))
}

/// Without the installed ones behind it, which may be of another version.
fn built() -> Option<SettingsSchemaSource> {
    SettingsSchemaSource::from_directory(BUILT, None, false).ok()
}

#[cfg(test)]
mod tests {
    use dasbo_core::event::WaitKind;

    use super::*;

    const CLAUDE: AgentId = AgentId("claude");

    /// In memory: the developer's own are not touched.
    fn settings() -> Settings {
        let schema = schema(&built().unwrap()).unwrap();
        Settings(gio::Settings::new_full(&schema, Some(&gio::memory_settings_backend_new()), None))
    }

    #[test]
    fn unless_they_are_changed_they_are_the_default_policy() {
        let policy = settings().policy();
        let default = Policy::default();
        assert_eq!((policy.held_back, policy.unattended), (default.held_back, default.unattended));
        assert!(policy.answers(CLAUDE, WaitKind::Approval) && policy.answers(CLAUDE, WaitKind::Plan));
        assert!(!settings().are_notifications_urgent());
    }

    #[test]
    fn what_is_off_for_one_agent_stays_on_for_others() {
        let settings = settings();
        let later = AgentId("of-a-later-build");
        settings.set_on(APPROVALS_OFF, later, false);
        settings.set_on(APPROVALS_OFF, CLAUDE, false);
        let policy = settings.policy();
        assert!(!policy.answers(CLAUDE, WaitKind::Approval));
        assert!(policy.answers(CLAUDE, WaitKind::Question));
        assert!(policy.answers(AgentId("other"), WaitKind::Approval));
        settings.set_on(APPROVALS_OFF, CLAUDE, true);
        assert!(settings.policy().answers(CLAUDE, WaitKind::Approval));
        assert!(!settings.is_on(APPROVALS_OFF, later));
    }

    #[test]
    fn no_seconds_are_for_ever() {
        let settings = settings();
        settings.0.set_uint(HELD_BACK_SECONDS, 0).unwrap();
        assert_eq!(settings.policy().held_back, None);
        settings.0.set_uint(HELD_BACK_SECONDS, 5).unwrap();
        assert_eq!(settings.policy().held_back, Some(Duration::from_secs(5)));
    }
}
