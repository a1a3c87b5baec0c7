// SPDX-License-Identifier: GPL-3.0-or-later
//! Puts events into the order of their time, in whatever order they come.

use std::collections::VecDeque;
use std::time::Duration;

use super::machine::Machine;
use super::{RowId, Session};
use crate::event::Event;
use crate::moment::Moment;

/// How late an event may come and still be put where it belongs. A helper reads for at most two seconds.
const WINDOW: Duration = Duration::from_secs(5);

/// A session's recent events over a state in which all earlier ones are settled.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    settled: Machine,
    recent: VecDeque<Event>,
    current: Machine,
}

impl Timeline {
    /// A session that `event` is the first news of.
    pub(crate) fn new(row: RowId, event: &Event) -> Self {
        let settled = Machine::new(row, event);
        let mut timeline = Self {
            current: settled.clone(),
            settled,
            recent: VecDeque::new(),
        };
        timeline.apply(event);
        timeline
    }

    /// What rows show.
    pub(crate) fn session(&self) -> &Session {
        &self.current.session
    }

    /// Takes an event in. One that comes late is put in its place and what followed is played again.
    pub(crate) fn apply(&mut self, event: &Event) {
        let at = self.recent.partition_point(|earlier| earlier.at <= event.at);
        self.recent.insert(at, event.clone());
        if at + 1 == self.recent.len() {
            self.current.apply(event);
        } else {
            self.replay();
        }
        self.settle();
    }

    /// Forgets all up to `end`: the session goes on with what came after. `None` if nothing did.
    pub(crate) fn after(&self, end: Moment) -> Option<Self> {
        let mut later = self.recent.iter().filter(|event| event.at > end);
        let mut timeline = Self::new(self.session().row, later.next()?);
        later.for_each(|event| timeline.apply(event));
        Some(timeline)
    }

    /// Takes away what was shown for a moment that is over.
    pub(crate) fn forget_passed(&mut self, now: Moment) {
        self.current.session.forget_passed(now);
    }

    /// Gives the session another start than its process has.
    pub(crate) fn set_started(&mut self, started: Moment) {
        self.settled.session.started = started;
        self.current.session.started = started;
    }

    fn replay(&mut self) {
        self.current = self.settled.clone();
        for event in &self.recent {
            self.current.apply(event);
        }
    }

    fn settle(&mut self) {
        let Some(newest) = self.recent.back().map(|event| event.at) else {
            return;
        };
        let old = self.recent.partition_point(|event| event.at + WINDOW < newest);
        for event in self.recent.drain(..old) {
            self.settled.apply(&event);
        }
    }
}
