// SPDX-License-Identifier: GPL-3.0-or-later
//! The tool calls that run, and how an end finds its beginning.

use crate::event::{Actor, Call, Tool};

/// Calls that began and did not end yet, in the order they began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OpenCalls(Vec<(Actor, Call)>);

impl OpenCalls {
    pub(super) fn begin(&mut self, actor: &Actor, call: &Call) {
        self.0.push((actor.clone(), call.clone()));
    }

    /// Takes out the call that ends here: by its id, or without one the first with the same tool and input.
    pub(super) fn end(&mut self, actor: &Actor, call: &Call) {
        if let Some(at) = self.0.iter().position(|(who, open)| who == actor && open.is_same(call)) {
            self.0.remove(at);
        }
    }

    pub(super) fn end_all_of(&mut self, actor: &Actor) {
        self.0.retain(|(who, _)| who != actor);
    }

    /// The first open call of this actor that is it.
    pub(super) fn find(&self, actor: &Actor, is_it: impl Fn(&Call) -> bool) -> Option<&Call> {
        self.0.iter().find(|(who, open)| who == actor && is_it(open)).map(|(_, open)| open)
    }

    /// What the session itself runs: the call begun last.
    pub(super) fn latest_of_main(&self) -> Option<&Tool> {
        self.0.iter().rev().find(|(who, _)| *who == Actor::Main).map(|(_, call)| &call.tool)
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
