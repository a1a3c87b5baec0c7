// SPDX-License-Identifier: GPL-3.0-or-later
//! The intake: what comes from the real helper and from clients that are none. Needs no display.

#[path = "intake/bad_input.rs"]
mod bad_input;
#[path = "intake/crowd.rs"]
mod crowd;
#[path = "intake/frames.rs"]
mod frames;
#[path = "intake/listener.rs"]
mod listener;
#[path = "intake/overflow.rs"]
mod overflow;
#[path = "intake/processes.rs"]
mod processes;
#[path = "intake/session_files.rs"]
mod session_files;
#[path = "intake/socket.rs"]
mod socket;
#[path = "intake/waiting.rs"]
mod waiting;
