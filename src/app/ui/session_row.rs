// SPDX-License-Identifier: GPL-3.0-or-later
//! A session's row: who, where, what, how long; unfolded, its details.

use glib::subclass::prelude::*;

use crate::model;
use crate::words::Topic;

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::event::PermissionMode;
    use dasbo_core::moment::Moment;
    use dasbo_core::session::{Group, Session};
    use gtk::CompositeTemplate;

    use super::tone;
    use crate::ui::{AgentMark, RequestCards, SessionDetails, focus_target, label};
    use crate::words::Topic;
    use crate::{clock, model, words};

    /// How long unfolding takes, in milliseconds. GTK leaves it out where the person wants no animations.
    const UNFOLDING: u32 = 200;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/session_row.ui")]
    pub struct SessionRow {
        #[template_child]
        mark: TemplateChild<AgentMark>,
        #[template_child]
        project: TemplateChild<gtk::Label>,
        #[template_child]
        branch: TemplateChild<gtk::Label>,
        #[template_child]
        mode: TemplateChild<gtk::Label>,
        #[template_child]
        tasks: TemplateChild<gtk::Box>,
        #[template_child]
        task_count: TemplateChild<gtk::Label>,
        #[template_child]
        time: TemplateChild<gtk::Inscription>,
        #[template_child]
        dot: TemplateChild<adw::Bin>,
        #[template_child]
        tool_dot: TemplateChild<adw::Bin>,
        #[template_child]
        status: TemplateChild<gtk::Inscription>,
        #[template_child]
        cards: TemplateChild<RequestCards>,
        #[template_child]
        revealer: TemplateChild<gtk::Revealer>,
        /// What is shown.
        pub(super) session: RefCell<Option<model::Session>>,
        /// Follows the session shown.
        pub(super) signals: OnceCell<glib::SignalGroup>,
        /// The style classes that stand for the state and the mode shown.
        tone: Cell<&'static str>,
        mode_class: Cell<&'static str>,
        /// What a screen reader was last given.
        sentence: RefCell<String>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for SessionRow {
        const NAME: &'static str = "DasboSessionRow";
        type Type = super::SessionRow;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            RequestCards::ensure_type();
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for SessionRow {
        fn constructed(&self) {
            self.parent_constructed();
            self.setup_signals();
            for text in [&self.project, &self.branch] {
                label::explain_when_cut(text);
            }
            label::explain_inscription_when_cut(&self.status);
            self.explain_tasks();
            self.revealer.connect_child_revealed_notify(|revealer| {
                if !revealer.reveals_child() {
                    revealer.set_child(None::<&gtk::Widget>);
                }
            });
        }
    }

    impl WidgetImpl for SessionRow {
        fn root(&self) {
            self.parent_root();
            self.introduce();
        }
    }

    impl BinImpl for SessionRow {}

    impl SessionRow {
        fn setup_signals(&self) {
            let signals = self.signals.get_or_init(glib::SignalGroup::new::<model::Session>);
            let row = self.obj();
            let changed = glib::closure_local!(
                #[watch]
                row,
                move |_: model::Session| row.imp().update()
            );
            signals.connect_closure("changed", false, changed);
            let unfolded = glib::closure_local!(
                #[watch]
                row,
                move |_: model::Session, _: glib::ParamSpec| row.imp().unfold(UNFOLDING)
            );
            signals.connect_closure("notify::expanded", false, unfolded);
        }

        /// The tasks change often, the pointer seldom asks for them.
        fn explain_tasks(&self) {
            let row = self.obj();
            self.tasks.set_has_tooltip(true);
            self.tasks.connect_query_tooltip(glib::clone!(
                #[weak]
                row,
                #[upgrade_or]
                false,
                move |_, _, _, _, tooltip| {
                    let session = row.imp().session.borrow();
                    let tasks = session.as_ref().and_then(|session| words::tasks(&session.data()));
                    tooltip.set_text(tasks.as_deref());
                    tasks.is_some()
                }
            ));
        }

        /// Shows another session at once, as it is.
        pub(super) fn show(&self, session: Option<&model::Session>) {
            self.session.replace(session.cloned());
            let signals = self.signals.get().expect("set when it was made");
            signals.set_target(session.map(AsRef::<glib::Object>::as_ref));
            // What speaks may have spoken for another row before.
            self.sentence.take();
            self.cards.show_session(session);
            self.update();
            self.unfold(0);
        }

        /// The details: there only while they can be seen.
        fn details(&self) -> Option<SessionDetails> {
            self.revealer.child().and_downcast()
        }

        /// Folds or unfolds, as the session says.
        fn unfold(&self, milliseconds: u32) {
            let session = self.session.borrow();
            let expanded = session.as_ref().is_some_and(model::Session::expanded);
            if let Some(session) = session.as_ref().filter(|_| expanded) {
                let details = self.details().unwrap_or_default();
                details.update(&session.data());
                self.revealer.set_child(Some(&details));
            }
            self.revealer.set_transition_duration(milliseconds);
            self.revealer.set_reveal_child(expanded);
            self.say_expanded(expanded);
        }

        /// Shows what is known now. Widgets that stay the same are not touched.
        fn update(&self) {
            // The row may be given another while a card goes that has the focus.
            let Some(session) = self.session.borrow().clone() else {
                return;
            };
            self.cards.show_session(Some(&session));
            let data = session.data();
            self.mark.set_agent(data.key.agent);
            let project = words::project(&data);
            label::say_at_least(&self.project, &project, 6);
            label::say_or_hide(&self.branch, data.branch.as_deref());
            self.update_mode(data.mode);
            self.update_tasks(&data);
            self.update_words(&data, clock::now());
            if let Some(details) = self.details() {
                details.update(&data);
            }
        }

        fn update_mode(&self, mode: PermissionMode) {
            let badge = words::mode(mode);
            label::say_at_least(&self.mode, badge.as_deref().unwrap_or_default(), 12);
            self.mode.set_visible(badge.is_some());
            label::explain(&*self.mode, badge.is_some().then(|| words::mode_meaning(mode)).as_deref());
            let class = match mode {
                PermissionMode::BypassPermissions => "bypass",
                PermissionMode::Plan => "plan",
                _ => "other",
            };
            swap_class(&*self.mode, &self.mode_class, class);
        }

        fn update_tasks(&self, data: &Session) {
            let count = data.task_count().map(|(done, all)| format!("{done}/{all}"));
            label::say(&self.task_count, count.as_deref().unwrap_or_default());
            self.tasks.set_visible(count.is_some());
        }

        /// What may change by time alone.
        fn update_words(&self, data: &Session, now: Moment) {
            label::fill(&self.status, &words::state(data, now));
            label::inscribe(&self.time, &words::time(data, now), 4);
            let row = self.obj();
            let topic = words::topic(data, now);
            swap_class(&*row, &self.tone, tone(&topic));
            let runs_tool = matches!(topic, Topic::Tool(_));
            self.dot.set_opacity(if runs_tool { 0.0 } else { 1.0 });
            self.tool_dot.set_opacity(if runs_tool { 1.0 } else { 0.0 });
            if data.group() == Group::Waiting {
                row.add_css_class("attention");
            } else {
                row.remove_css_class("attention");
            }
            self.say_sentence(&words::sentence(data, now));
        }

        /// Brings the running times up to date.
        pub(super) fn tick(&self) {
            if let Some(session) = self.session.borrow().as_ref() {
                self.update_words(&session.data(), clock::now());
                self.cards.tick();
            }
        }

        /// Tells a screen reader all of it again: what speaks may have spoken for another row before.
        fn introduce(&self) {
            self.sentence.take();
            self.tick();
            let session = self.session.borrow();
            self.say_expanded(session.as_ref().is_some_and(model::Session::expanded));
        }

        fn say_expanded(&self, expanded: bool) {
            if let Some(target) = focus_target::of(&*self.obj()) {
                target.update_state(&[gtk::accessible::State::Expanded(Some(expanded))]);
            }
        }

        /// Gives a screen reader a new sentence, if it is one.
        fn say_sentence(&self, sentence: &str) {
            if *self.sentence.borrow() != sentence {
                self.sentence.replace(sentence.to_owned());
                if let Some(target) = focus_target::of(&*self.obj()) {
                    target.update_property(&[gtk::accessible::Property::Label(sentence)]);
                }
            }
        }
    }

    /// Puts a style class in the place of the one before.
    fn swap_class(widget: &impl IsA<gtk::Widget>, shown: &Cell<&'static str>, class: &'static str) {
        let before = shown.replace(class);
        if before != class {
            if !before.is_empty() {
                widget.remove_css_class(before);
            }
            widget.add_css_class(class);
        }
    }
}

glib::wrapper! {
    /// A row that follows its session in place.
    pub struct SessionRow(ObjectSubclass<imp::SessionRow>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl SessionRow {
    /// A row for no session yet.
    pub fn new() -> Self {
        glib::Object::new()
    }

    /// The session shown.
    pub fn session(&self) -> Option<model::Session> {
        self.imp().session.borrow().clone()
    }

    /// Shows a session, or none.
    pub fn set_session(&self, session: Option<&model::Session>) {
        self.imp().show(session);
    }

    /// Brings running times up to date.
    pub fn tick(&self) {
        self.imp().tick();
    }
}

/// The style class that stands for what the words say.
fn tone(topic: &Topic) -> &'static str {
    match topic {
        Topic::NoNews(_) => "no-news",
        Topic::Wait(..) => "waiting",
        Topic::Note(_) => "note",
        Topic::Compacting => "compacting",
        // The dots tell the two apart.
        Topic::Thinking | Topic::Tool(_) => "working",
        Topic::Error(_) => "error",
        Topic::Interrupted => "interrupted",
        Topic::Background => "background",
        Topic::Finished => "finished",
        Topic::Idle => "idle",
    }
}
