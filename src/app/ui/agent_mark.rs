// SPDX-License-Identifier: GPL-3.0-or-later
//! An agent's mark: its letter on its colour.

use adw::subclass::prelude::*;
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
        /// The style class of the agent shown.
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
        let (letter, class) = look(agent);
        label::say(&imp.letter, &letter);
        self.set_tooltip_text(Some(words::agent(agent)));
        let before = imp.class.replace(class);
        if before != class {
            if !before.is_empty() {
                self.remove_css_class(before);
            }
            self.add_css_class(class);
        }
    }
}

/// An agent's letter and style class. Two that begin alike still look different.
fn look(agent: AgentId) -> (String, &'static str) {
    let (letter, class) = match agent.0 {
        "claude" => ("C", "claude"),
        "codex" => ("X", "codex"),
        "gemini" => ("G", "gemini"),
        "antigravity" => ("A", "antigravity"),
        "trae" => ("T", "trae"),
        "dsh" => ("D", "dsh"),
        other => {
            return (other.chars().take(1).flat_map(char::to_uppercase).collect(), "other");
        }
    };
    (letter.to_owned(), class)
}
