// SPDX-License-Identifier: GPL-3.0-or-later
//! The time now, and moments as the clock on the wall shows them.

use dasbo_core::moment::{Moment, WallClock};
use rustix::time::{ClockId, clock_gettime};

/// The moment now.
pub fn now() -> Moment {
    let time = clock_gettime(ClockId::Boottime);
    let nanoseconds = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    Moment::from_nanos(u64::try_from(nanoseconds).unwrap_or_default())
}

/// A moment in local time, where it is `wall` now: to ask for that `GLib` looks into the file system each time. `None`
/// beyond the years that `GLib` knows.
pub fn wall_clock(moment: Moment, wall: &glib::DateTime) -> Option<glib::DateTime> {
    let now = now();
    // Whole microseconds, which is what GLib counts in; one of the two is zero.
    let (past, ahead) = (now.since(moment), moment.since(now));
    let distance = i64::try_from(ahead.as_micros()).ok()? - i64::try_from(past.as_micros()).ok()?;
    wall.add(glib::TimeSpan::from_microseconds(distance)).ok()
}

/// How the wall clock lies to moments, now: it may be set.
pub fn wall() -> WallClock {
    let unix = u64::try_from(glib::real_time()).unwrap_or(0).saturating_mul(1_000);
    WallClock { boot: unix.saturating_sub(now().as_nanos()) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_clock_does_not_go_back() {
        let first = now();
        assert!(first.as_nanos() > 0);
        assert!(now() >= first);
    }

    #[test]
    fn moments_lie_on_both_sides_of_now() {
        let now = now();
        let wall = glib::DateTime::now_local().unwrap();
        let early = wall_clock(Moment::from_nanos(0), &wall).unwrap();
        let uptime = i64::try_from(now.as_nanos() / 1_000_000_000).unwrap();
        assert!((wall.difference(&early).as_seconds() - uptime).abs() < 5);
        let late = wall_clock(now + Duration::from_secs(3600), &wall).unwrap();
        assert!((late.difference(&wall).as_seconds() - 3600).abs() < 5);
    }
}
