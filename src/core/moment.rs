// SPDX-License-Identifier: GPL-3.0-or-later
//! A point in time, as facts carry it.

use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Nanoseconds since boot, suspend included (`CLOCK_BOOTTIME`): the one clock that helper, /proc and panel share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(u64);

impl Moment {
    /// The moment `nanoseconds` after boot.
    pub const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// Nanoseconds since boot.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// How long after `earlier` this is; zero when it is not later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, wait: Duration) -> Self {
        let nanoseconds = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanoseconds))
    }
}

/// How wall-clock time, which files carry, lies to [`Moment`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WallClock {
    /// Unix time at boot, in nanoseconds.
    pub boot: u64,
}

impl WallClock {
    /// The moment of a Unix time in milliseconds. Before boot: boot.
    pub const fn moment(self, unix_millis: u64) -> Moment {
        Moment(unix_millis.saturating_mul(1_000_000).saturating_sub(self.boot))
    }

    /// The Unix time of a moment, in whole seconds.
    pub const fn unix_seconds(self, moment: Moment) -> u64 {
        self.boot.saturating_add(moment.0) / 1_000_000_000
    }
}
