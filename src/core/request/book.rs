// SPDX-License-Identifier: GPL-3.0-or-later
//! Who waits for an answer, kept where answers are sent from: the last look before one goes out.

use std::collections::BTreeMap;

use super::RequestId;
use crate::event::{SessionKey, Status};
use crate::moment::Moment;
use crate::process::ProcessId;
use crate::session::AHEAD;

/// The requests whose helpers wait.
#[derive(Debug, Default)]
pub struct Book {
    open: BTreeMap<RequestId, Entry>,
    newest: RequestId,
}

/// A request whose helper waits.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The session that asks.
    pub session: SessionKey,
    /// Its agent's process.
    pub process: Option<ProcessId>,
    /// When it asked.
    pub at: Moment,
    /// Whether its agent's own prompt is there at the same time, so that its file tells of it.
    pub beside: bool,
}

#[derive(Debug)]
struct Entry {
    opened: Opened,
    /// The number of the last news told of its session.
    news: u64,
    file: FileSaid,
}

/// What the agent's file said of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileSaid {
    Nothing,
    Waiting,
    NoLongerWaiting,
}

/// Whether an answer may go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Send,
    /// Who decided had not seen all that was told of the session.
    NotYet,
    /// The request was settled elsewhere.
    TooLate,
}

impl Book {
    /// The id for a request that comes now (Unix time in milliseconds): later than any before, of this panel or, as
    /// long as no more than a thousand come a second, of an earlier one.
    pub fn next_id(&mut self, unix_millis: u64) -> RequestId {
        self.newest = RequestId(unix_millis.max(self.newest.0 + 1));
        self.newest
    }

    /// Enters a request.
    pub fn open(&mut self, id: RequestId, opened: Opened) {
        self.open.insert(id, Entry { opened, news: 0, file: FileSaid::Nothing });
    }

    /// Takes a request out. Whether it was there.
    pub fn close(&mut self, id: RequestId) -> bool {
        self.open.remove(&id).is_some()
    }

    /// The requests that are open.
    pub fn ids(&self) -> impl Iterator<Item = RequestId> {
        self.open.keys().copied()
    }

    /// An open request.
    pub fn get(&self, id: RequestId) -> Option<&Opened> {
        self.open.get(&id).map(|entry| &entry.opened)
    }

    /// News with this number were told of a session. Numbers grow.
    pub fn told(&mut self, session: &SessionKey, number: u64) {
        for entry in self.open.values_mut().filter(|entry| entry.opened.session == *session) {
            entry.news = number;
        }
    }

    /// The file of a process said this at that time. Only what it said since a request is about it.
    pub fn reported(&mut self, process: ProcessId, status: Status, at: Moment) {
        for entry in self.open.values_mut() {
            let Opened { process: asks, at: asked, beside, .. } = entry.opened;
            if beside && asks == Some(process) {
                entry.file = entry.file.after(status, at, asked);
            }
        }
    }

    /// Whether an answer to this request may go out, given by who had seen the news up to this number. To be asked
    /// right before, when all that can be known is entered. `None`: it is not open.
    pub fn verdict(&self, id: RequestId, seen: u64) -> Option<Verdict> {
        let entry = self.open.get(&id)?;
        Some(match entry.file {
            FileSaid::NoLongerWaiting => Verdict::TooLate,
            _ if entry.news > seen => Verdict::NotYet,
            _ => Verdict::Send,
        })
    }
}

impl FileSaid {
    /// The file says waiting up to a moment before the hook runs.
    fn after(self, status: Status, at: Moment, asked: Moment) -> Self {
        match (self, status) {
            (Self::Nothing, Status::Waiting) if at + AHEAD >= asked => Self::Waiting,
            (Self::Waiting, Status::Idle | Status::Busy | Status::Shell) if at > asked => {
                Self::NoLongerWaiting
            }
            (before, _) => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use Status::{Busy, Idle, Waiting};

    use super::*;
    use crate::event::{AgentId, SessionId};

    const PROCESS: ProcessId = ProcessId { pid: 7, start: 1 };

    fn moment(millis: u64) -> Moment {
        Moment::default() + Duration::from_millis(millis)
    }

    fn session(id: &str) -> SessionKey {
        SessionKey { agent: AgentId("claude"), id: SessionId::new(id).unwrap() }
    }

    fn opened(at: u64, beside: bool) -> Opened {
        Opened { session: session("one"), process: Some(PROCESS), at: moment(at), beside }
    }

    #[test]
    fn ids_grow_even_when_the_clock_does_not() {
        let mut book = Book::default();
        let ids = [100, 100, 50, 200].map(|millis| book.next_id(millis));
        assert_eq!(ids, [RequestId(100), RequestId(101), RequestId(102), RequestId(200)]);
    }

    #[test]
    fn an_answer_given_without_knowing_the_last_news_waits() {
        let mut book = Book::default();
        book.open(RequestId(1), opened(1000, true));
        assert_eq!(book.verdict(RequestId(1), 0), Some(Verdict::Send));
        book.told(&session("one"), 5);
        book.told(&session("other"), 6);
        assert_eq!(book.verdict(RequestId(1), 4), Some(Verdict::NotYet));
        assert_eq!(book.verdict(RequestId(1), 5), Some(Verdict::Send));
        assert!(book.close(RequestId(1)));
        assert_eq!(book.verdict(RequestId(1), 5), None);
    }

    #[test]
    fn only_waiting_and_then_something_else_means_settled() {
        let verdict = |beside: bool, said: &[(Status, u64)]| {
            let mut book = Book::default();
            book.open(RequestId(1), opened(1000, beside));
            for &(status, at) in said {
                book.reported(PROCESS, status, moment(at));
            }
            book.verdict(RequestId(1), 0)
        };
        assert_eq!(verdict(true, &[(Waiting, 1100), (Busy, 1200)]), Some(Verdict::TooLate));
        assert_eq!(verdict(true, &[(Waiting, 970), (Idle, 1001)]), Some(Verdict::TooLate));
        assert_eq!(verdict(true, &[(Busy, 1100)]), Some(Verdict::Send), "the file lags");
        assert_eq!(
            verdict(true, &[(Waiting, 500), (Busy, 1100)]),
            Some(Verdict::Send),
            "that was another wait"
        );
        assert_eq!(verdict(true, &[(Waiting, 1100), (Busy, 900)]), Some(Verdict::Send), "what was before");
        assert_eq!(verdict(false, &[(Waiting, 1100), (Busy, 1200)]), Some(Verdict::Send), "no prompt beside");
    }
}
