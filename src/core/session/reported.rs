// SPDX-License-Identifier: GPL-3.0-or-later
//! What the agent's own files say of a session: they see what fires no hook.

use std::time::Duration;

use super::calls::OpenCalls;
use super::machine::Machine;
use super::requests::Left;
use super::{State, Wait};
use crate::event::{Actor, Event, Source, Status, WaitKind, What};
use crate::moment::Moment;

/// Within this long after its file said idle, a hook tells how a turn ended, unless it was interrupted (measured: at
/// most 0.07 s).
const HOOKS_WITHIN: Duration = Duration::from_millis(300);

/// The file says waiting up to this long before the hook runs that tells what for (measured: 0.03 s).
pub const AHEAD: Duration = Duration::from_millis(150);

/// What a session's file said that is not decided yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileSaid {
    /// At this time, that the turn is over, and no hook did yet.
    pub(super) idle: Option<Moment>,
    /// That a shell runs in the background.
    pub(super) shell: bool,
    /// Since when, that it waits.
    pub(super) waiting: Option<Moment>,
    /// That it waited for this when the hook ended that told of it.
    pub(super) left: Option<Left>,
    /// That the turn was interrupted, of which the transcript's record did not come yet.
    pub(super) unrecorded: bool,
}

impl Machine {
    /// When it is certain that the turn was interrupted, unless a hook tells another end before.
    pub(super) fn interruption_due(&self) -> Option<Moment> {
        self.file.idle.map(|at| at + HOOKS_WITHIN)
    }

    /// Before an event: whether the turn that the file said was over had been interrupted, or goes on.
    pub(super) fn settle_reported(&mut self, event: &Event) {
        if self.interruption_due().is_some_and(|due| due <= event.at)
            && let Some(at) = self.file.idle.take()
        {
            self.end_turn(State::Interrupted, at);
            self.file.unrecorded = true;
        }
        if event.source == Source::Hook && event.actor == Actor::Main && event.what != What::Seen {
            self.file.idle = None;
            self.file.unrecorded = false;
        }
    }

    /// What runs now, and what ended, is not known: until the next hook the file is the only evidence. Not where nobody
    /// sits: there it says idle while the agent works.
    pub(super) fn lose_news(&mut self) {
        self.session.news_lost = true;
        self.hooked &= !self.session.attended;
        self.calls = OpenCalls::default();
        self.file.idle = None;
    }

    pub(super) fn reported(&mut self, status: Status, at: Moment) {
        self.file.waiting = (status == Status::Waiting).then_some(at);
        self.file.left.take_if(|_| status != Status::Waiting);
        // Alone, the file also knows of a wait that began before what it says. Of one that a hook holds, the hook does.
        let alone = !self.hooked;
        let is_over = |wait: &Wait| wait.confirmed || (alone && wait.is_in_terminal() && wait.since <= at);
        match status {
            Status::Waiting => self.reported_waiting(at),
            Status::Idle | Status::Busy | Status::Shell => self.session.waits.retain(|wait| !is_over(wait)),
        }
        if self.hooked {
            self.reported_beside_hooks(status, at);
        } else {
            self.reported_alone(status, at);
        }
    }

    /// Whether a wait that a hook tells of now is the one that the file told of just before.
    pub(super) fn is_reported(&self, at: Moment) -> bool {
        let just_before = self.file.waiting.is_some_and(|since| at.since(since) <= AHEAD);
        just_before && self.session.waits.is_empty()
    }

    /// Where hooks speak they tell of a wait first, and what it is for.
    fn reported_waiting(&mut self, at: Moment) {
        for wait in self.session.waits.iter_mut().filter(|wait| wait.is_in_terminal()) {
            wait.confirmed = true;
        }
        if self.session.waits.is_empty() && !self.hooked {
            let (kind, actor) = (WaitKind::Input, Actor::Main);
            self.open(Wait { confirmed: true, ..Wait::new(kind, actor, None, at) });
        }
    }

    /// Busy alone means nothing: renaming and clearing make the file say so too.
    fn reported_beside_hooks(&mut self, status: Status, at: Moment) {
        match status {
            Status::Idle => {
                let runs = matches!(self.session.state, State::Thinking | State::Tool(_));
                if self.session.attended && self.prompted && runs && !self.session.compacting {
                    self.file.idle = Some(at);
                }
                // What ends well says so by a hook before.
                self.session.compacting = false;
                if std::mem::take(&mut self.file.shell) && self.session.state == State::Idle {
                    self.session.background = 0;
                }
            }
            Status::Shell => self.file.shell = true,
            Status::Busy | Status::Waiting => {}
        }
    }

    /// Without hooks the file is all there is.
    fn reported_alone(&mut self, status: Status, at: Moment) {
        self.session.background = usize::from(status == Status::Shell);
        match status {
            Status::Idle | Status::Shell => self.end_turn(State::Idle, at),
            Status::Busy | Status::Waiting => self.enter(State::Thinking, at),
        }
    }

    /// A record in the transcript. Where the file said it first, the time stays.
    pub(super) fn interrupted(&mut self, at: Moment) {
        if std::mem::take(&mut self.file.unrecorded) {
            // It may come when a queued prompt is already being worked on.
            return;
        }
        let since = self.file.idle.take().map_or(at, |reported| reported.min(at));
        if matches!(self.session.state, State::Thinking | State::Tool(_)) {
            self.end_turn(State::Interrupted, since);
        }
    }

    /// 2.1.332 ran the hook of this prompt when it was typed, and runs none when it takes it up: after an interruption
    /// or an end.
    pub(super) fn queued_prompt(&mut self, at: Moment) {
        let interrupted = self.file.idle.take().is_some();
        self.file.unrecorded |= interrupted;
        let runs = matches!(self.session.state, State::Thinking | State::Tool(_)) && !interrupted;
        if self.hooked && !runs {
            self.end_turn(State::Thinking, at);
            self.prompted = true;
        }
    }
}
