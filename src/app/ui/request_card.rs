// SPDX-License-Identifier: GPL-3.0-or-later
//! What one actor of a session asks: one request at a time, the oldest first.

use adw::subclass::prelude::*;
use dasbo_core::event::Actor;

use crate::model;

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};
    use std::sync::Arc;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::event::Actor;
    use dasbo_core::moment::Moment;
    use dasbo_core::request::{Content, Decision, Denial, Held, Request, RequestId};
    use dasbo_core::session::Wait;
    use gtk::CompositeTemplate;
    use gtk::gdk::{Key, ModifierType};

    use crate::answers::Wish;
    use crate::i18n::gettext_f;
    use crate::ui::guard::Guard;
    use crate::ui::{ApprovalView, FormView, PlanView, QuestionView, focus_target, label};
    use crate::{clock, model, words};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/request_card.ui")]
    pub struct RequestCard {
        #[template_child]
        heading: TemplateChild<gtk::Label>,
        #[template_child]
        remaining: TemplateChild<gtk::Label>,
        #[template_child]
        pager: TemplateChild<gtk::Box>,
        #[template_child]
        previous: TemplateChild<gtk::Button>,
        #[template_child]
        place: TemplateChild<gtk::Label>,
        #[template_child]
        next: TemplateChild<gtk::Button>,
        #[template_child]
        leave: TemplateChild<gtk::Button>,
        #[template_child]
        content: TemplateChild<adw::Bin>,
        pub(super) session: OnceCell<model::Session>,
        pub(super) actor: OnceCell<Actor>,
        /// The requests of this actor, oldest first.
        queue: RefCell<Vec<(Arc<Request>, Held)>>,
        /// The one shown.
        shown: Cell<Option<RequestId>>,
        guard: Guard,
        /// What a screen reader was last given.
        name: RefCell<String>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for RequestCard {
        const NAME: &'static str = "DasboRequestCard";
        type Type = super::RequestCard;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
            klass.set_accessible_role(gtk::AccessibleRole::Group);
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for RequestCard {
        fn constructed(&self) {
            self.parent_constructed();
            let card = self.obj();
            for (button, step) in [(&self.previous, -1), (&self.next, 1)] {
                button.connect_clicked(glib::clone!(
                    #[weak]
                    card,
                    move |_| card.imp().turn(step)
                ));
            }
            self.leave.connect_clicked(glib::clone!(
                #[weak]
                card,
                move |_| card.imp().leave()
            ));
            self.guard.open_when_shown(&*self.leave);
            self.setup_keys();
        }
    }

    impl WidgetImpl for RequestCard {}

    impl BinImpl for RequestCard {}

    impl RequestCard {
        fn session(&self) -> &model::Session {
            self.session.get().expect("given when it was made")
        }

        /// They mean this card only while the focus is in it.
        fn setup_keys(&self) {
            let keys = gtk::ShortcutController::new();
            // Before a text at hand, which has a use of its own for them.
            keys.set_propagation_phase(gtk::PropagationPhase::Capture);
            for (key, decision) in [
                (Key::Return, Decision::Allow(None)),
                (Key::KP_Enter, Decision::Allow(None)),
                (Key::BackSpace, Decision::Deny(Denial::Plain)),
            ] {
                let card = self.obj().downgrade();
                let action = gtk::CallbackAction::new(move |_, _| {
                    let view = card.upgrade().and_then(|card| card.imp().content.child());
                    let view = view.and_downcast::<ApprovalView>();
                    view.map_or(glib::Propagation::Proceed, |view| view.key(decision.clone()))
                });
                let trigger = gtk::KeyvalTrigger::new(key, ModifierType::CONTROL_MASK);
                keys.add_shortcut(gtk::Shortcut::new(Some(trigger), Some(action)));
            }
            self.obj().add_controller(keys);
        }

        /// Shows what is asked now. Whether anything is.
        pub(super) fn update(&self) -> bool {
            let queue = self.asked();
            let ids: Vec<RequestId> = queue.iter().map(|(_, held)| held.id).collect();
            self.queue.replace(queue);
            let shown = self.shown.get().filter(|shown| ids.contains(shown));
            self.show(shown.or(ids.first().copied()));
            !ids.is_empty()
        }

        fn asked(&self) -> Vec<(Arc<Request>, Held)> {
            let data = self.session().data();
            let of_actor = |wait: &&Wait| Some(&wait.actor) == self.actor.get();
            let waits = data.waits.iter().filter(of_actor);
            waits.filter_map(|wait| Some((wait.request.clone()?, wait.held?))).collect()
        }

        fn show(&self, id: Option<RequestId>) {
            // Nothing is borrowed while a view goes, perhaps with the focus.
            let queue = self.queue.borrow().clone();
            let place = queue.iter().position(|(_, held)| Some(held.id) == id);
            let Some((place, (request, held))) = place.and_then(|place| Some((place, queue.get(place)?)))
            else {
                self.shown.set(None);
                return;
            };
            self.pager.set_visible(queue.len() > 1);
            self.previous.set_sensitive(place > 0);
            self.next.set_sensitive(place + 1 < queue.len());
            let (number, count) = ((place + 1).to_string(), queue.len().to_string());
            let words = gettext_f("{number} of {count}", &[("number", &number), ("count", &count)]);
            label::say(&self.place, &words);
            if self.shown.replace(Some(held.id)) != Some(held.id) {
                focus_target::leave(&*self.content);
                self.content.set_child(Some(&self.view(request, held.id)));
                self.guard.open(&*self.leave);
            }
            let sent = self.session().draft(held.id).sent;
            if sent {
                focus_target::leave(&*self.obj());
            }
            self.content.set_sensitive(!sent);
            self.leave.set_sensitive(!sent);
            self.update_words(clock::now());
        }

        /// The widget for a request. It lives as long as that is shown; what the person enters is kept in the draft.
        fn view(&self, request: &Arc<Request>, id: RequestId) -> gtk::Widget {
            let session = self.session();
            match &request.content {
                Content::Approval(_) => ApprovalView::new(session, request, id).upcast(),
                Content::Questions(questions) => QuestionView::new(session, questions, id).upcast(),
                Content::Plan(plan) => PlanView::new(session, plan, id).upcast(),
                Content::Form(form) => FormView::new(session, form, id).upcast(),
                // Never held.
                Content::Unclear(_) => adw::Bin::new().upcast(),
            }
        }

        /// What may change by time alone.
        pub(super) fn update_words(&self, now: Moment) {
            let data = self.session().data();
            let shown = data.held().find(|(_, held)| Some(held.id) == self.shown.get());
            let Some((wait, held)) = shown else { return };
            label::say(&self.heading, &words::request_heading(wait, now));
            let name = words::request_name(wait);
            if self.name.replace(name.clone()) != name {
                self.obj().update_property(&[gtk::accessible::Property::Label(&name)]);
            }
            label::say_or_hide(&self.remaining, words::remaining(held, now).as_deref());
        }

        fn turn(&self, step: isize) {
            let queue = self.queue.borrow();
            let place = queue.iter().position(|(_, held)| Some(held.id) == self.shown.get());
            let next = place.and_then(|place| queue.get(place.checked_add_signed(step)?));
            let id = next.map(|(_, held)| held.id);
            drop(queue);
            if id.is_some() {
                self.show(id);
            }
        }

        fn leave(&self) {
            if let Some(id) = self.shown.get().filter(|_| self.guard.is_open()) {
                self.session().wish(id, Wish::Leave);
            }
        }
    }
}

glib::wrapper! {
    /// A card: what is asked, in full, and the ways to answer it.
    pub struct RequestCard(ObjectSubclass<imp::RequestCard>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl RequestCard {
    /// The card of an actor of a session.
    pub fn new(session: &model::Session, actor: &Actor) -> Self {
        let card: Self = glib::Object::new();
        card.imp().session.get_or_init(|| session.clone());
        card.imp().actor.get_or_init(|| actor.clone());
        card
    }

    /// Whose requests it shows.
    pub fn actor(&self) -> &Actor {
        self.imp().actor.get().expect("given when it was made")
    }

    /// Follows the session. Whether its actor still asks.
    pub fn update(&self) -> bool {
        self.imp().update()
    }

    /// Brings times up to date.
    pub fn tick(&self) {
        self.imp().update_words(crate::clock::now());
    }
}
