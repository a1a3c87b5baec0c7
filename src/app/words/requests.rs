// SPDX-License-Identifier: GPL-3.0-or-later
//! The sentences about a request.

use dasbo_core::event::Actor;
use dasbo_core::moment::Moment;
use dasbo_core::request::Held;
use dasbo_core::session::Wait;

use super::{duration, wait};
use crate::i18n::{gettext, gettext_f};

/// Who asks for what, and for how long by now: "Wants to run a command · 0:12".
pub fn request_heading(asked: &Wait, now: Moment) -> String {
    let who = matches!(asked.actor, Actor::Subagent(_)).then(|| gettext("Subagent"));
    let words = [wait(asked), duration(now.since(asked.since))];
    who.into_iter().chain(words).collect::<Vec<_>>().join(" · ")
}

/// How long a request is held that nobody can answer in its terminal meanwhile.
pub fn remaining(held: Held, now: Moment) -> Option<String> {
    let left = held.until?.since(now);
    Some(gettext_f("Back to its terminal in {time}", &[("time", &duration(left))]))
}
