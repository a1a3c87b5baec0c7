// SPDX-License-Identifier: GPL-3.0-or-later
//! What hooks a document holds, and which of them are ours.
//!
//! The shape Claude Code, Codex and Gemini share: `{"hooks": {"<Event>": [{"hooks": [{"command": "…"}]}]}}`.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};

use super::document::{Document, only, span};
use crate::install::{Error, own_event};

pub(super) const HOOKS: &str = "hooks";

/// The `hooks` of a document.
pub(super) struct Survey<'o, 'a> {
    pub hooks: Option<Hooks<'o, 'a>>,
}

pub(super) struct Hooks<'o, 'a> {
    pub property: &'o ObjectProp<'a>,
    pub object: &'o Object<'a>,
    /// In the order of the object's properties, one for each.
    pub events: Vec<Event<'o, 'a>>,
}

pub(super) struct Event<'o, 'a> {
    pub name: &'o str,
    pub property: &'o ObjectProp<'a>,
    /// `None`: not an array, so nothing of ours.
    pub array: Option<&'o Array<'a>>,
    /// One for each element of the array.
    pub groups: Vec<Group<'o, 'a>>,
}

/// One element of an event's array.
pub(super) struct Group<'o, 'a> {
    pub list: Option<&'o Array<'a>>,
    /// Our commands among the group's.
    pub own: Vec<Own<'o>>,
}

/// A command of ours.
pub(super) struct Own<'o> {
    pub index: usize,
    pub range: Range<usize>,
    pub command: &'o str,
    /// The event its command names.
    pub event: &'o str,
}

impl<'o, 'a> Survey<'o, 'a> {
    pub fn of(document: &'o Document<'a>, agent: &str) -> Result<Self, Error> {
        let Some(root) = &document.root else {
            return Ok(Self { hooks: None });
        };
        let Some(property) = only(root, HOOKS, HOOKS)? else {
            return Ok(Self { hooks: None });
        };
        let Value::Object(object) = &property.value else {
            return Err(Error::WrongType { at: HOOKS.to_owned(), wanted: "an object" });
        };
        let events = object.properties.iter().map(|property| Event::of(property, agent));
        let events = events.collect::<Result<Vec<_>, _>>()?;
        for event in events.iter().filter(|event| event.own().next().is_some()) {
            only(object, event.name, &path(event.name))?;
        }
        Ok(Self { hooks: Some(Hooks { property, object, events }) })
    }

    pub fn own(&self) -> impl Iterator<Item = &Own<'o>> {
        self.hooks.iter().flat_map(|hooks| &hooks.events).flat_map(Event::own)
    }
}

impl<'o, 'a> Event<'o, 'a> {
    fn of(property: &'o ObjectProp<'a>, agent: &str) -> Result<Self, Error> {
        let name = property.name.as_str();
        let array = property.value.as_array();
        let elements = array.map(|array| array.elements.iter()).into_iter().flatten();
        let groups = elements.map(|element| Group::of(element, agent, name)).collect::<Result<_, _>>()?;
        Ok(Self { name, property, array, groups })
    }

    pub fn own(&self) -> impl Iterator<Item = &Own<'o>> {
        self.groups.iter().flat_map(|group| &group.own)
    }
}

impl<'o, 'a> Group<'o, 'a> {
    fn of(element: &'o Value<'a>, agent: &str, event: &str) -> Result<Self, Error> {
        let property = match element.as_object() {
            Some(group) => only(group, HOOKS, &format!("{}.{HOOKS}", path(event)))?,
            None => None,
        };
        let list = property.and_then(|property| property.value.as_array());
        let commands = list.map(|list| list.elements.iter()).into_iter().flatten().enumerate();
        let own = commands.filter_map(|(index, hook)| Own::of(index, hook, agent)).collect();
        Ok(Self { list, own })
    }

    /// Whether the group holds our commands and no others: it goes when they go.
    pub fn is_own(&self) -> bool {
        !self.own.is_empty() && self.list.is_some_and(|list| list.elements.len() == self.own.len())
    }
}

impl<'o> Own<'o> {
    fn of(index: usize, hook: &'o Value<'_>, agent: &str) -> Option<Self> {
        let fields = hook.as_object()?.properties.iter();
        // Of two commands in one hook the agent's JSON reader takes the last.
        let command = fields.rev().find(|field| field.name.as_str() == "command")?;
        let command = command.value.as_string_lit()?.value.as_ref();
        let event = own_event(command, agent)?;
        Some(Self { index, range: span(hook), command, event })
    }
}

pub(super) fn path(event: &str) -> String {
    format!("{HOOKS}.{event}")
}
