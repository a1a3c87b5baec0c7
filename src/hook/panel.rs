// SPDX-License-Identifier: GPL-3.0-or-later
//! The way to the panel: connect, and send one frame.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use dasbo_core::wire::{MAX_PIDFDS, socket_path};
use rustix::io::retry_on_intr;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags,
    SocketType, connect, sendmsg, socket_with,
};
use rustix::process::{Uid, getuid};

use crate::clock::Deadline;
use crate::request::Request;

/// How long one step may stall: connecting to a panel that is full, sending to one that does not read.
const STALL: Duration = Duration::from_millis(100);

/// How long sending may take in all, however steadily the panel reads.
const PATIENCE: Duration = Duration::from_secs(2);

/// Payload bytes sent in one step, so that [`PATIENCE`] is looked at in between.
const PIECE: usize = 64 << 10;

/// Connects and sends the whole frame. `None` when nobody takes it.
pub fn send(request: &Request) -> Option<OwnedFd> {
    let line = request.header_line()?;
    let socket = open()?;
    let mut bytes: Vec<IoSlice<'_>> =
        std::iter::once(line.as_slice()).chain(request.payload().chunks(PIECE)).map(IoSlice::new).collect();
    let pidfds: Vec<BorrowedFd<'_>> = request.pidfds().iter().map(AsFd::as_fd).collect();
    send_all(socket.as_fd(), &mut bytes, &pidfds)?;
    Some(socket)
}

fn open() -> Option<OwnedFd> {
    let user = getuid();
    let path = socket_path(|name| std::env::var_os(name), user.as_raw()).filter(|path| is_of(user, path))?;
    let address = SocketAddrUnix::new(&path).ok()?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).ok()?;
    for timeout in [Timeout::Send, Timeout::Recv] {
        set_socket_timeout(&socket, timeout, Some(STALL)).ok()?;
    }
    retry_on_intr(|| connect(&socket, &address)).ok()?;
    Some(socket)
}

/// Another user's panel would read what our agent does, and could answer it. (The peer's credentials would tell as well,
/// but rustix 1.1 cannot hold the pid 0 that a peer outside our pid namespace has.)
fn is_of(user: Uid, socket: &Path) -> bool {
    socket.metadata().is_ok_and(|file| file.uid() == user.as_raw())
}

/// Sends `bytes`, the first of them with `pidfds`.
fn send_all(socket: BorrowedFd<'_>, mut bytes: &mut [IoSlice<'_>], pidfds: &[BorrowedFd<'_>]) -> Option<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PIDFDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !pidfds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(pidfds)) {
        return None;
    }
    let deadline = Deadline::after(PATIENCE);
    while !bytes.is_empty() && !deadline.left().is_zero() {
        let step = bytes.get(..2).unwrap_or(bytes);
        let sent = retry_on_intr(|| sendmsg(socket, step, &mut control, SendFlags::NOSIGNAL)).ok()?;
        IoSlice::advance_slices(&mut bytes, sent);
        control.clear();
    }
    bytes.is_empty().then_some(())
}
