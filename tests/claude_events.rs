// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code's payloads beyond the recordings, and what becomes of damaged ones. Expected values come from what was
//! measured of Claude Code and from the rules of the state machine.

use std::collections::BTreeMap;

use dasbo_core::agents::{self, NotUnderstood};
use dasbo_core::event::{Event, What};
use dasbo_core::moment::Moment;
use dasbo_core::process::{Ancestor, ProcessId};
use dasbo_core::wire::{Form, Frame, Header, Mode, Payload, VERSION};
use serde_json::{Value, json};

#[path = "claude_events/damaged.rs"]
mod damaged;
#[path = "claude_events/events.rs"]
mod events;
#[path = "claude_events/lenient.rs"]
mod lenient;

const AT: Moment = Moment::from_nanos(7_000_000_000);

fn ancestor(pid: u32, comm: &str, args: &str) -> Ancestor {
    let args = args.split_whitespace().map(str::to_owned).collect();
    Ancestor { id: ProcessId { pid, start: u64::from(pid) * 10 }, comm: comm.into(), args, tty: 34_816 }
}

fn header(event: &str) -> Header {
    Header {
        version: VERSION,
        agent: "claude".into(),
        mode: Mode::Notify,
        event: event.into(),
        at: AT,
        helper: ProcessId { pid: 90, start: 900 },
        again: false,
        chain: vec![ancestor(80, "sh", ""), ancestor(50, "claude", ""), ancestor(40, "bash", "")],
        pidfds: Vec::new(),
        hints: BTreeMap::new(),
        terminal: BTreeMap::new(),
        form: Form::Json,
        length: 0,
    }
}

fn told(header: Header, payload: &[u8]) -> Result<Option<Event>, NotUnderstood> {
    agents::event(&Frame { header, payload: Payload::Json(payload.to_vec()) })
}

/// The event that an event's payload makes: these keys beside the session's id and the event's name.
fn event_of(name: &str, keys: Value) -> Option<Event> {
    let mut payload = json!({"session_id": "s", "hook_event_name": name});
    if let Value::Object(keys) = keys {
        payload.as_object_mut().unwrap().extend(keys);
    }
    told(header(name), payload.to_string().as_bytes()).unwrap()
}

fn event(name: &str, keys: Value) -> Event {
    event_of(name, keys).unwrap_or_else(|| panic!("{name} tells nothing"))
}

fn what(name: &str, keys: Value) -> What {
    event(name, keys).what
}
