// SPDX-License-Identifier: GPL-3.0-or-later
//! After asking: wait for the answer, or for whatever ends the question.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use dasbo_core::wire::{Reply, ReplyReader};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::clock::{Deadline, timespec};
use crate::request::Request;
use crate::{output, panel};

/// How long the panel may take to acknowledge. It does so from a thread that only reads, so within this time even a
/// swapped-out one has answered; some agents hold back their own prompt meanwhile, so longer would be felt.
const ACKNOWLEDGEMENT: Duration = Duration::from_secs(2);

/// Pauses between looks for a new panel, growing.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A panel that ends lets helpers in for a moment still. One that hangs up so often without a word does not want us.
const HANG_UPS: u32 = 3;

/// Waits, over as many panels as it takes, and prints the answer if one is given.
pub fn wait(mut request: Request, mut socket: OwnedFd) {
    let mut pause = FIRST_PAUSE;
    let mut hang_ups = 0;
    loop {
        match listen(&request, &socket) {
            Heard::Answer(answer) => return output::print(&answer),
            Heard::Leave => return,
            Heard::ComeBack => hang_ups = 0,
            Heard::Nothing => {
                hang_ups += 1;
                if !request.is_sent_again() || hang_ups == HANG_UPS {
                    return;
                }
            }
        }
        drop(socket);
        request.mark_sent_again();
        match return_to_panel(&request, &mut pause) {
            Some(next) => socket = next,
            None => return,
        }
    }
}

/// What one panel had to say, in the end.
enum Heard {
    Answer(Vec<u8>),
    Leave,
    ComeBack,
    /// It was gone before it said anything.
    Nothing,
}

fn listen(request: &Request, socket: &OwnedFd) -> Heard {
    let mut acknowledgement = Some(Deadline::after(ACKNOWLEDGEMENT));
    let mut when_gone = Heard::Nothing;
    let mut replies = ReplyReader::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        if !matches!(pause_for(request, Some(socket.as_fd()), acknowledgement), Woken::Panel) {
            return Heard::Leave;
        }
        match recv(socket, &mut buffer, RecvFlags::empty()) {
            Ok((0, _)) => return when_gone,
            Ok((received, _)) => replies.push(buffer.get(..received).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(_) => return when_gone,
        }
        while let Some(reply) = replies.next_reply().transpose() {
            acknowledgement = None;
            when_gone = match reply {
                Ok(Reply::Answer(answer)) => return Heard::Answer(answer),
                Ok(Reply::ComeBack) => Heard::ComeBack,
                Ok(Reply::Leave) => Heard::Leave,
                Err(_) => return Heard::Leave,
            };
        }
    }
}

/// Sends the request to the next panel. `None` when the agent ended first, or when nothing would tell us that it has.
fn return_to_panel(request: &Request, pause: &mut Duration) -> Option<OwnedFd> {
    request.agent()?;
    while let Woken::Time = pause_for(request, None, Some(Deadline::after(*pause))) {
        if let Some(socket) = panel::send(request) {
            return Some(socket);
        }
        *pause = (*pause * 2).min(LONGEST_PAUSE);
    }
    None
}

/// What a pause ended with.
enum Woken {
    /// The panel said something, or is gone.
    Panel,
    /// The time is over.
    Time,
    /// Nobody waits for an answer any more.
    Over,
}

/// Waits for the panel at `socket` to speak, until the deadline or until nobody needs the answer: the agent ended, or
/// nobody reads our output.
fn pause_for(request: &Request, socket: Option<BorrowedFd<'_>>, deadline: Option<Deadline>) -> Woken {
    let output = rustix::stdio::stdout();
    let agent = request.agent();
    let mut watched = vec![PollFd::new(&output, PollFlags::empty())];
    watched.extend(agent.iter().map(|agent| PollFd::new(agent, PollFlags::IN)));
    let enders = watched.len();
    watched.extend(socket.iter().map(|socket| PollFd::new(socket, PollFlags::IN)));
    loop {
        let patience = deadline.map(|deadline| timespec(deadline.left()));
        return match poll(&mut watched, patience.as_ref()) {
            Err(Errno::INTR) => continue,
            Ok(0) => Woken::Time,
            Ok(_) if watched.iter().take(enders).all(|one| one.revents().is_empty()) => Woken::Panel,
            Ok(_) | Err(_) => Woken::Over,
        };
    }
}
