// SPDX-License-Identifier: GPL-3.0-or-later
//! More than one panel of one user: on another session bus, and on the same.

use std::ffi::OsString;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use dasbo_desktop_tests::accessibility::{Application, Node, State};
use dasbo_desktop_tests::panel::Panel;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::seen;
use crate::stage::{LIMIT, Stage, recorded, window_of};

/// A session bus of its own, as a second login has; it ends when this is dropped.
struct Bus {
    address: String,
    _daemon: Child,
}

impl Bus {
    /// On it nothing can be started by name.
    async fn start(stage: &Stage) -> Result<Self> {
        let folder = stage.home.runtime_folder();
        let config = folder.join("other-bus.conf");
        fs::write(
            &config,
            format!(
                r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#,
                folder.join("other-bus").display()
            ),
        )?;
        let mut daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let output = daemon.stdout.take().context("no output")?;
        let address = tokio::time::timeout(LIMIT, BufReader::new(output).lines().next_line()).await??;
        Ok(Self { address: address.context("the bus did not start")?, _daemon: daemon })
    }
}

/// A panel beside the one of the stage, on this bus; all panels can be read on the one accessibility bus.
async fn panel_on(bus: &Bus, stage: &Stage) -> Result<(Panel, Application)> {
    let variables = [
        ("DBUS_SESSION_BUS_ADDRESS", OsString::from(&bus.address)),
        ("AT_SPI_BUS_ADDRESS", OsString::from(stage.desktop.address().await?)),
    ];
    let home = &stage.home;
    let panel = Panel::start_with(&home.path(), &home.runtime_folder(), &variables, LIMIT).await?;
    let window = window_of(&stage.desktop, &panel).await?;
    Ok((panel, window))
}

fn is_active(tree: &Node) -> bool {
    tree.find(|node| node.is(State::Active)).is_some()
}

#[tokio::test]
async fn a_second_panel_waits_for_its_turn() -> Result<()> {
    const HELD: &str = "Another panel is running";
    let stage = Stage::set().await?;
    let bus = Bus::start(&stage).await?;
    let (second, window) = panel_on(&bus, &stage).await?;
    let says_held = |tree: &Node| tree.texts().contains(&HELD);
    window.wait_for(LIMIT, HELD, |tree| says_held(tree).then_some(())).await?;
    let _agent = stage.agent("shop", recorded::CLEAR, 1);
    stage.wait_for_row("Claude Code, shop, Idle").await?;
    ensure!(!says_held(&stage.window.tree().await?), "the first says that it is not the one");
    let tree = window.tree().await?;
    ensure!(says_held(&tree) && seen::items(&tree).is_empty(), "two panels hear one agent:\n{tree}");

    let Stage { home, panel, desktop, .. } = stage;
    drop(panel);
    window.wait_for(LIMIT, "end of the first panel", |tree| (!says_held(tree)).then_some(())).await?;
    let stage = Stage::of(home, second, desktop, window);
    let _later = stage.agent("wiki", recorded::FAILING_TOOL, 2);
    stage.wait_for_row("Claude Code, wiki, Thinking…").await?;
    Ok(())
}

/// The other panel's window has the keyboard until then: without it the first's would be in front anyway.
#[tokio::test]
async fn a_second_launch_shows_the_window_of_the_first() -> Result<()> {
    let stage = Stage::set().await?;
    let bus = Bus::start(&stage).await?;
    let (_other, _window) = panel_on(&bus, &stage).await?;
    stage.wait_until("window without the keyboard", |tree| !is_active(tree)).await?;
    stage.panel.run(&[]).await?;
    stage.wait_until("window with the keyboard", is_active).await?;
    let tree = stage.window.tree().await?;
    ensure!(tree.children.len() == 1, "a second window:\n{tree}");
    Ok(())
}
