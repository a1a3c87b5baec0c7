// SPDX-License-Identifier: GPL-3.0-or-later
//! What a document says, whatever it looks like; and what it says without our entries.

use jsonc_parser::ast::Value;

use super::{
    document::Document,
    survey::{Event, Survey},
};
use crate::install::{Created, Error};

/// A value with order and spelling of numbers kept, blanks and comments left out.
#[derive(PartialEq)]
pub(super) enum Meaning<'o> {
    Null,
    Bool(bool),
    Number(&'o str),
    Text(&'o str),
    List(Vec<Meaning<'o>>),
    Map(Vec<(&'o str, Meaning<'o>)>),
}

impl<'o> From<&'o Value<'_>> for Meaning<'o> {
    fn from(value: &'o Value<'_>) -> Self {
        match value {
            Value::NullKeyword(_) => Self::Null,
            Value::BooleanLit(literal) => Self::Bool(literal.value),
            Value::NumberLit(literal) => Self::Number(literal.value),
            Value::StringLit(literal) => Self::Text(&literal.value),
            Value::Array(array) => Self::List(array.elements.iter().map(Self::from).collect()),
            Value::Object(object) => {
                let fields = object.properties.iter();
                Self::Map(fields.map(|field| (field.name.as_str(), Self::from(&field.value))).collect())
            }
        }
    }
}

/// Whether two texts say the same but for our entries and the empty containers we created.
pub(super) fn same_but_ours(left: &str, right: &str, agent: &str, created: &Created) -> Result<bool, Error> {
    let (left, right) = (Document::parse(left)?, Document::parse(right)?);
    let (left_survey, right_survey) = (Survey::of(&left, agent)?, Survey::of(&right, agent)?);
    Ok(without_ours(&left, &left_survey, created) == without_ours(&right, &right_survey, created))
}

fn without_ours<'o>(document: &'o Document, survey: &Survey<'o, '_>, created: &Created) -> Meaning<'o> {
    let properties = document.root.iter().flat_map(|root| &root.properties);
    let fields = properties.filter_map(|property| {
        let name = property.name.as_str();
        match &survey.hooks {
            Some(hooks) if std::ptr::eq(hooks.property, property) => {
                let events: Vec<_> =
                    hooks.events.iter().filter_map(|event| of_event(event, created)).collect();
                let kept = !(events.is_empty() && created.hooks);
                kept.then_some((name, Meaning::Map(events)))
            }
            _ => Some((name, Meaning::from(&property.value))),
        }
    });
    Meaning::Map(fields.collect())
}

fn of_event<'o>(event: &Event<'o, '_>, created: &Created) -> Option<(&'o str, Meaning<'o>)> {
    let Some(array) = event.array else {
        return Some((event.name, Meaning::from(&event.property.value)));
    };
    let groups = array.elements.iter().zip(&event.groups).filter(|(_, group)| !group.is_own());
    let groups: Vec<_> = groups
        .map(|(element, group)| {
            let own: Vec<_> = group.own.iter().map(|own| own.index).collect();
            if own.is_empty() { Meaning::from(element) } else { of_group(element, &own) }
        })
        .collect();
    let kept = !(groups.is_empty() && created.events.contains(event.name));
    kept.then_some((event.name, Meaning::List(groups)))
}

/// A group that others share with us, without the commands at `own`.
fn of_group<'o>(element: &'o Value<'_>, own: &[usize]) -> Meaning<'o> {
    let fields = element.as_object().map(|group| group.properties.iter()).into_iter().flatten();
    let fields = fields.map(|field| {
        let list = field.value.as_array().filter(|_| field.name.as_str() == super::survey::HOOKS);
        let value = match list {
            None => Meaning::from(&field.value),
            Some(list) => {
                let kept = list.elements.iter().enumerate().filter(|(index, _)| !own.contains(index));
                Meaning::List(kept.map(|(_, hook)| Meaning::from(hook)).collect())
            }
        };
        (field.name.as_str(), value)
    });
    Meaning::Map(fields.collect())
}
