// SPDX-License-Identifier: GPL-3.0-or-later
//! What the panel does: its intake, its main loop, and that it comes and goes.

use std::time::Duration;

use dasbo_core::agents;
use dasbo_core::event::{Actor, Source, Status, What};
use dasbo_core::moment::Moment;
use dasbo_core::registry::Sent;
use dasbo_core::request::{Decision, RequestId, Verdict};

use super::world::{Asked, File, Helper, News, Order, Panel, Truth, World, event, key, process};

impl World {
    pub(super) fn tell(&mut self, session: usize, actor: Actor, what: What, at: Moment) {
        self.note_told(session, &actor, &what, at);
        let event = event(session, actor, Source::Hook, what, at);
        if let Some(panel) = &mut self.panel {
            let number = panel.send(News::Event(Box::new(event)));
            panel.book.told(&key(session), number);
        }
    }

    /// From now on this panel knows.
    pub(super) fn note_told(&mut self, session: usize, actor: &Actor, what: &What, at: Moment) {
        let of_before = |asked: &&mut Asked| asked.session == session && asked.since <= at;
        for asked in self.asked.iter_mut().filter(of_before) {
            asked.told_settled |= match what {
                What::ToolEnded(call, _) => asked.call == *call && asked.actor == *actor,
                What::Ended(_) => true,
                What::Prompted(_) => asked.actor == Actor::Main,
                _ => false,
            };
        }
    }

    pub(super) fn report(&mut self, session: usize, status: Status, at: Moment) {
        if let Some(panel) = &mut self.panel {
            panel.book.reported(process(session).id, status, at);
            let event = event(session, Actor::Main, Source::File, What::Reported(status), at);
            let number = panel.send(News::Event(Box::new(event)));
            panel.book.told(&key(session), number);
        }
    }

    pub(super) fn intake(&mut self) {
        let Some(order) = self.panel.as_mut().and_then(|panel| panel.orders.pop_front()) else { return };
        match order {
            Order::LetGo(id) => self.let_go(id),
            Order::Answer(id, bytes, seen) => match self.verdict(id, seen) {
                Some(Verdict::Send) => self.print(id, bytes),
                Some(Verdict::NotYet) => self.panel_news(News::NotYet(id)),
                Some(Verdict::TooLate) => {
                    self.panel_news(News::Sent(id, Sent::TooLate));
                    self.let_go(id);
                }
                None => self.panel_news(News::Sent(id, Sent::TooLate)),
            },
        }
    }

    pub(super) fn verdict(&mut self, id: RequestId, seen: u64) -> Option<Verdict> {
        let session = self.asked.iter().find(|asked| asked.id == Some(id))?.session;
        let File { status, at } = self.sessions[session].file;
        let panel = self.panel.as_mut()?;
        panel.book.get(id)?;
        panel.book.reported(process(session).id, status, at);
        panel.book.verdict(id, seen)
    }

    pub(super) fn print(&mut self, id: RequestId, bytes: Vec<u8>) {
        let panel = self.panel.as_mut().expect("it prints");
        assert!(panel.book.close(id));
        panel.send(News::Sent(id, Sent::Answered));
        let number = self.asked.iter().position(|asked| asked.id == Some(id)).expect("it was asked");
        let asked = &mut self.asked[number];
        assert_eq!(asked.helper, Helper::Waits, "{asked:?}");
        assert!(!asked.told_settled, "printed although Dasbo was told that it is settled: {asked:?}");
        let agent = agents::by_id("claude").expect("it is known");
        let meant = asked.decisions.iter().filter_map(|one| agent.answer(&asked.request, one));
        assert!(meant.clone().any(|meant| meant == bytes), "not what the person decided: {asked:?}");
        asked.printed.push(bytes);
        asked.helper = Helper::Left;
        if asked.truth == Truth::Asked {
            self.settled_by_agent(number, true);
        }
    }

    pub(super) fn let_go(&mut self, id: RequestId) {
        let Some(panel) = &mut self.panel else { return };
        if panel.book.close(id) {
            let asked = self.asked.iter_mut().find(|asked| asked.id == Some(id)).expect("it was asked");
            asked.helper = Helper::Left;
        }
    }

    pub(super) fn panel_news(&mut self, news: News) {
        if let Some(panel) = &mut self.panel {
            panel.send(news);
        }
    }

    pub(super) fn main_loop(&mut self) {
        let now = self.now;
        let Some(panel) = &mut self.panel else { return };
        let Some(news) = panel.news.pop_front() else { return };
        panel.seen += 1;
        match news {
            News::Event(event) => drop(panel.registry.apply(&event, now)),
            News::HookEnded(id) => drop(panel.registry.hook_ended(id, now)),
            News::Sent(id, sent) => {
                panel.given.remove(&id);
                panel.registry.sent(id, sent, now);
            }
            News::NotYet(id) => match panel.given.get(&id).filter(|_| panel.registry.is_decided(id)) {
                Some(bytes) => panel.orders.push_back(Order::Answer(id, bytes.clone(), panel.seen)),
                None => drop(panel.registry.sent(id, Sent::TooLate, now)),
            },
        }
        panel.let_go();
    }

    pub(super) fn click(&mut self, number: usize, decision: &Decision) {
        let (Some(panel), Some(asked)) = (&mut self.panel, self.asked.get_mut(number)) else { return };
        let Some(id) = asked.id else { return };
        if let Ok(bytes) = panel.registry.decide(id, decision) {
            panel.given.insert(id, bytes.clone());
            panel.orders.push_back(Order::Answer(id, bytes, panel.seen));
            asked.decided = Some(decision.clone());
            asked.decisions.push(decision.clone());
        }
    }

    pub(super) fn leave(&mut self, number: usize) {
        let now = self.now;
        let (Some(panel), Some(asked)) = (&mut self.panel, self.asked.get(number)) else { return };
        if let Some(id) = asked.id {
            panel.registry.leave(id, now);
            panel.let_go();
        }
    }

    pub(super) fn panel_goes(&mut self) {
        if self.panel.take().is_none() {
            return;
        }
        for asked in &mut self.asked {
            asked.id = None;
            asked.decided = None;
            if asked.helper == Helper::Waits {
                asked.helper = if asked.comes_back { Helper::Returns } else { Helper::Left };
            }
        }
    }

    pub(super) fn panel_starts(&mut self) {
        if self.panel.is_some() {
            return;
        }
        self.panel = Some(Panel::default());
        for session in 0..self.sessions.len() {
            self.read_file(session);
        }
        for number in 0..self.asked.len() {
            if self.asked[number].helper == Helper::Returns {
                self.present(number, true);
            }
        }
    }

    /// A hook tells within two seconds of its run.
    pub(super) fn pass(&mut self, millis: u64) {
        if millis > 1_000 {
            for session in 0..self.sessions.len() {
                while !self.sessions[session].hooks.is_empty() {
                    self.hook_tells(session);
                }
            }
        }
        self.now = self.now + Duration::from_millis(millis);
        let now = self.now;
        if let Some(panel) = &mut self.panel {
            panel.registry.tick(now);
            panel.let_go();
        }
    }
}

impl Panel {
    pub(super) fn send(&mut self, news: News) -> u64 {
        self.news.push_back(news);
        self.sent += 1;
        self.sent
    }

    pub(super) fn let_go(&mut self) {
        let over = self.registry.take_let_go();
        self.orders.extend(over.into_iter().map(Order::LetGo));
    }
}
