// SPDX-License-Identifier: GPL-3.0-or-later
//! What comes from the agents: a thread with its own main context that owns the socket, reads frames, parses them
//! and watches processes. All it learns goes through one queue to the main loop.

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

use async_channel::Receiver;
use dasbo_core::install::Places;
use dasbo_core::request::Policy;
use glib::MainContext;

pub use queue::{Inbox, News};
pub use socket::OpenError;
pub use waiting::{Desk, Order};

use connection::Door;
use liveness::Liveness;
use queue::Outbox;
use session_files::SessionFiles;
use socket::Socket;
use transcripts::Transcripts;
use waiting::Waiting;

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
    let listened = context.with_thread_default(|| -> Result<(), OpenError> {
        let socket = wait_for(path, outbox)?;
        outbox.send(News::Intake(Status::Listening));
        let waiting = Waiting::new(context.clone(), outbox.clone(), places, policy);
        context.spawn_local(waiting.clone().serve(orders));
        let transcripts = Transcripts::new(waiting.clone());
        let liveness = Rc::new(Liveness::new(outbox.clone(), transcripts.clone())?);
        context.spawn_local(liveness.clone().watch());
        let files = SessionFiles::new(waiting.clone(), liveness.clone(), transcripts.clone());
        if let Some(places) = places {
            files.watch(places);
        }
        let door = Rc::new(Door::new(context.clone(), liveness, transcripts, waiting));
        context.block_on(door.open(socket));
        Ok(())
    });
    match listened {
        Ok(Ok(())) => {}
        Ok(Err(reason)) => fail(outbox, reason),
        Err(error) => fail(outbox, OpenError::Thread(io::Error::other(error))),
    }
}

/// Opens the socket, at once or as soon as the panel that has it ends.
fn wait_for(path: &Path, outbox: &Outbox) -> Result<Socket, OpenError> {
    let lock = socket::lock_file(path)?;
    if !socket::try_lock(&lock)? {
        tracing::info!("another panel has the socket");
        outbox.send(News::Intake(Status::HeldElsewhere));
        socket::wait_for_lock(&lock)?;
    }
    Socket::bind(path, lock)
}
