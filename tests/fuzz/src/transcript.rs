// SPDX-License-Identifier: GPL-3.0-or-later
//! A transcript that grows, and what its lines say.
//!
//! The first byte says in what steps it grows, the second how much of it was there before; the rest is the file.

use std::io::Cursor;

use dasbo_core::agents::Agent;
use dasbo_core::agents::claude::{Claude, ID};
use dasbo_core::event::{About, Actor, Event, SessionId, SessionKey, Source, What};
use dasbo_core::registry::Registry;
use dasbo_core::session::Session;
use dasbo_core::watch::{FileId, Tailer};
use serde_json::Value;

use crate::table::{self, CLOCK, NOW};

pub fn play(input: &[u8]) -> usize {
    let [step, there, file @ ..] = input else { return 0 };
    let there = file.len() * usize::from(*there) / 256;
    let lines = follow(file, there, usize::from(*step) + 1);
    assert_eq!(lines, appended(file, there), "other lines were appended");
    let at_once = events(&lines);
    let one_by_one: Vec<Event> = lines.iter().flat_map(|line| events(std::slice::from_ref(line))).collect();
    assert_eq!(interruptions(&at_once), interruptions(&one_by_one));
    let may_interrupt = lines.iter().filter(|line| is_interruption(line)).count();
    assert!(interruptions(&at_once).len() <= may_interrupt, "an interruption from nowhere");
    let prompt = prompt();
    let sessions =
        |events: &[Event]| table::apply(&mut Registry::default(), std::iter::once(&prompt).chain(events));
    let (at_once, one_by_one) = (sessions(&at_once), sessions(&one_by_one));
    assert_eq!(kept(&at_once), kept(&one_by_one), "what is kept depends on how much is read at a time");
    lines.len()
}

/// The lines that come after the first `there` bytes.
fn follow(file: &[u8], there: usize, step: usize) -> Vec<Vec<u8>> {
    let id = FileId { device: 1, inode: 2 };
    let mut tailer = Tailer::new(id, there as u64, 0);
    let mut lines = Vec::new();
    let lengths = (there..file.len()).step_by(step).chain([file.len()]);
    for length in lengths {
        let mut source = Cursor::new(&file[..length]);
        while {
            let read = tailer.read(id, length as u64, &mut source).expect("a cursor can be read");
            lines.extend(read.lines);
            read.more
        } {}
    }
    lines
}

/// The same by the rule: whole lines that began behind `there`, or at the beginning of the file.
fn appended(file: &[u8], there: usize) -> Vec<Vec<u8>> {
    let mut lines: Vec<&[u8]> = file[there..].split(|&byte| byte == b'\n').collect();
    lines.pop(); // its end is not written yet
    let begun = usize::from(there > 0).min(lines.len());
    lines[begun..].iter().filter(|line| !line.is_empty()).map(|line| line.to_vec()).collect()
}

fn events(lines: &[Vec<u8>]) -> Vec<Event> {
    let id = SessionId::new("s").expect("it is not empty");
    Claude.transcript(&SessionKey { agent: ID, id }, lines, CLOCK, NOW)
}

/// What hooks say of the session first: a file alone makes no row.
fn prompt() -> Event {
    let id = SessionId::new("s").expect("it is not empty");
    Event {
        session: SessionKey { agent: ID, id },
        at: NOW,
        actor: Actor::Main,
        source: Source::Hook,
        process: None,
        about: About::default(),
        what: What::Prompted(None),
    }
}

/// What files alone tell of the one session.
fn kept(sessions: &[Session]) -> impl PartialEq + std::fmt::Debug {
    let [session] = sessions else { panic!("{} sessions", sessions.len()) };
    let Session { title, model, branch, last_answer, tokens, .. } = session.clone();
    (title, model, branch, last_answer, tokens)
}

fn interruptions(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.what == What::Interrupted).collect()
}

/// Whether a line can be the record of an interruption. (One with half a character is no JSON to others.)
fn is_interruption(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let Ok(value) = serde_json::from_str::<Value>(&text) else {
        return text.contains("\\ud") || text.contains("\\uD");
    };
    let is_text = |item: &Value| {
        item["type"] == "text"
            && item["text"].as_str().is_some_and(|text| text.starts_with("[Request interrupted by user"))
    };
    let items = value["message"]["content"].as_array();
    value["type"] == "user"
        && value["isSidechain"] != true
        && items.is_some_and(|items| items.iter().any(is_text))
}
