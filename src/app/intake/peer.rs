// SPDX-License-Identifier: GPL-3.0-or-later
//! Who is at the other end of a connection.

use std::os::fd::AsFd;

use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, getuid};

/// The peer's process, if it is one of this user's.
///
/// Inside a sandbox the number may mean nothing; outside of it, it is true even where the peer cannot see itself.
pub fn of_this_user(socket: impl AsFd) -> Option<Pid> {
    let peer = socket_peercred(socket).ok()?;
    (peer.uid == getuid()).then_some(peer.pid)
}
