// SPDX-License-Identifier: GPL-3.0-or-later
//! The person's answers, on their way to the helpers that wait.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use async_channel::{Receiver, Sender};
use dasbo_core::change::Change;
use dasbo_core::moment::Moment;
use dasbo_core::registry::{Refusal, Registry, Sent};
use dasbo_core::request::{Decision, Policy, RequestId};
use serde::{Deserialize, Serialize};

use crate::decision_log::Entry;
use crate::intake::{Desk, Order};

/// Where a person gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// In a card.
    Card,
    /// On a notification.
    Notification,
    /// With `dasbo answer`.
    CommandLine,
}

/// What a person wants done about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// To answer it so.
    Decide(Decision),
    /// To answer it in its terminal.
    Leave,
}

/// Answers that were given and did not arrive yet.
#[derive(Debug, Default)]
pub struct Answers {
    desk: RefCell<Option<Desk>>,
    given: RefCell<HashMap<RequestId, Given>>,
    /// Who waits to hear what became of one.
    listeners: RefCell<HashMap<RequestId, Sender<Sent>>>,
    /// The number of the last news applied.
    seen: Cell<u64>,
}

/// An answer, and what the log says of it.
#[derive(Debug, Clone)]
pub struct Given {
    bytes: Vec<u8>,
    /// What was asked and answered, where and when.
    pub entry: Entry,
}

impl Answers {
    /// Gives orders there from now on.
    pub fn set_desk(&self, desk: Desk) {
        self.desk.replace(Some(desk));
    }

    /// Takes note that all news up to this number are applied.
    pub fn set_seen(&self, number: u64) {
        self.seen.set(number);
    }

    /// Holds requests by another policy from now on.
    pub fn follow(&self, policy: &Policy) {
        self.order(Order::Follow(policy.clone()));
    }

    /// Gives an answer, unless the request is over.
    pub fn give(
        &self,
        registry: &mut Registry,
        id: RequestId,
        decision: &Decision,
        origin: Origin,
        now: Moment,
    ) -> Result<(), Refusal> {
        let asked = registry.request(id).ok_or(Refusal::NotOpen)?;
        let entry = Entry::new(asked, decision, origin, now);
        let bytes = registry.decide(id, decision)?;
        self.given.borrow_mut().insert(id, Given { bytes: bytes.clone(), entry });
        self.order(Order::Answer(id, bytes, self.seen.get()));
        Ok(())
    }

    /// Where it is told what becomes of an answer that was given.
    pub fn arrival(&self, id: RequestId) -> Receiver<Sent> {
        let (listener, arrival) = async_channel::bounded(1);
        self.listeners.borrow_mut().insert(id, listener);
        arrival
    }

    /// The answer was given not knowing all. By now all is known: does it still hold?
    pub fn give_again(&self, registry: &mut Registry, id: RequestId, now: Moment) -> Vec<Change> {
        let given = self.given.borrow().get(&id).map(|given| given.bytes.clone());
        match given.filter(|_| registry.is_decided(id)) {
            Some(bytes) => {
                self.order(Order::Answer(id, bytes, self.seen.get()));
                Vec::new()
            }
            None => self.arrived(registry, id, Sent::TooLate, now).1,
        }
    }

    /// What became of an answer. Gives it back for the log if it arrived.
    pub fn arrived(
        &self,
        registry: &mut Registry,
        id: RequestId,
        sent: Sent,
        now: Moment,
    ) -> (Option<Given>, Vec<Change>) {
        let given = self.given.borrow_mut().remove(&id);
        if let Some(listener) = self.listeners.borrow_mut().remove(&id) {
            let _ = listener.try_send(sent);
        }
        let changes = registry.sent(id, sent, now);
        (given.filter(|_| sent == Sent::Answered), changes)
    }

    /// Lets the helpers go whose requests are over.
    pub fn let_go(&self, registry: &mut Registry) {
        for id in registry.take_let_go() {
            self.order(Order::LetGo(id));
        }
    }

    fn order(&self, order: Order) {
        if let Some(desk) = self.desk.borrow().as_ref() {
            desk.order(order);
        }
    }
}
