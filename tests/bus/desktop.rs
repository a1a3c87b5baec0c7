// SPDX-License-Identifier: GPL-3.0-or-later
//! A session bus, a panel without a window on it, agents, and the command line.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use dasbo::decision_log::{self, DecisionLog};
use dasbo::desktop::bus;
use dasbo::intake;
use dasbo::model::SessionList;
use dasbo::panel::Panel;
use dasbo_core::install::Places;
use dasbo_core::request::Policy;
use dasbo_core::wire::socket_path;
use dasbo_test_support::agent::{FakeAgent, Hook, Outcome};
use dasbo_test_support::helper::{self, Input};
use dasbo_test_support::home::Home;
use dasbo_test_support::player::{Pace, Player, Role};
use dasbo_test_support::recording::Recording;
use dasbo_test_support::wait::{LIMIT, eventually};
use glib::MainContext;

/// A program that ends with the test.
pub struct Program(pub Child);

impl Program {
    fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Its exit status, once it ends by itself.
    pub fn status(&mut self) -> Option<i32> {
        eventually("the program ends", LIMIT, || self.0.try_wait().unwrap()).code()
    }

    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    pub fn stdout(&mut self) -> ChildStdout {
        self.0.stdout.take().unwrap()
    }

    pub fn said_on_stderr(&mut self) -> String {
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A home with a bus.
pub struct Desktop {
    pub home: Home,
    _bus: Program,
}

/// Any call of the panel's name may start this service, which leaves a trace.
const SERVICE: &str =
    "[D-BUS Service]\nName=org.dasbo.Dasbo.Panel\nExec=/bin/sh -c 'touch \"$HOME/started\"; sleep 20'\n";

impl Desktop {
    pub fn new() -> Self {
        let home = Home::new();
        let services = home.path().join("services");
        std::fs::create_dir(&services).unwrap();
        std::fs::write(services.join("org.dasbo.Dasbo.Panel.service"), SERVICE).unwrap();
        let config = home.path().join("bus.conf");
        let text = format!(
            r#"<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>
            <servicedir>{}</servicedir><policy context="default"><allow send_destination="*"/>
            <allow receive_sender="*"/><allow own="*"/></policy></busconfig>"#,
            address(&home).display(),
            services.display()
        );
        std::fs::write(&config, text).unwrap();
        let config = format!("--config-file={}", config.display());
        let mut daemon = home.command("dbus-daemon");
        let mut bus = Program::start(daemon.args([&config, "--nofork", "--nopidfile", "--print-address"]));
        BufReader::new(bus.stdout()).read_line(&mut String::new()).unwrap();
        assert!(address(&home).exists());
        Self { home, _bus: bus }
    }

    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.home.command(program);
        command.env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", address(&self.home).display()));
        command
    }

    /// Starts a panel and waits until it hears agents and answers callers.
    pub fn panel(&self) -> Program {
        let mut command = self.command(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "desktop::panel_process", "--nocapture"]);
        let mut panel = Program::start(command.env(PANEL, ""));
        let mut lines = BufReader::new(panel.stdout()).lines();
        for wanted in ["ready", "ready"] {
            assert!(lines.any(|line| line.unwrap().contains(wanted)));
        }
        panel
    }

    pub fn status(&self, options: &[&str]) -> Outcome {
        helper::run(&mut self.dasbo(options), Input::Closed(b""))
    }

    pub fn dasbo(&self, options: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_dasbo"));
        command.arg("status").args(options);
        command
    }

    pub fn answer(&self, arguments: &[&str]) -> Outcome {
        let mut command = self.command(env!("CARGO_BIN_EXE_dasbo"));
        helper::run(command.arg("answer").args(arguments), Input::Closed(b""))
    }

    pub fn follow(&self, options: &[&str]) -> Follower {
        let mut program = Program::start(&mut self.dasbo(&[&["--follow"], options].concat()));
        let (sender, lines) = channel();
        let stdout = BufReader::new(program.stdout());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Follower { program, lines }
    }

    /// Whether the bus was made to start something.
    pub fn has_started_something(&self) -> bool {
        self.home.path().join("started").exists()
    }

    pub fn agent(&self) -> FakeAgent {
        FakeAgent::start("claude", |program| self.home.command(program))
    }

    pub fn tell(agent: &mut FakeAgent, payload: &str) {
        let hook = Hook {
            command: format!("exec '{}' claude notify X", helper::path().display()),
            payload: payload.into(),
            env: [("CLAUDE_PROJECT_DIR".to_owned(), "/home/user/shop".to_owned())].into(),
            ..Hook::default()
        };
        assert!(agent.run(hook, LIMIT).printed(""));
    }

    /// Plays the first hooks of a recording, as the project of this name.
    pub fn play(&self, recording: &str, until: usize, project: &str) -> Player {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
        let recording = Recording::read(&fixtures.join(recording)).unwrap();
        let role = Role { project: Some(project.into()), number: None, until: Some(until) };
        let mut player =
            Player::new(&helper::path(), &recording, &role, |program| self.home.command(program));
        player.play(Pace::AtOnce);
        player
    }
}

fn address(home: &Home) -> PathBuf {
    home.runtime_folder().join("bus")
}

/// `dasbo status --follow`.
pub struct Follower {
    pub program: Program,
    lines: Receiver<String>,
}

impl Follower {
    pub fn line(&self) -> String {
        self.lines.recv_timeout(LIMIT).expect("a line")
    }

    /// The line's one session in short: its id and state.
    pub fn shows(&self) -> (String, String) {
        let sessions: serde_json::Value = serde_json::from_str(&self.line()).unwrap();
        let text = |key: &str| sessions[0][key].as_str().unwrap_or_default().to_owned();
        assert!(sessions.as_array().unwrap().len() < 2, "{sessions}");
        (text("session"), text("state"))
    }

    /// Lines that came and were not taken.
    pub fn rest(self) -> Vec<String> {
        drop(self.program);
        self.lines.iter().collect()
    }
}

/// Says that the process is to be the panel.
const PANEL: &str = "DASBO_TEST_PANEL";

#[test]
#[ignore = "no test: the process behind `Desktop::panel`"]
fn panel_process() {
    if std::env::var_os(PANEL).is_none() {
        return;
    }
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let context = MainContext::default();
    let panel = Panel::new(SessionList::new());
    let (callers, queries, replies) = bus::callers();
    let socket = socket_path(|name| std::env::var_os(name), u32::MAX).unwrap();
    context
        .with_thread_default(|| {
            glib::spawn_future_local(panel.clone().answer(queries));
            glib::spawn_future_local(panel.clone().reply_all(replies));
            panel.set_log(DecisionLog::start(decision_log::path(&Places::new(std::env::vars_os()).unwrap())));
            let (inbox, desk) = intake::start(socket, Places::new(std::env::vars_os()), Policy::default());
            panel.listen(inbox, desk, || println!("ready"));
            context.block_on(async {
                let connection = bus::serve(callers).await.unwrap();
                println!("ready");
                connection.closed().await;
            });
        })
        .unwrap();
}
