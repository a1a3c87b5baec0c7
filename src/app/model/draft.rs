// SPDX-License-Identifier: GPL-3.0-or-later
//! What the person has entered for a request and not sent yet. Rows come and go; this stays.

use dasbo_core::request::{Answer, FieldValue};

/// The draft of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// The note that goes with a no, once the person began one.
    pub note: Option<String>,
    /// Answers to questions, in their order; the one at hand.
    pub answers: Vec<Answer>,
    /// The question at hand.
    pub question: usize,
    /// The plan as the person changes it, once that was begun.
    pub plan: Option<String>,
    /// A form's fields.
    pub fields: Vec<(String, FieldValue)>,
    /// Whether the answer was given: nothing more can be done.
    pub sent: bool,
}
