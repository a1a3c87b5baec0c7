// SPDX-License-Identifier: GPL-3.0-or-later
//! All that a session asks: one card for each who asks, the session itself or a subagent.

use adw::subclass::prelude::*;

use crate::model;

mod imp {
    use std::cell::RefCell;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::event::Actor;
    use gtk::gdk;

    use crate::model;
    use crate::ui::{RequestCard, SessionRow};

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
            // A click that means a card does not fold the row. Claimed only when it ends, for what is inside of the
            // card has its own use for it.
            let click = gtk::GestureClick::new();
            click.connect_released(|click, _, _, _| {
                click.set_state(gtk::EventSequenceState::Claimed);
            });
            cards.add_controller(click);
            self.keep_focus_inside();
            let keys = gtk::EventControllerKey::new();
            keys.connect_key_pressed(glib::clone!(
                #[weak]
                cards,
                #[upgrade_or]
                glib::Propagation::Proceed,
                move |_, key, _, modifiers| use_key(&cards, key, modifiers)
            ));
            cards.add_controller(keys);
        }
    }

    impl WidgetImpl for RequestCards {}
    impl BoxImpl for RequestCards {}

    impl RequestCards {
        /// What is pressed inside of a card takes the focus if it wants it: the list's item does not take it away.
        fn keep_focus_inside(&self) {
            let press = gtk::GestureClick::new();
            press.set_propagation_phase(gtk::PropagationPhase::Capture);
            for (signal, focus) in [("begin", false), ("end", true)] {
                let cards = self.obj().downgrade();
                press.connect_local(signal, false, move |_| {
                    let row = cards.upgrade()?.ancestor(SessionRow::static_type())?;
                    row.parent()?.set_focus_on_click(focus);
                    None
                });
            }
            self.obj().add_controller(press);
        }

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
