// SPDX-License-Identifier: GPL-3.0-or-later
//! The socket and the lock beside it: whoever holds the lock owns the socket, on whichever bus it lives.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use dasbo_core::wire;
use gio::prelude::*;
use rustix::fs::{FlockOperation, flock};

/// gio's default is 10: with that many helpers in the queue the next one fails.
const BACKLOG: i32 = 4096;

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file operation failed.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// A socket operation failed.
    #[error("{0}: {1}")]
    Socket(PathBuf, glib::Error),
    /// The processes cannot be watched.
    #[error("cannot watch processes: {0}")]
    Watch(io::Error),
}

/// A listening socket, with the lock that makes it ours.
#[derive(Debug)]
pub struct Socket {
    pub listener: gio::Socket,
    _lock: File,
}

/// The lock's file, made with its folder if it is not there.
pub fn lock_file(socket: &Path) -> Result<File, OpenError> {
    let path = wire::lock_path(socket);
    let failed = |error| OpenError::File(path.clone(), error);
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(failed)
}

/// Takes the lock if nobody has it.
pub fn try_lock(lock: &File) -> Result<bool, OpenError> {
    match flock(lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(OpenError::File(PathBuf::from("hook.lock"), error.into())),
    }
}

/// Takes the lock once its holder ends.
pub fn wait_for_lock(lock: &File) -> Result<(), OpenError> {
    loop {
        match flock(lock, FlockOperation::LockExclusive) {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map_err(|error| OpenError::File(PathBuf::from("hook.lock"), error.into())),
        }
    }
}

impl Socket {
    /// Listens at `path`, which `lock` makes ours: what stands there is left from a panel that is gone.
    pub fn bind(path: &Path, lock: File) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Socket(path.to_owned(), error);
        if let Err(error) = fs::remove_file(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(OpenError::File(path.to_owned(), error));
        }
        let (family, stream) = (gio::SocketFamily::Unix, gio::SocketType::Stream);
        let listener = gio::Socket::new(family, stream, gio::SocketProtocol::Default).map_err(failed)?;
        listener.bind(&gio::UnixSocketAddress::new(path), false).map_err(failed)?;
        fs::set_permissions(path, Permissions::from_mode(0o600))
            .map_err(|error| OpenError::File(path.to_owned(), error))?;
        listener.set_listen_backlog(BACKLOG);
        listener.set_blocking(false);
        listener.listen().map_err(failed)?;
        Ok(Self { listener, _lock: lock })
    }
}
