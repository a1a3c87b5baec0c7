// SPDX-License-Identifier: GPL-3.0-or-later
//! Puts events into the order of their time, in whatever order they come.

use std::collections::VecDeque;
use std::time::Duration;

use super::machine::Machine;
use super::{RowId, Session};
use crate::event::{Event, Source, What};
use crate::moment::Moment;

/// How late an event may come and still be put where it belongs. A helper reads for at most two seconds.
const WINDOW: Duration = Duration::from_secs(5);

/// Events that are kept to be played again, however close they come.
const MOST: usize = 256;

/// A session's recent events over a state in which all earlier ones are settled.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    /// When the session began, if not with its process.
    started: Option<Moment>,
    settled: Machine,
    /// Whether any event is settled: else the earliest of the recent ones began it all.
    is_settled: bool,
    recent: VecDeque<Event>,
    current: Machine,
}

impl Timeline {
    /// A session that `event` is the first news of. `hooked`: hooks spoke of its process before.
    pub(crate) fn new(row: RowId, event: &Event, hooked: bool) -> Self {
        let settled = Machine::new(row, event, hooked);
        let current = settled.clone();
        let mut timeline =
            Self { started: None, settled, is_settled: false, recent: VecDeque::new(), current };
        timeline.apply(event);
        timeline
    }

    /// Whether hooks speak of it, or only its file.
    pub(crate) fn is_hooked(&self) -> bool {
        self.current.hooked
    }

    /// What rows show.
    pub(crate) fn session(&self) -> &Session {
        &self.current.session
    }

    /// Takes an event in. One that comes late is put in its place and what followed is played again.
    pub(crate) fn apply(&mut self, event: &Event) {
        let settled = self.settled.session.heard;
        if !self.is_settled || event.at >= settled {
            return self.put(event);
        }
        // What followed is settled: it can no longer change what the session does.
        let stays_true = match event.what {
            What::NewsLost => true,
            What::Reported(_) => !self.is_hooked(),
            _ => false,
        };
        let belated = || What::Belated(Box::new(event.what.clone()));
        let (at, what) = if stays_true { (settled, event.what.clone()) } else { (event.at, belated()) };
        self.put(&Event { at, what, ..event.clone() });
    }

    fn put(&mut self, event: &Event) {
        let at = self.recent.partition_point(|earlier| earlier.at <= event.at);
        self.recent.insert(at, event.clone());
        if at + 1 == self.recent.len() {
            self.current.apply(event);
        } else {
            self.replay();
        }
        self.settle();
    }

    /// Forgets all but the recent events that are of the session's next life. `None` if there are none: what is still
    /// read of a session that ended, or what only time tells, begins none. `hooked`: hooks spoke of its process before.
    pub(crate) fn next_life(&self, hooked: bool, is_of_it: impl Fn(&Event) -> bool) -> Option<Self> {
        let begins = |event: &&Event| event.source == Source::Hook || matches!(event.what, What::Reported(_));
        let later = self.recent.iter().filter(|event| is_of_it(event));
        let mut later = later.skip_while(|event| !begins(event));
        let mut timeline = Self::new(self.session().row, later.next()?, hooked);
        later.for_each(|event| timeline.apply(event));
        Some(timeline)
    }

    /// When something is over, or certain, by time alone.
    pub(crate) fn next_passing(&self) -> Option<Moment> {
        self.next_decision().into_iter().chain(self.session().next_passing()).min()
    }

    /// Whether the time that passed until `now` decides something.
    pub(crate) fn is_due(&self, now: Moment) -> bool {
        self.next_decision().is_some_and(|due| due <= now)
    }

    fn next_decision(&self) -> Option<Moment> {
        self.current.interruption_due().into_iter().chain(self.current.left_due()).min()
    }

    /// Takes away what was shown for a moment that is over.
    pub(crate) fn forget_passed(&mut self, now: Moment) {
        self.current.session.forget_passed(now);
    }

    /// Gives the session another start than its process has.
    pub(crate) fn set_started(&mut self, started: Moment) {
        self.started = Some(started);
        self.settled.session.started = started;
        self.current.session.started = started;
    }

    fn replay(&mut self) {
        if let Some(first) = self.recent.front().filter(|_| !self.is_settled) {
            self.settled = Machine::new(self.settled.session.row, first, self.settled.hooked);
            let from_process = self.settled.session.started;
            self.settled.session.started = self.started.unwrap_or(from_process);
        }
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
        let old = old.max(self.recent.len().saturating_sub(MOST));
        for event in self.recent.drain(..old) {
            self.settled.apply(&event);
            self.is_settled = true;
        }
    }
}
