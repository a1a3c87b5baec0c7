// SPDX-License-Identifier: GPL-3.0-or-later
//! The socket and the lock beside it: whoever holds the lock owns the socket, on whichever bus it lives.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};

use dasbo_core::wire;
use gio::prelude::*;
use rustix::fs::{FlockOperation, flock};

/// gio's default is 10: with that many helpers in the queue the next one fails.
const BACKLOG: i32 = 4096;

/// Why agents cannot be heard.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The environment names no runtime folder, and there is none to trust.
    #[error("no runtime folder")]
    NoRuntimeFolder,
    /// The socket's path does not fit into an address.
    #[error("{0}: path too long for a socket")]
    PathTooLong(PathBuf),
    /// A file operation failed.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// A socket operation failed.
    #[error("{0}: {1}")]
    Socket(PathBuf, glib::Error),
    /// The processes cannot be watched.
    #[error("cannot watch processes: {0}")]
    Watch(io::Error),
    /// There is no thread to listen on.
    #[error("no intake thread: {0}")]
    Thread(io::Error),
}

/// Two are alike when they say the same.
impl PartialEq for OpenError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for OpenError {}

/// A listening socket, with the lock that makes it ours.
#[derive(Debug)]
pub struct Socket {
    pub listener: gio::Socket,
    _lock: File,
}

/// The lock's file, made with its folder if it is not there, for a socket that can be.
pub fn lock_file(socket: &Path) -> Result<File, OpenError> {
    check_length(socket)?;
    let path = wire::lock_path(socket);
    let failed = |error| OpenError::File(path.clone(), error);
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(failed)
}

/// `GLib` cuts a path that is too long, and would listen where no helper looks.
fn check_length(socket: &Path) -> Result<(), OpenError> {
    let fits = SocketAddr::from_pathname(socket);
    fits.map(drop).map_err(|_| OpenError::PathTooLong(socket.to_owned()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_too_long_for_an_address_is_refused_before_anything_is_made() {
        let folder = tempfile::tempdir().unwrap();
        // An address of the kernel's has room for 107 bytes and the zero that ends them (unix(7)).
        let path = |length: usize| {
            let room = length - folder.path().as_os_str().len() - 1;
            folder.path().join("d".repeat(room - "/s".len())).join("s")
        };
        assert!(lock_file(&path(107)).is_ok());
        let long = path(108);
        assert_eq!(lock_file(&long).unwrap_err(), OpenError::PathTooLong(long.clone()));
        assert!(!long.parent().unwrap().exists());
    }
}
