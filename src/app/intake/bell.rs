// SPDX-License-Identifier: GPL-3.0-or-later
//! Wakes another thread's loop, once for all that happens until it looks.
//!
//! A waker of `GLib` signals while it holds a lock that the woken loop takes next: on the same processor that loop
//! would be woken twice for each event.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use gio::prelude::*;
use glib::Priority;
use rustix::event::{EventfdFlags, eventfd};

/// How often one looks who could not be given a bell: no more files could be opened.
const WITHOUT: Duration = Duration::from_millis(100);

/// The end that rings. It also rings when the last of its clones is dropped.
#[derive(Debug, Clone)]
pub struct Bell(Option<Arc<Counter>>);

/// The end that hears.
#[derive(Debug)]
pub struct Ear(Option<gio::UnixInputStream>);

#[derive(Debug)]
struct Counter(OwnedFd);

/// Makes both ends.
pub fn bell() -> (Bell, Ear) {
    let open = || {
        let counter = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok::<_, std::io::Error>((counter.try_clone()?, counter))
    };
    match open() {
        Ok((ours, theirs)) => {
            (Bell(Some(Arc::new(Counter(ours)))), Ear(Some(gio::UnixInputStream::take_fd(theirs))))
        }
        Err(error) => {
            tracing::warn!(%error, "news are looked for rather than told");
            (Bell(None), Ear(None))
        }
    }
}

impl Bell {
    /// Wakes who hears. What happened before is seen by who wakes.
    pub fn ring(&self) {
        if let Some(counter) = &self.0 {
            counter.add();
        }
    }
}

impl Counter {
    fn add(&self) {
        // It can only be full: then it rings already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.add();
    }
}

impl Ear {
    /// Waits until it rings, or rang since it was last heard.
    pub async fn heard(&self) {
        let Some(stream) = &self.0 else {
            return glib::timeout_future(WITHOUT).await;
        };
        stream.create_source_future(None::<&gio::Cancellable>, Priority::DEFAULT_IDLE).await;
        let _ = rustix::io::read(stream, &mut [0; 8]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::time::Timespec;
    use std::thread;

    fn heard_in_time(ear: &Ear) -> bool {
        let limit = glib::future_with_timeout(Duration::from_secs(10), ear.heard());
        glib::MainContext::new().block_on(limit).is_ok()
    }

    fn is_silent(ear: &Ear) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let stream = ear.0.as_ref().unwrap();
        poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&at_once)).unwrap() == 0
    }

    #[test]
    fn rings_once_for_all_that_was_rung() {
        let (bell, ear) = bell();
        assert!(is_silent(&ear));
        thread::scope(|scope| {
            scope.spawn(|| (0..3).for_each(|_| bell.ring()));
        });
        assert!(!is_silent(&ear));
        assert!(heard_in_time(&ear));
        assert!(is_silent(&ear));
    }

    #[test]
    fn rings_when_the_last_ringer_is_gone() {
        let (bell, ear) = bell();
        let other = bell.clone();
        drop(bell);
        assert!(is_silent(&ear));
        drop(other);
        assert!(heard_in_time(&ear));
    }
}
