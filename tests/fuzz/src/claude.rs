// SPDX-License-Identifier: GPL-3.0-or-later
//! What Claude Code's hooks read on standard input: a payload a line, in one session after the other.

use std::collections::BTreeMap;

use dasbo_core::agents::{self, NotUnderstood};
use dasbo_core::event::Event;
use dasbo_core::process::{Ancestor, ProcessId};
use dasbo_core::registry::Registry;
use dasbo_core::wire::{Form, Frame, Header, Mode, Payload, VERSION};
use serde_json::Value;

use crate::table::{self, NOW};

pub fn play(input: &[u8]) -> usize {
    let lines = input.split(|&byte| byte == b'\n');
    let events: Vec<Event> = lines.filter_map(event).collect();
    let sessions = table::apply(&mut Registry::default(), &events);
    assert!(sessions.len() <= events.len(), "sessions from nowhere");
    events.len()
}

fn event(line: &[u8]) -> Option<Event> {
    let event = agents::event(&frame(line));
    // As JSON proper, each key once.
    if let Ok(value @ Value::Object(_)) = serde_json::from_slice(line) {
        let proper = agents::event(&frame(value.to_string().as_bytes()));
        assert!(!matches!(proper, Err(NotUnderstood::Payload(_))), "one odd key hides the rest: {proper:?}");
    }
    let event = event.ok()??;
    assert_eq!(line.trim_ascii_start().first(), Some(&b'{'), "only an object is a payload");
    Some(event)
}

fn frame(payload: &[u8]) -> Frame {
    let ancestor = |pid, comm: &str| Ancestor {
        id: ProcessId { pid, start: 90_000 },
        comm: comm.into(),
        args: Vec::new(),
        tty: 0,
    };
    let header = Header {
        version: VERSION,
        agent: "claude".into(),
        mode: Mode::Notify,
        event: "Stop".into(),
        at: NOW,
        helper: ProcessId { pid: 1, start: 1 },
        again: false,
        chain: vec![ancestor(2, "sh"), ancestor(3, "claude")],
        pidfds: Vec::new(),
        hints: BTreeMap::new(),
        terminal: BTreeMap::new(),
        form: Form::Json,
        length: payload.len(),
    };
    Frame { header, payload: Payload::Json(payload.to_vec()) }
}
