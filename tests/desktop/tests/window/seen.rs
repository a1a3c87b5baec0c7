// SPDX-License-Identifier: GPL-3.0-or-later
//! The window's tree in the words of its user: headings, and the rows below them.

use dasbo_desktop_tests::accessibility::{Node, State};

/// The list of sessions, when it is shown.
pub fn list(tree: &Node) -> Option<&Node> {
    tree.named("Sessions")
}

/// What stands in the list, from the top down: headings and rows.
pub fn items(tree: &Node) -> Vec<&Node> {
    list(tree).map_or(Vec::new(), |list| list.children.iter().map(speaker).collect())
}

/// Since GTK 4.12 the list's own item has the name, before that what is inside of it.
fn speaker(item: &Node) -> &Node {
    if item.name.is_empty() { item.children.first().unwrap_or(item) } else { item }
}

/// A row unfolds, a heading does not.
pub fn is_heading(item: &Node) -> bool {
    !item.is(State::Expandable)
}

/// The rows, from the top down.
pub fn rows(tree: &Node) -> Vec<&Node> {
    items(tree).into_iter().filter(|item| !is_heading(item)).collect()
}

/// The row of this project.
pub fn row<'a>(tree: &'a Node, project: &str) -> Option<&'a Node> {
    rows(tree).into_iter().find(|row| row.texts().first() == Some(&project))
}

/// What is read to a user who goes through the list: each heading's title, and the sentences of its rows.
pub fn groups(tree: &Node) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for item in items(tree) {
        if is_heading(item) {
            groups.push((item.texts().first().copied().unwrap_or_default(), Vec::new()));
        } else if let Some((_, rows)) = groups.last_mut() {
            rows.push(&item.name);
        } else {
            groups.push(("no heading", vec![&item.name]));
        }
    }
    groups
}

/// The window's title.
pub fn title(tree: &Node) -> &str {
    window(tree).map_or("", |window| &window.name)
}

pub fn window(tree: &Node) -> Option<&Node> {
    tree.find(|node| node.role == "window" || node.role == "frame")
}
