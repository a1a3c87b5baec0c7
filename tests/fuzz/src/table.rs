// SPDX-License-Identifier: GPL-3.0-or-later
//! A table of sessions under arbitrary events.

use std::time::Duration;

use dasbo_core::event::Event;
use dasbo_core::moment::{Moment, WallClock};
use dasbo_core::registry::Registry;
use dasbo_core::session::{Session, State};

/// 2026-11-30, about when the recordings were made.
pub const CLOCK: WallClock = WallClock { boot: 1_796_000_000_000_000_000 };

/// Now: 2 to the 45th nanoseconds, some 10 hours, after boot.
pub const NOW: Moment = Moment::from_nanos(1 << 45);

/// Longest id, path or other name that is kept, in bytes (`PATH_MAX`).
const NAME: usize = 4096;

/// Most characters kept of a text that stands on one line, and of one that does not; `…` comes behind.
const LINE: usize = 120 + 1;
const LONG: usize = 4_000 + 1;

/// Applies events a second apart, then lets time pass until nothing is due. The sessions before that.
pub fn apply<'e>(registry: &mut Registry, events: impl IntoIterator<Item = &'e Event>) -> Vec<Session> {
    let mut now = NOW;
    for event in events {
        now = now + Duration::from_secs(1);
        registry.apply(event, now);
        registry.sessions().for_each(check);
    }
    let sessions = registry.sessions().cloned().collect();
    settle(registry);
    sessions
}

/// What is due is done then, or the main loop would spin.
fn settle(registry: &mut Registry) {
    while let Some(due) = registry.due() {
        registry.tick(due);
        assert!(registry.due().is_none_or(|next| next > due), "at {due:?} it is not done");
        registry.sessions().for_each(check);
    }
}

/// What is kept of a session is bounded, and its times are not in the future.
fn check(session: &Session) {
    let names = [&session.project, &session.cwd, &session.branch, &session.model];
    assert!(session.key.id.as_str().len() <= NAME, "a long id");
    for name in names.into_iter().flatten().chain(&session.helpers) {
        assert!(name.len() <= NAME, "a name of {} bytes", name.len());
    }
    // Put together of three.
    assert!(session.transcript.as_ref().is_none_or(|path| path.len() <= 4 * NAME), "a long path");
    is_within(session.title.as_ref(), LINE);
    is_within(session.last_prompt.as_ref(), LONG);
    is_within(session.last_answer.as_ref(), LONG);
    match &session.state {
        State::Tool(tool) => {
            is_within(Some(&tool.name), LINE);
            is_within(Some(&tool.detail), LINE);
        }
        State::Error(detail) => is_within(detail.as_ref(), LINE),
        State::Idle | State::Thinking | State::Interrupted => {}
    }
    let latest = NOW + Duration::from_secs(3_600);
    assert!(session.since <= latest && session.heard <= latest, "a time that cannot be");
}

fn is_within(text: Option<&String>, most: usize) {
    let length = text.map_or(0, |text| text.chars().count());
    assert!(length <= most, "a text of {length} characters");
}
