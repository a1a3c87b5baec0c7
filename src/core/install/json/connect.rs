// SPDX-License-Identifier: GPL-3.0-or-later
//! Planning which text to add.

use super::{
    append::{append, fill_blank},
    document::{Container, Document, only},
    render::{Node, render_field},
    style::{Layout, Style},
    survey::{Event, HOOKS, Hooks, Survey, path},
};
use crate::install::{Created, Entries, Error, Hook, Splice};

/// The splices that bring `entries` into the document, and the containers they create.
pub(super) fn splices(
    document: &Document,
    survey: &Survey,
    entries: &Entries,
) -> Result<(Vec<Splice>, Created), Error> {
    let mut created = Created::default();
    let splices = match (&document.root, &survey.hooks) {
        _ if entries.hooks.is_empty() => Vec::new(),
        (None, _) => {
            created.add_all(entries);
            vec![whole(document, entries)]
        }
        (Some(root), None) => {
            created.add_all(entries);
            let hooks = (HOOKS, all(entries));
            extend(document, &root.into(), &[hooks])
        }
        (Some(_), Some(hooks)) => into_hooks(document, hooks, entries, &mut created)?,
    };
    Ok((splices, created))
}

fn whole(document: &Document, entries: &Entries) -> Splice {
    let style = Style::of(document, document.body.len());
    let root = Node::Object(vec![(HOOKS, all(entries))]);
    let root = root.render(&Layout::Block { indent: String::new() }, &style);
    fill_blank(document, &style, &root)
}

/// The value of a new `hooks`.
fn all(entries: &Entries) -> Node<'_> {
    let names = entries.hooks.iter().map(|hook| hook.event.as_str());
    let event = |name| (name, Node::Array(named(entries, name).map(Node::group).collect()));
    Node::Object(unique(names).into_iter().map(event).collect())
}

fn named<'e>(entries: &'e Entries, event: &str) -> impl Iterator<Item = &'e Hook> {
    entries.hooks.iter().filter(move |hook| hook.event == event)
}

fn unique<'e>(names: impl Iterator<Item = &'e str>) -> Vec<&'e str> {
    let mut seen = Vec::new();
    names.for_each(|name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
    });
    seen
}

fn into_hooks(
    document: &Document,
    hooks: &Hooks,
    entries: &Entries,
    created: &mut Created,
) -> Result<Vec<Splice>, Error> {
    let (mut splices, mut missing) = (Vec::new(), Vec::new());
    for name in unique(entries.hooks.iter().map(|hook| hook.event.as_str())) {
        only(hooks.object, name, &path(name))?;
        if let Some(event) = hooks.events.iter().find(|event| event.name == name) {
            splices.extend(into_event(document, event, entries)?);
        } else {
            created.events.insert(name.to_owned());
            missing.push((name, Node::Array(named(entries, name).map(Node::group).collect())));
        }
    }
    if !missing.is_empty() {
        splices.extend(extend(document, &hooks.object.into(), &missing));
    }
    splices.sort_by_key(|splice| splice.offset);
    Ok(splices)
}

/// What an event's array lacks: an entry of ours in an older form is brought up to date where it stands.
fn into_event(document: &Document, event: &Event, entries: &Entries) -> Result<Vec<Splice>, Error> {
    let wrong = || Error::WrongType { at: path(event.name), wanted: "an array" };
    let array = Container::from(event.array.ok_or_else(wrong)?);
    let wanted = |command: &str| named(entries, event.name).any(|hook| hook.command == command);
    let mut outdated = event.own().filter(|own| own.event == event.name && !wanted(own.command));
    let (mut splices, mut added) = (Vec::new(), Vec::new());
    for hook in named(entries, event.name) {
        if event.own().any(|own| own.command == hook.command) {
        } else if let Some(own) = outdated.next() {
            splices.push(replace(document, own.range.clone(), hook));
        } else {
            added.push(Node::group(hook));
        }
    }
    if !added.is_empty() {
        let style = Style::of(document, array.inside().end);
        let layout = Layout::of(document, &array, &style);
        let added: Vec<_> = added.iter().map(|group| group.render(&layout, &style)).collect();
        splices.extend(append(document, &array, &layout, &style, &added));
    }
    Ok(splices)
}

fn replace(document: &Document, range: std::ops::Range<usize>, hook: &Hook) -> Splice {
    let style = Style::of(document, range.start);
    let removed = document.slice(range.clone()).to_owned();
    let layout = if removed.contains(['\n', '\r']) {
        Layout::Block { indent: document.slice(document.line_indent(range.start)).to_owned() }
    } else {
        Layout::Inline
    };
    let inserted = Node::hook(hook).render(&layout, &style);
    Splice { offset: range.start, removed, inserted }
}

/// New properties at the end of an object.
fn extend(document: &Document, object: &Container, fields: &[(&str, Node)]) -> Vec<Splice> {
    let style = Style::of(document, object.inside().end);
    let layout = Layout::of(document, object, &style);
    let fields: Vec<_> = fields.iter().map(|field| render_field(field, &layout, &style)).collect();
    append(document, object, &layout, &style, &fields)
}
