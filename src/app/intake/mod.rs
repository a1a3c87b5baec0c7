// SPDX-License-Identifier: GPL-3.0-or-later
//! What comes from the agents: a thread with its own main context that owns the socket, reads frames, parses them
//! and watches processes. All it learns goes through one queue to the main loop.

mod bell;
mod connection;
mod liveness;
mod peer;
mod queue;
mod session_files;
mod small_file;
mod socket;
mod transcripts;
mod waiting;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use async_channel::Receiver;
use dasbo_core::install::Places;
use dasbo_core::request::Policy;
use glib::MainContext;

pub use queue::{Inbox, Loss, News};
pub use socket::OpenError;
pub use waiting::{Desk, Order};

use connection::Door;
use liveness::{Liveness, REAP_EVERY};
use queue::Outbox;
use session_files::SessionFiles;
use socket::Socket;
use transcripts::Transcripts;
use waiting::Waiting;

use crate::clock;

/// How long it is tried to open the socket again that was removed, and how often.
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);

/// How the intake stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Agents are heard.
    Listening,
    /// Another panel has the socket; this one gets it when that one ends.
    HeldElsewhere,
    /// Agents cannot be heard, and why.
    Failed(Arc<OpenError>),
}

/// Starts to listen at `path` and to watch what agents keep in their places; hands over what comes. Requests are held by this policy, and as the desk orders.
pub fn start(path: PathBuf, places: Option<Places>, policy: Policy) -> (Inbox, Desk) {
    let (outbox, inbox) = queue::channel();
    let (desk, orders) = waiting::desk();
    let thread_outbox = outbox.clone();
    let spawned = thread::Builder::new()
        .name("intake".into())
        .spawn(move || run(&path, places.as_ref(), &thread_outbox, policy, orders));
    if let Err(error) = spawned {
        fail(&outbox, OpenError::Thread(error));
    }
    (inbox, desk)
}

fn fail(outbox: &Outbox, reason: OpenError) {
    tracing::error!(%reason, "agents cannot be heard");
    outbox.send(News::Intake(Status::Failed(reason.into())));
}

fn run(path: &Path, places: Option<&Places>, outbox: &Outbox, policy: Policy, orders: Receiver<Order>) {
    let context = MainContext::new();
    let hear = || context.block_on(hear(&context, path, places, outbox, policy, orders));
    match context.with_thread_default(hear) {
        Ok(Ok(())) => {}
        Ok(Err(reason)) => fail(outbox, reason),
        Err(error) => fail(outbox, OpenError::Thread(io::Error::other(error))),
    }
}

async fn hear(
    context: &MainContext,
    path: &Path,
    places: Option<&Places>,
    outbox: &Outbox,
    policy: Policy,
    orders: Receiver<Order>,
) -> Result<(), OpenError> {
    let mut socket = wait_for(path, outbox).await?;
    outbox.send(News::Intake(Status::Listening));
    let waiting = Waiting::new(context.clone(), outbox.clone(), places, policy);
    context.spawn_local(waiting.clone().serve(orders));
    let transcripts = Transcripts::new(waiting.clone());
    let liveness = Rc::new(Liveness::new(outbox.clone(), transcripts.clone(), REAP_EVERY)?);
    context.spawn_local(liveness.clone().watch());
    let files = SessionFiles::new(waiting.clone(), liveness.clone(), transcripts.clone());
    if let Some(places) = places {
        files.watch(places);
    }
    context.spawn_local(read_what_was_lost(outbox.clone(), files.clone(), transcripts.clone()));
    let door = Rc::new(Door::new(context.clone(), liveness, transcripts.clone(), waiting));
    loop {
        door.open(&socket).await;
        tracing::warn!(path = %path.display(), "the socket was removed and is made again");
        socket.forget_place();
        let next = match take_again(path, outbox, &socket).await {
            Ok(next) => next,
            Err(reason) => {
                fail(outbox, reason);
                // What is known of the agents is still looked after.
                return std::future::pending().await;
            }
        };
        // Who connected meanwhile.
        door.open(&socket).await;
        socket = next;
        outbox.send(News::Intake(Status::Listening));
        let now = clock::now();
        outbox.send(News::Deaf(now));
        files.read_again(|_| Some(now));
        transcripts.read_all_again();
    }
}

/// Of what the queue had no room for, the files say how it ended.
async fn read_what_was_lost(outbox: Outbox, files: Rc<SessionFiles>, transcripts: Rc<Transcripts>) {
    while let Some(losses) = outbox.losses().await {
        files.read_again(|session| losses.iter().find(|loss| loss.session == *session).map(|loss| loss.at));
        for loss in &losses {
            transcripts.read_again(&loss.session);
        }
    }
}

/// Opens the socket, at once or as soon as the panel that has it ends.
async fn wait_for(path: &Path, outbox: &Outbox) -> Result<Socket, OpenError> {
    loop {
        let mut lock = socket::lock_file(path)?;
        if !socket::try_lock(&lock)? {
            tracing::info!("another panel has the socket");
            outbox.send(News::Intake(Status::HeldElsewhere));
            lock = socket::wait_for_lock(lock).await?;
        }
        if socket::is_in_place(&lock, path) {
            return Socket::bind(path, lock.into());
        }
    }
}

/// Opens the socket once more, whose place is still ours if its lock is there. What is in the way may be so only for a
/// moment.
async fn take_again(path: &Path, outbox: &Outbox, before: &Socket) -> Result<Socket, OpenError> {
    let begun = clock::now();
    loop {
        let opened = if socket::is_in_place(&before.lock, path) {
            Socket::bind(path, before.lock.clone())
        } else {
            wait_for(path, outbox).await
        };
        match opened {
            Err(reason) if clock::now().since(begun) < GIVE_UP_AFTER => {
                tracing::warn!(%reason, "the socket is not made yet");
                glib::timeout_future(PAUSE).await;
            }
            other => return other,
        }
    }
}
