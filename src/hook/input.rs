// SPDX-License-Identifier: GPL-3.0-or-later
//! The payload on standard input.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use dasbo_core::wire::{Form, JsonEnd, MAX_PAYLOAD};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::clock::{Deadline, timespec};

/// How long an agent may take to write its payload, all in all.
const PATIENCE: Duration = Duration::from_secs(2);

const READ: usize = 64 << 10;

/// What was read.
pub struct Input {
    pub form: Form,
    /// Empty when omitted.
    pub bytes: Vec<u8>,
    /// Bytes read, kept or not.
    pub length: usize,
}

/// Reads one JSON value, or what comes until the end of input or of our patience.
///
/// Some agents leave the pipe open, so the value's own end ends it. It is never opened anew by its name: it can be a socket.
pub fn read() -> Input {
    let mut bytes = Vec::new();
    let end = read_value(rustix::stdio::stdin(), &mut bytes);
    if let End::Value(length) = end {
        bytes.truncate(length);
    }
    let length = bytes.len();
    let form = match end {
        End::TooLarge => Form::Omitted,
        _ if length > MAX_PAYLOAD => Form::Omitted,
        End::Value(_) if str::from_utf8(&bytes).is_ok() => Form::Json,
        End::Value(_) | End::Input => Form::Raw,
    };
    if form == Form::Omitted {
        bytes = Vec::new();
    }
    Input { form, bytes, length }
}

/// Why reading ended.
enum End {
    /// The value is whole: it has this many bytes.
    Value(usize),
    /// Nothing more comes, or it comes too late.
    Input,
    /// More than can be taken. A part alone is never passed on.
    TooLarge,
}

fn read_value(input: BorrowedFd<'_>, bytes: &mut Vec<u8>) -> End {
    let deadline = Deadline::after(PATIENCE);
    let mut json = JsonEnd::default();
    while is_ready(input, deadline) {
        let before = bytes.len();
        if before > MAX_PAYLOAD || bytes.try_reserve(READ).is_err() {
            return End::TooLarge;
        }
        match rustix::io::read(input, spare_capacity(bytes)) {
            Ok(0) => break,
            Ok(_) => {
                if let Some(part) = bytes.get(before..).and_then(|new| json.push(new)) {
                    return End::Value(before + part);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => break,
        }
    }
    End::Input
}

/// Waits for the next bytes; no once the time is over, even if some are there: they could go on for ever.
fn is_ready(input: BorrowedFd<'_>, deadline: Deadline) -> bool {
    loop {
        let left = deadline.left();
        if left.is_zero() {
            return false;
        }
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&timespec(left))) {
            Err(Errno::INTR) => {}
            ready => return ready.is_ok_and(|count| count > 0),
        }
    }
}
