// SPDX-License-Identifier: GPL-3.0-or-later
//! The sentences about answers that were given.

use std::time::Duration;

use super::{duration, shown_name};
use crate::answers::Origin;
use crate::decision_log::{Entry, Said, Scope};
use crate::i18n::{gettext, gettext_f};

/// What was said to what: "Allowed · Bash".
pub fn decision(entry: &Entry) -> String {
    let answer = match entry.answer {
        Said::Allow => gettext("Allowed"),
        Said::Deny => gettext("Denied"),
        Said::Stop => gettext("Denied and stopped"),
        Said::Answers => gettext("Questions answered"),
        Said::Approve => gettext("Plan approved"),
        Said::KeepPlanning => gettext("Plan sent back"),
        Said::Fill => gettext("Form filled in"),
    };
    let about_tool = matches!(entry.answer, Said::Allow | Said::Deny | Said::Stop);
    let tool = entry.tool.as_deref().filter(|_| about_tool).map(shown_name);
    std::iter::once(answer).chain(tool).collect::<Vec<_>>().join(" · ")
}

/// The words of an answer, a line each; what was allowed for longer says for how long.
pub fn decision_texts(entry: &Entry) -> String {
    let texts = entry.with.join("\n");
    match entry.scope {
        _ if texts.is_empty() => texts,
        None => texts,
        Some(Scope::Session) => gettext_f("{rules} for this session", &[("rules", &texts)]),
        Some(Scope::Local) => gettext_f("{rules} in this project, for you", &[("rules", &texts)]),
        Some(Scope::Project) => gettext_f("{rules} in this project, for all", &[("rules", &texts)]),
        Some(Scope::User) => gettext_f("{rules} in all your projects", &[("rules", &texts)]),
    }
}

/// Which session, from where, after how long: "shop · in the panel · waited 0:12".
pub fn decision_place(entry: &Entry) -> String {
    let from = match entry.from {
        Origin::Card => gettext("in the panel"),
        Origin::Notification => gettext("on a notification"),
        Origin::CommandLine => gettext("on the command line"),
    };
    let waited = duration(Duration::from_secs(entry.waited));
    let project = entry.project.as_deref().map_or_else(super::unknown_project, shown_name);
    [project, from, gettext_f("waited {time}", &[("time", &waited)])].join(" · ")
}

/// A time of the past (seconds, Unix time): "14:02" of today, else "3 Nov 2026, 14:02".
pub fn date_and_time(unix: i64) -> String {
    let then = glib::DateTime::from_unix_local(unix).ok();
    let now = glib::DateTime::now_local().ok();
    let text = then.zip(now).and_then(|(then, now)| {
        // Translators: the time of day, in strftime's words.
        let time = gettext("%H:%M");
        // Translators: a day and a time of it, in strftime's words.
        let format = if then.ymd() == now.ymd() { time } else { gettext("%-d %b %Y, %H:%M") };
        then.format(&format).ok()
    });
    text.map(Into::into).unwrap_or_default()
}
