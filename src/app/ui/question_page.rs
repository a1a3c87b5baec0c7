// SPDX-License-Identifier: GPL-3.0-or-later
//! One question with its choices.

use adw::subclass::prelude::*;
use dasbo_core::request::{Answer, Choice, Question};
use gtk::prelude::*;

use crate::ui::label;
use crate::words;

mod imp {
    use std::cell::{OnceCell, RefCell};
    use std::sync::OnceLock;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::request::{Answer, Question};
    use glib::subclass::Signal;
    use gtk::CompositeTemplate;

    use super::{choice_row, preview};
    use crate::ui::label;
    use crate::words;

    /// More choices than these scroll by themselves, in a room of so many pixels: GTK 4.8 does not ask what is scrolled
    /// how high it is at its width.
    const MANY: usize = 10;
    const ROOM: i32 = 320;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/question_page.ui")]
    pub struct QuestionPage {
        #[template_child]
        text: TemplateChild<gtk::Label>,
        #[template_child]
        hint: TemplateChild<gtk::Label>,
        #[template_child]
        place: TemplateChild<adw::Bin>,
        #[template_child]
        list: TemplateChild<gtk::Box>,
        #[template_child]
        choices: TemplateChild<gtk::Box>,
        #[template_child]
        own_check: TemplateChild<gtk::CheckButton>,
        #[template_child]
        own: TemplateChild<gtk::Entry>,
        #[template_child]
        previews: TemplateChild<gtk::Stack>,
        #[template_child]
        note: TemplateChild<gtk::Entry>,
        pub(super) question: OnceCell<Question>,
        checks: RefCell<Vec<gtk::CheckButton>>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for QuestionPage {
        const NAME: &'static str = "DasboQuestionPage";
        type Type = super::QuestionPage;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for QuestionPage {
        fn signals() -> &'static [Signal] {
            static SIGNALS: OnceLock<Vec<Signal>> = OnceLock::new();
            SIGNALS.get_or_init(|| vec![Signal::builder("changed").build()])
        }
    }

    impl WidgetImpl for QuestionPage {}
    impl BinImpl for QuestionPage {}

    impl QuestionPage {
        fn question(&self) -> &Question {
            self.question.get().expect("given when it was made")
        }

        /// Shows the question as it was left, and follows the person.
        pub(super) fn begin(&self, answer: &Answer, set_aside: &str) {
            let question = self.question();
            label::say(&self.text, &words::shown(&question.text));
            label::say(&self.hint, &words::question_hint(question));
            self.own_check.set_visible(!question.choices.is_empty());
            self.add_choices(question);
            self.set_up_previews(question);
            self.show(answer, set_aside);
            self.connect();
        }

        fn add_choices(&self, question: &Question) {
            for choice in &question.choices {
                let check = choice_row(choice);
                if !question.multiple {
                    check.set_group(Some(&*self.own_check));
                }
                self.choices.append(&check);
                self.checks.borrow_mut().push(check);
            }
            if question.choices.len() > MANY {
                self.place.set_child(None::<&gtk::Widget>);
                let scroller = gtk::ScrolledWindow::builder()
                    .focusable(false)
                    .min_content_height(ROOM)
                    .child(&*self.list);
                self.place.set_child(Some(&scroller.hscrollbar_policy(gtk::PolicyType::Never).build()));
            }
        }

        fn show(&self, answer: &Answer, set_aside: &str) {
            for (at, check) in self.checks.borrow().iter().enumerate() {
                check.set_active(answer.chosen.contains(&at));
            }
            self.own_check.set_active(answer.own.is_some());
            self.own.set_text(answer.own.as_deref().unwrap_or(set_aside));
            self.note.set_text(answer.notes.as_deref().unwrap_or_default());
            if let Some(&first) = answer.chosen.first() {
                self.show_preview(first);
            }
        }

        fn connect(&self) {
            let page = self.obj();
            for (at, check) in self.checks.borrow().iter().enumerate() {
                check.connect_toggled(glib::clone!(
                    #[weak]
                    page,
                    move |check| {
                        if check.is_active() {
                            page.imp().show_preview(at);
                        }
                        page.imp().changed();
                    }
                ));
            }
            self.own_check.connect_toggled(glib::clone!(
                #[weak]
                page,
                move |_| page.imp().changed()
            ));
            self.own.connect_changed(glib::clone!(
                #[weak]
                page,
                move |own| page.imp().own_changed(&own.text())
            ));
            self.note.connect_changed(glib::clone!(
                #[weak]
                page,
                move |_| page.imp().changed()
            ));
        }

        /// Who writes an answer means it.
        fn own_changed(&self, own: &str) {
            if own.is_empty() == self.own_check.is_active() && !self.question().choices.is_empty() {
                self.own_check.set_active(!own.is_empty());
            }
            self.changed();
        }

        fn changed(&self) {
            self.obj().emit_by_name::<()>("changed", &[]);
        }

        /// What the person entered; own words that do not count are set aside.
        pub(super) fn answer(&self) -> (Answer, String) {
            let checks = self.checks.borrow();
            let chosen = checks.iter().enumerate().filter(|(_, check)| check.is_active()).map(|(at, _)| at);
            let own = String::from(self.own.text());
            let notes = Some(String::from(self.note.text())).filter(|notes| !notes.is_empty());
            let counts = checks.is_empty() || self.own_check.is_active();
            let (own, set_aside) = if counts { (Some(own), String::new()) } else { (None, own) };
            (Answer { chosen: chosen.collect(), own, notes }, set_aside)
        }

        /// All take the room of the largest, so that nothing moves.
        fn set_up_previews(&self, question: &Question) {
            let mut first = None;
            for (at, choice) in question.choices.iter().enumerate() {
                if choice.preview.is_some() {
                    first.get_or_insert(at);
                }
                self.previews.add_named(&preview(choice), Some(&at.to_string()));
            }
            self.previews.set_visible(first.is_some());
            if let Some(first) = first {
                self.show_preview(first);
                self.follow_focus();
            }
        }

        fn show_preview(&self, at: usize) {
            self.previews.set_visible_child_name(&at.to_string());
        }

        fn follow_focus(&self) {
            let page = self.obj();
            for (at, check) in self.checks.borrow().iter().enumerate() {
                let focus = gtk::EventControllerFocus::new();
                focus.connect_enter(glib::clone!(
                    #[weak]
                    page,
                    move |_| page.imp().show_preview(at)
                ));
                check.add_controller(focus);
            }
        }
    }
}

glib::wrapper! {
    /// One question with its choices. Emits `changed` when the person entered something.
    pub struct QuestionPage(ObjectSubclass<imp::QuestionPage>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl QuestionPage {
    /// A question as it was left: answered so, with these own words set aside.
    pub fn new(question: &Question, answer: &Answer, set_aside: &str) -> Self {
        let page: Self = glib::Object::new();
        page.imp().question.get_or_init(|| question.clone());
        page.imp().begin(answer, set_aside);
        page
    }

    /// What the person entered: the answer, and own words that are no part of it.
    pub fn answer(&self) -> (Answer, String) {
        self.imp().answer()
    }
}

/// A choice: its name, and below it what it means.
fn choice_row(choice: &Choice) -> gtk::CheckButton {
    let texts = gtk::Box::builder().orientation(gtk::Orientation::Vertical).hexpand(true).build();
    let name = words::shown_name(&choice.label);
    texts.append(&label::wrapping(&name));
    let check = gtk::CheckButton::builder().child(&texts).css_classes(["choice"]).build();
    check.update_property(&[gtk::accessible::Property::Label(&name)]);
    if let Some(description) = choice.description.as_deref().filter(|text| !text.trim().is_empty()) {
        let description = words::shown(description);
        texts.append(&caption(&description));
        check.update_property(&[gtk::accessible::Property::Description(&description)]);
    }
    check
}

/// What a choice would look like.
fn preview(choice: &Choice) -> gtk::Box {
    let page = gtk::Box::new(gtk::Orientation::Vertical, 3);
    let Some(preview) = &choice.preview else {
        page.append(&caption(&words::no_preview()));
        return page;
    };
    let text = gtk::TextView::builder()
        .editable(false)
        .cursor_visible(false)
        .accepts_tab(false)
        .monospace(true)
        .left_margin(10)
        .right_margin(10)
        .top_margin(8)
        .bottom_margin(8)
        .build();
    text.buffer().set_text(&words::shown(preview));
    text.update_property(&[gtk::accessible::Property::Label(&words::preview_of(&choice.label))]);
    let scroller = gtk::ScrolledWindow::builder()
        .child(&text)
        .focusable(false)
        .propagate_natural_height(true)
        .max_content_height(220)
        .css_classes(["sheet"])
        .build();
    page.append(&caption(&words::preview_of(&choice.label)));
    page.append(&scroller);
    page
}

fn caption(text: &str) -> gtk::Label {
    let label = label::wrapping(text);
    label.add_css_class("heading-small");
    label
}
