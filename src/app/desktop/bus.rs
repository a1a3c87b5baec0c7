// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel's own D-Bus interface, for the command line. `GApplication` has its own name; this one cannot be
//! activated, so asking never starts the panel.

use async_channel::{Receiver, Sender};
use dasbo_core::registry::Refusal;
use dasbo_core::request::{Decision, Denial, RequestId};
use zbus::fdo::{self, RequestNameFlags};
use zbus::proxy::MethodFlags;
use zbus::{Connection, Proxy, interface};

/// The name the panel is found under.
pub const NAME: &str = "org.dasbo.Dasbo.Panel";

const PATH: &str = "/org/dasbo/Dasbo/Panel";

/// The table at one moment.
#[derive(Debug, Clone)]
pub struct Table {
    /// Grows with every change.
    pub serial: u64,
    /// Why it is none: a sentence about what keeps the panel from hearing agents.
    pub trouble: Option<String>,
    /// A JSON array of [`crate::table::Line`].
    pub sessions: String,
}

/// A caller asks for the table.
#[derive(Debug)]
pub struct Query {
    /// The state that the caller has: it wants the next one. 0: it has none.
    pub after: u64,
    /// Where the answer goes.
    pub reply: Sender<Table>,
}

/// A caller answers a request.
#[derive(Debug)]
pub struct Reply {
    /// Which one.
    pub id: RequestId,
    /// How.
    pub decision: Decision,
    /// Where it is told what became of it.
    pub outcome: Sender<Result<(), AnswerError>>,
}

/// Why a request was not answered. Each is a D-Bus error of its own.
#[derive(Debug, zbus::DBusError)]
#[zbus(prefix = "org.dasbo.Dasbo.Panel.Error")]
pub enum AnswerError {
    /// The bus failed.
    #[zbus(error)]
    Bus(zbus::Error),
    /// No such request is open.
    NotOpen(String),
    /// An answer to it is on its way.
    Decided(String),
    /// It is no approval.
    NotApproval(String),
    /// The agent takes no such answer.
    NotHonoured(String),
    /// It was settled elsewhere before the answer arrived.
    TooLate(String),
    /// The call says nothing that could be meant.
    Unclear(String),
}

impl From<Refusal> for AnswerError {
    fn from(refusal: Refusal) -> Self {
        let reason = refusal.to_string();
        match refusal {
            Refusal::NotOpen => Self::NotOpen(reason),
            Refusal::Decided => Self::Decided(reason),
            Refusal::NotHonoured => Self::NotHonoured(reason),
        }
    }
}

/// Where callers are heard.
#[derive(Debug, Clone)]
pub struct Callers {
    /// Those who ask for the table.
    pub queries: Sender<Query>,
    /// Those who answer a request.
    pub replies: Sender<Reply>,
}

struct Interface(Callers);

#[interface(name = "org.dasbo.Dasbo.Panel")]
impl Interface {
    /// The table of sessions, as JSON.
    async fn sessions(&self) -> fdo::Result<String> {
        let table = self.ask(0).await?;
        table.trouble.map_or(Ok(table.sessions), |trouble| Err(fdo::Error::Failed(trouble)))
    }

    /// The table once it is no longer the one with this serial, which 0 never is; with its serial, and what keeps the
    /// panel from hearing agents: empty if nothing does.
    #[zbus(out_args("serial", "trouble", "sessions"))]
    async fn sessions_after(&self, serial: u64) -> fdo::Result<(u64, String, String)> {
        let table = self.ask(serial).await?;
        Ok((table.serial, table.trouble.unwrap_or_default(), table.sessions))
    }

    /// Answers the approval of this id: `allow` or `deny`, this with a note to the agent or an empty one. Comes back
    /// once the answer arrived.
    async fn answer(&self, id: &str, decision: &str, note: &str) -> Result<(), AnswerError> {
        let gone = || AnswerError::Bus(fdo::Error::Failed("the panel ends".to_owned()).into());
        let unclear = || AnswerError::Unclear("an id, allow or deny, and a note with deny".to_owned());
        let decision = understand(decision, note).ok_or_else(unclear)?;
        let id = id.parse().map_err(|_| AnswerError::from(Refusal::NotOpen))?;
        let (outcome, told) = async_channel::bounded(1);
        self.0.replies.send(Reply { id, decision, outcome }).await.map_err(|_| gone())?;
        told.recv().await.map_err(|_| gone())?
    }
}

fn understand(decision: &str, note: &str) -> Option<Decision> {
    match (decision, note) {
        ("allow", "") => Some(Decision::Allow(None)),
        ("deny", "") => Some(Decision::Deny(Denial::Plain)),
        ("deny", note) => Some(Decision::Deny(Denial::Note(note.to_owned()))),
        _ => None,
    }
}

impl Interface {
    async fn ask(&self, after: u64) -> fdo::Result<Table> {
        let gone = || fdo::Error::Failed("the panel ends".to_owned());
        let (reply, answer) = async_channel::bounded(1);
        self.0.queries.send(Query { after, reply }).await.map_err(|_| gone())?;
        answer.recv().await.map_err(|_| gone())
    }
}

/// Puts the interface on the session bus. It is there as long as the connection that is returned.
pub async fn serve(callers: Callers) -> zbus::Result<Connection> {
    let connection = zbus::connection::Builder::session().serve_at(PATH, Interface(callers)).build().await?;
    connection.request_name_with_flags(NAME, RequestNameFlags::DO_NOT_QUEUE).await?;
    Ok(connection)
}

/// The channels between the interface and the panel.
pub fn callers() -> (Callers, Receiver<Query>, Receiver<Reply>) {
    let (queries, asked) = async_channel::unbounded();
    let (replies, answered) = async_channel::unbounded();
    (Callers { queries, replies }, asked, answered)
}

/// Why a panel gave no answer.
#[derive(Debug)]
pub enum Silence {
    /// There is no session bus, or none that can be reached.
    NoBus,
    /// No panel is on it.
    NotRunning,
    /// A panel is, but what came of it is no answer.
    Refused,
}

/// The running panel, as the command line sees it.
#[derive(Debug)]
pub struct Client(Proxy<'static>);

impl Client {
    /// Looks for the session bus. Whether a panel is on it, the first call says.
    pub async fn new() -> Result<Self, Silence> {
        let connection = Connection::session().await.map_err(|_| Silence::NoBus)?;
        Ok(Self(Proxy::new(&connection, NAME, PATH, NAME).await.map_err(|_| Silence::NoBus)?))
    }

    /// The table once it is no longer the one with this serial.
    pub async fn sessions_after(&self, serial: u64) -> Result<Table, Silence> {
        let flags = MethodFlags::NO_AUTO_START;
        let answer = self.0.call_with_flags("SessionsAfter", flags, &(serial,)).await;
        let (serial, trouble, sessions): (u64, String, String) =
            answer.map_err(|error| Silence::of(&error.into()))?.ok_or(Silence::NotRunning)?;
        Ok(Table { serial, trouble: Some(trouble).filter(|trouble| !trouble.is_empty()), sessions })
    }

    /// Answers the approval of this id.
    pub async fn answer(&self, id: &str, decision: &str, note: &str) -> Result<(), AnswerError> {
        let flags = MethodFlags::NO_AUTO_START;
        let answer = self.0.call_with_flags("Answer", flags, &(id, decision, note)).await;
        answer?.ok_or_else(|| AnswerError::Bus(fdo::Error::NoReply(String::new()).into()))
    }
}

impl Silence {
    /// What an error says of the panel.
    pub fn of(error: &fdo::Error) -> Self {
        use fdo::Error::{NameHasNoOwner, NoReply, ServiceUnknown};
        match error {
            // NoReply: it ended before it answered.
            ServiceUnknown(_) | NameHasNoOwner(_) | NoReply(_) => Self::NotRunning,
            _ => Self::Refused,
        }
    }
}
