// SPDX-License-Identifier: GPL-3.0-or-later
//! An agent that asks and waits, and a person at its card.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use dasbo_desktop_tests::accessibility::{Extents, Key, Node, State};
use dasbo_desktop_tests::wait;
use dasbo_test_support::agent::{FakeAgent, Hook, Outcome, Ticket};
use dasbo_test_support::helper;

use crate::seen;
use crate::stage::{LIMIT, Stage};

/// The project of who asks.
const PROJECT: &str = "shop";

/// More controls than a card has.
const MANY: usize = 200;

/// A session that asks.
#[derive(Debug)]
pub struct Asking<'a> {
    pub stage: &'a Stage,
    agent: FakeAgent,
    ticket: Ticket,
}

impl<'a> Asking<'a> {
    /// A tool's call, its input in JSON.
    pub async fn permission(stage: &'a Stage, tool: &str, input: &str) -> Result<Self> {
        Self::new(stage, "PermissionRequest", &format!(r#""tool_name":"{tool}","tool_input":{input}"#)).await
    }

    /// An event with these keys, in JSON, whose hook waits; and the card is there.
    pub async fn new(stage: &'a Stage, event: &str, keys: &str) -> Result<Self> {
        let mut agent = FakeAgent::start("claude", |program| stage.home.command(program));
        let begun = agent.run(hook(agent.pid(), "notify", "SessionStart", r#""source":"startup""#), LIMIT);
        ensure!(begun.printed(""), "{begun:?}");
        let ticket = agent.begin(hook(agent.pid(), "ask", event, keys));
        let asking = Self { stage, agent, ticket };
        stage.wait_until("card", |tree| card(tree).is_some()).await?;
        Ok(asking)
    }

    /// Its row, with the card.
    pub async fn card(&self) -> Result<Node> {
        card(&self.stage.window.tree().await?).context("no card")
    }

    /// Waits until the card is so.
    pub async fn wait_until(&self, what: &str, is_so: impl Fn(&Node) -> bool) -> Result<()> {
        self.stage.wait_until(what, |tree| card(tree).is_some_and(|card| is_so(&card))).await
    }

    /// Waits until a control of the card is there.
    pub async fn control(&self, name: &str) -> Result<Node> {
        let find = |tree: &Node| control(&card(tree)?, name).cloned();
        self.stage.window.wait_for(LIMIT, &format!("control {name:?}"), find).await
    }

    /// Whether a button can be pressed.
    pub async fn can_press(&self, name: &str) -> Result<bool> {
        Ok(self.control(name).await?.is(State::Sensitive))
    }

    /// Waits until a button can be pressed, and presses it.
    pub async fn press(&self, name: &str) -> Result<()> {
        let pressable = |card: &Node| control(card, name).is_some_and(|button| button.is(State::Sensitive));
        self.wait_until(&format!("button {name:?}, sensitive"), pressable).await?;
        self.stage.window.activate(&self.control(name).await?).await
    }

    /// Puts a text into an entry.
    pub async fn fill(&self, name: &str, text: &str) -> Result<()> {
        self.stage.window.fill(&self.control(name).await?, text).await
    }

    /// Goes to a control by keys alone.
    pub async fn focus(&self, name: &str) -> Result<()> {
        self.tab_to(name, |node| node.name == name).await
    }

    /// Goes to one of many choices by keys, and takes it too.
    pub async fn check(&self, name: &str) -> Result<()> {
        self.focus(name).await?;
        self.stage.desktop.key(Key::Space).await?;
        self.wait_for_choice(name).await
    }

    /// Goes to a choice by keys, and takes it instead of another: Tab leads to the choices, arrows to each.
    pub async fn choose(&self, name: &str) -> Result<()> {
        self.tab_to("the choices", is_choice).await?;
        loop {
            let choices = self.card().await?;
            let choices: Vec<&Node> = choices.all().into_iter().filter(|node| is_choice(node)).collect();
            let at = choices.iter().position(|choice| choice.is(State::Focused));
            let wanted = choices.iter().position(|choice| choice.name == name);
            match (at, wanted) {
                (Some(at), Some(wanted)) if at < wanted => self.go(Key::Down).await?,
                (Some(at), Some(wanted)) if at > wanted => self.go(Key::Up).await?,
                (Some(_), Some(_)) => break,
                _ => anyhow::bail!("no choice {name:?} with the focus beside it"),
            }
        }
        if !self.control(name).await?.is(State::Checked) {
            self.stage.desktop.key(Key::Space).await?;
        }
        self.wait_for_choice(name).await
    }

    async fn wait_for_choice(&self, name: &str) -> Result<()> {
        let chosen = |card: &Node| control(card, name).is_some_and(|choice| choice.is(State::Checked));
        self.wait_until(&format!("choice {name:?}, taken"), chosen).await
    }

    async fn tab_to(&self, what: &str, is_there: impl Fn(&Node) -> bool) -> Result<()> {
        for _ in 0..MANY {
            if self.stage.window.tree().await?.focused().is_some_and(&is_there) {
                return Ok(());
            }
            self.go(Key::Tab).await?;
        }
        anyhow::bail!("keys do not lead to {what:?}")
    }

    /// Presses a key that moves the focus.
    async fn go(&self, key: Key) -> Result<()> {
        let focused = |tree: &Node| tree.focused().map(|node| node.id().to_owned());
        let before = focused(&self.stage.window.tree().await?);
        self.stage.desktop.key(key).await?;
        let moved = |tree: &Node| focused(tree).is_some() && focused(tree) != before;
        self.stage.wait_until(&format!("focus moved by {key:?}"), moved).await
    }

    /// Clicks in the middle of a control, as a mouse does.
    pub async fn click(&self, name: &str) -> Result<()> {
        let place = self.stage.window.extents(&self.control(name).await?).await?;
        self.stage.desktop.click(place.x + place.width / 2, place.y + place.height / 2).await
    }

    /// Another request of the same session.
    pub fn ask(&mut self, event: &str, keys: &str) -> Ticket {
        self.agent.begin(hook(self.agent.pid(), "ask", event, keys))
    }

    /// Clicks over and over in one place until this request is answered, or the first one.
    pub async fn click_until_answered(&mut self, ticket: Option<Ticket>, place: Extents) -> Result<Instant> {
        let ticket = ticket.unwrap_or(self.ticket);
        let (x, y) = (place.x + place.width / 2, place.y + place.height / 2);
        let end = Instant::now() + LIMIT;
        while !self.agent.has_ended(ticket, Duration::from_millis(5)) {
            ensure!(Instant::now() < end, "not answered");
            self.stage.desktop.click(x, y).await?;
        }
        Ok(Instant::now())
    }

    /// That the hook still waits.
    pub fn ensure_waiting(&mut self) -> Result<()> {
        ensure!(!self.agent.has_ended(self.ticket, Duration::ZERO), "the hook ended");
        Ok(())
    }

    /// Presses a button that answers, again while the card still settles, and compares what the hook prints.
    pub async fn answer(mut self, button: &str, expected: &str) -> Result<()> {
        self.press(button).await?;
        let outcome = wait::until(LIMIT, "answer", async || {
            if self.agent.has_ended(self.ticket, Duration::ZERO) {
                return self.agent.outcome(self.ticket, Duration::ZERO);
            }
            let _ = self.stage.window.press(button).await;
            None
        });
        let outcome = outcome.await?;
        Self::compare(&outcome, expected)
    }

    /// Leaves it to the terminal: nothing is printed.
    pub async fn leave(mut self) -> Result<()> {
        self.press("Answer in the terminal").await?;
        let outcome = self.agent.outcome(self.ticket, LIMIT).context("the hook still waits")?;
        ensure!(outcome.printed(""), "{outcome:?}");
        self.stage.wait_until("row without a card", |tree| card(tree).is_none()).await
    }

    /// Compares what the hook prints that ends by itself now.
    pub fn ensure_printed(mut self, expected: &str) -> Result<()> {
        let outcome = self.agent.outcome(self.ticket, LIMIT).context("the hook still waits")?;
        Self::compare(&outcome, expected)
    }

    fn compare(outcome: &Outcome, expected: &str) -> Result<()> {
        ensure!(outcome.printed(expected), "not\n{expected}\nbut {outcome:?}");
        Ok(())
    }
}

/// What can be reached by keys says what it is. A container without a name is called by its class in GTK 4.8.
pub fn ensure_names(card: &Node) -> Result<()> {
    let has_name = |node: &Node| {
        let is_class = ["Gtk", "Adw", "Dasbo"].iter().any(|class| node.name.starts_with(class));
        !node.name.trim().is_empty() && !is_class
    };
    let mut controls = Vec::new();
    card.children.iter().for_each(|child| add_controls(child, &mut controls));
    ensure!(!controls.is_empty(), "no controls in {card}");
    let nameless: Vec<String> =
        controls.into_iter().filter(|node| !has_name(node)).map(ToString::to_string).collect();
    ensure!(nameless.is_empty(), "without a name: {}\nin {card}", nameless.join(" "));
    Ok(())
}

/// What is inside of a button is part of it.
fn add_controls<'a>(node: &'a Node, controls: &mut Vec<&'a Node>) {
    if node.is(State::Focusable) {
        controls.push(node);
    }
    if !node.is_button() {
        node.children.iter().for_each(|child| add_controls(child, controls));
    }
}

/// What is printed, with this decision in it.
pub fn permission(decision: &str) -> String {
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{decision}}}}}"#)
}

fn card(tree: &Node) -> Option<Node> {
    let row = seen::row(tree, PROJECT)?;
    row.named("Answer in the terminal").is_some().then(|| row.clone())
}

fn is_choice(node: &Node) -> bool {
    node.role.contains("check") || node.role.contains("radio")
}

/// A control of this name; a label is none.
pub fn control<'a>(card: &'a Node, name: &str) -> Option<&'a Node> {
    card.find(|node| {
        !node.is_label() && (node.name == name || (node.is_button() && node.texts().contains(&name)))
    })
}

fn hook(agent: u32, mode: &str, event: &str, keys: &str) -> Hook {
    let session = "aaaaaaaa-0000-4000-8000-000000000001";
    let folder = format!("/home/user/{PROJECT}");
    let variables = [
        ("CLAUDE_PID", agent.to_string()),
        ("CLAUDE_CODE_ENTRYPOINT", "cli".to_owned()),
        ("CLAUDE_CODE_SESSION_ATTENDED", "1".to_owned()),
        ("CLAUDE_CODE_SESSION_ID", session.to_owned()),
        ("CLAUDE_PROJECT_DIR", folder.clone()),
    ];
    let helper = helper::path().display().to_string().replace('\'', r"'\''");
    Hook {
        command: format!("exec '{helper}' claude {mode} {event}"),
        payload: format!(
            "{{\"session_id\":\"{session}\",\"cwd\":\"{folder}\",\"hook_event_name\":\"{event}\",{keys}}}\n"
        ),
        leave_stdin_open: false,
        env: variables.map(|(name, value)| (name.to_owned(), value)).into(),
    }
}
