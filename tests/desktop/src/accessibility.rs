// SPDX-License-Identifier: GPL-3.0-or-later
//! What a person with a screen reader gets of a window, and how they act on it: over AT-SPI.
//!
//! Needs a session bus on which `org.a11y.Bus` can be started, and a program that runs with `GTK_A11Y=atspi`.
//!
//! What GTK 4.8 gives is less than what newer ones give: only buttons can be activated and nothing takes the focus from
//! outside, so rows are reached by keys; `Showing` is set for windows alone; a container without a name is called by
//! its class (`GtkListView`).

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use atspi::connection::AccessibilityConnection;
use atspi::proxy::accessible::AccessibleProxy;
use atspi::proxy::action::ActionProxy;
use atspi::proxy::device_event_controller::{DeviceEventControllerProxy, KeySynthType};
use atspi::zbus::proxy::CacheProperties;
use atspi::zbus::{self, Connection};
use atspi::{ObjectRefOwned, StateSet};

pub use atspi::State;

use crate::wait;

/// Which of an element's actions counts as activating it, by the names that GTK gives them.
const ACTIVATING: [&str; 4] = ["click", "activate", "press", "toggle"];

/// The accessibility bus of this session.
#[derive(Debug)]
pub struct Desktop {
    connection: AccessibilityConnection,
}

/// A running program, as the accessibility bus knows it.
#[derive(Debug)]
pub struct Application {
    bus: Connection,
    root: ObjectRefOwned,
}

/// Keys, by their numbers in X11's `keysymdef.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Space = 0x20,
    Tab = 0xff09,
    Enter = 0xff0d,
    Escape = 0xff1b,
    Home = 0xff50,
    Left = 0xff51,
    Up = 0xff52,
    Right = 0xff53,
    Down = 0xff54,
    End = 0xff57,
}

/// One element as it was when it was read.
#[derive(Debug, Clone)]
pub struct Node {
    /// The words differ between releases ("push button", "button"): `is_button` and its like match loosely.
    pub role: String,
    pub name: String,
    pub description: String,
    pub states: StateSet,
    pub children: Vec<Self>,
    object: ObjectRefOwned,
}

impl Desktop {
    pub async fn connect() -> Result<Self> {
        let connection = AccessibilityConnection::new().await.context("no accessibility bus")?;
        Ok(Self { connection })
    }

    /// Waits until the program of this name (`g_get_prgname`, not the application's id) is there.
    pub async fn application(&self, program: &str, limit: Duration) -> Result<Application> {
        let mut last = Vec::new();
        let root = wait::until(limit, program, async || {
            let programs = self.programs().await.ok()?;
            let found = programs.iter().find(|(name, _)| name == program).map(|(_, root)| root.clone());
            last = programs;
            found
        });
        let root = root.await;
        let root = root.with_context(|| {
            let names: Vec<&str> = last.iter().map(|(name, _)| name.as_str()).collect();
            format!("on the accessibility bus there are {names:?}")
        })?;
        Ok(Application { bus: self.connection.connection().clone(), root })
    }

    /// Presses and releases a key; the window that has the keyboard gets it. X11 only.
    pub async fn key(&self, key: Key) -> Result<()> {
        let controller = DeviceEventControllerProxy::new(self.connection.connection()).await?;
        controller
            .generate_keyboard_event(key as i32, "", KeySynthType::Sym)
            .await
            .context("no key can be pressed")
    }

    async fn programs(&self) -> Result<Vec<(String, ObjectRefOwned)>> {
        let registry = self.connection.root_accessible_on_registry().await?;
        let mut programs = Vec::new();
        for root in registry.get_children().await? {
            // Programs come and go while we ask.
            let Ok(proxy) = accessible(self.connection.connection(), &root).await else {
                continue;
            };
            if let Ok(name) = proxy.name().await {
                programs.push((name, root));
            }
        }
        Ok(programs)
    }
}

impl Application {
    /// Everything there is now, from the application down.
    pub async fn tree(&self) -> Result<Node> {
        self.read(self.root.clone()).await.context("the application is gone")
    }

    /// Waits until `condition` has an answer for the tree; the error shows the last tree.
    pub async fn wait_for<T>(
        &self,
        limit: Duration,
        what: &str,
        condition: impl Fn(&Node) -> Option<T>,
    ) -> Result<T> {
        let mut last = None;
        let answer = wait::until(limit, what, async || {
            let tree = self.tree().await.ok()?;
            let answer = condition(&tree);
            last = Some(tree);
            answer
        });
        answer.await.with_context(|| {
            last.map_or("no tree was seen".to_owned(), |tree| format!("the tree was\n{tree}"))
        })
    }

    /// Presses the button of this name.
    pub async fn press(&self, name: &str) -> Result<()> {
        let tree = self.tree().await?;
        let button = tree.find(|node| node.is_button() && node.name == name);
        let button = button.with_context(|| format!("no button {name:?} in\n{tree}"))?;
        ensure!(button.is(State::Sensitive), "the button {name:?} is insensitive");
        self.activate(button).await
    }

    /// Does what a click or Enter does: the first of the element's actions that means activating.
    pub async fn activate(&self, node: &Node) -> Result<()> {
        let proxy = ActionProxy::builder(&self.bus)
            .destination(bus_name(&node.object)?)?
            .path(node.object.path_as_str())?
            .cache_properties(CacheProperties::No)
            .build()
            .await?;
        let mut names = Vec::new();
        for index in 0..proxy.n_actions().await? {
            names.push((index, proxy.get_name(index).await?));
        }
        let found =
            ACTIVATING.iter().find_map(|verb| names.iter().find(|(_, name)| name.eq_ignore_ascii_case(verb)));
        let Some((index, name)) = found else {
            bail!("{:?} cannot be activated; it can: {names:?}", node.name)
        };
        ensure!(proxy.do_action(*index).await?, "{:?} refused to {name}", node.name);
        Ok(())
    }

    /// Elements that vanish while the tree is read are left out.
    async fn read(&self, object: ObjectRefOwned) -> Result<Node> {
        let proxy = accessible(&self.bus, &object).await?;
        let mut children = Vec::new();
        for child in proxy.get_children().await? {
            if child.is_null() {
                continue;
            }
            if let Ok(node) = Box::pin(self.read(child)).await {
                children.push(node);
            }
        }
        Ok(Node {
            role: proxy.get_role_name().await?,
            name: proxy.name().await?,
            description: proxy.description().await?,
            states: proxy.get_state().await?,
            children,
            object,
        })
    }
}

impl Node {
    /// This element and all below it, from the top down.
    pub fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        all.extend(self.children.iter().flat_map(Self::all));
        all
    }

    pub fn find(&self, is_it: impl Fn(&Self) -> bool) -> Option<&Self> {
        self.all().into_iter().find(|node| is_it(node))
    }

    /// The first element of this name.
    pub fn named(&self, name: &str) -> Option<&Self> {
        self.find(|node| node.name == name)
    }

    /// What stands in all labels, from the top down.
    pub fn texts(&self) -> Vec<&str> {
        self.all().into_iter().filter(|node| node.is_label()).map(|node| node.name.as_str()).collect()
    }

    /// The element that has the keyboard.
    pub fn focused(&self) -> Option<&Self> {
        self.find(|node| node.is(State::Focused))
    }

    pub fn is(&self, state: State) -> bool {
        self.states.contains(state)
    }

    pub fn is_button(&self) -> bool {
        self.role.contains("button")
    }

    pub fn is_label(&self) -> bool {
        self.role.contains("label")
    }

    pub fn is_row(&self) -> bool {
        ["list item", "table row", "row"].contains(&self.role.as_str())
    }

    fn write(&self, out: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let states: Vec<String> = self.states.iter().map(|state| format!("{state:?}")).collect();
        writeln!(
            out,
            "{:indent$}{} {:?} [{}]",
            "",
            self.role,
            self.name,
            states.join(" "),
            indent = depth * 2
        )?;
        self.children.iter().try_for_each(|child| child.write(out, depth + 1))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(out, 0)
    }
}

async fn accessible<'a>(bus: &'a Connection, object: &ObjectRefOwned) -> Result<AccessibleProxy<'a>> {
    let builder = AccessibleProxy::builder(bus)
        .destination(bus_name(object)?)?
        .path(object.path_as_str().to_owned())?;
    Ok(builder.cache_properties(CacheProperties::No).build().await?)
}

fn bus_name(object: &ObjectRefOwned) -> Result<zbus::names::UniqueName<'static>> {
    object.name().cloned().context("an element without an address")
}
