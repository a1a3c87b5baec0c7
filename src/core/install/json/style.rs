// SPDX-License-Identifier: GPL-3.0-or-later
//! How a text is written, so that what is added looks like the rest.

use std::ops::Range;

use super::document::{Container, Document, is_comment, span};

const DEFAULT_UNIT: &str = "  ";

/// What holds for the whole text.
pub(super) struct Style {
    pub newline: &'static str,
    /// One step of indentation.
    pub unit: String,
    /// Between a key and its value.
    pub colon: &'static str,
    /// Between two children on one line.
    pub comma: &'static str,
}

/// Whether the children of a container stand on lines of their own, and how far in.
pub(super) enum Layout {
    Block { indent: String },
    Inline,
}

impl Style {
    /// The style of `document`, with the line ending used nearest to `at`.
    pub fn of(document: &Document, at: usize) -> Self {
        let colon = colon(document);
        let comma = if colon == ":" { "," } else { ", " };
        Self { newline: newline(document, at), unit: unit(document), colon, comma }
    }
}

fn newline(document: &Document, at: usize) -> &'static str {
    let (before, after) = (document.slice(0..at), document.slice(at..document.body.len()));
    let ending = |text: &str, at: usize| match text.get(at..at + 1) {
        Some("\r") if text.get(at + 1..at + 2) == Some("\n") => "\r\n",
        Some("\r") => "\r",
        _ if text.get(..at).is_some_and(|head| head.ends_with('\r')) => "\r\n",
        _ => "\n",
    };
    let last = before.rfind(['\n', '\r']).map(|found| ending(before, found));
    last.or_else(|| after.find(['\n', '\r']).map(|found| ending(after, found))).unwrap_or("\n")
}

fn unit(document: &Document) -> String {
    let first = document.root.as_ref().and_then(|root| Some((root.range.start, root.properties.first()?)));
    let Some((root, first)) = first else {
        return DEFAULT_UNIT.to_owned();
    };
    let indent = document.line_indent(first.range.start);
    if indent.end != first.range.start || indent.start <= root {
        return DEFAULT_UNIT.to_owned();
    }
    let base = document.slice(document.line_indent(root));
    let indent = document.slice(indent);
    indent.strip_prefix(base).unwrap_or(indent).to_owned()
}

fn colon(document: &Document) -> &'static str {
    let first = document.root.as_ref().and_then(|root| root.properties.first());
    let Some(first) = first else { return ": " };
    let between = document.slice(span(&first.name).end..span(&first.value).start);
    if between.ends_with(':') { ":" } else { ": " }
}

impl Layout {
    pub fn of(document: &Document, container: &Container, style: &Style) -> Self {
        let base = document.slice(document.line_indent(container.range.start));
        let deeper = || format!("{base}{}", style.unit);
        match container.children.last() {
            None if is_spread(document, container) => Self::Block { indent: deeper() },
            Some(last) if has_own_lines(document, container) => {
                let indent = document.line_indent(last.start);
                let found = (indent.end == last.start).then(|| document.slice(indent).to_owned());
                Self::Block { indent: found.unwrap_or_else(deeper) }
            }
            _ => Self::Inline,
        }
    }

    /// The layout of a child's own children.
    pub fn deeper(&self, style: &Style) -> Self {
        match self {
            Self::Block { indent } => Self::Block { indent: format!("{indent}{}", style.unit) },
            Self::Inline => Self::Inline,
        }
    }
}

/// Whether an empty container opens up when something is put in it.
fn is_spread(document: &Document, container: &Container) -> bool {
    let root = document.root.as_ref().map(span).unwrap_or_default();
    root == container.range || breaks(document.slice(root))
}

/// Whether a line ends between two children, or between one and a bracket.
fn has_own_lines(document: &Document, container: &Container) -> bool {
    let inside = container.inside();
    let starts = container.children.iter().map(|child| child.start).chain([inside.end]);
    let ends = [inside.start].into_iter().chain(container.children.iter().map(|child| child.end));
    ends.zip(starts).any(|(end, start)| breaks(document.slice(end..start)))
}

pub(super) fn breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Where a container's blanks before its closing bracket begin: behind its last token or comment.
pub(super) fn tail(document: &Document, container: &Container) -> Range<usize> {
    let end = container.inside().end;
    document.token_before(end).map_or(end, |token| token.range.end)..end
}

/// Whether what ends at `at` is a comment.
pub(super) fn ends_in_comment(document: &Document, at: usize) -> bool {
    document.token_before(at).is_some_and(|token| token.range.end == at && is_comment(token))
}
