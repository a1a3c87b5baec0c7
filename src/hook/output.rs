// SPDX-License-Identifier: GPL-3.0-or-later
//! The answer on standard output.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Writes all of `answer`, unless its reader goes.
pub fn print(mut answer: &[u8]) {
    let output = rustix::stdio::stdout();
    while !answer.is_empty() {
        match rustix::io::write(output, answer) {
            Ok(written) => answer = answer.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // Whoever shares this output made it non-blocking.
            Err(Errno::AGAIN) => {
                let _ = poll(&mut [PollFd::new(&output, PollFlags::OUT)], None);
            }
            Err(_) => return,
        }
    }
}
