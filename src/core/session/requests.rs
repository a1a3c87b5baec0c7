// SPDX-License-Identifier: GPL-3.0-or-later
//! Requests: what the person is asked for, and how that ends.

use std::sync::Arc;
use std::time::Duration;

use super::machine::Machine;
use super::{NOTE_FOR, Note, NoteKind, Wait};
use crate::event::{Actor, Asks, Call, Event, Settlement, WaitKind, What};
use crate::moment::Moment;
use crate::request::{Held, Prompt, Request, RequestId};

/// After No in the terminal the file says so within this long (measured: at most 0.5 s). If it still says waiting
/// then, only the hook ended.
const FILE_WITHIN: Duration = Duration::from_millis(700);

/// A wait whose hook ended while the file said waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    wait: Wait,
    due: Moment,
}

impl Machine {
    /// A request names its call without the call's id; found among the open ones, it gets it.
    pub(super) fn requested(
        &mut self,
        actor: &Actor,
        request: &Arc<Request>,
        held: Option<Held>,
        at: Moment,
    ) {
        let call = match &request.asks {
            Asks::ForCall(call) => Some(self.calls.find(actor, |open| open.is_same(call)).unwrap_or(call)),
            // A tool that asks the person something runs: its approval is over.
            Asks::During(server) => self.calls.find(actor, |open| is_of(open, server)),
        }
        .cloned();
        self.close_unnamed();
        let kind = request.kind();
        let of_call = |wait: &Wait| wait.actor == *actor && call.is_some() && wait.call == call;
        let told = |wait: &&mut Wait| wait.request.is_none() && wait.kind == kind && of_call(wait);
        if let Some(wait) = self.session.waits.iter_mut().find(told) {
            wait.request = Some(request.clone());
            wait.held = held;
            return;
        }
        self.close_first(of_call);
        let since = held.map_or(at, |held| held.since);
        let wait = Wait::new(kind, actor.clone(), call, since);
        self.open(Wait { request: Some(request.clone()), held, ..wait });
    }

    /// What is asked no longer, by something that came late.
    pub(super) fn belated(&mut self, what: &What, actor: &Actor, at: Moment) {
        match what {
            What::ToolEnded(call, _) => self.call_ended(actor, call),
            What::BatchEnded(calls) => calls.iter().for_each(|call| self.call_ended(actor, call)),
            What::Prompted(_)
            | What::TurnEnded { .. }
            | What::TurnFailed(_)
            | What::Interrupted
            | What::IdlePrompt
            | What::HelperEnded => {
                self.session.waits.retain(|wait| wait.actor != *actor || wait.since > at);
            }
            _ => {}
        }
    }

    pub(super) fn held_requests(&self) -> Vec<RequestId> {
        self.session.held().map(|(_, held)| held.id).collect()
    }

    /// A hook no longer waits.
    pub(super) fn settled(&mut self, request: RequestId, how: Settlement, at: Moment) {
        let waits = &mut self.session.waits;
        let is_it = |wait: &Wait| wait.held.is_some_and(|held| held.id == request);
        let place = waits.iter().position(is_it);
        match how {
            Settlement::LetGo => {
                for wait in waits.iter_mut().filter(|wait| is_it(wait)) {
                    wait.held = None;
                }
            }
            Settlement::Answered => drop(place.map(|place| waits.remove(place))),
            Settlement::TooLate => {
                drop(place.map(|place| waits.remove(place)));
                self.note(NoteKind::AnsweredTooLate, at);
            }
            Settlement::Over => self.note(NoteKind::NoLongerAsked, at),
            Settlement::Ended => {
                let ended = place.map(|place| waits.remove(place));
                self.hook_ended(ended, at);
            }
        }
    }

    /// As after No in the terminal; or somebody ended the hook alone.
    fn hook_ended(&mut self, wait: Option<Wait>, at: Moment) {
        let Some(wait) = wait else { return };
        self.note(NoteKind::AnsweredElsewhere, at);
        if wait.confirmed || wait.is_held_back() {
            self.file.left = Some(Left { wait: Wait { held: None, ..wait }, due: at + FILE_WITHIN });
        }
    }

    /// When it is certain that only a hook ended.
    pub(super) fn left_due(&self) -> Option<Moment> {
        self.file.left.as_ref().map(|left| left.due)
    }

    /// The hook ended and the file says waiting all the same: it is still asked in the terminal.
    pub(super) fn settle_left(&mut self, now: Moment) {
        if let Some(left) = self.file.left.take_if(|left| left.due <= now)
            && self.file.waiting.is_some()
            && self.session.waits.is_empty()
        {
            self.session.note.take_if(|note| note.what == NoteKind::AnsweredElsewhere);
            self.open(left.wait);
        }
    }

    /// Says so if an event ended what a hook waited with.
    pub(super) fn note_answered(&mut self, held: &[RequestId], event: &Event) {
        let says_it_all = matches!(event.what, What::Settled(..) | What::Began(_) | What::Ended(_));
        let now = self.held_requests();
        if !says_it_all && held.iter().any(|before| !now.contains(before)) {
            self.note(NoteKind::AnsweredElsewhere, event.at);
        }
    }

    fn note(&mut self, what: NoteKind, at: Moment) {
        self.session.note = Some(Note { what, until: at + NOTE_FOR });
    }
}

impl Wait {
    /// A wait that is only known of.
    pub(super) fn new(kind: WaitKind, actor: Actor, call: Option<Call>, since: Moment) -> Self {
        Self { kind, actor, call, request: None, held: None, since, confirmed: false }
    }

    /// Whether the agent's own prompt waits until the hook ends.
    pub fn is_held_back(&self) -> bool {
        let held_back = |request: &Arc<Request>| request.prompt != Prompt::Beside;
        self.held.is_some() && self.request.as_ref().is_some_and(held_back)
    }

    /// Whether the person can answer it in the terminal now.
    pub(super) fn is_in_terminal(&self) -> bool {
        !self.is_held_back()
    }
}

impl Note {
    /// Whether it is about a tool: whatever comes next makes it old.
    pub fn is_of_tool(&self) -> bool {
        matches!(self.what, NoteKind::ToolFailed(_) | NoteKind::ToolDenied(..))
    }
}

/// Whether a call is of this MCP server.
pub(super) fn is_of(call: &Call, server: &str) -> bool {
    let rest = call.tool.name.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(server));
    rest.is_some_and(|rest| rest.starts_with("__"))
}
