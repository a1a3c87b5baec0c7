// SPDX-License-Identifier: GPL-3.0-or-later
//! Two panels on two buses. Only one can have the socket.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::Value;
use tempfile::TempDir;

use crate::tally::Tally;

const BUS: &str = "DBUS_SESSION_BUS_ADDRESS";

/// What a panel that is broken says in its log.
const BROKEN: &[&str] = &["panicked at", "CRITICAL", "ERROR"];

/// How long a panel may take to start, on a busy machine.
const STARTING: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub struct Panels {
    panels: [Panel; 2],
    _bus: Bus,
}

#[derive(Debug)]
pub struct Panel {
    program: PathBuf,
    bus: String,
    log: PathBuf,
    read: usize,
    child: Option<Child>,
    started: Instant,
    /// Whether it gets a user namespace of its own, whose limits for inotify can be changed.
    namespaces: bool,
}

#[derive(Debug)]
struct Bus {
    process: Child,
    folder: TempDir,
}

impl Panels {
    pub fn open(tally: &Tally) -> Self {
        let program: PathBuf = std::env::var_os("DASBO_BIN").expect("DASBO_BIN names the panel").into();
        let namespaces = Command::new("unshare").args(["--user", "--map-current-user", "true"]).status();
        let namespaces = namespaces.is_ok_and(|status| status.success());
        let (bus, other) = Bus::start();
        let own = std::env::var(BUS).expect("a session bus; run ./dev chaos");
        let mut number = 0;
        let panels = [own, other].map(|address| {
            number += 1;
            let log = bus.folder.path().join(format!("panel-{number}.log"));
            Panel {
                program: program.clone(),
                bus: address,
                log,
                read: 0,
                child: None,
                started: Instant::now(),
                namespaces,
            }
        });
        let mut panels = Self { panels, _bus: bus };
        panels.ensure(tally);
        panels
    }

    pub fn get(&mut self, number: usize) -> &mut Panel {
        &mut self.panels[number]
    }

    /// Starts those that do not run. One that ended without being told to is wrong.
    pub fn ensure(&mut self, tally: &Tally) {
        for panel in &mut self.panels {
            panel.check(tally);
            panel.start();
        }
    }

    /// The table of the one that hears agents.
    pub fn table(&self) -> Option<Vec<Value>> {
        self.panels.iter().find_map(Panel::table)
    }

    /// What the panels say of themselves, all but that they got no good frame.
    pub fn print_logs(&self) {
        for panel in &self.panels {
            let log = fs::read_to_string(&panel.log).unwrap_or_default();
            let lines: Vec<&str> = log.lines().filter(|line| !line.contains("told nothing")).collect();
            eprintln!("the last that a panel said:");
            lines[lines.len().saturating_sub(30)..].iter().for_each(|line| eprintln!("  {line}"));
        }
    }

    pub fn close(mut self, tally: &Tally) {
        for panel in &mut self.panels {
            panel.check(tally);
            panel.kill();
        }
    }
}

impl Panel {
    fn start(&mut self) {
        if self.child.is_some() {
            return;
        }
        let mut command = if self.namespaces {
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-current-user"]).arg(&self.program);
            command
        } else {
            Command::new(&self.program)
        };
        let log = File::options().create(true).append(true).open(&self.log).expect("a log");
        let command = command.env(BUS, &self.bus).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().expect("a panel that starts"));
        self.started = Instant::now();
    }

    /// SIGKILL. Whether there was one to kill.
    pub fn kill(&mut self) -> bool {
        let Some(mut child) = self.child.take() else { return false };
        let _ = child.kill();
        let _ = child.wait();
        true
    }

    /// Notes if it ended by itself, or said that it is broken.
    pub fn check(&mut self, tally: &Tally) {
        if let Some(child) = &mut self.child
            && let Ok(Some(status)) = child.try_wait()
        {
            self.child = None;
            tally.wrong(format!("a panel ended: {status}; its last words: {}", self.last_words()));
        }
        let log = fs::read(&self.log).unwrap_or_default();
        let new = String::from_utf8_lossy(log.get(self.read..).unwrap_or_default()).into_owned();
        self.read = log.len();
        for line in new.lines().filter(|line| BROKEN.iter().any(|word| line.contains(word))) {
            tally.wrong(format!("a panel says: {line}"));
        }
    }

    fn last_words(&self) -> String {
        let log = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&log[log.len().saturating_sub(2_000)..]).into_owned()
    }

    fn table(&self) -> Option<Vec<Value>> {
        let mut command = Command::new("timeout");
        command.arg("10").arg(&self.program).args(["status", "--json"]).env(BUS, &self.bus);
        let status = command.output().ok()?;
        status.status.success().then(|| serde_json::from_slice(&status.stdout).ok()).flatten()
    }

    fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// From now on it can open so many files more than it has open; `None`: as many as before. Not while it starts: `GLib`
    /// ends a program that cannot even have a main loop.
    pub fn limit_open_files(&self, more: Option<u64>) -> bool {
        let starts = more.is_some() && self.started.elapsed() < STARTING;
        let Some(pid) = self.pid().filter(|_| !starts) else { return false };
        let open = fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, |open| open.count() as u64);
        let maximum = rustix::process::getrlimit(Resource::Nofile).maximum;
        let current = more.map_or(maximum.map_or(1 << 16, |most| most.min(1 << 16)), |more| open + more);
        let limit = Rlimit { current: Some(current), maximum };
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        prlimit(pid, Resource::Nofile, limit).is_ok()
    }

    /// From now on it can have so many inotify watches and instances in all.
    pub fn limit_inotify(&self, most: u32) -> bool {
        let Some(pid) = self.pid().filter(|_| self.namespaces) else { return false };
        let namespace = format!("/proc/{pid}/ns/user");
        let own = fs::read_link("/proc/self/ns/user").ok();
        if fs::read_link(&namespace).ok() == own {
            // It did not come so far yet.
            return false;
        }
        let script = format!(
            "echo {most} >/proc/sys/user/max_inotify_watches && echo {most} >/proc/sys/user/max_inotify_instances"
        );
        let mut command = Command::new("nsenter");
        command.arg(format!("--user={namespace}")).args(["--preserve-credentials", "sh", "-c", &script]);
        command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Bus {
    /// A bus on which nothing can be started; and its address.
    fn start() -> (Self, String) {
        let folder = TempDir::new().expect("a folder");
        let config = folder.path().join("bus.conf");
        fs::write(&config, config_text(folder.path())).expect("a file");
        let mut process = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", config.display()))
            .args(["--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon");
        let mut address = String::new();
        let stdout = process.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut address).expect("its address");
        (Self { process, folder }, address.trim().to_owned())
    }
}

fn config_text(folder: &Path) -> String {
    format!(
        "<busconfig><type>session</type><listen>unix:path={}/bus</listen><auth>EXTERNAL</auth>\
         <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>\
         <allow own=\"*\"/></policy></busconfig>",
        folder.display()
    )
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
