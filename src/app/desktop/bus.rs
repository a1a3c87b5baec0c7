// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel's own D-Bus interface, for the command line. `GApplication` has its own name; this one cannot be
//! activated, so asking never starts the panel.

use async_channel::{Receiver, Sender};
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

struct Panel(Sender<Query>);

#[interface(name = "org.dasbo.Dasbo.Panel")]
impl Panel {
    /// The table of sessions, as JSON.
    async fn sessions(&self) -> fdo::Result<String> {
        self.ask(0).await.map(|table| table.sessions)
    }

    /// The table once it is no longer the one with this serial, which 0 never is; and its serial.
    #[zbus(out_args("serial", "sessions"))]
    async fn sessions_after(&self, serial: u64) -> fdo::Result<(u64, String)> {
        self.ask(serial).await.map(|table| (table.serial, table.sessions))
    }
}

impl Panel {
    async fn ask(&self, after: u64) -> fdo::Result<Table> {
        let gone = || fdo::Error::Failed("the panel ends".to_owned());
        let (reply, answer) = async_channel::bounded(1);
        self.0.send(Query { after, reply }).await.map_err(|_| gone())?;
        answer.recv().await.map_err(|_| gone())
    }
}

/// Puts the interface on the session bus. It is there as long as the connection that is returned.
pub async fn serve(queries: Sender<Query>) -> zbus::Result<Connection> {
    let connection = zbus::connection::Builder::session().serve_at(PATH, Panel(queries)).build().await?;
    connection.request_name_with_flags(NAME, RequestNameFlags::DO_NOT_QUEUE).await?;
    Ok(connection)
}

/// The channel between the interface and the panel.
pub fn queries() -> (Sender<Query>, Receiver<Query>) {
    async_channel::unbounded()
}

/// The running panel, as the command line sees it.
#[derive(Debug)]
pub struct Client(Proxy<'static>);

impl Client {
    /// Looks for the session bus. Whether a panel is on it, the first call says.
    pub async fn new() -> Result<Self, fdo::Error> {
        let connection = Connection::session().await?;
        Ok(Self(Proxy::new(&connection, NAME, PATH, NAME).await?))
    }

    /// The table once it is no longer the one with this serial. `None` without a panel.
    pub async fn sessions_after(&self, serial: u64) -> Result<Option<Table>, fdo::Error> {
        let flags = MethodFlags::NO_AUTO_START;
        let answer =
            self.0.call_with_flags("SessionsAfter", flags, &(serial,)).await.map_err(fdo::Error::from);
        match answer {
            Ok(answer) => Ok(answer.map(|(serial, sessions)| Table { serial, sessions })),
            Err(fdo::Error::ServiceUnknown(_) | fdo::Error::NameHasNoOwner(_) | fdo::Error::NoReply(_)) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
