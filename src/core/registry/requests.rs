// SPDX-License-Identifier: GPL-3.0-or-later
//! The requests that hooks wait with: each is answered by a person at most once, or let go.

use std::collections::BTreeMap;

use super::{Registry, quiet};
use crate::agents;
use crate::change::Change;
use crate::event::{Event, Settlement, Source, What};
use crate::moment::Moment;
use crate::request::{Decision, Held, Request, RequestId};
use crate::session::{RowId, Session, Wait};

/// The requests that are open, and those that are no longer.
#[derive(Debug, Default)]
pub(super) struct Requests {
    open: BTreeMap<RequestId, Open>,
    /// The rows of those for which a person's answer is on its way, open or not any longer.
    decided: BTreeMap<RequestId, RowId>,
    let_go: Vec<RequestId>,
    newest: Option<RequestId>,
}

#[derive(Debug)]
struct Open {
    row: RowId,
    until: Option<Moment>,
}

/// Why a decision was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request is over, or never was.
    #[error("no such request is open")]
    NotOpen,
    /// The person decided already.
    #[error("it is being answered")]
    Decided,
    /// The agent does not honour this decision for this request.
    #[error("the agent takes no such answer")]
    NotHonoured,
}

/// What became of an answer that was to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// The helper has it.
    Answered,
    /// It was dropped: the request was settled elsewhere.
    TooLate,
}

impl Requests {
    /// Follows the requests of a row. Gives those whose hooks need not wait any longer.
    fn keep(&mut self, row: RowId, held: &[Held]) -> Vec<RequestId> {
        let is_held = |id: RequestId| held.iter().any(|held| held.id == id);
        let over: Vec<RequestId> = (self.open.iter())
            .filter(|(id, open)| open.row == row && !is_held(**id))
            .map(|(&id, _)| id)
            .collect();
        for &id in &over {
            self.let_go(id);
        }
        let mut ghosts = Vec::new();
        for held in held {
            if self.newest < Some(held.id) {
                self.newest = Some(held.id);
                self.open.insert(held.id, Open { row, until: held.until });
            } else if !self.open.contains_key(&held.id) {
                // It was over already: events that came late do not bring it back.
                ghosts.push(held.id);
            }
        }
        over.into_iter().chain(ghosts).collect()
    }

    fn let_go(&mut self, id: RequestId) {
        self.open.remove(&id);
        self.let_go.push(id);
    }

    pub(super) fn let_go_unless_open(&mut self, id: RequestId) {
        if !self.open.contains_key(&id) && !self.let_go.contains(&id) {
            self.newest = self.newest.max(Some(id));
            self.let_go.push(id);
        }
    }

    pub(super) fn row_went(&mut self, row: RowId) {
        drop(self.keep(row, &[]));
    }

    /// When the next one is let go.
    pub(super) fn due(&self) -> Option<Moment> {
        self.undecided().filter_map(|(_, open)| open.until).min()
    }

    fn overdue(&self, now: Moment) -> Vec<RequestId> {
        let is_overdue = |open: &Open| open.until.is_some_and(|until| until <= now);
        self.undecided().filter(|(_, open)| is_overdue(open)).map(|(id, _)| id).collect()
    }

    fn undecided(&self) -> impl Iterator<Item = (RequestId, &Open)> {
        self.open.iter().filter(|(id, _)| !self.decided.contains_key(id)).map(|(&id, open)| (id, open))
    }
}

impl Registry {
    /// An open request: who asks, and what.
    pub fn request(&self, id: RequestId) -> Option<(&Session, &Wait, &Request)> {
        let row = self.requests.open.get(&id)?.row;
        let session = self.rows.get(&row)?.session();
        let (wait, _) = session.held().find(|(_, held)| held.id == id)?;
        Some((session, wait, wait.request.as_ref()?))
    }

    /// Takes a person's decision. Gives the bytes to print, which are to be sent, and what became of them told by
    /// [`Self::sent`]. After this the request takes no other decision.
    pub fn decide(&mut self, id: RequestId, decision: &Decision) -> Result<Vec<u8>, Refusal> {
        let (session, _, request) = self.request(id).ok_or(Refusal::NotOpen)?;
        let agent = agents::by_id(session.key.agent.0).ok_or(Refusal::NotHonoured)?;
        let bytes = agent.answer(request, decision).ok_or(Refusal::NotHonoured)?;
        let row = session.row;
        match self.requests.decided.insert(id, row) {
            None => Ok(bytes),
            Some(_) => Err(Refusal::Decided),
        }
    }

    /// Whether a person's decision for this request is on its way and still wanted.
    pub fn is_decided(&self, id: RequestId) -> bool {
        self.requests.decided.contains_key(&id) && self.requests.open.contains_key(&id)
    }

    /// Tells what became of an answer.
    pub fn sent(&mut self, id: RequestId, sent: Sent, now: Moment) -> Vec<Change> {
        let how = match sent {
            Sent::Answered => Settlement::Answered,
            Sent::TooLate => Settlement::TooLate,
        };
        let Some(row) = self.requests.decided.remove(&id) else { return Vec::new() };
        self.settle(row, id, how, now)
    }

    /// The hook that waited with this request ended.
    pub fn hook_ended(&mut self, id: RequestId, now: Moment) -> Vec<Change> {
        self.settle_open(id, Settlement::Ended, now)
    }

    /// The person wants to answer this in the terminal, or not here. Not if an answer is on its way.
    pub fn leave(&mut self, id: RequestId, now: Moment) -> Vec<Change> {
        if self.is_decided(id) { Vec::new() } else { self.settle_open(id, Settlement::LetGo, now) }
    }

    /// The person answered a request of this row that is over: the row says so, and nothing else comes of it.
    pub fn answered_late(&mut self, id: RequestId, row: RowId, now: Moment) -> Vec<Change> {
        let is_over = !self.requests.open.contains_key(&id);
        // A session that ended is not brought back by it.
        let is_there = self.rows.get(&row).is_some_and(|row| row.successor_until.is_none());
        if is_over && is_there { self.settle(row, id, Settlement::Over, now) } else { Vec::new() }
    }

    /// The requests that are open, oldest first.
    pub fn open_requests(&self) -> impl Iterator<Item = RequestId> {
        self.requests.open.keys().copied()
    }

    /// The requests that are no longer open since this was last called: their hooks are to be told to leave.
    pub fn take_let_go(&mut self) -> Vec<RequestId> {
        std::mem::take(&mut self.requests.let_go)
    }

    fn settle_open(&mut self, id: RequestId, how: Settlement, now: Moment) -> Vec<Change> {
        match self.requests.open.get(&id).map(|open| open.row) {
            Some(row) => self.settle(row, id, how, now),
            None => Vec::new(),
        }
    }

    fn settle(&mut self, row: RowId, id: RequestId, how: Settlement, now: Moment) -> Vec<Change> {
        let Some(session) = self.rows.get(&row).map(|row| row.session().key.clone()) else {
            return Vec::new();
        };
        let settled = Event { source: Source::Panel, ..quiet(&session, now, What::Settled(id, how)) };
        self.update(row, &settled, now).into_iter().collect()
    }

    pub(super) fn let_go_of_overdue(&mut self, now: Moment) -> Vec<Change> {
        let overdue = self.requests.overdue(now);
        overdue.into_iter().flat_map(|id| self.settle_open(id, Settlement::LetGo, now)).collect()
    }

    /// After a change of a row: lets go of the requests that are over, for good.
    pub(super) fn keep_requests(&mut self, id: RowId, now: Moment) {
        let Some(row) = self.rows.get_mut(&id) else { return };
        let held: Vec<Held> = row.session().held().map(|(_, held)| held).collect();
        if held.is_empty() && self.requests.open.is_empty() {
            return;
        }
        let over = self.requests.keep(id, &held);
        let key = row.session().key.clone();
        for request in over {
            // Also where an event that comes late would bring it back.
            let gone = What::Settled(request, Settlement::LetGo);
            let gone = Event { source: Source::Panel, ..quiet(&key, now, gone) };
            row.timeline.apply(&gone);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::event::{AgentId, Asks, Beginning, Ending, SessionId, SessionKey, WaitKind};
    use crate::request::{Content, Prompt};
    use crate::session::NoteKind;

    const LATE: RequestId = RequestId(7);

    fn registry(asks: bool) -> (Registry, RowId) {
        let key = SessionKey { agent: AgentId("claude"), id: SessionId::new("one").unwrap() };
        let now = Moment::default();
        let mut registry = Registry::default();
        let hook = |what| Event { source: Source::Hook, ..quiet(&key, now, what) };
        registry.apply(&hook(What::Began(Beginning::Startup)), now);
        if asks {
            let request = Request {
                asks: Asks::During(String::new()),
                content: Content::Unclear(WaitKind::Approval),
                prompt: Prompt::Beside,
                input: Box::default(),
            };
            let held = Held { id: LATE, since: now, until: None };
            let asked = What::Requested(Arc::new(request), Some(held));
            registry.apply(&hook(asked), now);
        }
        let row = registry.sessions().next().unwrap().row;
        (registry, row)
    }

    #[test]
    fn the_row_says_that_an_answer_came_when_nothing_was_asked() {
        let (mut registry, row) = registry(false);
        let changes = registry.answered_late(LATE, row, Moment::default());
        let [Change::Updated(session)] = changes.as_slice() else { panic!("{changes:?}") };
        assert_eq!(session.note.as_ref().map(|note| &note.what), Some(&NoteKind::NoLongerAsked));
        assert!(registry.answered_late(LATE, RowId(99), Moment::default()).is_empty(), "no such row");
    }

    #[test]
    fn a_session_that_ended_is_not_brought_back() {
        let (mut registry, row) = registry(false);
        let key = registry.sessions().next().unwrap().key.clone();
        let ended = quiet(&key, Moment::default(), What::Ended(Ending::Replaced));
        registry.apply(&Event { source: Source::Hook, ..ended }, Moment::default());
        let before: Vec<Session> = registry.sessions().cloned().collect();
        assert_eq!(before.len(), 1, "its row waits for the session that takes its place");
        assert!(registry.answered_late(LATE, row, Moment::default()).is_empty());
        assert_eq!(registry.sessions().cloned().collect::<Vec<_>>(), before);
    }

    #[test]
    fn what_is_still_asked_is_not_late() {
        let (mut registry, row) = registry(true);
        assert!(registry.answered_late(LATE, row, Moment::default()).is_empty());
        assert_eq!(registry.open_requests().collect::<Vec<_>>(), [LATE]);
    }
}
