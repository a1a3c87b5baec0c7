// SPDX-License-Identifier: GPL-3.0-or-later
//! The intake under test: in this process, where its news are to be looked at; in one of its own, where its memory,
//! its open files or its end are.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use dasbo::intake::{self, Desk, Inbox, News, Status};
use dasbo_core::event::Event;
use dasbo_core::install::Places;
use dasbo_core::process::ProcessId;
use dasbo_core::request::Policy;
use dasbo_test_support::client::{Client, good_frame, process};
use dasbo_test_support::home::Home;
use dasbo_test_support::wait::LIMIT;
use glib::MainContext;

/// An intake in this process.
pub struct Intake {
    pub home: Rc<Home>,
    pub socket: PathBuf,
    inbox: Inbox,
    pub desk: Desk,
    context: MainContext,
}

impl Intake {
    /// One that listens.
    pub fn new() -> Self {
        let intake = Self::begin(Home::new().into());
        assert_eq!(intake.status(), Status::Listening);
        intake
    }

    /// One that may have to wait.
    pub fn begin(home: Rc<Home>) -> Self {
        let socket = home.socket();
        let (inbox, desk) = intake::start(socket.clone(), home.places(), Policy::default());
        Self { home, socket, inbox, desk, context: MainContext::new() }
    }

    pub fn news_within(&self, limit: Duration) -> Option<News> {
        let news = async { glib::future_with_timeout(limit, self.inbox.next()).await };
        self.context.block_on(news).ok().map(|news| news.expect("the intake goes on"))
    }

    pub fn news(&self) -> News {
        self.news_within(LIMIT).expect("news")
    }

    /// The number of the last news taken.
    pub fn seen(&self) -> u64 {
        self.inbox.seen()
    }

    pub fn status(&self) -> Status {
        match self.news() {
            News::Intake(status) => status,
            other => panic!("{other:?}"),
        }
    }

    pub fn event(&self) -> Event {
        match self.news() {
            News::Event(event) => *event,
            other => panic!("{other:?}"),
        }
    }

    pub fn ended(&self) -> ProcessId {
        match self.news() {
            News::ProcessEnded(process) => process,
            other => panic!("{other:?}"),
        }
    }

    /// That the next thing it hears is the frame that is sent now: all before it told nothing.
    pub fn hears_nothing_but(&self, session: &str) {
        Client::connect(&self.socket).send(&good_frame(process(std::process::id()), session));
        assert_eq!(self.event().session.id.as_str(), session);
    }
}

/// Where the process of its own finds its socket.
const SOCKET: &str = "DASBO_TEST_INTAKE";

/// Set: after the first news it waits for a line on its standard input.
const WAITS: &str = "DASBO_TEST_INTAKE_WAITS";

/// An intake in a process of its own. It ends when dropped.
pub struct IntakeProcess {
    pub home: Rc<Home>,
    pub socket: PathBuf,
    process: Child,
    stdin: ChildStdin,
    news: Receiver<String>,
    log: Receiver<String>,
}

impl IntakeProcess {
    /// One that listens.
    pub fn new() -> Self {
        Self::with_open_files(1024)
    }

    /// One that listens and may have so many open files.
    pub fn with_open_files(most: usize) -> Self {
        Self::start(Home::new(), &["prlimit", &format!("--nofile={most}")], &[])
    }

    /// One whose news nobody takes, after the first, before [`Self::go_on`].
    pub fn that_waits(home: Home) -> Self {
        Self::start(home, &["env"], &[(WAITS, "")])
    }

    /// One that can watch no file, where a process can take that from itself.
    pub fn without_inotify() -> Option<Self> {
        let script = "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\"";
        let within = ["unshare", "--user", "--map-root-user", "sh", "-c", script];
        let can = Command::new(within[0]).args(&within[1..]).arg("true").status();
        can.is_ok_and(|status| status.success()).then(|| Self::start(Home::new(), &within, &[]))
    }

    /// `within`: a command that runs it.
    fn start(home: Home, within: &[&str], env: &[(&str, &str)]) -> Self {
        let home = Rc::new(home);
        let socket = home.socket();
        let mut process = home
            .command(within[0])
            .args(&within[1..])
            .arg(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "listener::intake_process", "--nocapture"])
            .env(SOCKET, &socket)
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = process.stdin.take().unwrap();
        let news = lines(process.stdout.take().unwrap(), "news ");
        let log = lines(process.stderr.take().unwrap(), "");
        let intake = Self { home, socket, process, stdin, news, log };
        assert_eq!(intake.news(), "Listening");
        intake
    }

    pub fn news(&self) -> String {
        self.news.recv_timeout(LIMIT).expect("news")
    }

    /// Takes its news from now on.
    pub fn go_on(&mut self) {
        writeln!(self.stdin, "go on").unwrap();
    }

    /// Sends a good frame and waits for it. What it heard before it.
    pub fn hears(&self, session: &str) -> Vec<String> {
        Client::connect(&self.socket).send(&good_frame(process(std::process::id()), session));
        self.news_until(session)
    }

    pub fn news_until(&self, session: &str) -> Vec<String> {
        std::iter::from_fn(|| Some(self.news()).filter(|news| news != session)).collect()
    }

    /// Ends it; what it logged that was not asked for.
    pub fn log_to_its_end(&mut self) -> Vec<String> {
        self.kill();
        self.log.iter().collect()
    }

    /// The next line that it logs.
    pub fn log(&self) -> String {
        self.log.recv_timeout(LIMIT).expect("a line in the log")
    }

    /// Memory that it holds, in bytes.
    pub fn memory(&self) -> usize {
        self.memory_as("VmRSS:")
    }

    /// The most that it ever held.
    pub fn most_memory(&self) -> usize {
        self.memory_as("VmHWM:")
    }

    fn memory_as(&self, name: &str) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_end_matches("kB").trim().parse::<usize>().unwrap() << 10
    }

    /// How long it has computed (proc(5): fields 14 and 15 of `stat`, in hundredths of a second).
    pub fn cpu_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
        let ticks: u64 = fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
        Duration::from_millis(10 * ticks)
    }

    /// Whether it learned nothing for so long.
    pub fn is_quiet_for(&self, time: Duration) -> bool {
        self.news.recv_timeout(time).is_err()
    }

    /// Ends it as a panel that crashes.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for IntakeProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

fn lines(stream: impl Read + Send + 'static, prefix: &'static str) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            // The test runner may have begun the line.
            if let Some((_, line)) = line.split_once(prefix) {
                let _ = sender.send(line.to_owned());
            }
        }
    });
    receiver
}

#[test]
#[ignore = "no test: the process behind `IntakeProcess`"]
fn intake_process() {
    let Some(socket) = std::env::var_os(SOCKET) else { return };
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).init();
    let (go, may_go) = async_channel::unbounded();
    if std::env::var_os(WAITS).is_none() {
        go.try_send(()).unwrap();
    }
    std::thread::spawn(move || {
        std::io::stdin().lines().map_while(Result::ok).for_each(|_| go.try_send(()).unwrap());
        std::process::exit(0);
    });
    let (inbox, _desk) = intake::start(socket.into(), Places::new(std::env::vars_os()), Policy::default());
    MainContext::new().block_on(async {
        let mut waits = true;
        while let Some(news) = inbox.next().await {
            println!("news {}", in_a_word(&news));
            if std::mem::take(&mut waits) {
                may_go.recv().await.unwrap();
            }
        }
    });
}

fn in_a_word(news: &News) -> String {
    match news {
        News::Event(event) => event.session.id.to_string(),
        News::ProcessEnded(process) => format!("ended {}", process.pid),
        News::Lost(losses) => {
            let ids: Vec<&str> = losses.iter().map(|loss| loss.session.id.as_str()).collect();
            format!("lost {}", ids.join(" and "))
        }
        News::Deaf(_) => "deaf".into(),
        News::Intake(status) => format!("{status:?}"),
        other => format!("{other:?}"),
    }
}
