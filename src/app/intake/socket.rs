// SPDX-License-Identifier: GPL-3.0-or-later
//! The socket and the lock beside it: whoever holds the lock owns the socket, on whichever bus it lives. Both may be
//! removed by someone who cleans up.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use dasbo_core::wire;
use gio::FileMonitorFlags;
use gio::prelude::*;
use glib::MainContext;
use rustix::fs::{FlockOperation, flock};

/// gio's default is 10: with that many helpers in the queue the next one fails.
const BACKLOG: i32 = 4096;

/// How often the socket's place is looked at that cannot be watched.
const OFTEN: Duration = Duration::from_secs(2);

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
    /// Cancelled once the socket or its lock is no longer in its place: helpers, or other panels, look for it in vain.
    pub gone: gio::Cancellable,
    monitor: Option<gio::FileMonitor>,
    pub lock: Rc<File>,
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

/// Takes the lock once its holder ends. Meanwhile a thread of its own waits.
pub async fn wait_for_lock(lock: File) -> Result<File, OpenError> {
    let (sender, taken) = async_channel::bounded(1);
    let wait = move || sender.try_send(block_for_lock(&lock).map(|()| lock));
    thread::Builder::new().name("lock".into()).spawn(wait).map_err(OpenError::Thread)?;
    taken.recv().await.unwrap_or_else(|error| Err(OpenError::Thread(io::Error::other(error))))
}

fn block_for_lock(lock: &File) -> Result<(), OpenError> {
    loop {
        match flock(lock, FlockOperation::LockExclusive) {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map_err(|error| OpenError::File(PathBuf::from("hook.lock"), error.into())),
        }
    }
}

/// Whether this is the lock that other panels find: it may have been removed while it was waited for.
pub fn is_in_place(lock: &File, socket: &Path) -> bool {
    let found = fs::symlink_metadata(wire::lock_path(socket)).and_then(|found| Ok((found, lock.metadata()?)));
    found.is_ok_and(|(found, own)| is_same(&found, &own))
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

impl Socket {
    /// Listens at `path`, which `lock` makes ours: what stands there is left from a panel that is gone.
    pub fn bind(path: &Path, lock: Rc<File>) -> Result<Self, OpenError> {
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
        let own = fs::symlink_metadata(path).map_err(|error| OpenError::File(path.to_owned(), error))?;
        let gone = gio::Cancellable::new();
        let check = place_check(path.to_owned(), own, lock.clone(), gone.clone());
        let monitor = match monitor(path, check.clone()) {
            Ok(monitor) => Some(monitor),
            Err(error) => {
                tracing::warn!(%error, "the socket's folder is not watched, but looked at");
                look_often(check.clone(), gone.clone());
                None
            }
        };
        // It may be gone already.
        check();
        Ok(Self { listener, gone, monitor, lock })
    }
}

impl Socket {
    /// No longer looks after its place. `GLib` has one watch for a path, and keeps it for a folder that is gone as long as
    /// any monitor is left that began before.
    pub fn forget_place(&self) {
        self.gone.cancel();
        if let Some(monitor) = &self.monitor {
            monitor.cancel();
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.forget_place();
    }
}

/// Where there is no inotify: until `gone` is cancelled.
fn look_often(look: impl Fn() + 'static, gone: gio::Cancellable) {
    MainContext::ref_thread_default().spawn_local(async move {
        while !gone.is_cancelled() {
            glib::timeout_future(OFTEN).await;
            look();
        }
    });
}

/// Cancels `gone` if it finds something else than ours.
fn place_check(
    socket: PathBuf,
    own: Metadata,
    lock: Rc<File>,
    gone: gio::Cancellable,
) -> impl Fn() + Clone + 'static {
    move || {
        let is_there = fs::symlink_metadata(&socket).is_ok_and(|found| is_same(&found, &own));
        if !is_there || !is_in_place(&lock, &socket) {
            gone.cancel();
        }
    }
}

/// Looks whenever something changes in the socket's folder.
fn monitor(socket: &Path, look: impl Fn() + 'static) -> Result<gio::FileMonitor, glib::Error> {
    let folder = gio::File::for_path(socket.parent().unwrap_or(socket));
    let monitor = folder.monitor_directory(FileMonitorFlags::WATCH_MOVES, None::<&gio::Cancellable>)?;
    monitor.connect_changed(move |_, _, _, _| look());
    Ok(monitor)
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
