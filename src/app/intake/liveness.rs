// SPDX-License-Identifier: GPL-3.0-or-later
//! Watches the agents' processes: by pidfd, where the kernel tells an end at once; else by looking into /proc.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::event::AgentProcess;
use dasbo_core::process::{self, ProcessId};
use gio::prelude::*;
use glib::{MainContext, Priority};
use rustix::event::epoll;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::queue::{News, Outbox};
use super::small_file;
use super::socket::OpenError;
use super::transcripts::Transcripts;

/// How often processes without a pidfd are looked for.
pub const REAP_EVERY: Duration = Duration::from_secs(60);

const PROC: &str = "/proc";

/// The processes that have sessions.
#[derive(Debug)]
pub struct Liveness {
    outbox: Outbox,
    transcripts: Rc<Transcripts>,
    /// All pidfds behind one: with a thousand sessions the loop still waits for a handful.
    epoll: OwnedFd,
    pidfds: RefCell<HashMap<ProcessId, OwnedFd>>,
    /// Processes whose end the kernel does not tell, with the terminal they had.
    unwatched: RefCell<HashMap<ProcessId, i32>>,
    reap_every: Duration,
}

impl Liveness {
    /// `reap_every`: how often processes without a pidfd are looked for.
    pub fn new(
        outbox: Outbox,
        transcripts: Rc<Transcripts>,
        reap_every: Duration,
    ) -> Result<Self, OpenError> {
        let epoll =
            epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| OpenError::Watch(error.into()))?;
        let (pidfds, unwatched) = (RefCell::default(), RefCell::default());
        Ok(Self { outbox, transcripts, epoll, pidfds, unwatched, reap_every })
    }

    /// Watches a process until it ends. `pidfd` came with the frame. `false`: it has ended already.
    pub fn add(self: &Rc<Self>, process: AgentProcess, pidfd: Option<OwnedFd>) -> bool {
        if self.pidfds.borrow().contains_key(&process.id) {
            return true;
        }
        let Some(pidfd) = pidfd.or_else(|| open(process.id)) else {
            return self.add_unwatched(process);
        };
        if has_ended(&pidfd) {
            return false;
        }
        let token = epoll::EventData::new_u64(u64::from(process.id.pid));
        match epoll::add(&self.epoll, &pidfd, token, epoll::EventFlags::IN) {
            Ok(()) => {
                self.unwatched.borrow_mut().remove(&process.id);
                self.pidfds.borrow_mut().insert(process.id, pidfd);
                true
            }
            Err(error) => {
                tracing::warn!(%error, pid = process.id.pid, "a process is not watched");
                self.add_unwatched(process)
            }
        }
    }

    /// Tells of each end, for ever.
    pub async fn watch(self: Rc<Self>) {
        let Ok(epoll) = self.epoll.try_clone() else { return };
        let stream = gio::UnixInputStream::take_fd(epoll);
        loop {
            stream.create_source_future(None::<&gio::Cancellable>, Priority::DEFAULT).await;
            if let Err(error) = self.collect() {
                tracing::error!(%error, "processes are no longer watched");
                return;
            }
        }
    }

    fn collect(&self) -> io::Result<()> {
        let mut ended = Vec::with_capacity(64);
        let at_once = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
        epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut ended), Some(&at_once))?;
        for event in &ended {
            let data = event.data;
            self.ended(data.u64());
        }
        Ok(())
    }

    fn ended(&self, pid: u64) {
        let is_it = |process: &ProcessId| u64::from(process.pid) == pid;
        let found =
            self.pidfds.borrow().iter().find(|(id, fd)| is_it(id) && has_ended(fd)).map(|(&id, _)| id);
        let Some(process) = found else { return };
        if let Some(pidfd) = self.pidfds.borrow_mut().remove(&process) {
            // Closing it is not enough: the helper that sent it may have it open still, and the set would tell for ever.
            let _ = epoll::delete(&self.epoll, &pidfd);
        }
        self.tell(process);
    }

    fn tell(&self, ended: ProcessId) {
        self.transcripts.forget(ended);
        self.outbox.send(News::ProcessEnded(ended));
    }

    fn add_unwatched(self: &Rc<Self>, process: AgentProcess) -> bool {
        if is_gone(process.id, process.tty) {
            return false;
        }
        let first = self.unwatched.borrow().is_empty();
        self.unwatched.borrow_mut().insert(process.id, process.tty);
        if first {
            MainContext::ref_thread_default().spawn_local(self.clone().reap());
        }
        true
    }

    /// Looks every so often, and only while there is something to look for.
    async fn reap(self: Rc<Self>) {
        while !self.unwatched.borrow().is_empty() {
            glib::timeout_future_with_priority(Priority::LOW, self.reap_every).await;
            self.unwatched.borrow_mut().retain(|&process, &mut tty| {
                let gone = is_gone(process, tty);
                if gone {
                    self.tell(process);
                }
                !gone
            });
        }
    }
}

/// Opens the pidfd of a process that can be seen. Its start is looked at after that: what then still has it is it.
fn open(process: ProcessId) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(process.pid).ok()?)?;
    let pidfd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    (process::identify(Path::new(PROC), process.pid) == Some(process)).then_some(pidfd)
}

/// Who cannot be looked for lives.
fn is_gone(process: ProcessId, tty: i32) -> bool {
    !process::is_alive(Path::new(PROC), process, tty) && small_file::can_be_opened()
}

fn has_ended(pidfd: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(pidfd, PollFlags::IN)];
    let at_once = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut polled, Some(&at_once)), Ok(1..))
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use dasbo_core::request::Policy;
    use dasbo_test_support::client::process;
    use dasbo_test_support::wait::LIMIT;

    use super::*;
    use crate::intake::Inbox;
    use crate::intake::queue;
    use crate::intake::waiting::Waiting;

    const OFTEN: Duration = Duration::from_millis(20);

    struct Agent(Child);

    impl Agent {
        fn start() -> (Self, AgentProcess) {
            let agent = Self(Command::new("sleep").arg("600").spawn().unwrap());
            let id = process(agent.0.id());
            (agent, AgentProcess { id, tty: 0 })
        }
    }

    impl Drop for Agent {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn ended(context: &MainContext, inbox: &Inbox, limit: Duration) -> Option<ProcessId> {
        let news = async { glib::future_with_timeout(limit, inbox.next()).await };
        context.block_on(news).ok().map(|news| match news {
            Some(News::ProcessEnded(process)) => process,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn processes_without_a_pidfd_are_looked_for() {
        let context = MainContext::new();
        let looked_for = || {
            let (outbox, inbox) = queue::channel();
            let waiting = Waiting::new(context.clone(), outbox.clone(), None, Policy::default());
            let transcripts = Transcripts::new(waiting);
            let liveness = Rc::new(Liveness::new(outbox, transcripts, OFTEN).unwrap());
            let [(first, one), (second, other)] = [Agent::start(), Agent::start()];
            assert!(liveness.add_unwatched(one) && liveness.add_unwatched(other));
            assert_eq!(ended(&context, &inbox, OFTEN * 5), None, "both live");
            drop(first);
            assert_eq!(ended(&context, &inbox, LIMIT), Some(one.id));
            assert_eq!(ended(&context, &inbox, OFTEN * 5), None, "the other lives, and an end is told once");
            drop(second);
            assert_eq!(ended(&context, &inbox, LIMIT), Some(other.id));
            assert!(!liveness.add_unwatched(one), "it is gone");

            // It rested meanwhile, and begins again.
            let (third, next) = Agent::start();
            assert!(liveness.add_unwatched(next));
            drop(third);
            assert_eq!(ended(&context, &inbox, LIMIT), Some(next.id));
        };
        context.with_thread_default(looked_for).unwrap();
    }
}
