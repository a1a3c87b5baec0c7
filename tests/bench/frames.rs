// SPDX-License-Identifier: GPL-3.0-or-later
//! A client without the helper: writes the frames itself.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use dasbo_core::moment::Moment;
use dasbo_core::process::{Ancestor, ProcessId, identify};
use dasbo_core::wire::{Form, Header, Mode, VERSION, socket_path};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

/// Where the panel of this session listens.
pub fn socket() -> PathBuf {
    socket_path(|name| std::env::var_os(name), rustix::process::getuid().as_raw()).expect("a runtime folder")
}

/// The moment now.
pub fn now() -> Moment {
    let time = clock_gettime(ClockId::Boottime);
    let [seconds, nanoseconds] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap());
    Moment::from_nanos(seconds * 1_000_000_000 + nanoseconds)
}

/// A minute ago: what a turn's end shows for a moment is over.
pub fn a_minute_ago() -> Moment {
    Moment::from_nanos(now().as_nanos() - 60_000_000_000)
}

/// A process that may pass for an agent.
pub fn process(pid: u32) -> ProcessId {
    identify(Path::new("/proc"), pid).expect("a process that runs")
}

/// The frame of an event of Claude Code, as the helper of an agent with this process would send it.
pub fn frame(agent: ProcessId, at: Moment, payload: &Value) -> Vec<u8> {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let text = payload.to_string();
    let helper = ProcessId { pid: std::process::id(), start: NUMBER.fetch_add(1, Ordering::Relaxed) };
    let header = Header {
        version: VERSION,
        agent: "claude".to_owned(),
        mode: Mode::Notify,
        event: payload["hook_event_name"].as_str().unwrap_or_default().to_owned(),
        at,
        helper,
        again: false,
        chain: vec![Ancestor { id: agent, comm: "claude".to_owned(), args: Vec::new(), tty: 0 }],
        pidfds: Vec::new(),
        hints: [("CLAUDE_PROJECT_DIR".to_owned(), payload["cwd"].as_str().unwrap_or_default().to_owned())]
            .into(),
        terminal: BTreeMap::new(),
        form: Form::Json,
        length: text.len(),
    };
    let mut bytes = serde_json::to_vec(&header).unwrap();
    bytes.push(b'\n');
    bytes.extend(text.into_bytes());
    bytes
}

/// Sends a frame over a connection of its own.
pub fn send(socket: &Path, frame: &[u8]) -> io::Result<()> {
    UnixStream::connect(socket)?.write_all(frame)
}
