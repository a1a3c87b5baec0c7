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
use atspi::proxy::bus::BusProxy;
use atspi::proxy::component::ComponentProxy;
use atspi::proxy::device_event_controller::{DeviceEventControllerProxy, KeySynthType};
use atspi::proxy::editable_text::EditableTextProxy;
use atspi::proxy::text::TextProxy;
use atspi::zbus::fdo::DBusProxy;
use atspi::zbus::proxy::CacheProperties;
use atspi::zbus::{self, Connection};
use atspi::{CoordType, ObjectRefOwned, StateSet};

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
    W = 0x77,
    Backspace = 0xff08,
    Tab = 0xff09,
    Enter = 0xff0d,
    Escape = 0xff1b,
    Home = 0xff50,
    Left = 0xff51,
    Up = 0xff52,
    Right = 0xff53,
    Down = 0xff54,
    PageDown = 0xff56,
    End = 0xff57,
}

/// Modifiers, by their bits in X11's `X.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modifier {
    Shift = 1,
    Control = 4,
}

/// Where an element is in its window, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extents {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
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

    /// Where this bus listens, for programs on another session bus.
    pub async fn address(&self) -> Result<String> {
        let session = Connection::session().await?;
        let found = BusProxy::new(&session).await?.get_address().await;
        found.context("the accessibility bus has no address")
    }

    /// Waits until the program of this process is there.
    pub async fn application(&self, pid: u32, limit: Duration) -> Result<Application> {
        let what = format!("accessible program with pid {pid}");
        let root = wait::until(limit, &what, async || {
            let programs = self.programs().await.ok()?;
            let found = programs.into_iter().find(|(process, _)| *process == pid);
            found.map(|(_, root)| root)
        });
        let root = root.await?;
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

    /// As `key`, with a modifier held down.
    pub async fn chord(&self, modifier: Modifier, key: Key) -> Result<()> {
        let controller = DeviceEventControllerProxy::new(self.connection.connection()).await?;
        let hold = |how| controller.generate_keyboard_event(modifier as i32, "", how);
        hold(KeySynthType::Lockmodifiers).await?;
        let pressed = self.key(key).await;
        // Whatever happened: the next test types without it.
        hold(KeySynthType::Unlockmodifiers).await?;
        pressed
    }

    /// Types a text; the window that has the keyboard gets it. X11 only.
    pub async fn write(&self, text: &str) -> Result<()> {
        let controller = DeviceEventControllerProxy::new(self.connection.connection()).await?;
        let typed = controller.generate_keyboard_event(0, text, KeySynthType::String).await;
        typed.context("no text can be typed")
    }

    /// Moves the mouse there, in pixels of the display, and clicks. X11 only.
    pub async fn click(&self, x: i32, y: i32) -> Result<()> {
        let controller = DeviceEventControllerProxy::new(self.connection.connection()).await?;
        for event in ["abs", "b1c"] {
            controller.generate_mouse_event(x, y, event).await.context("the mouse cannot be moved")?;
        }
        Ok(())
    }

    /// The programs that show themselves, by their process.
    async fn programs(&self) -> Result<Vec<(u32, ObjectRefOwned)>> {
        let bus = DBusProxy::new(self.connection.connection()).await?;
        let registry = self.connection.root_accessible_on_registry().await?;
        let mut programs = Vec::new();
        for root in registry.get_children().await? {
            // Programs come and go while we ask.
            if let Ok(name) = bus_name(&root)
                && let Ok(pid) = bus.get_connection_unix_process_id(name.into()).await
            {
                programs.push((pid, root));
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

    /// Presses the button of this name, or the one that shows it: GTK 4.8 calls one with a mnemonic "_Cancel Cancel".
    pub async fn press(&self, name: &str) -> Result<()> {
        let tree = self.tree().await?;
        let button =
            tree.find(|node| node.is_button() && (node.name == name || node.texts().contains(&name)));
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

    /// Puts a text in the place of what stands in an entry.
    pub async fn fill(&self, entry: &Node, text: &str) -> Result<()> {
        let builder = EditableTextProxy::builder(&self.bus)
            .destination(bus_name(&entry.object)?)?
            .path(entry.object.path_as_str().to_owned())?;
        let proxy = builder.cache_properties(CacheProperties::No).build().await?;
        ensure!(proxy.set_text_contents(text).await?, "{:?} takes no text", entry.name);
        Ok(())
    }

    /// What stands in an entry or a text.
    pub async fn text(&self, node: &Node) -> Result<String> {
        let builder = TextProxy::builder(&self.bus)
            .destination(bus_name(&node.object)?)?
            .path(node.object.path_as_str().to_owned())?;
        let proxy = builder.cache_properties(CacheProperties::No).build().await?;
        let count = proxy.character_count().await?;
        Ok(proxy.get_text(0, count).await?)
    }

    /// Where this element was in its window when it was last laid out: GTK forgets those that are scrolled away.
    pub async fn extents(&self, node: &Node) -> Result<Extents> {
        let (x, y, width, height) = self.component(node).await?.get_extents(CoordType::Window).await?;
        Ok(Extents { x, y, width, height })
    }

    /// Whether this element, or one inside of it, is what a pointer in the middle of this place meets in the window.
    pub async fn is_at(&self, node: &Node, window: &Node, place: Extents) -> Result<bool> {
        let (x, y) = (place.x + place.width / 2, place.y + place.height / 2);
        let component = self.component(window).await?;
        let met = component.get_accessible_at_point(x, y, CoordType::Window).await?;
        Ok(node.all().into_iter().any(|below| below.object == met))
    }

    async fn component(&self, node: &Node) -> Result<ComponentProxy<'_>> {
        let builder = ComponentProxy::builder(&self.bus)
            .destination(bus_name(&node.object)?)?
            .path(node.object.path_as_str().to_owned())?;
        Ok(builder.cache_properties(CacheProperties::No).build().await?)
    }

    /// Elements that vanish while the tree is read are left out.
    async fn read(&self, object: ObjectRefOwned) -> Result<Node> {
        let proxy = accessible(&self.bus, &object).await?;
        let (role, name, description, states, below) = tokio::try_join!(
            proxy.get_role_name(),
            proxy.name(),
            proxy.description(),
            proxy.get_state(),
            proxy.get_children(),
        )?;
        let mut children = Vec::new();
        for child in below.into_iter().filter(|child| !child.is_null()) {
            if let Ok(node) = Box::pin(self.read(child)).await {
                children.push(node);
            }
        }
        Ok(Node { role, name, description, states, children, object })
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

    /// What stays the same as long as the element is the same.
    pub fn id(&self) -> &str {
        self.object.path_as_str()
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
