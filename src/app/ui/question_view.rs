// SPDX-License-Identifier: GPL-3.0-or-later
//! Questions with their choices: one at a time, with a tab for each.

use adw::subclass::prelude::*;
use dasbo_core::request::{Question, RequestId};
use gtk::prelude::*;

use crate::model;

mod imp {
    use std::cell::{OnceCell, RefCell};

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::request::{Answer, Decision, Question, RequestId};
    use gtk::CompositeTemplate;

    use super::Tab;
    use crate::answers::Wish;
    use crate::ui::guard::Guard;
    use crate::ui::{QuestionPage, shortcut};
    use crate::{model, words};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/question_view.ui")]
    pub struct QuestionView {
        #[template_child]
        tabs: TemplateChild<gtk::Box>,
        #[template_child]
        page: TemplateChild<adw::Bin>,
        #[template_child]
        send: TemplateChild<gtk::Button>,
        #[template_child]
        next: TemplateChild<gtk::Button>,
        pub(super) shown: OnceCell<(model::Session, Vec<Question>, RequestId)>,
        tab_of: RefCell<Vec<Tab>>,
        guard: Guard,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for QuestionView {
        const NAME: &'static str = "DasboQuestionView";
        type Type = super::QuestionView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for QuestionView {
        fn constructed(&self) {
            self.parent_constructed();
            let view = self.obj();
            self.guard.open_when_shown(&*view);
            shortcut::press_on_control_return(&*view, &self.send);
            self.send.connect_clicked(glib::clone!(
                #[weak]
                view,
                move |_| view.imp().send()
            ));
            self.next.connect_clicked(glib::clone!(
                #[weak]
                view,
                move |_| view.imp().go_on()
            ));
        }
    }

    impl WidgetImpl for QuestionView {}
    impl BinImpl for QuestionView {}

    impl QuestionView {
        fn shown(&self) -> &(model::Session, Vec<Question>, RequestId) {
            self.shown.get().expect("given when it was made")
        }

        /// Shows the questions as they were left.
        pub(super) fn begin(&self) {
            let (session, questions, id) = self.shown();
            let mut draft = session.draft(*id);
            draft.answers.resize(questions.len(), Answer::default());
            draft.set_aside.resize(questions.len(), String::new());
            let at_hand = draft.question;
            drop(draft);
            self.add_tabs(questions);
            self.show_question(at_hand);
            self.update();
        }

        fn add_tabs(&self, questions: &[Question]) {
            let view = self.obj();
            self.tabs.set_visible(questions.len() > 1);
            for (at, question) in questions.iter().enumerate() {
                let tab = Tab::new(&words::question_tab(at + 1, question));
                tab.button.set_group(self.tab_of.borrow().first().map(|first| &first.button));
                self.tabs.append(&tab.button);
                tab.button.connect_toggled(glib::clone!(
                    #[weak]
                    view,
                    move |button| {
                        if button.is_active() {
                            view.imp().show_question(at);
                        }
                    }
                ));
                self.tab_of.borrow_mut().push(tab);
            }
        }

        fn show_question(&self, at: usize) {
            let (session, questions, id) = self.shown();
            let Some(question) = questions.get(at) else { return };
            session.draft(*id).question = at;
            if let Some(tab) = self.tab_of.borrow().get(at).filter(|tab| !tab.button.is_active()) {
                // This calls here again.
                return tab.button.set_active(true);
            }
            self.next.set_visible(at + 1 < questions.len());
            let draft = session.draft(*id).clone();
            let (Some(answer), Some(set_aside)) = (draft.answers.get(at), draft.set_aside.get(at)) else {
                return;
            };
            let page = QuestionPage::new(question, answer, set_aside);
            let view = self.obj();
            let changed = glib::closure_local!(
                #[weak]
                view,
                move |page: QuestionPage| view.imp().keep(at, &page)
            );
            page.connect_closure("changed", false, changed);
            self.page.set_child(Some(&page));
            // Send may have come to stand where the next question was asked for.
            if view.is_mapped() {
                self.guard.open(&*view);
            }
        }

        fn keep(&self, at: usize, page: &QuestionPage) {
            let (session, _, id) = self.shown();
            let (answer, set_aside) = page.answer();
            let mut draft = session.draft(*id);
            if let Some(kept) = draft.answers.get_mut(at) {
                *kept = answer;
            }
            if let Some(kept) = draft.set_aside.get_mut(at) {
                *kept = set_aside;
            }
            drop(draft);
            self.update();
        }

        /// Says what is answered, and lets send once all is.
        fn update(&self) {
            let (session, questions, id) = self.shown();
            let answers = session.draft(*id).answers.clone();
            let mut all = true;
            let tabs = self.tab_of.borrow();
            for (at, ((question, answer), tab)) in questions.iter().zip(&answers).zip(&*tabs).enumerate() {
                let is_answered = question.is_answered(answer);
                all &= is_answered;
                tab.say(&words::question_place(at + 1, questions.len(), question, is_answered), is_answered);
            }
            self.send.set_sensitive(all);
        }

        fn go_on(&self) {
            let (session, _, id) = self.shown();
            let next = session.draft(*id).question + 1;
            self.show_question(next);
            // The button may be gone.
            self.page.child_focus(gtk::DirectionType::TabForward);
        }

        fn send(&self) {
            let (session, _, id) = self.shown();
            let answers = session.draft(*id).answers.clone();
            if self.guard.is_open() {
                session.wish(*id, Wish::Decide(Decision::Answers(answers)));
            }
        }
    }
}

glib::wrapper! {
    /// Questions with their choices.
    pub struct QuestionView(ObjectSubclass<imp::QuestionView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl QuestionView {
    /// A view for a request of a session.
    pub fn new(session: &model::Session, questions: &[Question], id: RequestId) -> Self {
        let view: Self = glib::Object::new();
        view.imp().shown.get_or_init(|| (session.clone(), questions.into(), id));
        view.imp().begin();
        view
    }
}

/// Stands for a question; a tick says that it is answered.
#[derive(Debug)]
struct Tab {
    button: gtk::ToggleButton,
    tick: gtk::Image,
}

impl Tab {
    fn new(name: &str) -> Self {
        let content = gtk::Box::builder().spacing(4).halign(gtk::Align::Center).build();
        let tick = gtk::Image::from_icon_name("object-select-symbolic");
        let name = gtk::Label::builder().label(name).ellipsize(gtk::pango::EllipsizeMode::End).build();
        content.append(&name);
        content.append(&tick);
        Self { button: gtk::ToggleButton::builder().child(&content).build(), tick }
    }

    fn say(&self, place: &str, is_answered: bool) {
        self.tick.set_visible(is_answered);
        self.button.update_property(&[gtk::accessible::Property::Label(place)]);
    }
}
