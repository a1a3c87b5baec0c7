// SPDX-License-Identifier: GPL-3.0-or-later
//! Tells the panel what an agent's hook says, and brings back what a person answered. Every failure is silent.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod ask;
mod call;
mod clock;
mod input;
mod notify;
mod output;
mod panel;
mod request;

use dasbo_core::wire::Mode;

/// An agent takes a hook's noise or failure for an answer, so a panic too ends in silence and exit status 0.
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let _ = std::panic::catch_unwind(run);
}

fn run() -> Option<()> {
    let at = clock::now();
    let call = call::Call::parse(std::env::args_os())?;
    let request = request::Request::new(at, call, input::read());
    let socket = panel::send(&request)?;
    match request.mode() {
        Mode::Notify => notify::wait(&request, &socket),
        Mode::Ask => ask::wait(request, socket),
    }
    Some(())
}
