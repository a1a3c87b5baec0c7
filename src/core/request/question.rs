// SPDX-License-Identifier: GPL-3.0-or-later
//! Questions with choices.

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question. Not empty, and no other of its request has the same.
    pub text: String,
    /// A word or two that stand for it.
    pub header: Option<String>,
    /// What there is to choose from. May be empty: then only a free answer fits.
    pub choices: Vec<Choice>,
    /// Whether more than one may be chosen.
    pub multiple: bool,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name. Not empty, and no other of its question has the same.
    pub label: String,
    /// What it means.
    pub description: Option<String>,
    /// What it would look like: text in a fixed width.
    pub preview: Option<String>,
}
