// SPDX-License-Identifier: GPL-3.0-or-later
//! Notifications: one for each thing the person is asked for, gone when that is over.
//!
//! Their buttons are exported actions of the application with the request's id as target, so that a click on an old one
//! can only reach a request that is over.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::change::Change;
use dasbo_core::event::WaitKind;
use dasbo_core::moment::Moment;
use dasbo_core::request::RequestId;
use dasbo_core::session::{RowId, Session, Wait};
use gio::prelude::*;

use crate::i18n::gettext;
use crate::words;

/// The action that allows a request.
pub const ALLOW: &str = "allow";
/// The action that denies a request.
pub const DENY: &str = "deny";
/// The action that shows a row.
pub const SHOW: &str = "show";

/// How long a wait without a hook is looked at first: the agent's own file tells of it a moment before the hook does.
const PATIENCE: Duration = Duration::from_millis(500);

/// `GLib` forgets a withdrawal that comes before the desktop answered to the notification: this long after, it has.
const ANSWERED: Duration = Duration::from_secs(2);

/// So many requests that are over are still known to belong to a row.
const REMEMBERED: usize = 64;

/// What a notification says and offers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    title: String,
    body: String,
    row: RowId,
    /// The request it can answer.
    request: Option<RequestId>,
    /// Whether it says all that would run, so that it can be allowed here.
    whole: bool,
    /// Since when it is asked: tells two waits apart that say the same.
    since: Moment,
    /// Whether its hook waits.
    held: bool,
}

/// What is shown and what is to be shown of one row, by the notifications' ids.
#[derive(Debug, Default)]
struct Row {
    wanted: BTreeMap<String, Notice>,
    shown: BTreeMap<String, Notice>,
    /// Waits that the person went to the terminal for, by since when they are asked: no need to notify of them again.
    left: BTreeSet<Moment>,
}

/// The notifications of this panel.
#[derive(Debug)]
pub struct Notifications {
    application: glib::WeakRef<gio::Application>,
    rows: RefCell<HashMap<RowId, Row>>,
    /// The requests that could be answered here and are over, with their rows, the newest last.
    over: RefCell<VecDeque<(RequestId, RowId)>>,
    urgent: Cell<bool>,
}

impl Notifications {
    /// Notifications in the name of an application.
    pub fn new(application: &impl IsA<gio::Application>) -> Rc<Self> {
        let application = application.as_ref().downgrade();
        Rc::new(Self {
            application,
            rows: RefCell::default(),
            over: RefCell::default(),
            urgent: Cell::default(),
        })
    }

    /// Whether the next ones are urgent: shown even when the person does not want to be disturbed.
    pub fn set_urgent(&self, urgent: bool) {
        self.urgent.set(urgent);
    }

    /// Brings the notifications after the registry.
    pub fn follow(self: &Rc<Self>, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Added(session) | Change::Updated(session) => self.want(session.row, notices(session)),
                Change::Removed(row) => self.want(*row, BTreeMap::new()),
            }
        }
    }

    /// The person goes to the terminal for this request.
    pub fn leave(&self, id: RequestId) {
        let mut rows = self.rows.borrow_mut();
        let name = name(id);
        for row in rows.values_mut() {
            row.left.extend(row.wanted.get(&name).map(|notice| notice.since));
        }
    }

    /// The row of a request that could be answered on a notification and is over.
    pub fn row_of_over(&self, id: RequestId) -> Option<RowId> {
        self.over.borrow().iter().find(|(over, _)| *over == id).map(|(_, row)| *row)
    }

    fn remember(&self, over: impl Iterator<Item = (RequestId, RowId)>) {
        let mut remembered = self.over.borrow_mut();
        remembered.extend(over);
        let surplus = remembered.len().saturating_sub(REMEMBERED);
        remembered.drain(..surplus);
    }

    /// Takes all of them back.
    pub fn withdraw_all(&self) {
        for id in self.rows.take().into_values().flat_map(|row| row.shown.into_keys()) {
            self.withdraw(&id);
        }
    }

    fn want(self: &Rc<Self>, id: RowId, wanted: BTreeMap<String, Notice>) {
        let mut rows = self.rows.borrow_mut();
        if wanted.is_empty() && !rows.contains_key(&id) {
            return;
        }
        let row = rows.entry(id).or_default();
        let over: Vec<String> = row.shown.keys().filter(|id| !wanted.contains_key(*id)).cloned().collect();
        self.remember(over.iter().filter_map(|name| Some((row.shown.get(name)?.request?, id))));
        row.shown.retain(|id, _| wanted.contains_key(id));
        let was_early = row.to_be_looked_at();
        row.wanted = wanted;
        row.pass_over_left();
        let new = row.show(|notice| notice.held);
        let has_to_wait = row.to_be_looked_at();
        if row.wanted.is_empty() {
            rows.remove(&id);
        }
        drop(rows);
        self.take_back(over);
        self.send_all(new);
        if has_to_wait && !was_early {
            self.look_later(id);
        }
    }

    fn look_later(self: &Rc<Self>, id: RowId) {
        let notifications = Rc::downgrade(self);
        glib::timeout_add_local_once(PATIENCE, move || {
            if let Some(notifications) = notifications.upgrade() {
                let new = notifications.rows.borrow_mut().get_mut(&id).map(|row| row.show(|_| true));
                notifications.send_all(new.unwrap_or_default());
            }
        });
    }

    fn send_all(&self, notices: Vec<(String, Notice)>) {
        let Some(application) = self.application.upgrade() else { return };
        for (id, notice) in notices {
            application.send_notification(Some(&id), &self.notification(&notice));
        }
    }

    fn notification(&self, notice: &Notice) -> gio::Notification {
        let notification = gio::Notification::new(&notice.title);
        notification.set_body(Some(&notice.body));
        let urgent = self.urgent.get();
        notification.set_priority(if urgent {
            gio::NotificationPriority::Urgent
        } else {
            gio::NotificationPriority::High
        });
        let action = |name: &str| format!("app.{name}");
        let row = notice.row.0.to_string().to_variant();
        notification.set_default_action_and_target_value(&action(SHOW), Some(&row));
        if let Some(request) = notice.request {
            let request = request.to_string().to_variant();
            let allow = notice.whole.then(|| (gettext("Allow"), ALLOW));
            for (label, name) in allow.into_iter().chain([(gettext("Deny"), DENY)]) {
                notification.add_button_with_target_value(&label, &action(name), Some(&request));
            }
        }
        notification
    }

    fn take_back(self: &Rc<Self>, over: Vec<String>) {
        if over.is_empty() {
            return;
        }
        for id in &over {
            self.withdraw(id);
        }
        let notifications = Rc::downgrade(self);
        glib::timeout_add_local_once(ANSWERED, move || {
            let Some(notifications) = notifications.upgrade() else { return };
            over.iter().filter(|id| !notifications.shows(id)).for_each(|id| notifications.withdraw(id));
        });
    }

    fn shows(&self, id: &str) -> bool {
        self.rows.borrow().values().any(|row| row.shown.contains_key(id))
    }

    fn withdraw(&self, id: &str) {
        if let Some(application) = self.application.upgrade() {
            application.withdraw_notification(id);
        }
    }
}

impl Row {
    /// Takes what the person went to the terminal for as shown.
    fn pass_over_left(&mut self) {
        let left = |(_, notice): &(&String, &Notice)| !notice.held && self.left.contains(&notice.since);
        let left: Vec<_> =
            self.wanted.iter().filter(left).map(|(id, notice)| (id.clone(), notice.clone())).collect();
        self.shown.extend(left);
    }

    /// Whether a wait without a hook is not shown yet.
    fn to_be_looked_at(&self) -> bool {
        self.wanted.iter().any(|(id, notice)| !notice.held && self.shown.get(id) != Some(notice))
    }

    /// Takes what is wanted and of that kind as shown; gives what is new of it.
    fn show(&mut self, is_meant: impl Fn(&Notice) -> bool) -> Vec<(String, Notice)> {
        let is_new =
            |(id, notice): &(&String, &Notice)| is_meant(notice) && self.shown.get(*id) != Some(*notice);
        let new: Vec<_> =
            self.wanted.iter().filter(is_new).map(|(id, notice)| (id.clone(), notice.clone())).collect();
        self.shown.extend(new.iter().cloned());
        new
    }
}

/// What to notify of: each request whose hook waits, and of the other waits the first, where somebody sits at a terminal.
fn notices(session: &Session) -> BTreeMap<String, Notice> {
    let first = session.waits.iter().find(|wait| wait.held.is_none() && session.attended);
    let held = session.held().map(|(wait, held)| (name(held.id), notice(session, wait)));
    let other = first.map(|wait| (format!("session-{}", session.row.0), notice(session, wait)));
    held.chain(other).collect()
}

/// The notification of a request.
fn name(request: RequestId) -> String {
    format!("request-{request}")
}

fn notice(session: &Session, wait: &Wait) -> Notice {
    let held = wait.held.filter(|_| wait.kind == WaitKind::Approval);
    let (body, whole) = words::notification_body(wait);
    Notice {
        title: words::notification_title(session),
        body,
        row: session.row,
        request: held.map(|held| held.id),
        whole,
        since: wait.since,
        held: wait.held.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(wanted: &[(&str, bool)]) -> Row {
        let notice = |held| Notice {
            title: String::new(),
            body: String::new(),
            row: RowId(1),
            request: None,
            whole: true,
            since: Moment::from_nanos(5),
            held,
        };
        let wanted = wanted.iter().map(|&(id, held)| (id.to_owned(), notice(held))).collect();
        Row { wanted, ..Row::default() }
    }

    fn ids(notices: Vec<(String, Notice)>) -> Vec<String> {
        notices.into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn each_is_shown_once_and_those_without_a_hook_later() {
        let mut row = row(&[("request-a", true), ("session-1", false)]);
        assert_eq!(ids(row.show(|notice| notice.held)), ["request-a"]);
        assert!(row.to_be_looked_at());
        assert_eq!(ids(row.show(|_| true)), ["session-1"]);
        assert!(!row.to_be_looked_at());
        assert!(row.show(|_| true).is_empty());
    }

    #[test]
    fn who_went_to_the_terminal_is_not_told_to_go_there() {
        let mut left = row(&[("session-1", false)]);
        left.left.insert(Moment::from_nanos(5));
        left.pass_over_left();
        assert!(!left.to_be_looked_at() && left.show(|_| true).is_empty());

        let mut another = row(&[("session-1", false)]);
        another.left.insert(Moment::from_nanos(4));
        another.pass_over_left();
        assert_eq!(ids(another.show(|_| true)), ["session-1"], "that was another wait");
    }
}
