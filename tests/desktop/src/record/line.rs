// SPDX-License-Identifier: GPL-3.0-or-later
//! One line of a recording while it is being made: the time, a tab, the JSON that will stand in the fixture.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use procfs::process::Process;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The variables that Dasbo's helper passes on, and the session's id. Others may hold secrets.
const HINTS: [&str; 6] = [
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
];

/// Names the agent's own process.
const AGENT: &str = "CLAUDE_PID";

const MOST_ANCESTORS: usize = 20;

/// A line of the raw recording, with its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLine(String);

impl RawLine {
    pub fn new(at: SystemTime, what: &impl Serialize) -> Result<Self> {
        let at = at.duration_since(UNIX_EPOCH)?.as_secs_f64();
        Ok(Self(format!("{at:.6}\t{}\n", serde_json::to_string(what)?)))
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

/// What a hook was given.
#[derive(Debug, Serialize)]
pub struct RawHook {
    event: String,
    payload: Box<RawValue>,
    env: BTreeMap<String, String>,
    ancestors: Vec<Ancestor>,
}

#[derive(Debug, Serialize)]
struct Ancestor {
    pid: i32,
    comm: String,
    cmdline: String,
    ppid: i32,
    pgrp: i32,
    sid: i32,
    tty_nr: i32,
}

impl RawHook {
    /// Of this process, which is the hook.
    pub fn new(event: &str, input: &[u8]) -> Self {
        let env: BTreeMap<String, String> =
            HINTS.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect();
        let agent = env.get(AGENT).and_then(|pid| pid.parse().ok());
        Self { event: event.to_owned(), payload: payload(input), ancestors: ancestors(agent), env }
    }
}

/// The very bytes where they are JSON on one line; else what can be read of them, as a string.
fn payload(input: &[u8]) -> Box<RawValue> {
    let text = String::from_utf8_lossy(input);
    let line = text.trim_end_matches('\n').to_owned();
    let whole = (!line.contains('\n')).then(|| RawValue::from_string(line).ok());
    whole.flatten().unwrap_or_else(|| to_raw_value(&text).unwrap_or_default())
}

/// From this process up to the agent's: what is above belongs to whoever records.
fn ancestors(agent: Option<i32>) -> Vec<Ancestor> {
    let mut found = Vec::new();
    let mut next = i32::try_from(std::process::id()).ok();
    while let Some(one) = next.and_then(ancestor) {
        let is_last = Some(one.pid) == agent || found.len() + 1 == MOST_ANCESTORS;
        next = (!is_last).then_some(one.ppid);
        found.push(one);
    }
    found
}

fn ancestor(pid: i32) -> Option<Ancestor> {
    let process = Process::new(pid).ok()?;
    let stat = process.stat().ok()?;
    Some(Ancestor {
        pid,
        cmdline: process.cmdline().unwrap_or_default().join(" "),
        comm: stat.comm,
        ppid: stat.ppid,
        pgrp: stat.pgrp,
        sid: stat.session,
        tty_nr: stat.tty_nr,
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use serde_json::json;

    use super::{RawLine, payload};

    #[test]
    fn a_payload_keeps_its_bytes() {
        assert_eq!(payload(b"{\"b\" : 1.0,\"a\":\"\\u00e9\"}\n").get(), r#"{"b" : 1.0,"a":"\u00e9"}"#);
        assert_eq!(payload(b"{\"b\":\n1}").get(), r#""{\"b\":\n1}""#);
        assert_eq!(payload(b"no json").get(), r#""no json""#);
    }

    #[test]
    fn a_line_has_its_time_before_it() {
        let line = RawLine::new(UNIX_EPOCH + Duration::from_millis(1500), &json!({"a": 1})).unwrap();
        assert_eq!(line.text(), "1.500000\t{\"a\":1}\n");
    }
}
