// SPDX-License-Identifier: GPL-3.0-or-later
//! What a row shows when it is unfolded.

use adw::subclass::prelude::*;
use dasbo_core::event::TaskState;
use dasbo_core::session::{Session, Task};
use gtk::prelude::*;

use crate::words;

mod imp {
    use std::cell::RefCell;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::session::{Session, Task};
    use gtk::CompositeTemplate;

    use super::{request, task_row};
    use crate::ui::label;
    use crate::words;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/session_details.ui")]
    pub struct SessionDetails {
        #[template_child]
        request_section: TemplateChild<gtk::Box>,
        #[template_child]
        request: TemplateChild<gtk::Label>,
        #[template_child]
        prompt_section: TemplateChild<gtk::Box>,
        #[template_child]
        prompt: TemplateChild<gtk::Label>,
        #[template_child]
        answer_section: TemplateChild<gtk::Box>,
        #[template_child]
        answer: TemplateChild<gtk::Label>,
        #[template_child]
        tasks_section: TemplateChild<gtk::Box>,
        #[template_child]
        tasks_heading: TemplateChild<gtk::Label>,
        #[template_child]
        title_name: TemplateChild<gtk::Label>,
        #[template_child]
        title: TemplateChild<gtk::Label>,
        #[template_child]
        model_name: TemplateChild<gtk::Label>,
        #[template_child]
        model: TemplateChild<gtk::Label>,
        #[template_child]
        folder_name: TemplateChild<gtk::Label>,
        #[template_child]
        folder: TemplateChild<gtk::Label>,
        #[template_child]
        started_name: TemplateChild<gtk::Label>,
        #[template_child]
        started: TemplateChild<gtk::Label>,
        /// The tasks shown.
        shown_tasks: RefCell<Vec<Task>>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for SessionDetails {
        const NAME: &'static str = "DasboSessionDetails";
        type Type = super::SessionDetails;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for SessionDetails {
        fn constructed(&self) {
            self.parent_constructed();
            // A click that means the text does not fold the row.
            let click = gtk::GestureClick::new();
            click.connect_pressed(|click, _, _, _| {
                click.set_state(gtk::EventSequenceState::Claimed);
            });
            self.obj().add_controller(click);
        }
    }

    impl WidgetImpl for SessionDetails {}
    impl BinImpl for SessionDetails {}

    impl SessionDetails {
        /// Shows what is known of a session.
        pub(super) fn update(&self, session: &Session) {
            let text = |section: &gtk::Box, label: &gtk::Label, text: Option<&str>| {
                label::say(label, text.unwrap_or_default());
                section.set_visible(text.is_some());
            };
            text(&self.request_section, &self.request, request(session).as_deref());
            text(&self.prompt_section, &self.prompt, session.last_prompt.as_deref().map(str::trim));
            text(&self.answer_section, &self.answer, session.last_answer.as_deref().map(str::trim));
            self.update_tasks(&session.tasks);
            self.update_facts(session);
        }

        fn update_facts(&self, session: &Session) {
            let fact = |name: &gtk::Label, label: &gtk::Label, fact: Option<&str>| {
                label::say_or_hide(label, fact);
                name.set_visible(fact.is_some());
            };
            fact(&self.title_name, &self.title, session.title.as_deref());
            fact(&self.model_name, &self.model, words::model(session).as_deref());
            let folder = session.cwd.as_deref().or(session.project.as_deref());
            let folder = folder.map(words::folder);
            fact(&self.folder_name, &self.folder, folder.as_deref());
            let started = words::wall_time(session.started);
            let started = Some(started).filter(|started| !started.is_empty());
            fact(&self.started_name, &self.started, started.as_deref());
        }

        fn update_tasks(&self, tasks: &[Task]) {
            self.tasks_section.set_visible(!tasks.is_empty());
            if *self.shown_tasks.borrow() == tasks {
                return;
            }
            while let Some(row) = self.tasks_heading.next_sibling() {
                self.tasks_section.remove(&row);
            }
            for task in tasks {
                self.tasks_section.append(&task_row(task));
            }
            self.shown_tasks.replace(tasks.to_vec());
        }
    }
}

glib::wrapper! {
    /// Last prompt, last answer, tasks and facts of a session.
    pub struct SessionDetails(ObjectSubclass<imp::SessionDetails>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl Default for SessionDetails {
    fn default() -> Self {
        glib::Object::new()
    }
}

impl SessionDetails {
    /// Shows what is known of a session.
    pub fn update(&self, session: &Session) {
        self.imp().update(session);
    }
}

/// What is asked that no card shows: it is answered in the terminal.
fn request(session: &Session) -> Option<String> {
    session.waits.iter().find(|wait| wait.held.is_none()).and_then(words::asked)
}

/// A task with a mark of how far it is.
fn task_row(task: &Task) -> gtk::Box {
    let (icon, class) = match task.state {
        TaskState::Pending => ("dasbo-task-pending-symbolic", "pending"),
        TaskState::InProgress => ("dasbo-task-active-symbolic", "active"),
        TaskState::Completed => ("dasbo-task-done-symbolic", "done"),
    };
    let state = words::task_state(task.state);
    let mark = gtk::Image::builder().icon_name(icon).pixel_size(14).tooltip_text(&state).build();
    mark.set_valign(gtk::Align::Start);
    mark.update_property(&[gtk::accessible::Property::Label(&state)]);
    let subject = gtk::Label::builder().label(&task.subject).xalign(0.0).wrap(true).hexpand(true).build();
    subject.set_wrap_mode(gtk::pango::WrapMode::WordChar);
    let row = gtk::Box::builder().spacing(8).css_classes(["task", class]).build();
    row.append(&mark);
    row.append(&subject);
    row
}
