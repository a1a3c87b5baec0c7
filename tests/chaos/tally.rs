// SPDX-License-Identifier: GPL-3.0-or-later
//! What was done and what was wrong, counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dasbo_test_support::agent::Outcome;

/// More of the same teaches nothing.
const HOPELESS: usize = 50;

/// The signal of `kill -9`.
const SIGKILL: i32 = 9;

#[derive(Debug, Default)]
pub struct Tally(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    done: BTreeMap<&'static str, u64>,
    wrong: Vec<String>,
    slowest: u64,
}

impl Tally {
    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts something that was done or seen.
    pub fn count(&self, what: &'static str) {
        *self.lock().done.entry(what).or_default() += 1;
    }

    /// Notes something that must not be.
    pub fn wrong(&self, what: String) {
        eprintln!("WRONG {what}");
        self.lock().wrong.push(what);
    }

    /// Judges how a helper ended. `None`: not in time.
    pub fn helper(&self, outcome: Option<&Outcome>, limit: Duration, of: &str) {
        self.count("helpers run");
        match outcome {
            Some(outcome) if outcome.signal == Some(SIGKILL) => self.count("helpers killed"),
            Some(outcome) if outcome.printed("") && u128::from(outcome.millis) <= limit.as_millis() => {
                let mut counted = self.lock();
                counted.slowest = counted.slowest.max(outcome.millis);
            }
            other => self.wrong(format!("a helper of {of}: {other:?}, limit {limit:?}")),
        }
    }

    pub fn is_clean(&self) -> bool {
        self.lock().wrong.is_empty()
    }

    pub fn is_hopeless(&self) -> bool {
        self.lock().wrong.len() >= HOPELESS
    }

    pub fn line(&self) -> String {
        let counted = self.lock();
        let all: u64 = counted.done.values().sum();
        format!("{all} things done, {} wrong", counted.wrong.len())
    }

    pub fn report(&self) -> String {
        let counted = self.lock();
        let mut text = String::new();
        for (what, times) in &counted.done {
            let _ = writeln!(text, "{times:8}  {what}");
        }
        let _ = writeln!(text, "{:8}  ms, the slowest helper that was not killed", counted.slowest);
        let _ = writeln!(text, "{:8}  wrong", counted.wrong.len());
        for what in &counted.wrong {
            let _ = writeln!(text, "WRONG {what}");
        }
        text
    }
}
