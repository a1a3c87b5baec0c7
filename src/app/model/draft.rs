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
    /// Own words that do not count, for a choice was taken instead, in the order of the questions.
    pub set_aside: Vec<String>,
    /// The question at hand.
    pub question: usize,
    /// The plan as the person changes it, once that was begun.
    pub plan: Option<String>,
    /// Whether the plan is shown to be changed.
    pub editing: bool,
    /// Whether a form's defaults were put in.
    pub begun: bool,
    /// A form's fields that hold something, be it what they take or not.
    pub fields: Vec<(String, FieldValue)>,
    /// Whether the answer was given: nothing more can be done.
    pub sent: bool,
}
