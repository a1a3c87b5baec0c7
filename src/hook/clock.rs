// SPDX-License-Identifier: GPL-3.0-or-later
//! The time, and how much of it is left.

use std::time::{Duration, Instant};

use dasbo_core::moment::Moment;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// The moment it is.
pub fn now() -> Moment {
    let time = clock_gettime(ClockId::Boottime);
    let [seconds, nanoseconds] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    Moment::from_nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}

/// An end of waiting.
#[derive(Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    pub fn after(wait: Duration) -> Self {
        Self(Instant::now() + wait)
    }

    /// How long until then; zero once it is over.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

/// `wait` as `poll` takes it.
pub fn timespec(wait: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    }
}
