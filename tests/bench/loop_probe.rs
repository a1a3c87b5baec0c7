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
    calls: JoinHandle<Vec<Call>>,
    at_rest: f64,
}

/// Milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Stretches {
    pub longest: f64,
    /// What the loop's thread computed in the longest: where that is much less, other processes had the processor.
    pub computed: f64,
    /// One in a hundred calls waited longer.
    pub p99: f64,
}

impl LoopProbe {
    /// Begins, with a panel that is at rest.
    pub fn start(panel: u32) -> Self {
        let bus = gio::bus_get_sync(gio::BusType::Session, None::<&gio::Cancellable>).expect("a session bus");
        let at_rest: Vec<f64> = (0..200).map(|_| Call::make(&bus, panel).answered).collect();
        STOP.store(false, Ordering::Relaxed);
        let calls = std::thread::spawn(move || {
            let mut calls = Vec::new();
            while !STOP.load(Ordering::Relaxed) {
                calls.push(Call::make(&bus, panel));
                std::thread::sleep(Duration::from_millis(1));
            }
            calls
        });
        Self { calls, at_rest: median(&at_rest) }
    }

    pub fn stop(self) -> Stretches {
        STOP.store(true, Ordering::Relaxed);
        let mut calls = self.calls.join().unwrap();
        calls.sort_by(|a, b| a.answered.total_cmp(&b.answered));
        let beyond_rest = |at: usize| (calls[at].answered - self.at_rest).max(0.0);
        let last = calls.len() - 1;
        let computed = calls.iter().map(|call| call.computed).fold(0.0, f64::max);
        Stretches { longest: beyond_rest(last), computed, p99: beyond_rest(last - last / 100) }
    }
}

/// One call, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Call {
    answered: f64,
    computed: f64,
}

impl Call {
    fn make(bus: &gio::DBusConnection, panel: u32) -> Self {
        let (begun, before) = (Instant::now(), processor_time(panel));
        let answer = bus.call_sync(
            Some("org.dasbo.Dasbo"),
            "/org/dasbo/Dasbo",
            "org.gtk.Actions",
            "List",
            None,
            None,
            gio::DBusCallFlags::NO_AUTO_START,
            60_000,
            None::<&gio::Cancellable>,
        );
        answer.expect("the panel's actions");
        let answered = begun.elapsed().as_secs_f64() * 1e3;
        Self { answered, computed: processor_time(panel) - before }
    }
}

/// Milliseconds that a process's first thread ran so far.
fn processor_time(process: u32) -> f64 {
    let text =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/schedstat")).unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e6
}
