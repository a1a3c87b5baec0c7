// SPDX-License-Identifier: GPL-3.0-or-later
//! Where the checks play: the panel, the model server, the agent's home; and what the panel has shown so far.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::time::Instant;

use crate::claude::{Home, Session};
use crate::hand::Hand;
use crate::model_server::{ModelServer, Scripts};
use crate::panel::{Panel, Row, State};
use crate::wait;

/// Generous: it is reached only when something is wrong.
pub const LIMIT: Duration = Duration::from_secs(30);

/// So many of the last tables are shown when a check fails.
const SHOWN: usize = 12;

#[derive(Debug)]
pub struct Stage {
    pub home: Home,
    pub model: ModelServer,
    pub panel: Panel,
    pub hand: Hand,
    program: PathBuf,
    started: Instant,
    seen: Vec<(Duration, String)>,
}

impl Stage {
    pub async fn set(program: PathBuf, home: Home, scripts: Scripts) -> Result<Self> {
        let model = ModelServer::start(scripts).await?;
        let panel = Panel::start(&home.path(), &home.runtime(), LIMIT).await?;
        let hand = Hand::at(&panel, LIMIT).await?;
        Ok(Self { home, model, panel, hand, program, started: Instant::now(), seen: Vec::new() })
    }

    /// Starts Claude Code in this project.
    pub fn open(&self, project: &str) -> Result<Session> {
        self.open_with(project, &[])
    }

    /// Starts it with these arguments.
    pub fn open_with(&self, project: &str, arguments: &[&str]) -> Result<Session> {
        Session::start(&self.program, arguments, &self.home, project, &self.model.url(), LIMIT)
    }

    /// The panel is killed, and another one begins.
    pub async fn restart_panel(&mut self) -> Result<()> {
        self.panel.kill().await?;
        self.panel = Panel::start(&self.home.path(), &self.home.runtime(), LIMIT).await?;
        self.hand = Hand::at(&self.panel, LIMIT).await?;
        Ok(())
    }

    /// Waits until the one row of this project is as it should be.
    ///
    /// A second row for it is an error at once.
    pub async fn wait_for(
        &mut self,
        project: &Path,
        what: &str,
        is_so: impl Fn(&Row) -> bool,
    ) -> Result<Row> {
        self.wait_for_within(LIMIT, project, what, is_so).await
    }

    pub async fn wait_for_within(
        &mut self,
        limit: Duration,
        project: &Path,
        what: &str,
        is_so: impl Fn(&Row) -> bool,
    ) -> Result<Row> {
        let row = wait::until(limit, what, async || match self.row(project).await {
            Ok(row) => row.filter(&is_so).map(Ok),
            Err(error) => Some(Err(error)),
        });
        row.await?
    }

    pub async fn wait_for_state(&mut self, project: &Path, state: State) -> Result<Row> {
        let what = format!("row that says {state:?}");
        self.wait_for(project, &what, |row| row.state == state).await
    }

    pub async fn wait_until_gone(&mut self, project: &Path) -> Result<()> {
        let gone = wait::until(LIMIT, "end of the row", async || match self.row(project).await {
            Ok(Some(_)) => None,
            Ok(None) => Some(Ok(())),
            Err(error) => Some(Err(error)),
        });
        gone.await?
    }

    /// The row of this project, if there is one now.
    pub async fn row(&mut self, project: &Path) -> Result<Option<Row>> {
        let rows = self.panel.rows().await?;
        self.remember(&rows);
        let mut own = rows.into_iter().filter(|row| row.cwd == project);
        let row = own.next();
        if own.next().is_some() {
            bail!("one session has two rows");
        }
        Ok(row)
    }

    /// The last tables that differed.
    pub fn recent_tables(&self) -> String {
        let skipped = self.seen.len().saturating_sub(SHOWN);
        let tables = self.seen.iter().skip(skipped);
        tables
            .map(|(at, table)| format!("{:7.2} s  {table}", at.as_secs_f32()))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn remember(&mut self, rows: &[Row]) {
        let table = rows.iter().map(line).collect::<Vec<_>>().join("\n           ");
        let table = if table.is_empty() { "no rows".to_owned() } else { table };
        if self.seen.last().is_none_or(|(_, last)| *last != table) {
            self.seen.push((self.started.elapsed(), table));
        }
    }
}

fn line(row: &Row) -> String {
    let tool = row.tool.as_ref().map_or(String::new(), |tool| format!(" {} · {:?}", tool.name, tool.detail));
    let detail = row.detail.as_ref().map_or(String::new(), |detail| format!(" {detail:?}"));
    format!(
        "{} {} {:?}{tool}{detail} (pid {:?}, session {})",
        row.agent, row.project, row.state, row.pid, row.session
    )
}
