// SPDX-License-Identifier: GPL-3.0-or-later
//! Where the tests play: a home, a panel, its window, and the agents it hears.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use dasbo_desktop_tests::accessibility::{Application, Desktop, Key, Node, State};
use dasbo_desktop_tests::panel::Panel;
use dasbo_test_support::home::Home;
use dasbo_test_support::player::{Player, Role};
use dasbo_test_support::{helper, recording::Recording};

use crate::seen;

/// Generous: it is reached only when something is wrong.
pub const LIMIT: Duration = Duration::from_secs(20);

/// Recordings of Claude Code, and how many of their hooks lead to the state that is named.
pub mod recorded {
    /// Bash fails after the third hook.
    pub const FAILING_TOOL: &str = "2.1.332/09f-bash-fails-exit-3";
    /// Asks for an approval with the fourth hook.
    pub const APPROVAL: &str = "2.1.332/10e-parallel-bash-two-permissions";
    /// Asks a question with the fourth hook.
    pub const QUESTION: &str = "2.1.332/06a-AskUserQuestion-answered-in-terminal";
    /// Fails with the third hook.
    pub const OVERLOADED: &str = "2.1.332/08-529-overloaded";
    /// Has answered a prompt after three hooks, then `/clear`: the next two.
    pub const CLEAR: &str = "2.1.332/20-registry-clear-rename-exit";
}

#[derive(Debug)]
pub struct Stage {
    pub panel: Panel,
    /// Goes after the panel, which may write to it until its end.
    pub home: Home,
    pub desktop: Desktop,
    pub window: Application,
    agents: Cell<u16>,
}

impl Stage {
    pub async fn set() -> Result<Self> {
        Self::set_in(Home::new()).await
    }

    /// With a home that was made ready.
    pub async fn set_in(home: Home) -> Result<Self> {
        let panel = Panel::start(&home.path(), &home.runtime_folder(), LIMIT).await?;
        let desktop = Desktop::connect().await?;
        let window = window_of(&desktop, &panel).await?;
        Ok(Self::of(home, panel, desktop, window))
    }

    pub fn of(home: Home, panel: Panel, desktop: Desktop, window: Application) -> Self {
        Self { home, panel, desktop, window, agents: Cell::new(0) }
    }

    /// An agent in a project of this name that has played so many hooks of a recording.
    pub fn agent(&self, project: &str, recording: &str, hooks: usize) -> Player {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
        let recording = Recording::read(&fixtures.join(format!("{recording}.jsonl"))).unwrap();
        self.agents.set(self.agents.get() + 1);
        let role = Role { project: Some(project.to_owned()), number: Some(self.agents.get()), until: None };
        let mut agent = Player::new(&helper::path(), &recording, &role, |program| self.home.command(program));
        play(&mut agent, hooks);
        agent
    }

    /// Waits until a row is read out so.
    pub async fn wait_for_row(&self, sentence: &str) -> Result<Node> {
        let what = format!("row {sentence:?}");
        let find = |tree: &Node| seen::rows(tree).into_iter().find(|row| row.name == sentence).cloned();
        self.window.wait_for(LIMIT, &what, find).await
    }

    /// Waits until the list has these headings and rows, and no others.
    pub async fn wait_for_groups(&self, groups: &[(&str, &[&str])]) -> Result<()> {
        let wanted: Vec<(&str, Vec<&str>)> =
            groups.iter().map(|(title, rows)| (*title, rows.to_vec())).collect();
        self.wait_until(&format!("list {wanted:?}"), |tree| seen::groups(tree) == wanted).await
    }

    pub async fn wait_until(&self, what: &str, is_so: impl Fn(&Node) -> bool) -> Result<()> {
        self.window.wait_for(LIMIT, what, |tree| is_so(tree).then_some(())).await
    }

    /// Waits until the row of this project has the focus.
    pub async fn wait_for_focus(&self, project: &str) -> Result<Node> {
        let what = format!("focus on the row of {project}");
        let focused = |tree: &Node| seen::row(tree, project).filter(|row| row.is(State::Focused)).cloned();
        self.window.wait_for(LIMIT, &what, focused).await
    }

    /// Moves the focus, which is in the list from the first, to its first row.
    pub async fn enter_list(&self) -> Result<Node> {
        let focused = |tree: &Node| seen::rows(tree).into_iter().find(|row| row.is(State::Focused)).cloned();
        self.window.wait_for(LIMIT, "focus in the list", focused).await?;
        self.desktop.key(Key::Home).await?;
        let first = |tree: &Node| {
            seen::rows(tree).first().filter(|row| row.is(State::Focused)).map(|row| (*row).clone())
        };
        self.window.wait_for(LIMIT, "focus on the first row", first).await
    }
}

/// The window of a panel, once it is there.
pub async fn window_of(desktop: &Desktop, panel: &Panel) -> Result<Application> {
    let pid = panel.pid().context("the panel has ended")?;
    let window = desktop.application(pid, LIMIT).await?;
    window.wait_for(LIMIT, "window", |tree| (!seen::title(tree).is_empty()).then_some(())).await?;
    Ok(window)
}

/// Plays the next hooks of an agent.
pub fn play(agent: &mut Player, hooks: usize) {
    for _ in 0..hooks {
        agent.step();
    }
}
