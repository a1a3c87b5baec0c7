// SPDX-License-Identifier: GPL-3.0-or-later
//! What an agent asks the person, in full, and what the person may decide.

mod approval;
mod book;
mod decision;
pub mod diff;
mod form;
mod plan;
mod policy;
mod preview;
mod question;
pub mod tree;
pub mod visible;

use std::fmt;
use std::str::FromStr;

use crate::event::{Asks, WaitKind};
use crate::moment::Moment;

pub use approval::{Action, Approval, Offer, Permit, Replacement, Rule, Scope};
pub use book::{Book, Opened, Verdict};
pub use decision::{Answer, Decision, Denial, Grant};
pub use form::{Field, FieldKind, FieldValue, Form};
pub use plan::Plan;
pub use policy::{HELD_BACK_FOR, Hold, Policy, Switches};
pub use preview::{Basis, OnDisk, Preview, preview};
pub use question::{Choice, Question};
pub use visible::visible;

/// Names a request that a hook waits with. Never used twice, so that an answer meant for one cannot reach another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

impl FromStr for RequestId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What it is about.
    pub asks: Asks,
    /// What is asked.
    pub content: Content,
    /// Where the person can answer beside here.
    pub prompt: Prompt,
    /// The JSON that an answer may have to repeat, byte for byte as it came. Empty where none does.
    pub input: Box<str>,
}

/// What is asked, as far as it is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// To allow a tool call.
    Approval(Approval),
    /// To answer these questions, all at once.
    Questions(Vec<Question>),
    /// To approve a plan.
    Plan(Plan),
    /// To fill a form.
    Form(Form),
    /// Something of this kind that is not understood well enough to be answered here.
    Unclear(WaitKind),
}

/// Where an agent's own prompt is while its hook waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// In its terminal, at the same time.
    Beside,
    /// Held back until the hook ends.
    HeldBack,
    /// Nowhere: nobody sits at the session.
    Nowhere,
}

/// A hook that waits with a request for an answer from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Names the request.
    pub id: RequestId,
    /// Since when it is asked.
    pub since: Moment,
    /// When it is let go without an answer. `None`: when it is answered or over.
    pub until: Option<Moment>,
}

impl Request {
    /// What the person is asked for.
    pub fn kind(&self) -> WaitKind {
        match &self.content {
            Content::Approval(_) => WaitKind::Approval,
            Content::Questions(_) => WaitKind::Question,
            Content::Plan(_) => WaitKind::Plan,
            Content::Form(_) => WaitKind::Form,
            Content::Unclear(kind) => *kind,
        }
    }
}
