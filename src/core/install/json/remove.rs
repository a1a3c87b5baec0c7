// SPDX-License-Identifier: GPL-3.0-or-later
//! Planning which text to cut: our commands, the groups that hold nothing else, and the containers we created.

use std::ops::Range;

use jsonc_parser::tokens::Token;

use super::{
    document::{Container, Document, span},
    style::breaks,
    survey::{Event, Group, Survey},
};
use crate::install::Created;

/// The ranges to cut, sorted and apart from each other.
pub(super) fn cuts(document: &Document, survey: &Survey, created: &Created) -> Vec<Range<usize>> {
    let (Some(root), Some(hooks)) = (&document.root, &survey.hooks) else {
        return Vec::new();
    };
    let gone: Vec<_> = hooks.events.iter().map(|event| goes(document, event, created)).collect();
    let object = Container::from(hooks.object);
    let emptied = created.hooks && gone.iter().all(|gone| *gone);
    if emptied && !document.has_comment(&span(hooks.property), &object.children) {
        let is_hooks = |range: &Range<usize>| *range == span(hooks.property);
        let root = Container::from(root);
        let gone: Vec<_> = root.children.iter().map(is_hooks).collect();
        return joined(cut(document, &root, &gone));
    }
    let mut ranges = cut(document, &object, &gone);
    let stays = hooks.events.iter().zip(&gone).filter(|(_, gone)| !**gone);
    ranges.extend(stays.flat_map(|(event, _)| from_event(document, event)));
    joined(ranges)
}

/// Whether an event goes with its array: we created it, and it holds nothing but ours.
fn goes(document: &Document, event: &Event, created: &Created) -> bool {
    let Some(array) = event.array else { return false };
    created.events.contains(event.name)
        && event.groups.iter().all(Group::is_own)
        && !document.has_comment(&span(event.property), &Container::from(array).children)
}

fn from_event(document: &Document, event: &Event) -> Vec<Range<usize>> {
    let Some(array) = event.array else {
        return Vec::new();
    };
    let gone: Vec<_> = event.groups.iter().map(Group::is_own).collect();
    let mut ranges = cut(document, &array.into(), &gone);
    for group in event.groups.iter().filter(|group| !group.is_own() && !group.own.is_empty()) {
        let Some(list) = group.list else { continue };
        let own = |index| group.own.iter().any(|own| own.index == index);
        let gone: Vec<_> = (0..list.elements.len()).map(own).collect();
        ranges.extend(cut(document, &list.into(), &gone));
    }
    ranges
}

/// Cuts the children marked in `gone`, and as many commas. Comments between children stay.
fn cut(document: &Document, container: &Container, gone: &[bool]) -> Vec<Range<usize>> {
    let children: Vec<_> = container.children.iter().zip(gone.iter().copied()).collect();
    let all = gone.iter().all(|gone| *gone);
    if all && !gone.is_empty() && !document.has_comment(&container.range, &container.children) {
        return vec![container.inside()];
    }
    let runs = children.chunk_by(|(_, left), (_, right)| left == right);
    let runs = runs.filter(|run| run.first().is_some_and(|(_, gone)| *gone));
    runs.flat_map(|run| cut_run(document, run)).collect()
}

/// Cuts neighbours. The comma behind goes with each; without one behind the last, the comma before.
fn cut_run(document: &Document, run: &[(&Range<usize>, bool)]) -> Vec<Range<usize>> {
    let behind = run.last().and_then(|(last, _)| document.comma_after(last.end)).is_some();
    let (mut commas, mut pieces) = (Vec::new(), Vec::<Range<usize>>::new());
    for (child, _) in run {
        let comma = if behind { document.comma_after(child.end) } else { document.comma_before(child.start) };
        let follows = comma.as_ref().filter(|comma| behind && is_blank(document, child.end..comma.start));
        let end = follows.map_or(child.end, |comma| comma.end);
        commas.extend(comma);
        match pieces.last_mut().filter(|last| !document.has_comment(&(last.end..child.start), &[])) {
            Some(last) => last.end = end,
            None => pieces.push(child.start..end),
        }
    }
    commas.extend(pieces.into_iter().map(|piece| with_blanks(document, piece)));
    commas
}

/// A piece with the blanks before it; but a line that ends in a comment must end.
fn with_blanks(document: &Document, piece: Range<usize>) -> Range<usize> {
    let Some(before) = document.token_before(piece.start) else { return piece };
    let blanks = document.slice(before.range.end..piece.start);
    let behind = document.slice(piece.end..document.body.len()).trim_start_matches([' ', '\t']);
    if matches!(before.token, Token::CommentLine(_)) && newline_length(behind) == 0 {
        return before.range.end + newline_length(blanks)..piece.end;
    }
    // `[ours, theirs]`: the blank behind our comma goes too.
    let opens = matches!(before.token, Token::OpenBrace | Token::OpenBracket) && blanks.is_empty();
    let separated = opens && document.slice(piece.clone()).ends_with(',');
    let next = document.next_start(piece.end).filter(|_| separated);
    let next =
        next.filter(|next| is_blank(document, piece.end..*next) && !breaks(document.slice(piece.end..*next)));
    before.range.end..next.unwrap_or(piece.end)
}

fn newline_length(text: &str) -> usize {
    ["\r\n", "\n", "\r"].iter().find(|newline| text.starts_with(**newline)).map_or(0, |found| found.len())
}

fn is_blank(document: &Document, range: Range<usize>) -> bool {
    document.slice(range).trim().is_empty()
}

fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut result: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match result.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => result.push(range),
        }
    }
    result
}
