// SPDX-License-Identifier: GPL-3.0-or-later
//! A client of the panel that sends what the test says: frames that the helper would not send, and no frames at all.

use std::collections::BTreeMap;
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use dasbo_core::moment::Moment;
use dasbo_core::process::{Ancestor, ProcessId, identify};
use dasbo_core::wire::{Form, Header, MAX_PIDFDS, Mode, VERSION};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::Uid;
use rustix::thread::set_thread_res_uid;
use rustix::time::{ClockId, clock_gettime};

/// One connection.
#[derive(Debug)]
pub struct Client(UnixStream);

impl Client {
    /// Connects.
    pub fn connect(socket: &Path) -> Self {
        Self(UnixStream::connect(socket).unwrap())
    }

    /// Connects as another user. Only root can.
    pub fn connect_as(user: u32, socket: &Path) -> Self {
        let connect = || {
            let user = Uid::from_raw(user);
            // Only this thread becomes another user: for the kernel, threads have users.
            set_thread_res_uid(user, user, user).unwrap();
            Self::connect(socket)
        };
        std::thread::scope(|scope| scope.spawn(connect).join().unwrap())
    }

    /// Sends bytes, or as many of them as are taken.
    pub fn send(&mut self, bytes: &[u8]) -> &mut Self {
        let _ = self.0.write_all(bytes);
        self
    }

    /// Sends bytes, as many as are taken at once, with descriptors.
    pub fn send_with(&mut self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> &mut Self {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4 * MAX_PIDFDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        assert!(control.push(SendAncillaryMessage::ScmRights(descriptors)));
        let _ = sendmsg(&self.0, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL);
        self
    }

    /// Sends no more.
    pub fn finish(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Write);
    }

    /// Whether the panel closes the connection within `limit`. Panics when it says something.
    pub fn is_closed(&mut self, limit: Duration) -> bool {
        self.0.set_read_timeout(Some(limit)).unwrap();
        match self.0.read(&mut [0]) {
            Ok(0) => true,
            Ok(_) => panic!("the panel said something"),
            // Closed before all was read.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The moment now, as the helper would tell it.
pub fn now() -> Moment {
    let time = clock_gettime(ClockId::Boottime);
    Moment::from_nanos(u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap())
}

/// The process with this pid.
pub fn process(pid: u32) -> ProcessId {
    identify(Path::new("/proc"), pid).unwrap()
}

/// The header of a good frame from `agent`, a process that then goes by the name `claude`. The helper is this process.
pub fn header(agent: ProcessId, event: &str, payload: &[u8]) -> Header {
    Header {
        version: VERSION,
        agent: "claude".into(),
        mode: Mode::Notify,
        event: event.into(),
        at: now(),
        helper: process(std::process::id()),
        again: false,
        chain: vec![Ancestor { id: agent, comm: "claude".into(), args: Vec::new(), tty: 0 }],
        pidfds: Vec::new(),
        hints: BTreeMap::new(),
        terminal: BTreeMap::new(),
        form: Form::Json,
        length: payload.len(),
    }
}

/// The bytes of a frame.
pub fn frame(header: &Header, payload: &[u8]) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(header).unwrap();
    bytes.push(b'\n');
    bytes.extend_from_slice(payload);
    bytes
}

/// The bytes of a good frame: the prompt of a session of `agent`.
pub fn good_frame(agent: ProcessId, session: &str) -> Vec<u8> {
    let payload =
        format!(r#"{{"hook_event_name":"UserPromptSubmit","session_id":"{session}","prompt":"go"}}"#);
    frame(&header(agent, "UserPromptSubmit", payload.as_bytes()), payload.as_bytes())
}
