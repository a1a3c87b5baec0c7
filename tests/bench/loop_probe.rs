// SPDX-License-Identifier: GPL-3.0-or-later
//! How long the panel's main loop is busy at a stretch, from outside.
//!
//! `GApplication` answers calls to its own name on the main loop, before anything is drawn or taken in. A call that
//! comes while the loop is busy waits until the stretch is over, so the longest answer, less what an answer takes at
//! rest, is how long a frame, a click or a key can have waited. Between two calls is a millisecond that nobody sees.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::report::median;

static STOP: AtomicBool = AtomicBool::new(false);

/// Calls all the time, on a thread of its own.
pub struct LoopProbe {
    calls: JoinHandle<Vec<f64>>,
    at_rest: f64,
}

/// Milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Stretches {
    pub longest: f64,
    /// One in a thousand calls waited longer.
    pub p999: f64,
}

impl LoopProbe {
    /// Begins, with a panel that is at rest.
    pub fn start() -> Self {
        let bus = gio::bus_get_sync(gio::BusType::Session, None::<&gio::Cancellable>).expect("a session bus");
        let at_rest: Vec<f64> = (0..200).map(|_| call(&bus)).collect();
        STOP.store(false, Ordering::Relaxed);
        let calls = std::thread::spawn(move || {
            let mut calls = Vec::new();
            while !STOP.load(Ordering::Relaxed) {
                calls.push(call(&bus));
                std::thread::sleep(Duration::from_millis(1));
            }
            calls
        });
        Self { calls, at_rest: median(&at_rest) }
    }

    pub fn stop(self) -> Stretches {
        STOP.store(true, Ordering::Relaxed);
        let mut calls = self.calls.join().unwrap();
        calls.sort_by(f64::total_cmp);
        let beyond_rest = |at: usize| (calls[at] - self.at_rest).max(0.0);
        let last = calls.len() - 1;
        Stretches { longest: beyond_rest(last), p999: beyond_rest(last - last / 1000) }
    }
}

/// Milliseconds that an answer takes.
fn call(bus: &gio::DBusConnection) -> f64 {
    let begun = Instant::now();
    let answer = bus.call_sync(
        Some("org.dasbo.Dasbo"),
        "/org/dasbo/Dasbo",
        "org.gtk.Actions",
        "List",
        None,
        None,
        gio::DBusCallFlags::NO_AUTO_START,
        20_000,
        None::<&gio::Cancellable>,
    );
    answer.expect("the panel's actions");
    begun.elapsed().as_secs_f64() * 1e3
}
