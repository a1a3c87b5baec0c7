// SPDX-License-Identifier: GPL-3.0-or-later
//! After telling.

use std::os::fd::OwnedFd;

use rustix::net::{RecvFlags, recv};

use crate::request::Request;

/// Goes at once, unless the panel must look for the agent from our pid: then it waits for any word of the panel, or for
/// the socket's receive timeout.
pub fn wait(request: &Request, socket: &OwnedFd) {
    if !request.sees_agent() {
        let _ = recv(socket, &mut [0; 16], RecvFlags::empty());
    }
}
