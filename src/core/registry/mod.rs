// SPDX-License-Identifier: GPL-3.0-or-later
//! All sessions: which there are, in which row, and when they go.

mod past;
mod requests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use crate::change::Change;
use crate::event::{About, Actor, Beginning, Ending, Event, SessionKey, Source, What};
use crate::moment::Moment;
use crate::process::ProcessId;
use crate::session::{RowId, Session, Timeline};

pub use requests::{Refusal, Sent};

use past::{End, Past};
use requests::Requests;

/// How long a row waits for the session that takes its place (`/clear`: 0.3 s measured).
const SUCCESSOR_WITHIN: Duration = Duration::from_secs(5);

/// A session whose process is unknown goes after this long without news.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// The table of sessions.
#[derive(Debug)]
pub struct Registry {
    rows: BTreeMap<RowId, Row>,
    keys: HashMap<SessionKey, RowId>,
    next_row: u64,
    past: Past,
    /// Processes that had a session before the one they have now.
    veterans: BTreeSet<ProcessId>,
    requests: Requests,
    silence: Duration,
}

#[derive(Debug)]
struct Row {
    timeline: Timeline,
    /// Its session ended, and the one that takes its place is due until then.
    successor_until: Option<Moment>,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            keys: HashMap::new(),
            next_row: 0,
            past: Past::default(),
            veterans: BTreeSet::new(),
            requests: Requests::default(),
            silence: SILENCE,
        }
    }
}

impl Registry {
    /// Takes an event in and says what changed. `now` is not earlier than any moment given before.
    pub fn apply(&mut self, event: &Event, now: Moment) -> Vec<Change> {
        if event.at > now {
            // A time that cannot be would stand above all that follows.
            return self.apply(&Event { at: now, ..event.clone() }, now);
        }
        let changes = self.take_in(event, now);
        if let What::Requested(_, Some(held)) = event.what {
            self.requests.let_go_unless_open(held.id);
        }
        changes
    }

    fn take_in(&mut self, event: &Event, now: Moment) -> Vec<Change> {
        if self.past.is_after(event) {
            return Vec::new();
        }
        let Some(&row) = self.keys.get(&event.session) else {
            return self.create(event, now).into_iter().collect();
        };
        let changed = self.update(row, event, now);
        let made_place = self.predecessor(event).and_then(|row| self.remove(row));
        changed.into_iter().chain(made_place).collect()
    }

    /// Says that events of a session were lost, the last of which happened `at`.
    pub fn lose(&mut self, session: &SessionKey, at: Moment, now: Moment) -> Vec<Change> {
        let Some(&row) = self.keys.get(session) else {
            return Vec::new();
        };
        let lost = quiet(session, at.min(now), What::NewsLost);
        self.update(row, &lost, now).into_iter().collect()
    }

    /// Says that events of any session may be lost, the last of which happened `at`.
    pub fn lose_all(&mut self, at: Moment, now: Moment) -> Vec<Change> {
        let keys: Vec<SessionKey> = self.keys.keys().cloned().collect();
        keys.iter().flat_map(|session| self.lose(session, at, now)).collect()
    }

    /// A process ended: its sessions go, and nothing that it said before brings them back.
    pub fn process_ended(&mut self, process: ProcessId, now: Moment) -> Vec<Change> {
        self.veterans.remove(&process);
        let of_it = |row: &Row| row.session().process.is_some_and(|known| known.id == process);
        let rows: Vec<RowId> = self.rows.iter().filter(|(_, row)| of_it(row)).map(|(&id, _)| id).collect();
        let keys = rows.iter().filter_map(|row| self.rows.get(row)).map(|row| row.session().key.clone());
        self.past.process_ended(process, keys, now);
        rows.into_iter().filter_map(|row| self.remove(row)).collect()
    }

    /// Ends what was only for a moment. To be called at [`Registry::due`].
    pub fn tick(&mut self, now: Moment) -> Vec<Change> {
        let overdue: Vec<RowId> = (self.rows.iter())
            .filter(|(_, row)| row.due(self.silence).is_some_and(|due| due <= now))
            .map(|(&id, _)| id)
            .collect();
        let expired: Vec<Change> = overdue.into_iter().filter_map(|row| self.expire(row, now)).collect();
        expired.into_iter().chain(self.let_go_of_overdue(now)).collect()
    }

    /// When [`Registry::tick`] has something to do.
    pub fn due(&self) -> Option<Moment> {
        let rows = self.rows.values().filter_map(|row| row.due(self.silence));
        rows.chain(self.requests.due()).min()
    }

    /// The changes that build this table from nothing.
    pub fn replicate(&self) -> Vec<Change> {
        self.sessions().map(|session| Change::Added(Box::new(session.clone()))).collect()
    }

    /// All sessions, in the order their rows came.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.rows.values().map(Row::session)
    }

    /// Whether this session's row only waits for the session that takes its place.
    pub fn awaits_successor(&self, row: RowId) -> bool {
        self.rows.get(&row).is_some_and(|row| row.successor_until.is_some())
    }

    fn create(&mut self, event: &Event, now: Moment) -> Option<Change> {
        if let What::Ended(how) = event.what {
            self.remember_end(event, how);
            return None;
        }
        if self.is_hearsay(event) {
            return None;
        }
        if matches!(event.what, What::Began(_)) {
            self.past.begins_again(&event.session);
        }
        let (row, taken_over) = match self.predecessor(event) {
            Some(row) => (row, true),
            None => (self.new_row(), false),
        };
        let hooked = self.rows.get(&row).is_some_and(|row| row.timeline.is_hooked());
        let mut timeline = Timeline::new(row, event, hooked);
        let process = event.process.map(|process| process.id);
        if taken_over || process.is_some_and(|process| self.is_veteran(process)) {
            timeline.set_started(event.at);
        }
        self.keys.insert(event.session.clone(), row);
        let before = self.rows.insert(row, Row { timeline, successor_until: None });
        self.keep_requests(row, now);
        let session = Box::new(self.rows.get(&row)?.session().clone());
        let Some(before) = before else {
            return Some(Change::Added(session));
        };
        self.keys.remove(&before.session().key);
        Some(Change::Updated(session))
    }

    /// The row whose session made place for the one that begins here, told or not. A process has one file: once it
    /// names another session, the one before is over, which hooks tell better where they speak.
    fn predecessor(&self, event: &Event) -> Option<RowId> {
        let cleared = matches!(event.what, What::Began(Beginning::Clear));
        let replaces = cleared || matches!(event.what, What::Began(Beginning::Resume));
        let reported = matches!(event.what, What::Reported(_));
        let process = event.process.filter(|_| replaces || reported)?;
        let makes_place = |row: &Row| {
            let known = row.session();
            known.key != event.session
                && known.key.agent == event.session.agent
                && known.process.is_some_and(|known| known.id == process.id)
                && (cleared
                    || (replaces && row.successor_until.is_some())
                    || (reported && !row.timeline.is_hooked()))
        };
        self.rows.iter().find(|(_, row)| makes_place(row)).map(|(&id, _)| id)
    }

    /// Whether a file tells of a session that is not known, and must not be known from it: a transcript says only
    /// what is in it, and where hooks speak of a process they tell its sessions.
    fn is_hearsay(&self, event: &Event) -> bool {
        if event.source == Source::Hook {
            return false;
        }
        let of_process = |row: &Row| {
            let process = row.session().process.map(|process| process.id);
            process.is_some() && process == event.process.map(|process| process.id)
        };
        let spoken_of = |row: &Row| of_process(row) && row.timeline.is_hooked();
        !matches!(event.what, What::Reported(_)) || self.rows.values().any(spoken_of)
    }

    fn is_veteran(&self, process: ProcessId) -> bool {
        self.veterans.contains(&process)
    }

    fn new_row(&mut self) -> RowId {
        self.next_row += 1;
        RowId(self.next_row)
    }

    fn update(&mut self, id: RowId, event: &Event, now: Moment) -> Option<Change> {
        if let What::Ended(how) = event.what {
            return self.end(id, event, how, now);
        }
        if matches!(event.what, What::Began(_)) {
            self.past.begins_again(&event.session);
        }
        let row = self.rows.get_mut(&id)?;
        if row.successor_until.is_some() && event.source == Source::File {
            // What is still read of a session that ended is no news of it.
            return None;
        }
        let before = row.session().clone();
        if row.successor_until.take().is_some() {
            row.timeline = Timeline::new(id, event, row.timeline.is_hooked());
        } else {
            row.timeline.apply(event);
        }
        row.timeline.forget_passed(now);
        self.keep_requests(id, now);
        updated(&before, self.rows.get(&id)?.session())
    }

    /// What happened after the end, should it have come before it, is of the session's next life.
    fn end(&mut self, id: RowId, event: &Event, how: Ending, now: Moment) -> Option<Change> {
        let known = self.rows.get(&id)?.session().process.map(|process| process.id);
        let ends = event.process.map(|process| process.id);
        if known.is_some() && ends.is_some() && known != ends {
            // Another process has the session now.
            return None;
        }
        let end = self.remember_end(event, how);
        let past = &self.past;
        let row = self.rows.get_mut(&id)?;
        let before = row.session().clone();
        let goes_on = |event: &Event| !end.is_after(event) && !past.is_of_dead(event);
        let hooked = how == Ending::Replaced && row.timeline.is_hooked();
        if let Some(timeline) = row.timeline.next_life(hooked, goes_on) {
            row.timeline = timeline;
            self.keep_requests(id, now);
            return updated(&before, self.rows.get(&id)?.session());
        }
        let process = before.process.map(|process| process.id);
        if how == Ending::Gone || self.has_successor(id, process, event.at) {
            return self.remove(id);
        }
        let row = self.rows.get_mut(&id)?;
        row.timeline.apply(event);
        row.successor_until = Some(event.at + SUCCESSOR_WITHIN);
        self.keep_requests(id, now);
        updated(&before, self.rows.get(&id)?.session())
    }

    /// Whether the session that takes the place came first.
    fn has_successor(&self, ended: RowId, process: Option<ProcessId>, at: Moment) -> bool {
        let follows = |session: &Session| {
            process.is_some()
                && session.process.map(|process| process.id) == process
                && session.row > ended
                && session.heard > at
        };
        self.sessions().any(follows)
    }

    fn remember_end(&mut self, event: &Event, how: Ending) -> End {
        let process = event.process.map(|process| process.id);
        if how == Ending::Replaced {
            self.veterans.extend(process);
        }
        self.past.end(event)
    }

    fn expire(&mut self, id: RowId, now: Moment) -> Option<Change> {
        let silence = self.silence;
        let row = self.rows.get_mut(&id)?;
        if row.goes_at(silence).is_some_and(|at| at <= now) {
            return self.remove(id);
        }
        let before = row.session().clone();
        if row.timeline.is_due(now) {
            row.timeline.apply(&quiet(&before.key, now, What::Passed));
        }
        row.timeline.forget_passed(now);
        self.keep_requests(id, now);
        updated(&before, self.rows.get(&id)?.session())
    }

    fn remove(&mut self, id: RowId) -> Option<Change> {
        let row = self.rows.remove(&id)?;
        self.requests.row_went(id);
        self.keys.remove(&row.session().key);
        Some(Change::Removed(id))
    }
}

impl Row {
    fn session(&self) -> &Session {
        self.timeline.session()
    }

    /// When the row goes by time alone.
    fn goes_at(&self, silence: Duration) -> Option<Moment> {
        let silent = || self.session().process.is_none().then(|| self.session().heard + silence);
        self.successor_until.or_else(silent)
    }

    fn due(&self, silence: Duration) -> Option<Moment> {
        self.goes_at(silence).into_iter().chain(self.timeline.next_passing()).min()
    }
}

/// Something that nobody told.
fn quiet(session: &SessionKey, at: Moment, what: What) -> Event {
    Event {
        session: session.clone(),
        at,
        actor: Actor::Main,
        source: Source::File,
        process: None,
        about: About::default(),
        what,
    }
}

fn updated(before: &Session, now: &Session) -> Option<Change> {
    (before != now).then(|| Change::Updated(Box::new(now.clone())))
}
