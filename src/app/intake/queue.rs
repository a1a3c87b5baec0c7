// SPDX-License-Identifier: GPL-3.0-or-later
//! The queue between intake and main loop, bounded in bytes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_channel::{Receiver, Sender};
use dasbo_core::event::{Event, SessionKey};
use dasbo_core::process::ProcessId;

use super::Status;
use super::bell::{Bell, Ear, bell};

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
    /// How the intake stands.
    Intake(Status),
}

/// Makes the queue.
pub fn channel() -> (Outbox, Inbox) {
    let (sender, receiver) = async_channel::unbounded();
    let (bell, ear) = bell();
    let shared = Arc::new(Shared::default());
    (Outbox { sender, shared: shared.clone(), bell }, Inbox { receiver, shared, ear })
}

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicUsize,
    lost: Mutex<BTreeSet<SessionKey>>,
}

/// The intake's end.
#[derive(Debug, Clone)]
pub struct Outbox {
    sender: Sender<(News, usize)>,
    shared: Arc<Shared>,
    bell: Bell,
}

/// The main loop's end.
#[derive(Debug)]
pub struct Inbox {
    receiver: Receiver<(News, usize)>,
    shared: Arc<Shared>,
    ear: Ear,
}

impl Outbox {
    /// Sends an event that was `bytes` large when it came.
    pub fn send_event(&self, event: Event, bytes: usize) {
        // An event keeps a few short texts of a payload, however large.
        let weight = ENTRY + bytes.min(16 * ENTRY);
        if self.shared.bytes.load(Ordering::Relaxed) + weight > MAX_BYTES {
            tracing::warn!(session = %event.session.id, "the queue is full, an event is lost");
            self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).insert(event.session);
            return;
        }
        self.push(News::Event(Box::new(event)), weight);
    }

    /// Sends something small that must not be lost.
    pub fn send(&self, news: News) {
        self.push(news, ENTRY);
    }

    fn push(&self, news: News, weight: usize) {
        self.shared.bytes.fetch_add(weight, Ordering::Relaxed);
        // The main loop is gone only when the program ends.
        let _ = self.sender.try_send((news, weight));
        self.bell.ring();
    }
}

impl Inbox {
    /// The next news. `None` when there will be none any more.
    pub async fn next(&self) -> Option<News> {
        loop {
            let is_closed = self.receiver.is_closed();
            let news = self.try_next();
            if news.is_some() || is_closed {
                return news;
            }
            self.ear.heard().await;
        }
    }

    /// The next news, if there are any now. After the last, the sessions whose news were lost.
    pub fn try_next(&self) -> Option<News> {
        if let Ok(received) = self.receiver.try_recv() {
            return Some(self.take(received));
        }
        self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).pop_first().map(News::Lost)
    }

    fn take(&self, (news, weight): (News, usize)) -> News {
        self.shared.bytes.fetch_sub(weight, Ordering::Relaxed);
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dasbo_core::event::{About, Actor, AgentId, SessionId, What};
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
