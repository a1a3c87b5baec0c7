// SPDX-License-Identifier: GPL-3.0-or-later
//! An agent's mark: its letter on its colour.

use adw::subclass::prelude::*;
use dasbo_core::agents::{self, Agent};
use dasbo_core::event::AgentId;
use gtk::prelude::*;

use super::label;
use crate::words;

mod imp {
    use std::cell::Cell;

    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/agent_mark.ui")]
    pub struct AgentMark {
        #[template_child]
        pub(super) letter: TemplateChild<gtk::Label>,
        /// The style class of the agent shown: its id.
        pub(super) class: Cell<&'static str>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for AgentMark {
        const NAME: &'static str = "DasboAgentMark";
        type Type = super::AgentMark;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for AgentMark {}
    impl WidgetImpl for AgentMark {}
    impl BinImpl for AgentMark {}
}

glib::wrapper! {
    /// The mark at the beginning of a row.
    pub struct AgentMark(ObjectSubclass<imp::AgentMark>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl AgentMark {
    /// Shows an agent's mark.
    pub fn set_agent(&self, agent: AgentId) {
        let imp = self.imp();
        label::say(&imp.letter, &letter(agent));
        label::explain(self, Some(words::agent(agent)));
        let before = imp.class.replace(agent.0);
        if before != agent.0 {
            if !before.is_empty() {
                self.remove_css_class(before);
            }
            self.add_css_class(agent.0);
        }
    }
}

fn letter(agent: AgentId) -> String {
    let mark = agents::by_id(agent.0).map(Agent::mark).or_else(|| agent.0.chars().next());
    mark.into_iter().flat_map(char::to_uppercase).collect()
}
