// SPDX-License-Identifier: GPL-3.0-or-later
//! The one place where tests wait.

use std::time::{Duration, Instant};

/// How long tests wait for what must happen, however slow the machine.
pub const LIMIT: Duration = Duration::from_secs(20);

const PAUSE: Duration = Duration::from_millis(5);

/// What `look` finds, as soon as it finds it. Panics with `what` when `limit` is over first.
pub fn eventually<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(PAUSE);
    }
}
