// SPDX-License-Identifier: GPL-3.0-or-later
//! Programs with a window, started and ended.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dasbo_test_support::agent::sibling;
use dasbo_test_support::wait::{LIMIT, eventually};
use rustix::process::{Pid, Signal, kill_process};

use crate::frames;
use crate::screen::Screen;

/// How long a screen is still before it counts as at rest. Longer than a key's or a bus's way, shorter than a clock's tick.
const STILL: Duration = Duration::from_millis(400);

/// The panel that is measured: a release build, named by `./dev`.
pub fn panel() -> PathBuf {
    std::env::var_os("DASBO_BIN").expect("DASBO_BIN names the panel; run ./dev bench").into()
}

/// The window it is held against.
pub fn bare_window() -> PathBuf {
    sibling("dasbo-bench-window")
}

/// A program that runs. It ends when dropped.
#[derive(Debug)]
pub struct Running(Child);

impl Running {
    pub fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("a program that starts"))
    }

    /// Starts the bare window with a text, `label` or `inscription`, that changes whenever it is told. Waits until it
    /// is at rest.
    pub fn bare_window_with(text: &str, screen: &mut Screen) -> Self {
        screen.forget();
        let mut command = Command::new(bare_window());
        command.arg(text).stdin(Stdio::piped()).stdout(Stdio::null());
        let window = Self(command.spawn().expect("a program that starts"));
        screen.wait_for_rest(STILL);
        window
    }

    /// Tells the bare window to change its text.
    pub fn tell(&self) {
        self.0.stdin.as_ref().expect("a window that is told").write_all(b".").unwrap();
    }

    /// Starts a panel that hears from agents, and waits until its window is at rest.
    pub fn listening_panel(screen: &mut Screen) -> Self {
        screen.forget();
        let panel = Self::start(&panel());
        let socket = frames::socket();
        let hears = || std::os::unix::net::UnixStream::connect(&socket).ok();
        eventually("the panel listens", LIMIT, hears);
        screen.wait_for_rest(STILL);
        panel
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Milliseconds from the program's start until the last that was drawn before a rest.
    pub fn first_picture(program: &Path, screen: &mut Screen) -> (Self, f64) {
        screen.forget();
        let begun = Instant::now();
        let running = Self::start(program);
        let drawn = screen.wait_for_rest(STILL);
        (running, (drawn - begun).as_secs_f64() * 1e3)
    }

    /// Seconds that all its threads ran so far.
    pub fn processor_seconds(&self) -> f64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
        let nanoseconds = |task: std::fs::DirEntry| -> Option<f64> {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse().ok()
        };
        tasks.filter_map(|task| nanoseconds(task.ok()?)).sum::<f64>() / 1e9
    }

    /// Memory of its own, not backed by a file, in MiB.
    pub fn anonymous(&self) -> f64 {
        let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid())).unwrap();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Anonymous:"));
        let kib: f64 = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok()).unwrap();
        kib / 1024.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.pid()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.0.wait();
    }
}
