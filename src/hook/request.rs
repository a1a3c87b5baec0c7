// SPDX-License-Identifier: GPL-3.0-or-later
//! One frame to send: who calls, from where, and the payload.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use dasbo_core::moment::Moment;
use dasbo_core::process::{Ancestor, ProcessId, ancestors, identify};
use dasbo_core::wire::{HINTS, Header, MAX_CHAIN, MAX_HEADER, MAX_PIDFDS, Mode, TERMINAL, VERSION};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::call::Call;
use crate::input::Input;

/// A longer value is nobody's path or name, and would push others out of the header.
const MAX_VALUE: usize = 4096;

/// One frame, ready to send as often as needed.
pub struct Request {
    header: Header,
    payload: Vec<u8>,
    pidfds: Vec<OwnedFd>,
}

impl Request {
    pub fn new(at: Moment, call: Call, input: Input) -> Self {
        let proc = Path::new("/proc");
        let pid = std::process::id();
        let chain = ancestors(proc, pid, MAX_CHAIN);
        let (pids, pidfds) = open_pidfds(&chain);
        let header = Header {
            version: VERSION,
            agent: call.agent,
            mode: call.mode,
            event: call.event,
            at,
            helper: identify(proc, pid).unwrap_or(ProcessId { pid, start: 0 }),
            again: false,
            chain,
            pidfds: pids,
            hints: set_among(HINTS),
            terminal: set_among(TERMINAL),
            form: input.form,
            length: input.length,
        };
        Self { header, payload: input.bytes, pidfds }
    }

    pub fn mode(&self) -> Mode {
        self.header.mode
    }

    /// Says that this request was sent before, to a panel that is gone.
    pub fn mark_sent_again(&mut self) {
        self.header.again = true;
    }

    /// Whether it is.
    pub fn is_sent_again(&self) -> bool {
        self.header.again
    }

    /// The header line, within the limit of [`MAX_HEADER`]: what tells least goes first.
    pub fn header_line(&self) -> Option<Vec<u8>> {
        let mut header = self.header.clone();
        let sheds: [fn(&mut Header); 4] = [
            |_| {},
            |header| header.terminal.clear(),
            |header| header.chain.iter_mut().for_each(|one| one.args.clear()),
            |header| header.hints.clear(),
        ];
        sheds.into_iter().find_map(|shed| {
            shed(&mut header);
            let mut line = serde_json::to_vec(&header).ok()?;
            line.push(b'\n');
            (line.len() <= MAX_HEADER).then_some(line)
        })
    }

    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    pub fn pidfds(&self) -> &[OwnedFd] {
        &self.pidfds
    }

    /// The pidfd of the process that runs this hook, as far as we can tell: the nearest that is no shell.
    pub fn agent(&self) -> Option<BorrowedFd<'_>> {
        let nearest = self.header.chain.iter().find(|one| !one.is_shell())?;
        let watched = self.header.pidfds.first() == Some(&nearest.id.pid);
        self.pidfds.first().filter(|_| watched).map(AsFd::as_fd)
    }

    /// Whether the chain can hold the agent. In a sandbox with its own pids there are but shells and its first process.
    pub fn sees_agent(&self) -> bool {
        let mut chain = self.header.chain.iter();
        chain.any(|one| !one.is_shell() && one.id.pid != 1)
    }
}

/// Pids and pidfds of the nearest ancestors that are no shells. They were alive a moment ago, and so many processes
/// cannot have started since that a pid came round again.
fn open_pidfds(chain: &[Ancestor]) -> (Vec<u32>, Vec<OwnedFd>) {
    chain
        .iter()
        .filter(|ancestor| !ancestor.is_shell())
        .take(MAX_PIDFDS)
        .filter_map(|ancestor| Some((ancestor.id.pid, open_pidfd(ancestor.id.pid)?)))
        .unzip()
}

fn open_pidfd(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Those of `names` that are set, in UTF-8, and of sane length.
fn set_among(names: &[&str]) -> BTreeMap<String, String> {
    let set = |&name: &&str| Some((name.to_owned(), std::env::var(name).ok()?));
    names.iter().filter_map(set).filter(|(_, value)| value.len() <= MAX_VALUE).collect()
}
