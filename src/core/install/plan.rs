// SPDX-License-Identifier: GPL-3.0-or-later
//! What would be written, as data.

use std::{collections::BTreeSet, path::PathBuf};

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::{Entries, Intent, Splice};

/// How much of what Dasbo wants stands in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All of it.
    Connected,
    /// Something of ours, but not all as it should be.
    Partly,
    /// Nothing of ours.
    NotConnected,
}

/// The containers that a plan creates: they go with our entries, if nobody put something else in them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The file itself.
    pub file: bool,
    /// The object that holds all hooks.
    pub hooks: bool,
    /// The arrays of these events.
    pub events: BTreeSet<String>,
}

impl Created {
    pub(super) fn add_all(&mut self, entries: &Entries) {
        self.hooks = true;
        self.events.extend(entries.hooks.iter().map(|hook| hook.event.clone()));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.file |= other.file;
        self.hooks |= other.hooks;
        self.events.extend(other.events.iter().cloned());
    }
}

/// How to connect: verified, not yet written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The edits; none when all is there already.
    pub splices: Vec<Splice>,
    /// The text after them.
    pub after: String,
    /// The containers they create.
    pub created: Created,
    /// Whether nothing of ours was there before.
    pub fresh: bool,
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }
}

/// One file before and after, to be shown and then, if told, written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file that is written: where links lead, if the configuration is one.
    pub path: PathBuf,
    /// The text when it was planned; `None`: no file.
    pub before: Option<String>,
    /// The text to be; `None`: no file.
    pub after: Option<String>,
    /// What it is for.
    pub intent: Intent,
}

impl Change {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// The change as a unified diff; empty when there is nothing to write.
    pub fn diff(&self) -> String {
        let name = |text: &Option<String>| match text {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let before = self.before.as_deref().unwrap_or_default();
        TextDiff::from_lines(before, self.after.as_deref().unwrap_or_default())
            .unified_diff()
            .context_radius(3)
            .header(&name(&self.before), &name(&self.after))
            .to_string()
    }
}
