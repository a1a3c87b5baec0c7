// SPDX-License-Identifier: GPL-3.0-or-later
//! The way back: to the byte where nothing else changed, by our own splices where they still stand, by meaning else.

use super::{Error, Fingerprint, Journal, Placed, Splice, Step, apply, invert, json};

/// The text without anything of ours; `None`: no file. `journal` may be missing: then our entries are found by their
/// command, and a container that holds nothing else counts as ours.
pub fn undo(now: Option<&str>, agent: &str, journal: Option<&Journal>) -> Result<Option<String>, Error> {
    let Some(now) = now else { return Ok(None) };
    let mut text = now.to_owned();
    for step in journal.iter().flat_map(|journal| journal.steps.iter().rev()) {
        match take_back(&text, step, agent) {
            Taken::Text(before) => text = before,
            Taken::File => return Ok(None),
            Taken::Nothing => {}
        }
    }
    let created = journal.map(Journal::created);
    let text = json::without_ours(&text, agent, created.as_ref())?;
    let ours = created.is_some_and(|created| created.file);
    Ok(if ours && text != now && json::is_void(&text)? { None } else { Some(text) })
}

enum Taken {
    Text(String),
    /// The step created the file.
    File,
    Nothing,
}

fn take_back(text: &str, step: &Step, agent: &str) -> Taken {
    let found = Fingerprint::of(text);
    if found != step.after {
        let moved = step.before.as_ref().is_some_and(|before| *before != found);
        let result = moved.then(|| by_context(text, step, agent)).flatten();
        return result.map_or(Taken::Nothing, Taken::Text);
    }
    let splices: Vec<_> = step.splices.iter().map(|placed| placed.splice.clone()).collect();
    let Some(before) = apply(text, &invert(&splices)) else {
        return Taken::Nothing;
    };
    match &step.before {
        None => Taken::File,
        Some(known) if *known == Fingerprint::of(&before) => Taken::Text(before),
        Some(_) => Taken::Nothing,
    }
}

/// Takes back a step whose splices all still stand somewhere, if the rest then says what it said. One alone is no use:
/// it could leave a comma behind.
fn by_context(text: &str, step: &Step, agent: &str) -> Option<String> {
    let splices: Vec<_> = step.splices.iter().map(|placed| placed.splice.clone()).collect();
    let mut found: Vec<Splice> = Vec::new();
    let mut next = None;
    for (placed, was) in step.splices.iter().zip(invert(&splices)).rev() {
        let offset = stands(text, placed, &expected(text, step, was.offset, next))
            .or_else(|| find(text, placed, next.map_or(text.len(), |(_, now)| now)))?;
        next = Some((was.offset, offset));
        found.push(Splice { offset, ..was });
    }
    found.reverse();
    let result = apply(text, &found)?;
    let same = json::same_but_ours(text, &result, agent, &step.created);
    let kept = json::keeps_comments(text, &result);
    (matches!(same, Ok(true)) && matches!(kept, Ok(true))).then_some(result)
}

/// Where what stood at `was` stands if nothing changed between it and the `next` one (where that was, and is), or before
/// it, or behind it.
fn expected(text: &str, step: &Step, was: usize, next: Option<(usize, usize)>) -> Vec<usize> {
    let beside = next.and_then(|(was_next, now)| now.checked_sub(was_next.checked_sub(was)?));
    let from_end = step.after.bytes.checked_sub(was).and_then(|rest| text.len().checked_sub(rest));
    let limit = next.map_or(text.len(), |(_, now)| now);
    beside.into_iter().chain([was]).chain(from_end).filter(|offset| *offset <= limit).collect()
}

/// The first of these offsets where a splice stands with all that was around it.
fn stands(text: &str, placed: &Placed, offsets: &[usize]) -> Option<usize> {
    let Placed { splice, before, behind } = placed;
    let is_there = |offset: &usize| {
        let (head, tail) = text.split_at_checked(*offset)?;
        let tail = head.ends_with(before.as_str()).then(|| tail.strip_prefix(splice.inserted.as_str()))??;
        tail.starts_with(behind.as_str()).then_some(*offset)
    };
    offsets.iter().find_map(is_there)
}

/// Where a splice stands now, before the next one at `limit`: the nearest with all that was around it, else the only one
/// with some of it.
fn find(text: &str, placed: &Placed, limit: usize) -> Option<usize> {
    let Placed { splice, before, behind } = placed;
    let all = format!("{before}{}{behind}", splice.inserted);
    let mut ends = limit.saturating_add(behind.len())..text.len();
    let end = ends.find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    let nearest = text.get(..end).and_then(|text| text.rfind(&all)).map(|offset| offset + before.len());
    let kept = [(before.as_str(), ""), ("", behind), ("", "")];
    let some = kept.iter().find_map(|(before, behind)| {
        let offset = only(text, &format!("{before}{}{behind}", splice.inserted))?;
        Some(offset + before.len())
    });
    nearest.or(some).filter(|offset| offset + splice.inserted.len() <= limit)
}

/// Where `part` stands, if it does exactly once.
fn only(text: &str, part: &str) -> Option<usize> {
    let first = text.find(part).filter(|_| !part.is_empty())?;
    let next = text.get(first..)?.chars().next()?.len_utf8();
    text.get(first + next..)?.find(part).is_none().then_some(first)
}
