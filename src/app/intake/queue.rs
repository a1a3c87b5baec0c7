// SPDX-License-Identifier: GPL-3.0-or-later
//! The queue between intake and main loop, bounded in bytes.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_channel::{Receiver, Sender};
use dasbo_core::event::{Event, SessionKey, What};
use dasbo_core::process::ProcessId;
use dasbo_core::registry::Sent;
use dasbo_core::request::RequestId;

use super::Status;

/// What the queue may hold (64 MiB). Beyond that, news are lost, and the sessions concerned say so.
const MAX_BYTES: usize = 64 << 20;

/// What any entry takes, its texts not counted.
const ENTRY: usize = 1024;

/// Something that the intake learned.
#[derive(Debug)]
pub enum News {
    /// An agent told something.
    Event(Box<Event>),
    /// An agent's process ended.
    ProcessEnded(ProcessId),
    /// Events of this session were lost.
    Lost(SessionKey),
    /// The hook that waited with this request ended.
    HookEnded(RequestId),
    /// What became of the answer to this request.
    Sent(RequestId, Sent),
    /// News of its session came before the answer to this request, which is to be given again if it still holds.
    NotYet(RequestId),
    /// How the intake stands.
    Intake(Status),
}

/// Makes the queue.
pub fn channel() -> (Outbox, Inbox) {
    let (sender, receiver) = async_channel::unbounded();
    let shared = Arc::new(Shared::default());
    (Outbox { sender, shared: shared.clone() }, Inbox { receiver, shared, seen: Cell::new(0) })
}

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicUsize,
    /// News that were sent.
    sent: AtomicU64,
    lost: Mutex<BTreeSet<SessionKey>>,
}

/// The intake's end.
#[derive(Debug, Clone)]
pub struct Outbox {
    sender: Sender<(News, usize)>,
    shared: Arc<Shared>,
}

/// The main loop's end.
#[derive(Debug)]
pub struct Inbox {
    receiver: Receiver<(News, usize)>,
    shared: Arc<Shared>,
    /// News that were taken out.
    seen: Cell<u64>,
}

impl Outbox {
    /// Sends an event that was `bytes` large when it came. The number of these news; `None`: they are lost.
    pub fn send_event(&self, event: Event, bytes: usize) -> Option<u64> {
        // An event keeps a few short texts of a payload, however large; a request most of it.
        let kept = if matches!(event.what, What::Requested(..)) { bytes } else { bytes.min(16 * ENTRY) };
        let weight = ENTRY + kept;
        if self.shared.bytes.load(Ordering::Relaxed) + weight > MAX_BYTES {
            tracing::warn!(session = %event.session.id, "the queue is full, an event is lost");
            self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).insert(event.session);
            return None;
        }
        Some(self.push(News::Event(Box::new(event)), weight))
    }

    /// Sends something small that must not be lost.
    pub fn send(&self, news: News) {
        self.push(news, ENTRY);
    }

    fn push(&self, news: News, weight: usize) -> u64 {
        self.shared.bytes.fetch_add(weight, Ordering::Relaxed);
        // Only the intake's thread sends.
        let number = self.shared.sent.fetch_add(1, Ordering::Relaxed) + 1;
        // The main loop is gone only when the program ends.
        let _ = self.sender.try_send((news, weight));
        number
    }
}

impl Inbox {
    /// The next news. `None` when there will be none any more.
    pub async fn next(&self) -> Option<News> {
        let received = self.receiver.recv().await.ok()?;
        Some(self.take(received))
    }

    /// The next news, if there are any now. After the last, the sessions whose news were lost.
    pub fn try_next(&self) -> Option<News> {
        if let Ok(received) = self.receiver.try_recv() {
            return Some(self.take(received));
        }
        self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).pop_first().map(News::Lost)
    }

    /// The number of the last news taken out.
    pub fn seen(&self) -> u64 {
        self.seen.get()
    }

    fn take(&self, (news, weight): (News, usize)) -> News {
        self.seen.set(self.seen.get() + 1);
        self.shared.bytes.fetch_sub(weight, Ordering::Relaxed);
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dasbo_core::event::{About, Actor, AgentId, SessionId};
    use dasbo_core::moment::Moment;

    fn event(session: usize) -> Event {
        Event {
            session: SessionKey {
                agent: AgentId("claude"),
                id: SessionId::new(&session.to_string()).unwrap(),
            },
            at: Moment::default(),
            actor: Actor::Main,
            source: dasbo_core::event::Source::Hook,
            process: None,
            about: About::default(),
            what: What::Seen,
        }
    }

    #[test]
    fn what_does_not_fit_is_told_as_lost() {
        let (outbox, inbox) = channel();
        let fit = MAX_BYTES / (17 * ENTRY);
        for session in 0..fit + 2 {
            outbox.send_event(event(session), usize::MAX);
        }
        outbox.send(News::Intake(Status::Listening));
        let mut news = std::iter::from_fn(|| inbox.try_next());
        assert_eq!(news.by_ref().take(fit).filter(|news| matches!(news, News::Event(_))).count(), fit);
        assert!(matches!(news.next(), Some(News::Intake(_))), "what is small is never lost");
        let lost: Vec<SessionKey> =
            news.map(|news| if let News::Lost(key) = news { key } else { panic!("{news:?}") }).collect();
        assert_eq!(lost, [event(fit).session, event(fit + 1).session]);
        outbox.send_event(event(0), 1);
        assert!(matches!(inbox.try_next(), Some(News::Event(_))), "there is room again");
    }
}
