// SPDX-License-Identifier: GPL-3.0-or-later
//! What a frame says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::moment::Moment;
use crate::process::{Ancestor, ProcessId};

/// What the agent expects of the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Tell and go.
    Notify,
    /// Tell, and wait for an answer.
    Ask,
}

impl Mode {
    /// The mode's word on the helper's command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notify => "notify",
            Self::Ask => "ask",
        }
    }

    /// The mode that `word` names on the helper's command line.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Notify, Self::Ask].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// What the payload bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// One JSON value, from its first byte to its last, in UTF-8.
    Json,
    /// Something else, as it came.
    Raw,
    /// Nothing: the payload was larger than [`super::MAX_PAYLOAD`].
    Omitted,
}

/// The first line of a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`super::VERSION`].
    pub version: u32,
    /// The agent's id, as the hook's command line has it.
    pub agent: String,
    /// What the agent expects.
    pub mode: Mode,
    /// The event's name, as the hook's command line has it.
    pub event: String,
    /// When the helper began: the time of what it tells.
    pub at: Moment,
    /// The helper's own process.
    pub helper: ProcessId,
    /// Whether this request was sent before, to a panel that is gone.
    #[serde(default)]
    pub again: bool,
    /// The helper's ancestors, parent first. Empty where /proc hides them.
    pub chain: Vec<Ancestor>,
    /// Pids in `chain` whose pidfds ride along, in that order.
    pub pidfds: Vec<u32>,
    /// Those of [`super::HINTS`] that are set.
    pub hints: BTreeMap<String, String>,
    /// Those of [`super::TERMINAL`] that are set.
    pub terminal: BTreeMap<String, String>,
    /// What the bytes after this line are.
    pub form: Form,
    /// How many bytes the payload has. With [`Form::Omitted`] none follow.
    pub length: usize,
}

impl Header {
    /// Bytes that follow the header line.
    pub const fn bytes_that_follow(&self) -> usize {
        match self.form {
            Form::Json | Form::Raw => self.length,
            Form::Omitted => 0,
        }
    }
}

/// What came with a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// See [`Form::Json`].
    Json(Vec<u8>),
    /// See [`Form::Raw`].
    Raw(Vec<u8>),
    /// See [`Form::Omitted`].
    Omitted,
}

/// One whole frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The first line.
    pub header: Header,
    /// The bytes after it.
    pub payload: Payload,
}
