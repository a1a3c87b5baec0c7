// SPDX-License-Identifier: GPL-3.0-or-later
//! One connection: one frame, from one helper.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::agents;
use dasbo_core::process;
use dasbo_core::request::RequestId;
use dasbo_core::wire::{Frame, FrameReader, Header, MAX_CHAIN, MAX_PIDFDS, Reply};
use gio::prelude::*;
use glib::{IOCondition, MainContext, Priority};
use rustix::io::{Errno, IoSliceMut};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::liveness::Liveness;
use super::peer;
use super::socket::Socket;
use super::transcripts::Transcripts;
use super::waiting::Waiting;

/// A helper sends its frame at once. One that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(5);

/// After an accept that failed (out of open files), so that the loop does not spin.
const PAUSE: Duration = Duration::from_millis(50);

/// What the frames of all connections together may take while they are read (256 MiB).
const MAX_HELD: usize = 256 << 20;

const CHUNK: usize = 64 << 10;

/// Lets helpers in.
#[derive(Debug)]
pub struct Door {
    context: MainContext,
    liveness: Rc<Liveness>,
    transcripts: Rc<Transcripts>,
    waiting: Rc<Waiting>,
    chunk: RefCell<Vec<u8>>,
    held: Cell<usize>,
}

/// Why a connection told nothing.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("not this user's process")]
    Foreign,
    #[error("no frame within {} s", PATIENCE.as_secs())]
    Slow,
    #[error("closed before the frame was whole")]
    Closed,
    #[error("too many frames at once")]
    Crowded,
    #[error("more than {MAX_PIDFDS} descriptors")]
    Laden,
    #[error(transparent)]
    Read(#[from] Errno),
    #[error(transparent)]
    Frame(#[from] dasbo_core::wire::FrameError),
    #[error(transparent)]
    NotUnderstood(#[from] agents::NotUnderstood),
}

impl Door {
    pub fn new(
        context: MainContext,
        liveness: Rc<Liveness>,
        transcripts: Rc<Transcripts>,
        waiting: Rc<Waiting>,
    ) -> Self {
        Self {
            context,
            liveness,
            transcripts,
            waiting,
            chunk: RefCell::new(vec![0; CHUNK]),
            held: Cell::new(0),
        }
    }

    /// Accepts until the socket is gone from its place.
    pub async fn open(self: &Rc<Self>, socket: &Socket) {
        let mut closed = false;
        loop {
            match socket.listener.accept(None::<&gio::Cancellable>) {
                Ok(connection) => self.enter(connection),
                Err(error) if error.matches(gio::IOErrorEnum::WouldBlock) => {
                    if socket.gone.is_cancelled() {
                        return;
                    }
                    closed = false;
                    readable(&socket.listener, Some(&socket.gone)).await;
                }
                Err(error) => {
                    // It may last: once is enough to say so, until all who wait were let in.
                    if !std::mem::replace(&mut closed, true) {
                        tracing::warn!(%error, "connections are not accepted");
                    }
                    glib::timeout_future(PAUSE).await;
                }
            }
        }
    }

    fn enter(self: &Rc<Self>, connection: gio::Socket) {
        connection.set_blocking(false);
        let door = self.clone();
        self.context.spawn_local(async move {
            if let Err(reason) = door.serve(&connection).await {
                // It may quote what came, of any length. As a text its ends of lines are escaped.
                let reason: String = reason.to_string().chars().take(200).collect();
                tracing::warn!(reason, "a connection told nothing");
            }
            let _ = connection.close();
        });
    }

    async fn serve(&self, connection: &gio::Socket) -> Result<(), Refused> {
        let pid = peer::of_this_user(connection).ok_or(Refused::Foreign)?;
        let mut reading = Reading { door: self, reader: FrameReader::default(), held: 0, pidfds: Vec::new() };
        let frame = glib::future_with_timeout(PATIENCE, reading.frame(connection));
        let frame = frame.await.map_err(|_| Refused::Slow)??;
        let pidfds = std::mem::take(&mut reading.pidfds);
        drop(reading);
        // Whatever it waits for, a helper may go once its connection is closed: no prompt is held back.
        let comes_back = frame.header.again;
        let taken_in = self.take_in(frame, pid, pidfds, connection);
        if let Ok(Some(request)) = taken_in {
            self.waiting.until_gone(request, connection).await;
        } else if comes_back {
            // Only closed it would come once more.
            let _ = connection.send(Reply::Leave.to_bytes(), None::<&gio::Cancellable>);
        }
        taken_in.map(drop)
    }

    /// Tells what a frame says. The request for which its connection is to stay open, if it is.
    fn take_in(
        &self,
        mut frame: Frame,
        peer: u32,
        pidfds: Vec<OwnedFd>,
        connection: &gio::Socket,
    ) -> Result<Option<RequestId>, Refused> {
        let header = &mut frame.header;
        let has_own_pids = peer != 0 && peer != header.helper.pid;
        if has_own_pids || header.chain.is_empty() {
            // In a sandbox a helper sees few of its parents or none, and under other numbers; from here all can be seen.
            header.chain = process::ancestors(Path::new("/proc"), peer, MAX_CHAIN);
            header.pidfds.clear();
        }
        let bytes = header.length;
        let Some(mut event) = agents::event(&frame)? else { return Ok(None) };
        let alive = event.process.is_none_or(|process| {
            self.liveness.add(process, pidfd_of(&frame.header, process.id.pid, pidfds))
        });
        if !alive {
            return Ok(None);
        }
        if let Some(agent) = agents::by_id(event.session.agent.0) {
            self.transcripts.follow(agent, &event);
        }
        let request = self.waiting.hold(&frame.header, &mut event, connection);
        if frame.header.again && request.is_none() {
            // Asked of a panel before, and since then settled or left to the terminal.
            return Ok(None);
        }
        let told = self.waiting.tell(event, bytes);
        if let Some(request) = request.filter(|_| told.is_none()) {
            // Nobody will hear of it.
            self.waiting.let_go(request);
        }
        Ok(request.filter(|_| told.is_some()))
    }
}

pub(super) async fn readable(socket: &gio::Socket, or: Option<&gio::Cancellable>) {
    SocketExtManual::create_source_future(socket, IOCondition::IN, or, Priority::DEFAULT).await;
}

/// The pidfd of the process with this pid, of those that came with the frame.
fn pidfd_of(header: &Header, pid: u32, pidfds: Vec<OwnedFd>) -> Option<OwnedFd> {
    // If some did not arrive, none can be told from another.
    let all_came = header.pidfds.len() == pidfds.len();
    let at = header.pidfds.iter().position(|&one| one == pid).filter(|_| all_came)?;
    pidfds.into_iter().nth(at)
}

/// A frame that is being read.
struct Reading<'a> {
    door: &'a Door,
    reader: FrameReader,
    held: usize,
    pidfds: Vec<OwnedFd>,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.hold(0);
    }
}

impl Reading<'_> {
    async fn frame(&mut self, connection: &gio::Socket) -> Result<Frame, Refused> {
        let mut waited = false;
        loop {
            match self.read(connection) {
                Ok(Some(frame)) => return Ok(frame),
                Ok(None) | Err(Refused::Read(Errno::INTR)) => {}
                // We were woken between its connecting and its sending: let it send, rather than be woken again.
                Err(Refused::Read(Errno::AGAIN)) if !std::mem::replace(&mut waited, true) => {
                    std::thread::yield_now();
                }
                Err(Refused::Read(Errno::AGAIN)) => readable(connection, None).await,
                Err(reason) => return Err(reason),
            }
        }
    }

    /// Bytes and descriptors come together, in one call.
    fn read(&mut self, connection: &gio::Socket) -> Result<Option<Frame>, Refused> {
        let mut chunk = self.door.chunk.borrow_mut();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PIDFDS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        let received =
            recvmsg(connection.as_fd(), &mut [IoSliceMut::new(&mut chunk)], &mut ancillary, flags)?;
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.pidfds.extend(descriptors);
            }
        }
        if self.pidfds.len() > MAX_PIDFDS {
            return Err(Refused::Laden);
        }
        if received.bytes == 0 {
            return Err(Refused::Closed);
        }
        let frame = self.reader.push(chunk.get(..received.bytes).unwrap_or_default())?;
        self.hold(self.reader.held());
        if self.door.held.get() > MAX_HELD {
            return Err(Refused::Crowded);
        }
        Ok(frame)
    }

    fn hold(&mut self, bytes: usize) {
        let all = self.door.held.get() - self.held + bytes;
        self.door.held.set(all);
        self.held = bytes;
    }
}
