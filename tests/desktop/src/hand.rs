// SPDX-License-Identifier: GPL-3.0-or-later
//! A person's hand at the panel's window: finds the row of a project, presses what is in it, writes into it.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::accessibility::{Application, Desktop, Node, State};
use crate::panel::Panel;
use crate::wait;

/// The hand.
#[derive(Debug)]
pub struct Hand {
    window: Application,
    limit: Duration,
    desktop: Desktop,
}

impl Hand {
    /// At the window of this panel.
    pub async fn at(panel: &Panel, limit: Duration) -> Result<Self> {
        let desktop = Desktop::connect().await?;
        let pid = panel.pid().context("the panel has ended")?;
        let window = desktop.application(pid, limit).await?;
        Ok(Self { window, limit, desktop })
    }

    /// Presses a button in the row of this project, once it is there and its card takes presses.
    pub async fn press(&self, project: &str, button: &str) -> Result<()> {
        let node =
            self.wait_for(project, &format!("button {button:?}"), |row| pressable(row, button)).await?;
        self.window.activate(&node).await
    }

    /// Presses a button in the card, of several in the row of this project, in which this stands.
    pub async fn press_beside(&self, project: &str, text: &str, button: &str) -> Result<()> {
        let says = |node: &Node| node.texts().iter().any(|label| label.contains(text));
        let find = |row: &Node| {
            // The smallest part that has both.
            row.all().into_iter().rev().filter(|part| says(part)).find_map(|part| pressable(part, button))
        };
        let node = self.wait_for(project, &format!("button {button:?} beside {text:?}"), find).await?;
        self.window.activate(&node).await
    }

    /// Takes a choice with the mouse: GTK 4.8 lets a screen reader activate buttons alone.
    pub async fn choose(&self, project: &str, choice: &str) -> Result<()> {
        let what = format!("choice {choice:?}, taken, in {project}");
        let taken = wait::until(self.limit, &what, async || {
            let node = self.find(project, |row| pressable(row, choice)).await?;
            if node.is(State::Checked) {
                return Some(());
            }
            let place = self.window.extents(&node).await.ok()?;
            let _ = self.desktop.click(place.x + place.width / 2, place.y + place.height / 2).await;
            None
        });
        taken.await
    }

    /// Puts a text into the entry of this name in the row of this project.
    pub async fn write(&self, project: &str, entry: &str, text: &str) -> Result<()> {
        let named = |row: &Node| row.find(|node| node.name == entry && node.is(State::Editable)).cloned();
        let node = self.wait_for(project, &format!("entry {entry:?}"), named).await?;
        self.window.fill(&node, text).await
    }

    /// Waits until the row of this project has no button of this name.
    pub async fn wait_until_gone(&self, project: &str, button: &str) -> Result<()> {
        let gone =
            |row: &Node| row.find(|node| node.is_button() && is_called(node, button)).is_none().then_some(());
        self.wait_for(project, &format!("row without {button:?}"), gone).await
    }

    async fn wait_for<T>(&self, project: &str, what: &str, is_so: impl Fn(&Node) -> Option<T>) -> Result<T> {
        let what = format!("{what} in the row of {project}");
        self.window.wait_for(self.limit, &what, |tree| is_so(row(tree, project)?)).await
    }

    async fn find(&self, project: &str, is_it: impl Fn(&Node) -> Option<Node>) -> Option<Node> {
        is_it(row(&self.window.tree().await.ok()?, project)?)
    }
}

/// A card that has just come takes no press that may have been meant for what was there before.
fn pressable(row: &Node, button: &str) -> Option<Node> {
    if row.find(|node| node.is(State::Busy)).is_some() {
        return None;
    }
    let presses =
        |node: &Node| node.is_button() || node.role.contains("check") || node.role.contains("radio");
    let acts = |node: &Node| node.is(State::Sensitive) && node.is(State::Focusable);
    row.find(|node| presses(node) && acts(node) && is_called(node, button)).cloned()
}

/// GTK 4.8 calls a button with a mnemonic "_Cancel Cancel".
fn is_called(node: &Node, name: &str) -> bool {
    node.name == name || node.texts().contains(&name)
}

fn row<'a>(tree: &'a Node, project: &str) -> Option<&'a Node> {
    let list = tree.named("Sessions")?;
    list.children.iter().find(|item| item.texts().first() == Some(&project))
}
