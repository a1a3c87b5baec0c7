// SPDX-License-Identifier: GPL-3.0-or-later
//! The queue between intake and main loop, bounded in bytes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_channel::{Receiver, Sender};
use dasbo_core::event::{Event, SessionKey, What};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::registry::Sent;
use dasbo_core::request::RequestId;

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
    /// Events of these sessions were lost.
    Lost(Vec<Loss>),
    /// Until then nobody was heard for a while: events of any session may be lost.
    Deaf(Moment),
    /// The hook that waited with this request ended.
    HookEnded(RequestId),
    /// What became of the answer to this request.
    Sent(RequestId, Sent),
    /// News of its session came before the answer to this request, which is to be given again if it still holds.
    NotYet(RequestId),
    /// How the intake stands.
    Intake(Status),
}

/// Events of a session that were lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Of which session.
    pub session: SessionKey,
    /// When the last of them happened.
    pub at: Moment,
}

/// Makes the queue.
pub fn channel() -> (Outbox, Inbox) {
    let (sender, receiver) = async_channel::unbounded();
    let (told, losses) = async_channel::unbounded();
    let (bell, ear) = bell();
    let shared = Arc::new(Shared::default());
    let outbox = Outbox { sender, shared: shared.clone(), losses, bell };
    (outbox, Inbox { receiver, shared, told, ear, seen: Cell::new(0) })
}

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicUsize,
    /// News that were sent.
    sent: AtomicU64,
    /// When the last that was lost of a session happened.
    lost: Mutex<BTreeMap<SessionKey, Moment>>,
}

/// The intake's end.
#[derive(Debug, Clone)]
pub struct Outbox {
    sender: Sender<(News, usize)>,
    shared: Arc<Shared>,
    losses: Receiver<Vec<Loss>>,
    bell: Bell,
}

/// The main loop's end.
#[derive(Debug)]
pub struct Inbox {
    receiver: Receiver<(News, usize)>,
    shared: Arc<Shared>,
    told: Sender<Vec<Loss>>,
    /// News that were taken out.
    seen: Cell<u64>,
    ear: Ear,
}

impl Outbox {
    /// Sends an event that was `bytes` large when it came. The number of these news; `None`: they are lost.
    pub fn send_event(&self, event: Event, bytes: usize) -> Option<u64> {
        // An event keeps a few short texts of a payload, however large; a request most of it.
        let kept = if matches!(event.what, What::Requested(..)) { bytes } else { bytes.min(16 * ENTRY) };
        let weight = ENTRY + kept;
        if self.shared.bytes.load(Ordering::Relaxed) + weight > MAX_BYTES {
            tracing::warn!(session = %event.session.id, "the queue is full, an event is lost");
            self.shared.lose(event);
            return None;
        }
        Some(self.push(News::Event(Box::new(event)), weight))
    }

    /// Sends something small that must not be lost.
    pub fn send(&self, news: News) {
        self.push(news, ENTRY);
    }

    /// What the main loop took note of as lost: from now on it is up to the files to say how these sessions are. `None`
    /// when there will be no more.
    pub async fn losses(&self) -> Option<Vec<Loss>> {
        self.losses.recv().await.ok()
    }

    fn push(&self, news: News, weight: usize) -> u64 {
        self.shared.bytes.fetch_add(weight, Ordering::Relaxed);
        // Only the intake's thread sends.
        let number = self.shared.sent.fetch_add(1, Ordering::Relaxed) + 1;
        // The main loop is gone only when the program ends.
        let _ = self.sender.try_send((news, weight));
        self.bell.ring();
        number
    }
}

impl Shared {
    fn lose(&self, event: Event) {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let at = lost.entry(event.session).or_insert(event.at);
        *at = event.at.max(*at);
    }

    fn take_losses(&self) -> Vec<Loss> {
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        lost.into_iter().map(|(session, at)| Loss { session, at }).collect()
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
        let losses = self.shared.take_losses();
        if losses.is_empty() {
            return None;
        }
        // Without an intake there is nobody to read anything.
        let _ = self.told.try_send(losses.clone());
        Some(News::Lost(losses))
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
            at: Moment::from_nanos(session as u64),
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
        let Some(News::Lost(lost)) = news.next() else { panic!("nothing is told as lost") };
        let of = |session| Loss { session: event(session).session, at: event(session).at };
        assert_eq!(lost, [of(fit), of(fit + 1)]);
        assert!(news.next().is_none(), "once");
        assert_eq!(
            glib::MainContext::new().block_on(outbox.losses()),
            Some(lost),
            "they are to be read again"
        );
        outbox.send_event(event(0), 1);
        assert!(matches!(inbox.try_next(), Some(News::Event(_))), "there is room again");
    }

    #[test]
    fn what_was_lost_is_told_though_nothing_else_comes() {
        let (outbox, inbox) = channel();
        let fit = MAX_BYTES / (17 * ENTRY);
        for _ in 0..=fit {
            outbox.send_event(event(7), usize::MAX);
        }
        let later = Event { at: Moment::from_nanos(9), ..event(7) };
        outbox.send_event(later, usize::MAX);
        outbox.send_event(event(7), usize::MAX);
        let context = glib::MainContext::new();
        let news: Vec<News> = (0..=fit).map(|_| context.block_on(inbox.next()).unwrap()).collect();
        let last_lost = Loss { session: event(7).session, at: Moment::from_nanos(9) };
        assert!(
            matches!(news.last(), Some(News::Lost(losses)) if *losses == [last_lost]),
            "{:?}",
            news.last()
        );
    }
}
