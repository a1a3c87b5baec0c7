// SPDX-License-Identifier: GPL-3.0-or-later
//! All that a session asks: one card for each who asks, the session itself or a subagent.

use adw::subclass::prelude::*;

use crate::model;

mod imp {
    use std::cell::RefCell;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::event::{Actor, WaitKind};
    use dasbo_core::request::{Decision, RequestId};
    use gtk::gdk::{self, EventType};

    use crate::answers::Wish;
    use crate::ui::guard::Guard;
    use crate::ui::{RequestCard, focus_target};
    use crate::{model, words};

    #[derive(Debug, Default)]
    pub struct RequestCards {
        session: RefCell<Option<model::Session>>,
        cards: RefCell<Vec<RequestCard>>,
        /// Allows all approvals that are asked; there while there are several.
        allow_all: gtk::Button,
        /// Those that it allows.
        approvals: RefCell<Vec<RequestId>>,
        guard: Guard,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for RequestCards {
        const NAME: &'static str = "DasboRequestCards";
        type Type = super::RequestCards;
        type ParentType = gtk::Box;
    }

    impl ObjectImpl for RequestCards {
        fn constructed(&self) {
            self.parent_constructed();
            let cards = self.obj();
            cards.set_orientation(gtk::Orientation::Vertical);
            cards.set_visible(false);
            // A click that means a card does not fold the row. A gesture that claimed it would take it from the buttons.
            let clicks = gtk::EventControllerLegacy::new();
            clicks.connect_event(|_, event| match event.event_type() {
                EventType::ButtonPress | EventType::ButtonRelease | EventType::TouchBegin => {
                    glib::Propagation::Stop
                }
                _ => glib::Propagation::Proceed,
            });
            cards.add_controller(clicks);
            let keys = gtk::EventControllerKey::new();
            keys.connect_key_pressed(glib::clone!(
                #[weak]
                cards,
                #[upgrade_or]
                glib::Propagation::Proceed,
                move |_, key, _, modifiers| use_key(&cards, key, modifiers)
            ));
            cards.add_controller(keys);
            self.setup_allow_all();
        }
    }

    impl WidgetImpl for RequestCards {}

    impl BoxImpl for RequestCards {}

    impl RequestCards {
        pub(super) fn show(&self, session: Option<&model::Session>) {
            if self.session.borrow().as_ref() != session {
                self.clear();
                self.session.replace(session.cloned());
            }
            self.update();
        }

        fn setup_allow_all(&self) {
            self.guard.open_when_shown(&self.allow_all);
            self.allow_all.set_visible(false);
            self.allow_all.set_halign(gtk::Align::End);
            self.allow_all.add_css_class("allow-all");
            let cards = self.obj();
            self.allow_all.connect_clicked(glib::clone!(
                #[weak]
                cards,
                move |_| cards.imp().allow_all()
            ));
            cards.append(&self.allow_all);
        }

        /// Those that the button was shown for, and no others.
        fn allow_all(&self) {
            let session = self.session.borrow().clone();
            let Some(session) = session.filter(|_| self.guard.is_open()) else { return };
            let approvals = self.approvals.borrow().clone();
            for id in approvals {
                session.wish(id, Wish::Decide(Decision::Allow(None)));
            }
        }

        fn update_allow_all(&self, session: &model::Session) {
            let approvals = approvals(session);
            if *self.approvals.borrow() == approvals {
                return;
            }
            let count = approvals.len();
            self.approvals.replace(approvals);
            self.guard.open(&self.allow_all);
            if count < 2 {
                focus_target::leave(&self.allow_all);
            }
            self.allow_all.set_visible(count >= 2);
            self.allow_all.set_label(&words::allow_all(count));
        }

        fn clear(&self) {
            self.approvals.take();
            self.allow_all.set_visible(false);
            for card in self.cards.take() {
                self.obj().remove(&card);
            }
        }

        fn update(&self) {
            // Where the focus goes with a card, the row may be given another session meanwhile: nothing is borrowed.
            let Some(session) = self.session.borrow().clone() else { return };
            let session = &session;
            let cards: Vec<RequestCard> = self.cards.borrow().clone();
            let gone: Vec<_> = cards.into_iter().filter(|card| !card.update()).collect();
            self.cards.borrow_mut().retain(|card| !gone.contains(card));
            for card in &gone {
                focus_target::leave(card);
                self.obj().remove(card);
            }
            for actor in asking(session) {
                let known = self.cards.borrow().iter().any(|card| *card.actor() == actor);
                if !known {
                    let card = RequestCard::new(session, &actor);
                    card.update();
                    card.insert_before(&*self.obj(), Some(&self.allow_all));
                    self.cards.borrow_mut().push(card);
                }
            }
            self.update_allow_all(session);
            self.obj().set_visible(!self.cards.borrow().is_empty());
        }

        pub(super) fn tick(&self) {
            self.cards.borrow().iter().for_each(RequestCard::tick);
        }
    }

    /// Keys mean what is inside of a card before they mean the row: arrows go on to the next control, Space and Enter
    /// press this one. (Some controls leave that to the window, and the list is asked before that.)
    fn use_key(
        cards: &super::RequestCards,
        key: gdk::Key,
        modifiers: gdk::ModifierType,
    ) -> glib::Propagation {
        let held =
            gdk::ModifierType::CONTROL_MASK | gdk::ModifierType::ALT_MASK | gdk::ModifierType::SHIFT_MASK;
        let direction = match key {
            _ if modifiers.intersects(held) => return glib::Propagation::Proceed,
            gdk::Key::Up | gdk::Key::KP_Up => gtk::DirectionType::Up,
            gdk::Key::Down | gdk::Key::KP_Down => gtk::DirectionType::Down,
            gdk::Key::Left | gdk::Key::KP_Left => gtk::DirectionType::Left,
            gdk::Key::Right | gdk::Key::KP_Right => gtk::DirectionType::Right,
            gdk::Key::space | gdk::Key::KP_Space | gdk::Key::Return | gdk::Key::KP_Enter => {
                if let Some(focus) = cards.root().and_then(|root| root.focus()) {
                    focus.activate();
                }
                return glib::Propagation::Stop;
            }
            _ => return glib::Propagation::Proceed,
        };
        cards.child_focus(direction).into()
    }

    /// Who asks, in the order in which they began to.
    fn asking(session: &model::Session) -> Vec<Actor> {
        let mut actors = Vec::new();
        for (wait, _) in session.data().held() {
            if !actors.contains(&wait.actor) {
                actors.push(wait.actor.clone());
            }
        }
        actors
    }

    /// The approvals that wait for an answer.
    fn approvals(session: &model::Session) -> Vec<RequestId> {
        let data = session.data();
        let approvals = data.held().filter(|(wait, _)| wait.kind == WaitKind::Approval);
        let ids: Vec<RequestId> = approvals.map(|(_, held)| held.id).collect();
        ids.into_iter().filter(|id| !session.draft(*id).sent).collect()
    }
}

glib::wrapper! {
    /// The cards of a row. Hidden while nothing is asked.
    pub struct RequestCards(ObjectSubclass<imp::RequestCards>)
        @extends gtk::Box, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Orientable;
}

impl RequestCards {
    /// Shows what a session asks now.
    pub fn show_session(&self, session: Option<&model::Session>) {
        self.imp().show(session);
    }

    /// Brings times up to date.
    pub fn tick(&self) {
        self.imp().tick();
    }
}
