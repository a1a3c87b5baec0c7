// SPDX-License-Identifier: GPL-3.0-or-later
//! The preferences. What is changed there holds at once.

use adw::prelude::*;
use adw::subclass::prelude::*;
use dasbo_core::agents::{AGENTS, Agent};
use dasbo_core::event::AgentId;

use crate::i18n::gettext;
use crate::settings::{self, Settings};

mod imp {
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/preferences.ui")]
    pub struct Preferences {
        #[template_child]
        pub(super) page: TemplateChild<adw::PreferencesPage>,
        #[template_child]
        pub(super) held_back: TemplateChild<gtk::SpinButton>,
        #[template_child]
        pub(super) urgent: TemplateChild<gtk::Switch>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Preferences {
        const NAME: &'static str = "DasboPreferences";
        type Type = super::Preferences;
        type ParentType = adw::PreferencesWindow;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for Preferences {}
    impl WidgetImpl for Preferences {}
    impl WindowImpl for Preferences {}
    impl AdwWindowImpl for Preferences {}
    impl PreferencesWindowImpl for Preferences {}
}

glib::wrapper! {
    /// The preferences.
    pub struct Preferences(ObjectSubclass<imp::Preferences>)
        @extends adw::PreferencesWindow, adw::Window, gtk::Window, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Native, gtk::Root,
            gtk::ShortcutManager;
}

impl Preferences {
    /// The preferences over a window. Not shown yet.
    pub fn new(parent: &impl IsA<gtk::Window>, settings: &Settings) -> Self {
        let preferences: Self = glib::Object::builder().property("transient-for", parent.as_ref()).build();
        let imp = preferences.imp();
        settings.bind(settings::HELD_BACK_SECONDS, &imp.held_back.adjustment(), "value");
        settings.bind(settings::NOTIFICATIONS_URGENT, &*imp.urgent, "active");
        for agent in AGENTS {
            imp.page.add(&group(*agent, settings));
        }
        preferences
    }
}

/// The switches of one agent.
fn group(agent: &dyn Agent, settings: &Settings) -> adw::PreferencesGroup {
    let group = adw::PreferencesGroup::builder().title(agent.name()).build();
    let rows = [
        (gettext("Answer approvals here"), settings::APPROVALS_OFF),
        (gettext("Answer questions and plans here"), settings::QUESTIONS_OFF),
    ];
    for (title, key) in rows {
        group.add(&row(&title, &switch(&title, key, agent.id(), settings)));
    }
    group
}

fn row(title: &str, switch: &gtk::Switch) -> adw::ActionRow {
    let subtitle = gettext("Off: the agent asks in its terminal");
    let row = adw::ActionRow::builder().title(title).subtitle(subtitle).activatable_widget(switch).build();
    row.add_suffix(switch);
    row
}

fn switch(title: &str, key: &'static str, agent: AgentId, settings: &Settings) -> gtk::Switch {
    let switch = gtk::Switch::builder().active(settings.is_on(key, agent)).valign(gtk::Align::Center).build();
    switch.update_property(&[gtk::accessible::Property::Label(title)]);
    settings.watch(key, &switch, move |settings, switch| switch.set_active(settings.is_on(key, agent)));
    let settings = settings.clone();
    switch.connect_active_notify(move |switch| settings.set_on(key, agent, switch.is_active()));
    switch
}
