// SPDX-License-Identifier: GPL-3.0-or-later
//! What is remembered of sessions and processes that are gone: so that what they said before does not bring them back.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use crate::event::{Event, SessionKey, What};
use crate::moment::Moment;
use crate::process::ProcessId;

/// What an agent's hooks still say this long after its end was only on its way (hooks of an end get 1.5 s).
const STRAGGLERS_FOR: Duration = Duration::from_secs(2);

/// Ends that are remembered, of each kind.
const REMEMBERED: usize = 1024;

/// What is gone.
#[derive(Debug, Default)]
pub(super) struct Past {
    ends: Recent<SessionKey, End>,
    processes: Recent<ProcessId, ()>,
    /// When sessions went with their process.
    died: Recent<SessionKey, Moment>,
}

/// When a session ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    at: Moment,
    /// What this process still tells until then was on its way.
    stragglers: Option<(ProcessId, Moment)>,
}

impl Past {
    /// A session ended, as an event tells.
    pub(super) fn end(&mut self, event: &Event) -> End {
        let stragglers = event.process.map(|process| (process.id, event.at + STRAGGLERS_FOR));
        let end = End { at: event.at, stragglers };
        self.ends.remember(event.session.clone(), end);
        end
    }

    /// A process ended, and these sessions with it.
    pub(super) fn process_ended(
        &mut self,
        process: ProcessId,
        sessions: impl Iterator<Item = SessionKey>,
        now: Moment,
    ) {
        self.processes.remember(process, ());
        for session in sessions {
            self.died.remember(session, now);
        }
    }

    /// A session begins again: what its process tells from now on is news.
    pub(super) fn begins_again(&mut self, session: &SessionKey) {
        if let Some(end) = self.ends.get_mut(session) {
            end.stragglers = None;
        }
    }

    /// Whether an event is from before its session's end, on its way at that end, or of a process that is gone.
    pub(super) fn is_after(&self, event: &Event) -> bool {
        // Whoever does not say which process speaks of the one that is gone: its hooks see it no more.
        let straggles = |&died: &Moment| event.at <= died + STRAGGLERS_FOR;
        let died = || self.died.get(&event.session).is_some_and(straggles);
        self.is_of_dead(event)
            || (event.process.is_none() && died())
            || self.ends.get(&event.session).is_some_and(|end| end.is_after(event))
    }

    /// Whether an event is of a process that is gone.
    pub(super) fn is_of_dead(&self, event: &Event) -> bool {
        event.process.is_some_and(|process| self.processes.get(&process.id).is_some())
    }
}

impl End {
    /// Whether the session was over when `event` happened, or on its way out.
    pub(super) fn is_after(&self, event: &Event) -> bool {
        let begins_or_ends = matches!(event.what, What::Began(_) | What::Ended(_));
        let process = event.process.map(|process| process.id);
        let straggles = |(of, until)| process == Some(of) && event.at <= until;
        event.at <= self.at || (!begins_or_ends && self.stragglers.is_some_and(straggles))
    }
}

/// The last few things worth remembering.
#[derive(Debug)]
struct Recent<K, V> {
    values: HashMap<K, V>,
    order: VecDeque<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { values: HashMap::new(), order: VecDeque::new() }
    }
}

impl<K: Hash + Eq + Clone, V> Recent<K, V> {
    fn remember(&mut self, key: K, value: V) {
        if self.values.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > REMEMBERED {
            self.order.pop_front().and_then(|oldest| self.values.remove(&oldest));
        }
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.values.get_mut(key)
    }
}
