// SPDX-License-Identifier: GPL-3.0-or-later
//! A panel that does what the test says.

use std::io::{IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use dasbo_core::wire::{Frame, FrameReader, MAX_PIDFDS, Mode, Reply};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::home::Home;

/// What happens to a request once its frame was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Its connection stays open, for the test to speak over.
    Hold,
    /// Its connection is closed at once.
    Close,
}

/// Listens where the panel of a home listens. Dropped, it is as gone as a panel that was killed: connections that the
/// test holds are dropped by the test.
#[derive(Debug)]
pub struct FakePanel {
    socket: PathBuf,
    listener: UnixListener,
    calls: Receiver<Result<Call, String>>,
    accepting: Option<JoinHandle<()>>,
}

/// One frame that came, and its connection.
#[derive(Debug)]
pub struct Call {
    /// The frame.
    pub frame: Frame,
    /// The descriptors that rode along.
    pub pidfds: Vec<OwnedFd>,
    connection: UnixStream,
}

impl FakePanel {
    /// Starts one in `home`.
    pub fn start(home: &Home, manner: Manner) -> Self {
        let socket = home.make_socket_folder();
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let (sender, calls) = channel();
        let accepting = listener.try_clone().unwrap();
        let accepting = std::thread::spawn(move || accept_all(&accepting, manner, &sender));
        Self { socket, listener, calls, accepting: Some(accepting) }
    }

    /// The next call. Panics when none comes within `limit`, or when something else than a frame came.
    pub fn next(&self, limit: Duration) -> Call {
        match self.calls.recv_timeout(limit) {
            Ok(Ok(call)) => call,
            Ok(Err(error)) => panic!("not a frame: {error}"),
            Err(error) => panic!("no frame within {limit:?}: {error}"),
        }
    }

    /// The next `count` calls, each within `limit` of the one before.
    pub fn take(&self, count: usize, limit: Duration) -> Vec<Call> {
        (0..count).map(|_| self.next(limit)).collect()
    }

    /// Whether nothing came that was not taken.
    pub fn is_quiet(&self) -> bool {
        self.calls.try_recv().is_err()
    }
}

impl Drop for FakePanel {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        let _ = self.accepting.take().map(JoinHandle::join);
    }
}

impl Call {
    /// Says `reply`. The helper may be gone.
    pub fn say(&mut self, reply: &Reply) {
        self.say_bytes(&reply.to_bytes());
    }

    /// Says bytes that need not be a reply.
    pub fn say_bytes(&mut self, bytes: &[u8]) {
        let _ = self.connection.write_all(bytes);
    }

    /// Ends what is said; the helper can still be seen to go.
    pub fn stop_speaking(&self) {
        let _ = self.connection.shutdown(Shutdown::Write);
    }
}

fn accept_all(listener: &UnixListener, manner: Manner, calls: &Sender<Result<Call, String>>) {
    while let Ok((connection, _)) = listener.accept() {
        let calls = calls.clone();
        std::thread::spawn(move || {
            if let Some(call) = read_call(connection).transpose() {
                let call = call.and_then(|call| keep(call, manner));
                let _ = calls.send(call);
            }
        });
    }
}

fn keep(call: Call, manner: Manner) -> Result<Call, String> {
    if manner == Manner::Close && call.frame.header.mode == Mode::Ask {
        let closed = call.connection.shutdown(Shutdown::Both);
        closed.map_err(|error| error.to_string())?;
    }
    Ok(call)
}

/// Reads one frame. `None` when nothing at all was sent.
fn read_call(connection: UnixStream) -> Result<Option<Call>, String> {
    let mut reader = FrameReader::default();
    let mut pidfds = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let mut came = 0;
    loop {
        let received = receive(&connection, &mut buffer, &mut pidfds).map_err(|error| error.to_string())?;
        came += received;
        match reader.push(&buffer[..received]) {
            Err(error) => return Err(error.to_string()),
            Ok(Some(frame)) => {
                return Ok(Some(Call { frame, pidfds, connection }));
            }
            Ok(None) if received == 0 && came == 0 => return Ok(None),
            Ok(None) if received == 0 => return Err(format!("ended after {came} bytes")),
            Ok(None) => {}
        }
    }
}

fn receive(
    socket: &UnixStream,
    bytes: &mut [u8],
    descriptors: &mut Vec<OwnedFd>,
) -> rustix::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PIDFDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(came) = message {
            descriptors.extend(came);
        }
    }
    Ok(received.bytes)
}
