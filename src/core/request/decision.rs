// SPDX-License-Identifier: GPL-3.0-or-later
//! What a person decided.

use super::{FieldValue, Scope};
use crate::event::PermissionMode;

/// A person's decision about a request. Only ever made from something that a person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// To allow a tool call; with a grant also something beyond it.
    Allow(Option<Grant>),
    /// Not to allow a tool call.
    Deny(Denial),
    /// Answers, one for each question, in their order.
    Answers(Vec<Answer>),
    /// To let a plan be carried out.
    Approve {
        /// Without asking before each edit.
        accept_edits: bool,
        /// The plan as the person changed it.
        edited: Option<String>,
    },
    /// Not to let a plan be carried out; with what is to be planned otherwise.
    KeepPlanning(Option<String>),
    /// A form's fields that were filled.
    Fill(Vec<(String, FieldValue)>),
}

/// Something allowed beyond one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// The agent's own suggestion at this place of its list.
    Offer(usize),
    /// Every use of the tool.
    Tool(Scope),
    /// A mode of the session.
    Mode(PermissionMode),
}

/// How a call is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// The agent goes on without it.
    Plain,
    /// The agent goes on, and reads this.
    Note(String),
    /// The agent's turn ends.
    Stop,
}

/// An answer to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Places of the choices taken, in the order of the question.
    pub chosen: Vec<usize>,
    /// The person's own words, beside or instead of a choice.
    pub own: Option<String>,
    /// A remark.
    pub notes: Option<String>,
}

impl Answer {
    /// The person's own words, if they say anything.
    pub fn own_words(&self) -> Option<&str> {
        self.own.as_deref().filter(|own| !own.trim().is_empty())
    }

    /// The remark, if it says anything.
    pub fn remark(&self) -> Option<&str> {
        self.notes.as_deref().filter(|notes| !notes.trim().is_empty())
    }
}
