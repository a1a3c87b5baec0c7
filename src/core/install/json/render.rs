// SPDX-License-Identifier: GPL-3.0-or-later
//! New JSON text, in the style of its surroundings.

use super::style::{Layout, Style};
use crate::install::Hook;

/// What is to be written.
pub(super) enum Node<'a> {
    Object(Vec<(&'a str, Node<'a>)>),
    Array(Vec<Node<'a>>),
    Text(&'a str),
    Number(u32),
}

impl<'a> Node<'a> {
    /// One command, as it stands in a group's `hooks`.
    pub fn hook(hook: &'a Hook) -> Self {
        let timeout = hook.timeout.map(|seconds| ("timeout", Node::Number(seconds)));
        let fields = [("type", Node::Text("command")), ("command", Node::Text(&hook.command))];
        Node::Object(fields.into_iter().chain(timeout).collect())
    }

    /// A group with one command: what is appended to an event's array.
    pub fn group(hook: &'a Hook) -> Self {
        Node::Object(vec![("hooks", Node::Array(vec![Node::hook(hook)]))])
    }

    pub fn render(&self, layout: &Layout, style: &Style) -> String {
        match self {
            Node::Text(text) => quoted(text),
            Node::Number(number) => number.to_string(),
            Node::Array(items) => {
                let deeper = layout.deeper(style);
                bracketed(('[', ']'), items.iter().map(|item| item.render(&deeper, style)), layout, style)
            }
            Node::Object(fields) => {
                let deeper = layout.deeper(style);
                let fields = fields.iter().map(|field| render_field(field, &deeper, style));
                bracketed(('{', '}'), fields, layout, style)
            }
        }
    }
}

/// `"key": value`, its value's lines as far in as `layout` says.
pub(super) fn render_field((key, value): &(&str, Node), layout: &Layout, style: &Style) -> String {
    format!("{}{}{}", quoted(key), style.colon, value.render(layout, style))
}

fn bracketed(
    (open, close): (char, char),
    items: impl Iterator<Item = String>,
    layout: &Layout,
    style: &Style,
) -> String {
    let items: Vec<_> = items.collect();
    match layout {
        Layout::Inline => format!("{open}{}{close}", items.join(style.comma)),
        Layout::Block { indent } => {
            let lead = format!("{}{indent}{}", style.newline, style.unit);
            let items = items.join(&format!(",{lead}"));
            format!("{open}{lead}{items}{}{indent}{close}", style.newline)
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
