// SPDX-License-Identifier: GPL-3.0-or-later
//! The tool calls that run, and how an end finds its beginning.

use crate::event::{Actor, Call, Tool};
use crate::moment::Moment;

/// Calls that began and did not end yet, in the order they began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OpenCalls(Vec<Open>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    actor: Actor,
    call: Call,
    since: Moment,
}

impl OpenCalls {
    pub(super) fn begin(&mut self, actor: &Actor, call: &Call, since: Moment) {
        self.0.push(Open { actor: actor.clone(), call: call.clone(), since });
    }

    /// Takes out the call that ends here: by its id, or without one the first with the same tool and input.
    pub(super) fn end(&mut self, actor: &Actor, call: &Call) {
        let is_it = |open: &Open| open.actor == *actor && open.call.is_same(call);
        if let Some(at) = self.0.iter().position(is_it) {
            self.0.remove(at);
        }
    }

    /// Ends the calls of those who are gone.
    pub(super) fn retain(&mut self, stays: impl Fn(&Actor) -> bool) {
        self.0.retain(|open| stays(&open.actor));
    }

    /// The first open call of this actor that is it.
    pub(super) fn find(&self, actor: &Actor, is_it: impl Fn(&Call) -> bool) -> Option<&Call> {
        self.0.iter().find(|open| open.actor == *actor && is_it(&open.call)).map(|open| &open.call)
    }

    /// What the session itself runs, and since when: the call begun last.
    pub(super) fn latest_of_main(&self) -> Option<(&Tool, Moment)> {
        let latest = self.0.iter().rev().find(|open| open.actor == Actor::Main);
        latest.map(|open| (&open.call.tool, open.since))
    }
}

impl Call {
    /// Whether both are one call: by id where both have one, else by tool and input.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(one), Some(other)) => one == other,
            _ => self.tool.name == other.tool.name && self.input == other.input,
        }
    }
}
