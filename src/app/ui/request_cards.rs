// SPDX-License-Identifier: GPL-3.0-or-later
//! All that a session asks: one card for each who asks, the session itself or a subagent.

use adw::subclass::prelude::*;

use crate::model;

mod imp {
    use std::cell::RefCell;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::event::Actor;

    use crate::model;
    use crate::ui::RequestCard;

    #[derive(Debug, Default)]
    pub struct RequestCards {
        session: RefCell<Option<model::Session>>,
        cards: RefCell<Vec<RequestCard>>,
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
            // A click that means a card does not fold the row.
            let click = gtk::GestureClick::new();
            click.connect_pressed(|click, _, _, _| {
                click.set_state(gtk::EventSequenceState::Claimed);
            });
            cards.add_controller(click);
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

        fn clear(&self) {
            for card in self.cards.take() {
                self.obj().remove(&card);
            }
        }

        fn update(&self) {
            let session = self.session.borrow();
            let Some(session) = session.as_ref() else { return };
            self.cards.borrow_mut().retain(|card| {
                let asks = card.update();
                if !asks {
                    self.obj().remove(card);
                }
                asks
            });
            for actor in asking(session) {
                let known = self.cards.borrow().iter().any(|card| *card.actor() == actor);
                if !known {
                    let card = RequestCard::new(session, &actor);
                    card.update();
                    self.obj().append(&card);
                    self.cards.borrow_mut().push(card);
                }
            }
            self.obj().set_visible(!self.cards.borrow().is_empty());
        }

        pub(super) fn tick(&self) {
            self.cards.borrow().iter().for_each(RequestCard::tick);
        }
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
