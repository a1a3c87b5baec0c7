// SPDX-License-Identifier: GPL-3.0-or-later
//! Notifications, as a desktop that shows them gets them, and their buttons. The bytes are those that Claude Code was
//! seen to take.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, ensure};
use atspi::zbus::object_server::SignalEmitter;
use atspi::zbus::zvariant::{OwnedValue, Value};
use atspi::zbus::{self, Connection, connection, interface};
use dasbo_desktop_tests::accessibility::{Node, State};
use dasbo_desktop_tests::wait;

use crate::cards::{Asking, permission};
use crate::seen;
use crate::stage::{LIMIT, Stage, recorded};

const PATH: &str = "/org/freedesktop/Notifications";

/// What a desktop was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Notify(Shown),
    Close(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    id: u32,
    replaces: u32,
    title: String,
    body: String,
    /// Keys and labels in turn.
    actions: Vec<String>,
    urgency: Option<u8>,
}

/// `org.freedesktop.Notifications`, as its specification says.
struct Server(Arc<Mutex<Vec<Said>>>);

#[expect(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    reason = "the interface is the specification's"
)]
#[interface(name = "org.freedesktop.Notifications", crate = "atspi::zbus")]
impl Server {
    #[expect(clippy::too_many_arguments, reason = "the specification's")]
    fn notify(
        &self,
        app_name: String,
        replaces: u32,
        icon: String,
        title: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedValue>,
        timeout: i32,
    ) -> u32 {
        drop((app_name, icon, timeout));
        let mut said = self.0.lock().unwrap();
        let id = if replaces == 0 { u32::try_from(said.len()).unwrap() + 1 } else { replaces };
        let urgency = hints.get("urgency").and_then(|urgency| u8::try_from(urgency).ok());
        said.push(Said::Notify(Shown { id, replaces, title, body, actions, urgency }));
        id
    }

    fn close_notification(&self, id: u32) {
        self.0.lock().unwrap().push(Said::Close(id));
    }

    fn get_capabilities(&self) -> Vec<String> {
        ["actions", "body", "body-markup"].map(ToOwned::to_owned).into()
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        ("tests".into(), "tests".into(), "1".into(), "1.2".into())
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str) -> zbus::Result<()>;
}

/// A desktop that shows notifications, and the person's hand on them.
struct Notified {
    said: Arc<Mutex<Vec<Said>>>,
    bus: Connection,
}

impl Notified {
    /// To be there before a panel has something to say.
    async fn start() -> Result<Self> {
        let said = Arc::new(Mutex::new(Vec::new()));
        let builder = connection::Builder::session()?.serve_at(PATH, Server(said.clone()))?;
        let bus = builder.name("org.freedesktop.Notifications")?.build().await?;
        Ok(Self { said, bus })
    }

    fn said(&self) -> Vec<Said> {
        self.said.lock().unwrap().clone()
    }

    /// The only one that was ever shown, once it is.
    async fn only(&self) -> Result<Shown> {
        wait::until(LIMIT, "notification", async || (!self.said().is_empty()).then_some(())).await?;
        match &self.said()[..] {
            [Said::Notify(shown)] => Ok(shown.clone()),
            others => anyhow::bail!("not one notification: {others:#?}"),
        }
    }

    /// All that were ever shown, in their order.
    fn all(&self) -> Vec<Shown> {
        let shown = |said: Said| if let Said::Notify(shown) = said { Some(shown) } else { None };
        self.said().into_iter().filter_map(shown).collect()
    }

    /// The one about this project, once it is shown.
    async fn about(&self, project: &str) -> Result<Shown> {
        let title = format!("Claude Code · {project}");
        let find = async || self.all().into_iter().find(|shown| shown.title == title);
        wait::until(LIMIT, &format!("notification of {project}"), find).await
    }

    /// Waits until the only one that was ever shown is closed.
    async fn wait_until_closed(&self, shown: &Shown) -> Result<()> {
        let closed = Said::Close(shown.id);
        wait::until(LIMIT, "end of the notification", async || self.said().contains(&closed).then_some(()))
            .await?;
        let notified = self.said().iter().filter(|said| matches!(said, Said::Notify(_))).count();
        ensure!(notified == 1, "more than one notification: {:#?}", self.said());
        Ok(())
    }

    /// Presses a button. A desktop closes the notification then by itself.
    async fn press(&self, shown: &Shown, label: &str) -> Result<()> {
        let pairs = shown.actions.chunks_exact(2);
        let button = pairs.into_iter().find(|pair| pair[1] == label).context("no such button")?;
        let emitter = SignalEmitter::new(&self.bus, PATH)?;
        Ok(Server::action_invoked(&emitter, shown.id, &button[0]).await?)
    }

    /// Activates an action of the panel, as a desktop does that knows applications.
    async fn activate(&self, action: &str, target: Option<&str>) -> Result<()> {
        let parameter: Vec<Value> = target.map(Value::from).into_iter().collect();
        let data: HashMap<&str, Value> = HashMap::new();
        let interface = Some("org.freedesktop.Application");
        let body = (action, parameter, data);
        self.bus
            .call_method(Some("org.dasbo.Dasbo"), "/org/dasbo/Dasbo", interface, "ActivateAction", &body)
            .await?;
        Ok(())
    }
}

fn labels(shown: &Shown) -> Vec<&str> {
    shown.actions.chunks_exact(2).map(|pair| &*pair[1]).filter(|label| !label.is_empty()).collect()
}

async fn ask(stage: &Stage) -> Result<Asking<'_>> {
    Asking::permission(stage, "Bash", r#"{"command":"npm test && echo '<b>'"}"#).await
}

/// The name of the request that a notification can answer: the target of its buttons.
fn request(shown: &Shown) -> Result<&str> {
    let target = shown.actions.iter().find_map(|action| action.strip_prefix("app.allow::"));
    target.context("it cannot be answered here")
}

#[tokio::test]
async fn an_approval_is_allowed_by_its_action() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let mut asking = ask(&stage).await?;
    let shown = desktop.only().await?;
    ensure!(shown.title == "Claude Code · shop", "{shown:?}");
    ensure!(shown.body.starts_with("Wants to run a command: npm test "), "{shown:?}");
    ensure!(!shown.body.contains(['<', '&']), "a desktop may read it as markup: {shown:?}");
    ensure!(labels(&shown) == ["Allow", "Deny"], "{shown:?}");
    ensure!(shown.urgency == Some(1), "{shown:?}");
    let request = request(&shown)?;
    for other in ["0", "", "not a request", &format!("{request}0")] {
        desktop.activate("allow", Some(other)).await?;
    }
    asking.ensure_waiting()?;
    desktop.activate("allow", Some(request)).await?;
    asking.ensure_printed(&permission(r#"{"behavior":"allow"}"#))?;
    desktop.wait_until_closed(&shown).await
}

#[tokio::test]
async fn an_approval_is_denied_by_its_button() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let asking = ask(&stage).await?;
    let shown = desktop.only().await?;
    desktop.press(&shown, "Deny").await?;
    asking.ensure_printed(&permission(r#"{"behavior":"deny"}"#))?;
    ensure!(desktop.only().await? == shown, "another notification: {:#?}", desktop.said());
    Ok(())
}

#[tokio::test]
async fn what_is_answered_in_the_terminal_is_taken_back() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let mut asking = Asking::permission(&stage, "Bash", r#"{"command":"make"}"#).await?;
    let shown = desktop.only().await?;
    let ran = r#""tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{},"tool_use_id":"t1""#;
    asking.tell("PostToolUse", ran)?;
    asking.ensure_printed("")?;
    desktop.wait_until_closed(&shown).await
}

#[tokio::test]
async fn a_question_has_no_answers_on_it() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let question =
        r#"{"question":"Which?","header":"It","options":[{"label":"A"},{"label":"B"}],"multiSelect":false}"#;
    let mut asking =
        Asking::permission(&stage, "AskUserQuestion", &format!(r#"{{"questions":[{question}]}}"#)).await?;
    let shown = desktop.only().await?;
    ensure!(labels(&shown).is_empty() && shown.body == "Asks a question", "{shown:?}");
    asking.ensure_waiting()?;
    desktop.activate("quit", None).await?;
    desktop.wait_until_closed(&shown).await
}

#[tokio::test]
async fn a_click_on_what_is_over_only_makes_the_row_say_so() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let mut asking = Asking::permission(&stage, "Bash", r#"{"command":"make"}"#).await?;
    let shown = desktop.only().await?;
    let ran = r#""tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{},"tool_use_id":"t1""#;
    asking.tell("PostToolUse", ran)?;
    desktop.wait_until_closed(&shown).await?;
    desktop.activate("allow", Some(request(&shown)?)).await?;
    let says_so = |tree: &Node| {
        seen::row(tree, "shop").is_some_and(|row| row.name.contains("no longer asked when you answered"))
    };
    stage.wait_until("row that says so", says_so).await?;
    asking.ensure_printed("")
}

#[tokio::test]
async fn what_is_cut_cannot_be_allowed_on_it() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let command = format!("echo {}; rm -r ~", "x".repeat(300));
    let asking = Asking::permission(&stage, "Bash", &format!(r#"{{"command":"{command}"}}"#)).await?;
    let shown = desktop.only().await?;
    ensure!(shown.body.ends_with('…') && !shown.body.contains("rm"), "{shown:?}");
    ensure!(labels(&shown) == ["Deny"], "{shown:?}");
    desktop.press(&shown, "Deny").await?;
    asking.ensure_printed(&permission(r#"{"behavior":"deny"}"#))
}

#[tokio::test]
async fn a_click_on_it_shows_its_row() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    // Asks first, so it stands above and has the focus.
    let _other = stage.agent("wiki", recorded::QUESTION, 3);
    stage.wait_for_focus("wiki").await?;
    let mut asking = ask(&stage).await?;
    let shown = desktop.about("shop").await?;
    let has_focus = |row: &Node| row.is(State::Focused);
    ensure!(seen::row(&stage.window.tree().await?, "wiki").is_some_and(has_focus), "moved before the click");
    desktop.press(&shown, "").await?;
    stage.wait_for_focus("shop").await?;
    asking.ensure_waiting()
}

/// What is said after it comes later than what must not come.
#[tokio::test]
async fn who_goes_to_the_terminal_is_not_called_there() -> Result<()> {
    let desktop = Notified::start().await?;
    let stage = Stage::set().await?;
    let asking = ask(&stage).await?;
    let shown = desktop.only().await?;
    asking.press("Answer in the terminal").await?;
    desktop.wait_until_closed(&shown).await?;
    let _other = stage.agent("wiki", recorded::QUESTION, 3);
    desktop.about("wiki").await?;
    let all = desktop.all();
    ensure!(all.len() == 2, "called to the terminal: {all:#?}");
    asking.ensure_printed("")
}
