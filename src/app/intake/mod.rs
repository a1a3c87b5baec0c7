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

use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use dasbo_core::install::Places;
use glib::MainContext;

pub use queue::{Inbox, News};
pub use socket::OpenError;

use connection::Door;
use liveness::Liveness;
use queue::Outbox;
use session_files::SessionFiles;
use socket::Socket;
use transcripts::Transcripts;

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

/// Starts to listen at `path` and hands over what comes.
pub fn start(path: PathBuf) -> Inbox {
    let (outbox, inbox) = queue::channel();
    let thread_outbox = outbox.clone();
    let spawned = thread::Builder::new().name("intake".into()).spawn(move || run(&path, &thread_outbox));
    if let Err(error) = spawned {
        fail(&outbox, OpenError::Thread(error));
    }
    inbox
}

fn fail(outbox: &Outbox, reason: OpenError) {
    tracing::error!(%reason, "agents cannot be heard");
    outbox.send(News::Intake(Status::Failed(reason.into())));
}

fn run(path: &std::path::Path, outbox: &Outbox) {
    let context = MainContext::new();
    let listened = context.with_thread_default(|| -> Result<(), OpenError> {
        let socket = wait_for(path, outbox)?;
        outbox.send(News::Intake(Status::Listening));
        let transcripts = Transcripts::new(outbox.clone());
        let liveness = Rc::new(Liveness::new(outbox.clone(), transcripts.clone())?);
        context.spawn_local(liveness.clone().watch());
        let files = SessionFiles::new(outbox.clone(), liveness.clone(), transcripts.clone());
        if let Some(places) = Places::new(std::env::vars_os()) {
            files.watch(&places);
        }
        let door = Rc::new(Door::new(context.clone(), outbox.clone(), liveness, transcripts));
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
fn wait_for(path: &std::path::Path, outbox: &Outbox) -> Result<Socket, OpenError> {
    let lock = socket::lock_file(path)?;
    if !socket::try_lock(&lock)? {
        tracing::info!("another panel has the socket");
        outbox.send(News::Intake(Status::HeldElsewhere));
        socket::wait_for_lock(&lock)?;
    }
    Socket::bind(path, lock)
}
