// SPDX-License-Identifier: GPL-3.0-or-later
//! What was written where, so that it can be taken back to the byte.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Created, Plan, Splice};

/// The journal's own format. One of another version counts as missing.
const VERSION: u32 = 1;

/// Characters kept before and after a splice, to find it again in a text that changed elsewhere.
const CONTEXT: usize = 32;

/// What tells a text from any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Length in bytes.
    pub bytes: usize,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
}

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        Self { bytes: text.len(), sha256: hex(text.as_bytes()) }
    }
}

/// A splice and the text around its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The splice.
    #[serde(flatten)]
    pub splice: Splice,
    /// Up to 32 characters before it, in the text after all splices.
    pub before: String,
    /// Up to 32 characters behind it, in the text after all splices.
    pub behind: String,
}

/// One writing of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The text before; `None`: there was no file.
    pub before: Option<Fingerprint>,
    /// The text after.
    pub after: Fingerprint,
    /// What led from one to the other.
    pub splices: Vec<Placed>,
    /// The containers it created.
    pub created: Created,
}

/// The writings of one connection, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// The agent's word.
    pub agent: String,
    /// The configuration.
    pub config: PathBuf,
    /// What was written, oldest first. The newest may not have happened: the journal is written first.
    pub steps: Vec<Step>,
}

impl Journal {
    /// A journal of nothing yet.
    pub fn new(agent: &str, config: &Path) -> Self {
        Self { version: VERSION, agent: agent.to_owned(), config: config.to_owned(), steps: Vec::new() }
    }

    /// Reads a journal; `None` when it is not one we understand.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|journal: &Self| journal.version == VERSION)
    }

    /// The journal as it is stored.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Takes down a plan that is about to be written over `before`.
    ///
    /// Steps that no longer stand behind the text go: all when nothing of ours is in it, and those that did not happen.
    pub fn record(&mut self, before: Option<&str>, plan: &Plan) {
        let found = before.map(Fingerprint::of);
        if plan.fresh {
            self.steps.clear();
        } else if let Some(last) = self.steps.iter().rposition(|step| Some(&step.after) == found.as_ref()) {
            self.steps.truncate(last + 1);
        }
        self.steps.push(Step {
            before: found,
            after: Fingerprint::of(&plan.after),
            splices: placed(plan),
            created: plan.created.clone(),
        });
    }

    /// All containers that the steps created.
    pub fn created(&self) -> Created {
        let mut all = Created::default();
        self.steps.iter().for_each(|step| all.merge(&step.created));
        all
    }

    /// The file name of the journal of `config`.
    pub fn file_name(agent: &str, config: &Path) -> String {
        let name = hex(config.as_os_str().as_encoded_bytes());
        format!("{agent}-{}.json", name.get(..16).unwrap_or(&name))
    }
}

fn placed(plan: &Plan) -> Vec<Placed> {
    let back = super::invert(&plan.splices);
    let around = plan.splices.iter().zip(back).map(|(splice, back)| {
        let (before, rest) = plan.after.split_at_checked(back.offset).unwrap_or_default();
        let behind = rest.get(splice.inserted.len()..).unwrap_or_default();
        let start = before.char_indices().rev().take(CONTEXT).last().map_or(before.len(), |(at, _)| at);
        Placed {
            splice: splice.clone(),
            before: before.get(start..).unwrap_or_default().to_owned(),
            behind: behind.chars().take(CONTEXT).collect(),
        }
    });
    around.collect()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
