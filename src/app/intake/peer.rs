// SPDX-License-Identifier: GPL-3.0-or-later
//! Who is at the other end of a connection.

use gio::prelude::*;
use rustix::process::getuid;

/// The pid of a peer that belongs to this user; 0 where it is in a pid namespace that cannot be seen from here.
///
/// From outside of its sandbox the number is true even where the peer cannot see itself. Asked through `GLib`: rustix
/// takes the pid for one that is never 0.
pub fn of_this_user(socket: &gio::Socket) -> Option<u32> {
    let peer = socket.credentials().ok()?;
    let user = peer.unix_user().ok()?;
    (user == getuid().as_raw())
        .then(|| peer.unix_pid().ok().and_then(|pid| u32::try_from(pid).ok()).unwrap_or(0))
}
