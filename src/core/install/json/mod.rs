// SPDX-License-Identifier: GPL-3.0-or-later
//! Hooks in JSON with comments: pure planning over text.
//!
//! A lossless parser finds where to write; the writing is our own small splices.

mod append;
mod connect;
mod document;
mod meaning;
mod remove;
mod render;
mod style;
mod survey;

use super::{Created, Entries, Error, Plan, Splice, Status, splice};
use document::Document;
use survey::Survey;

/// Plans the splices that bring `entries` into a text; `None`: there is no file yet. Verified before it is returned.
pub fn plan(before: Option<&str>, entries: &Entries) -> Result<Plan, Error> {
    let text = before.unwrap_or_default();
    let document = Document::parse(text)?;
    let survey = Survey::of(&document, &entries.agent)?;
    let (mut splices, mut created) = connect::splices(&document, &survey, entries)?;
    created.file = before.is_none() && !splices.is_empty();
    for splice in &mut splices {
        splice.offset += document.mark;
    }
    let after = splice::apply(text, &splices).ok_or(Error::Unverified)?;
    let plan = Plan { splices, after, created, fresh: survey.own().next().is_none() };
    verify(text, &plan, entries)?;
    Ok(plan)
}

fn verify(before: &str, plan: &Plan, entries: &Entries) -> Result<(), Error> {
    let same = same_but_ours(before, &plan.after, &entries.agent, &plan.created);
    let connected = status(Some(&plan.after), entries);
    match (same, connected) {
        (Ok(true), Ok(Status::Connected)) => Ok(()),
        _ => Err(Error::Unverified),
    }
}

/// How much of `entries` a text holds.
pub fn status(text: Option<&str>, entries: &Entries) -> Result<Status, Error> {
    let document = Document::parse(text.unwrap_or_default())?;
    let survey = Survey::of(&document, &entries.agent)?;
    let (splices, _) = connect::splices(&document, &survey, entries)?;
    Ok(match survey.own().next() {
        _ if splices.is_empty() => Status::Connected,
        Some(_) => Status::Partly,
        None => Status::NotConnected,
    })
}

/// The text without any entry of ours, and without the containers in `created` that this leaves empty.
/// All other bytes stay. Verified before it is returned.
pub fn without_ours(text: &str, agent: &str, created: Option<&Created>) -> Result<String, Error> {
    let document = Document::parse(text)?;
    let survey = Survey::of(&document, agent)?;
    let guessed = guess(&survey);
    let created = created.unwrap_or(&guessed);
    let cuts = remove::cuts(&document, &survey, created).into_iter().map(|range| Splice {
        offset: range.start + document.mark,
        removed: document.slice(range).to_owned(),
        inserted: String::new(),
    });
    let after = splice::apply(text, &cuts.collect::<Vec<_>>()).ok_or(Error::Unverified)?;
    let same = same_but_ours(text, &after, agent, created);
    match (same, holds_ours(&after, agent)) {
        (Ok(true), Ok(false)) => Ok(after),
        _ => Err(Error::Unverified),
    }
}

/// Without a journal: what holds nothing but ours was made by us.
fn guess(survey: &Survey) -> Created {
    let Some(hooks) = &survey.hooks else {
        return Created::default();
    };
    let own = hooks
        .events
        .iter()
        .filter(|event| !event.groups.is_empty() && event.groups.iter().all(survey::Group::is_own));
    let events: std::collections::BTreeSet<_> = own.map(|event| event.name.to_owned()).collect();
    let hooks = !events.is_empty() && hooks.events.iter().all(|event| events.contains(event.name));
    Created { file: false, hooks, events }
}

/// Whether two texts say the same but for our entries and the empty containers we created.
pub fn same_but_ours(left: &str, right: &str, agent: &str, created: &Created) -> Result<bool, Error> {
    meaning::same_but_ours(left, right, agent, created)
}

/// Whether all comments of one text stand in another, in their order. It may have more of them.
pub fn keeps_comments(text: &str, other: &str) -> Result<bool, Error> {
    let (document, other) = (Document::parse(text)?, Document::parse(other)?);
    let mut others = other.comments();
    Ok(document.comments().all(|comment| others.any(|other| other == comment)))
}

/// Whether a text holds an entry of ours.
pub fn holds_ours(text: &str, agent: &str) -> Result<bool, Error> {
    let document = Document::parse(text)?;
    let survey = Survey::of(&document, agent)?;
    Ok(survey.own().next().is_some())
}

/// Whether a text says nothing: no value or an empty object, and no comment.
pub fn is_void(text: &str) -> Result<bool, Error> {
    let document = Document::parse(text)?;
    let empty = document.root.as_ref().is_none_or(|root| root.properties.is_empty());
    Ok(empty && !document.has_comment(&(0..document.body.len()), &[]))
}
