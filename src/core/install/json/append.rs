// SPDX-License-Identifier: GPL-3.0-or-later
//! Putting new children behind the last one of an object or array, by insertions alone.

use super::{
    document::{Container, Document},
    style::{Layout, Style, breaks, ends_in_comment, tail},
};
use crate::install::Splice;

/// The insertions that put `children` at the end of `container`. Comments keep their place before them.
pub(super) fn append(
    document: &Document,
    container: &Container,
    layout: &Layout,
    style: &Style,
    children: &[String],
) -> Vec<Splice> {
    let tail = tail(document, container);
    let Some(last) = container.children.last() else {
        return vec![fill(document, container, layout, style, children)];
    };
    let lead = lead(layout, style);
    let separator = match layout {
        Layout::Block { .. } => ",",
        Layout::Inline => style.comma.trim_end(),
    };
    let body = children.join(&format!("{separator}{lead}"));
    if document.comma_after(last.end).is_some() {
        vec![Splice::insertion(tail.start, format!("{lead}{body}"))]
    } else if tail.start == last.end {
        vec![Splice::insertion(tail.start, format!("{separator}{lead}{body}"))]
    } else {
        let comma = Splice::insertion(last.end, separator);
        vec![comma, Splice::insertion(tail.start, format!("{lead}{body}"))]
    }
}

/// The first children of an empty container.
fn fill(
    document: &Document,
    container: &Container,
    layout: &Layout,
    style: &Style,
    children: &[String],
) -> Splice {
    let Layout::Block { indent } = layout else {
        return Splice::insertion(container.inside().end, children.join(style.comma));
    };
    let tail = tail(document, container);
    let lead = format!("{}{indent}", style.newline);
    let body = children.join(&format!(",{lead}"));
    if breaks(document.slice(tail.clone())) {
        return Splice::insertion(tail.start, format!("{lead}{body}"));
    }
    let base = document.slice(document.line_indent(container.range.start));
    Splice::insertion(tail.end, format!("{lead}{body}{}{base}", style.newline))
}

/// What stands between a separator and the next child.
fn lead(layout: &Layout, style: &Style) -> String {
    match layout {
        Layout::Block { indent } => format!("{}{indent}", style.newline),
        Layout::Inline => style.comma.trim_start_matches(',').to_owned(),
    }
}

/// A whole new document at the end of a text that holds nothing but blanks and comments.
pub(super) fn fill_blank(document: &Document, style: &Style, root: &str) -> Splice {
    let end = document.body.len();
    let at = document.token_before(end).map_or(0, |comment| comment.range.end);
    let before = if ends_in_comment(document, at) { style.newline } else { "" };
    let after = if breaks(document.slice(at..end)) { "" } else { style.newline };
    Splice::insertion(at, format!("{before}{root}{after}"))
}
