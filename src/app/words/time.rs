// SPDX-License-Identifier: GPL-3.0-or-later
//! How long, and since when.

use std::time::Duration;

use dasbo_core::moment::Moment;
use dasbo_core::session::{Group, Session};

use crate::clock;
use crate::i18n::{gettext, gettext_f};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// From here on a running time shows no seconds.
const COARSE: u64 = 10 * MINUTE;

/// The time that a row shows: how long it waits or works, or since when it rests.
pub fn time(session: &Session, now: Moment) -> String {
    running_time(session, now).unwrap_or_else(|| since(session.since))
}

/// How long a session waits, or has been in its state while it works. A resting one has no running time.
pub fn running_time(session: &Session, now: Moment) -> Option<String> {
    let since = match session.group() {
        Group::Waiting => session.asked()?,
        Group::Working => session.since,
        Group::Quiet => return None,
    };
    Some(duration(now.since(since)))
}

/// At most four characters, unless it takes over 99 days: "0:09", "1:08", "12m", "3h", "2d".
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..COARSE => format!("{}:{:02}", seconds / MINUTE, seconds % MINUTE),
        COARSE..HOUR => gettext_f("{minutes}m", &[("minutes", &(seconds / MINUTE).to_string())]),
        HOUR..172_800 => gettext_f("{hours}h", &[("hours", &(seconds / HOUR).to_string())]),
        _ => gettext_f("{days}d", &[("days", &(seconds / DAY).to_string())]),
    }
}

/// A time within a sentence: "12 min", "3 h", "2 d". Less than a minute: nothing.
pub fn rough_duration(duration: Duration) -> Option<String> {
    let seconds = duration.as_secs();
    match seconds {
        0..MINUTE => None,
        MINUTE..HOUR => Some(gettext_f("{minutes} min", &[("minutes", &(seconds / MINUTE).to_string())])),
        HOUR..172_800 => Some(gettext_f("{hours} h", &[("hours", &(seconds / HOUR).to_string())])),
        _ => Some(gettext_f("{days} d", &[("days", &(seconds / DAY).to_string())])),
    }
}

/// "since 14:02".
fn since(moment: Moment) -> String {
    let time = wall_time(moment);
    if time.is_empty() { time } else { gettext_f("since {time}", &[("time", &time)]) }
}

/// The time of day; of an earlier day, with it. Empty where the clock cannot tell.
pub fn wall_time(moment: Moment) -> String {
    let now = glib::DateTime::now_local().ok();
    let text = now.and_then(|now| time_of_day(&clock::wall_clock(moment, &now)?, &now));
    text.unwrap_or_default()
}

/// "14:02" of today, "Mon 14:02" of the last six days, else "3 Nov".
fn time_of_day(then: &glib::DateTime, now: &glib::DateTime) -> Option<String> {
    let format = if then.ymd() == now.ymd() {
        // Translators: the time of day, in strftime's words.
        gettext("%H:%M")
    } else if now.difference(then) < glib::TimeSpan::from_days(6) {
        // Translators: a time within the last days, in strftime's words.
        gettext("%a %H:%M")
    } else {
        // Translators: a day, in strftime's words.
        gettext("%-d %b")
    };
    then.format(&format).ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_times_are_short() {
        let shown = |seconds| duration(Duration::from_secs(seconds));
        assert_eq!(shown(0), "0:00");
        assert_eq!(shown(9), "0:09");
        assert_eq!(shown(68), "1:08");
        assert_eq!(shown(599), "9:59");
        assert_eq!(shown(600), "10m");
        assert_eq!(shown(779), "12m");
        assert_eq!(shown(3599), "59m");
        assert_eq!(shown(3600), "1h");
        assert_eq!(shown(47 * 3600 + 3599), "47h");
        assert_eq!(shown(48 * 3600), "2d");
    }

    #[test]
    fn rough_times_have_no_seconds() {
        let said = |seconds| rough_duration(Duration::from_secs(seconds));
        assert_eq!(said(59), None);
        assert_eq!(said(60).unwrap(), "1 min");
        assert_eq!(said(779).unwrap(), "12 min");
        assert_eq!(said(3 * 3600 + 5).unwrap(), "3 h");
        assert_eq!(said(72 * 3600).unwrap(), "3 d");
    }

    #[test]
    fn times_of_other_days_name_the_day() {
        let at = |text: &str| glib::DateTime::from_iso8601(text, Some(&glib::TimeZone::utc())).unwrap();
        let now = at("2026-11-30T09:15:00Z");
        let said = |then| time_of_day(&at(then), &now).unwrap();
        assert_eq!(said("2026-11-30T08:02:59Z"), "08:02");
        assert_eq!(said("2026-11-29T23:59:00Z"), "Sun 23:59");
        assert_eq!(said("2026-11-03T23:59:00Z"), "3 Nov");
    }
}
