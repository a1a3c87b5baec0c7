// SPDX-License-Identifier: GPL-3.0-or-later
//! The helpers that wait for an answer: what they are told, and the last look before an answer goes out.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use async_channel::{Receiver, Sender};
use dasbo_core::agents::{self, Agent};
use dasbo_core::event::{AgentProcess, Event, Status, What};
use dasbo_core::install::Places;
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::registry::Sent;
use dasbo_core::request::{Book, Held, Hold, Opened, Policy, Prompt, Request, RequestId, Verdict};
use dasbo_core::wire::{Header, Mode, Reply};
use gio::prelude::*;
use glib::{IOCondition, MainContext, Priority};

use super::queue::{News, Outbox};
use super::{small_file, transcripts};
use crate::clock;

/// What all requests that are held may take together (256 MiB). One more is left to the terminal.
const MAX_HELD: usize = 256 << 20;

/// A request that comes back was asked before its panel ended; the file tells of it this much later at most.
const FILE_LAG: std::time::Duration = std::time::Duration::from_secs(1);

/// Larger files are not a session's own (64 KiB).
const MAX_FILE: u64 = 64 << 10;

/// What the panel wants done about a request.
#[derive(Debug)]
pub enum Order {
    /// To give a person's answer: these bytes. It was given knowing the news up to this number.
    Answer(RequestId, Vec<u8>, u64),
    /// To let a helper go without an answer.
    LetGo(RequestId),
    /// To hold requests by this policy from now on.
    Follow(Policy),
}

/// Where the panel gives its orders.
#[derive(Debug, Clone)]
pub struct Desk(Sender<Order>);

impl Desk {
    /// Gives an order. It is carried out in turn, aside from the main loop.
    pub fn order(&self, order: Order) {
        // The intake is gone only when it could not begin.
        let _ = self.0.try_send(order);
    }
}

/// A desk, and where its orders arrive.
pub fn desk() -> (Desk, Receiver<Order>) {
    let (sender, receiver) = async_channel::unbounded();
    (Desk(sender), receiver)
}

/// The helpers that wait.
#[derive(Debug)]
pub struct Waiting {
    context: MainContext,
    outbox: Outbox,
    book: RefCell<Book>,
    connections: RefCell<HashMap<RequestId, Connection>>,
    policy: RefCell<Policy>,
    held: Cell<usize>,
    /// The folders in which agents keep their sessions' files.
    folders: Vec<(&'static dyn Agent, PathBuf)>,
}

#[derive(Debug)]
struct Connection {
    socket: gio::Socket,
    bytes: usize,
}

impl Waiting {
    pub fn new(context: MainContext, outbox: Outbox, places: Option<&Places>, policy: Policy) -> Rc<Self> {
        let folder = |agent: &&'static dyn Agent| Some((*agent, agent.session_folder(places?)?));
        Rc::new(Self {
            context,
            outbox,
            book: RefCell::default(),
            connections: RefCell::default(),
            policy: policy.into(),
            held: Cell::new(0),
            folders: agents::AGENTS.iter().filter_map(folder).collect(),
        })
    }

    /// Carries out what the panel wants, for ever.
    pub async fn serve(self: Rc<Self>, orders: Receiver<Order>) {
        while let Ok(order) = orders.recv().await {
            match order {
                Order::Answer(id, bytes, seen) => self.answer(id, bytes, seen),
                Order::LetGo(id) => self.let_go(id),
                Order::Follow(policy) => drop(self.policy.replace(policy)),
            }
        }
    }

    /// Decides whether the helper that sent this waits, and tells it so. The event then carries the request's id.
    pub fn hold(&self, header: &Header, event: &mut Event, socket: &gio::Socket) -> Option<RequestId> {
        let asks = if let What::Requested(request, _) = &event.what { request.clone() } else { return None };
        let now = clock::now();
        let hold = self.policy.borrow().hold(event.session.agent, &asks, now);
        let until = match hold {
            Hold::Not => return None,
            Hold::Until(moment) => Some(moment),
            Hold::UntilAnswered => None,
        };
        let is_wanted = header.mode == Mode::Ask && self.held.get() + header.length <= MAX_HELD;
        if !is_wanted || (header.again && !self.is_still_asked(header, event, &asks)) {
            return None;
        }
        self.acknowledge(event, &asks, socket).ok()?;
        let id =
            self.enter(event, &asks, header.at, Connection { socket: socket.clone(), bytes: header.length });
        event.what = What::Requested(asks, Some(Held { id, since: header.at, until }));
        if header.again {
            event.at = now;
        }
        Some(id)
    }

    /// Should this panel vanish, a helper may come back only where the next one can see whether it is still asked.
    fn acknowledge(&self, event: &Event, asks: &Request, socket: &gio::Socket) -> Result<(), glib::Error> {
        let can_tell = asks.prompt == Prompt::Beside && self.status(event.process).is_some();
        let reply = if can_tell { Reply::ComeBack } else { Reply::Leave };
        socket.send(reply.to_bytes(), None::<&gio::Cancellable>).map(drop)
    }

    fn enter(&self, event: &Event, asks: &Request, at: Moment, connection: Connection) -> RequestId {
        let mut book = self.book.borrow_mut();
        let unix_millis = u64::try_from(glib::real_time() / 1_000).unwrap_or_default();
        let id = book.next_id(unix_millis);
        let process = event.process.map(|process| process.id);
        let beside = asks.prompt == Prompt::Beside;
        book.open(id, Opened { session: event.session.clone(), process, at, beside });
        self.held.set(self.held.get() + connection.bytes);
        self.connections.borrow_mut().insert(id, connection);
        tracing::debug!(request = %id, session = %event.session.id, "a hook waits");
        id
    }

    /// Whether what was asked of a panel before is still asked: the agent's file says waiting since then, and its
    /// transcript has no result.
    fn is_still_asked(&self, header: &Header, event: &Event, asks: &Request) -> bool {
        let waits = matches!(
            self.status(event.process),
            Some((Status::Waiting, since)) if since <= header.at + FILE_LAG
        );
        let agent = agents::by_id(event.session.agent.0);
        let transcript = event.about.transcript.as_deref().map(Path::new);
        let lines = transcript.and_then(transcripts::last_lines).unwrap_or_default();
        waits && agent.is_some_and(|agent| !agent.has_result(asks, &lines))
    }

    /// What the file of an agent's process says now, and since when.
    fn status(&self, process: Option<AgentProcess>) -> Option<(Status, Moment)> {
        let process = process?.id;
        self.folders.iter().find_map(|(agent, folder)| status_in(*agent, folder, process))
    }

    /// Waits until the helper is gone; tells of it, if that is news.
    pub async fn until_gone(&self, id: RequestId, socket: &gio::Socket) {
        super::connection::readable(socket, None).await;
        // A helper says nothing after its frame: it has ended, or is none.
        if self.forget(id) {
            self.outbox.send(News::HookEnded(id));
        }
    }

    /// Tells the panel, and takes note of it: no answer goes out that was given without knowing this. The number of
    /// these news; `None`: they are lost.
    pub fn tell(&self, event: Event, bytes: usize) -> Option<u64> {
        let mut book = self.book.borrow_mut();
        if let (What::Reported(status), Some(process)) = (&event.what, event.process) {
            book.reported(process.id, *status, event.at);
        }
        let session = event.session.clone();
        let number = self.outbox.send_event(event, bytes)?;
        book.told(&session, number);
        Some(number)
    }

    fn answer(self: &Rc<Self>, id: RequestId, bytes: Vec<u8>, seen: u64) {
        match self.verdict(id, seen) {
            Some(Verdict::NotYet) => self.outbox.send(News::NotYet(id)),
            Some(Verdict::Send) => {
                if let Some(socket) = self.take(id) {
                    let waiting = self.clone();
                    self.context.spawn_local(async move { waiting.give(id, &socket, bytes).await });
                }
            }
            Some(Verdict::TooLate) => {
                self.outbox.send(News::Sent(id, Sent::TooLate));
                self.let_go(id);
            }
            None => self.outbox.send(News::Sent(id, Sent::TooLate)),
        }
    }

    /// The last look: a Yes in the terminal ends no hook, but the file knows.
    fn verdict(&self, id: RequestId, seen: u64) -> Option<Verdict> {
        let mut book = self.book.borrow_mut();
        let process = book.get(id)?.process;
        let said = process.and_then(|id| self.status(Some(AgentProcess { id, tty: 0 })));
        if let (Some(process), Some((status, at))) = (process, said) {
            book.reported(process, status, at);
        }
        book.verdict(id, seen)
    }

    async fn give(&self, id: RequestId, socket: &gio::Socket, bytes: Vec<u8>) {
        let sent = send_all(socket, &Reply::Answer(bytes).to_bytes()).await;
        if let Err(error) = &sent {
            tracing::warn!(request = %id, %error, "an answer did not arrive");
        }
        self.outbox.send(News::Sent(id, if sent.is_ok() { Sent::Answered } else { Sent::TooLate }));
        close(socket);
    }

    /// Tells a helper to leave. Its connection ends with it.
    pub fn let_go(&self, id: RequestId) {
        if let Some(socket) = self.take(id) {
            let _ = socket.send(Reply::Leave.to_bytes(), None::<&gio::Cancellable>);
            close(&socket);
        }
    }

    fn take(&self, id: RequestId) -> Option<gio::Socket> {
        let socket = self.connections.borrow().get(&id).map(|connection| connection.socket.clone());
        self.forget(id);
        socket
    }

    /// Whether it was still open.
    fn forget(&self, id: RequestId) -> bool {
        if let Some(connection) = self.connections.borrow_mut().remove(&id) {
            self.held.set(self.held.get().saturating_sub(connection.bytes));
        }
        self.book.borrow_mut().close(id)
    }
}

fn status_in(agent: &'static dyn Agent, folder: &Path, process: ProcessId) -> Option<(Status, Moment)> {
    let path = folder.join(format!("{}.json", process.pid));
    let bytes = small_file::read(&path, MAX_FILE).ok()?;
    let event = agent.session_file(&path, &bytes, clock::wall())?;
    match event.what {
        What::Reported(status) if event.process.is_some_and(|known| known.id == process) => {
            Some((status, event.at))
        }
        _ => None,
    }
}

/// Nothing more is said in either direction; what waits on it wakes.
fn close(socket: &gio::Socket) {
    let _ = socket.shutdown(true, true);
}

async fn send_all(socket: &gio::Socket, mut bytes: &[u8]) -> Result<(), glib::Error> {
    while !bytes.is_empty() {
        match socket.send(bytes, None::<&gio::Cancellable>) {
            Ok(sent) => bytes = bytes.get(sent..).unwrap_or_default(),
            Err(error) if error.matches(gio::IOErrorEnum::WouldBlock) => writable(socket).await,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn writable(socket: &gio::Socket) {
    SocketExtManual::create_source_future(
        socket,
        IOCondition::OUT,
        None::<&gio::Cancellable>,
        Priority::DEFAULT,
    )
    .await;
}
