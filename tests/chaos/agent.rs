// SPDX-License-Identifier: GPL-3.0-or-later
//! Agents at work: real processes of an agent's name that run hooks and write their files, as fast as hooks end.

use std::process::Command;
use std::time::{Duration, Instant};

use dasbo_core::process::ProcessId;
use dasbo_test_support::agent::{FakeAgent, Hook};
use dasbo_test_support::client::process;
use fastrand::Rng;
use serde_json::json;

use crate::files;
use crate::questions::Questions;
use crate::script::{self, End, hook};
use crate::tally::Tally;

/// What a helper may take, on a busy machine; agents wait for it.
const SOON: Duration = Duration::from_secs(2);

/// What it may take when its input does not end: it waits 2 s for it.
const PATIENT: Duration = Duration::from_secs(4);

/// After this it hangs.
const NEVER: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub struct Agent {
    process: FakeAgent,
    id: ProcessId,
    session: String,
    /// Whether it runs hooks, or only writes its file.
    pub hooked: bool,
    random: Rng,
    turn: usize,
    questions: Questions,
}

/// How an agent's session ended up.
#[derive(Debug)]
pub struct Ended {
    pub session: String,
    pub end: End,
    pub word: String,
    pub hooked: bool,
}

impl Agent {
    pub fn new(hooked: bool, mut random: Rng) -> Self {
        let process = FakeAgent::start("claude", |program| Command::new(program));
        let id = self::process(process.pid());
        let session = new_session(&mut random);
        let questions = Questions::new();
        let mut agent = Self { process, id, session, hooked, random, turn: 0, questions };
        agent.write("idle");
        agent
    }

    /// Works until `end`.
    pub fn work(&mut self, end: Instant, tally: &Tally) {
        while Instant::now() < end {
            self.turn += 1;
            if self.hooked {
                self.step(tally);
            } else {
                let status = ["idle", "busy", "waiting", "shell"][self.random.usize(..4)];
                self.write(status);
            }
            if self.random.u8(..100) == 0 {
                self.replace(tally);
            }
            std::thread::sleep(Duration::from_millis(self.random.u64(..120)));
        }
    }

    fn step(&mut self, tally: &Tally) {
        let (session, word) = (self.session.clone(), self.word());
        let hooks = match self.random.u8(..20) {
            0 => vec![self.questions.next(&session)],
            1 => vec![Hook { payload: "{\"session_id\":\"".into(), ..script::prompt(&session, &word) }],
            2 => {
                vec![Hook { leave_stdin_open: true, payload: "{".into(), ..script::prompt(&session, &word) }]
            }
            3 => {
                let large = "x".repeat(self.random.usize(..6 << 20));
                vec![hook(&session, "PostToolUse", json!({ "tool_name": "Read", "tool_response": large }))]
            }
            4 => return self.clear(tally),
            5 => vec![script::tool(&session, &word), script::tool_end(&session, &word)],
            _ => {
                let end = End::any(&mut self.random);
                self.write("busy");
                for hook in end.hooks(&session, &word) {
                    self.run(hook, tally);
                }
                return self.write(end.status());
            }
        };
        for hook in hooks {
            self.run(hook, tally);
        }
    }

    /// Another session in the same process.
    fn clear(&mut self, tally: &Tally) {
        self.run(hook(&self.session, "SessionEnd", json!({ "reason": "clear" })), tally);
        self.session = new_session(&mut self.random);
        self.write("idle");
        self.run(hook(&self.session, "SessionStart", json!({ "source": "clear" })), tally);
    }

    /// It is killed, and another one begins.
    fn replace(&mut self, tally: &Tally) {
        // A hook that just begins would not find it any more, and so make a row of no known process.
        std::thread::sleep(Duration::from_millis(300));
        tally.count("agents killed");
        let next = Self::new(self.hooked, self.random.fork());
        let before = std::mem::replace(self, next);
        // Its file stays: nobody is left to remove it.
        before.end(tally);
    }

    /// Ends it.
    pub fn end(mut self, tally: &Tally) {
        self.process.kill();
        self.questions.judge(tally);
    }

    /// Tells how its session ends up, now that all is mended.
    pub fn finish(&mut self, tally: &Tally) -> Ended {
        self.turn += 1;
        let (end, word) = (End::any(&mut self.random), self.word());
        self.write("busy");
        if self.hooked {
            for hook in end.hooks(&self.session, &word) {
                self.run(hook, tally);
            }
        }
        self.write(end.status());
        Ended { session: self.session.clone(), end, word, hooked: self.hooked }
    }

    fn run(&mut self, hook: Hook, tally: &Tally) {
        let is_question = hook.command.contains(" ask ");
        let limit = if hook.payload.ends_with('}') { SOON } else { PATIENT };
        let ticket = self.process.begin(hook);
        if !is_question {
            let outcome = self.process.outcome(ticket, NEVER);
            tally.helper(outcome.as_ref(), limit, &self.session);
        }
    }

    fn write(&mut self, status: &str) {
        let content = files::content(self.id, &self.session, status);
        files::write(&files::path(self.id.pid), &content, &mut self.random);
    }

    fn word(&self) -> String {
        format!("{}-{}", self.session, self.turn)
    }
}

fn new_session(random: &mut Rng) -> String {
    format!("c{:016x}", random.u64(..))
}
