// SPDX-License-Identifier: GPL-3.0-or-later
//! Joins the parts on the main loop: what the intake learns goes to the registry, what changes there to the list.

mod command_line;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use async_channel::{Receiver, Sender};
use dasbo_core::change::Change;
use dasbo_core::moment::Moment;
use dasbo_core::registry::{Refusal, Registry};
use dasbo_core::request::{Policy, RequestId};
use dasbo_core::session::RowId;
use glib::{MainContext, Priority};

use crate::answers::{Answers, Given, Origin, Wish};
use crate::decision_log::DecisionLog;
use crate::desktop::bus::{Query, Table};
use crate::desktop::notifications::Notifications;
use crate::intake::{Desk, Inbox, Loss, News, Status};
use crate::model::SessionList;
use crate::pending::Pending;
use crate::{clock, table, words};

/// How long news are taken in at a stretch: a quarter of a frame at 60 a second.
const STRETCH: Duration = Duration::from_millis(4);

/// How long news are shown at a stretch: long enough for most of a window's first rows.
const SHOWING: Duration = Duration::from_millis(8);

/// All that runs on the main loop without a window.
#[derive(Debug)]
pub struct Panel {
    registry: RefCell<Registry>,
    list: SessionList,
    /// What the list does not show yet.
    pending: RefCell<Pending>,
    /// Tells that something is pending.
    wake: (Sender<()>, Receiver<()>),
    /// How the intake stands, once it said so.
    intake: RefCell<Option<Status>>,
    /// Counts the states of the table.
    serial: Cell<u64>,
    /// Who waits for the next one.
    followers: RefCell<Vec<Sender<Table>>>,
    /// The state that followers were told last.
    told: Cell<u64>,
    timer: RefCell<Option<(Moment, glib::SourceId)>>,
    answers: Answers,
    policy: RefCell<Policy>,
    notifications: OnceCell<Rc<Notifications>>,
    log: RefCell<Option<DecisionLog>>,
}

impl Panel {
    /// A panel that shows what it learns in `list`.
    pub fn new(list: SessionList) -> Rc<Self> {
        Rc::new(Self {
            registry: RefCell::default(),
            list,
            pending: RefCell::default(),
            wake: async_channel::bounded(1),
            intake: RefCell::default(),
            serial: Cell::new(1),
            followers: RefCell::default(),
            told: Cell::new(1),
            timer: RefCell::default(),
            answers: Answers::default(),
            policy: RefCell::default(),
            notifications: OnceCell::new(),
            log: RefCell::default(),
        })
    }

    /// Notifies of what the person is asked for.
    pub fn notify_with(&self, notifications: Rc<Notifications>) {
        self.notifications.get_or_init(|| notifications);
    }

    /// Takes in all that comes, until nothing can come any more. Drawing goes first.
    pub async fn take_in(self: Rc<Self>, inbox: Inbox, on_status: impl Fn()) {
        while let Some(news) = inbox.next().await {
            let began = clock::now();
            let mut next = Some(news);
            while let Some(news) = next {
                self.answers.set_seen(inbox.seen());
                self.learn(news, &on_status);
                next = (clock::now().since(began) < STRETCH).then(|| inbox.try_next()).flatten();
            }
            self.settle();
            yield_to_drawing().await;
        }
    }

    /// Answers who asks over D-Bus.
    pub async fn answer(self: Rc<Self>, queries: Receiver<Query>) {
        while let Ok(Query { after, reply }) = queries.recv().await {
            if after == self.serial.get() {
                self.followers.borrow_mut().push(reply);
            } else {
                let _ = reply.try_send(self.table());
            }
        }
    }

    fn learn(&self, news: News, on_status: &impl Fn()) {
        let mut registry = self.registry.borrow_mut();
        let changes = match news {
            News::Event(event) => registry.apply(&event, clock::now()),
            News::ProcessEnded(process) => registry.process_ended(process, clock::now()),
            News::Lost(losses) => {
                let lose = |loss: Loss| registry.lose(&loss.session, loss.at, clock::now());
                losses.into_iter().flat_map(lose).collect()
            }
            News::Deaf(until) => registry.lose_all(until, clock::now()),
            News::HookEnded(id) => registry.hook_ended(id, clock::now()),
            News::Sent(id, sent) => {
                let (given, changes) = self.answers.arrived(&mut registry, id, sent, clock::now());
                self.take_down(given);
                changes
            }
            News::NotYet(id) => self.answers.give_again(&mut registry, id, clock::now()),
            News::Intake(status) => {
                drop(registry);
                self.set_intake(status);
                return on_status();
            }
        };
        self.answers.let_go(&mut registry);
        drop(registry);
        self.show(changes);
    }

    /// The person answered a request of this row that is over. The row says so.
    pub fn answered_late(self: &Rc<Self>, id: RequestId, row: RowId) {
        let changes = self.registry.borrow_mut().answered_late(id, row, clock::now());
        self.show(changes);
        self.settle();
    }

    /// Logs there from now on what is answered.
    pub fn set_log(&self, log: DecisionLog) {
        self.log.replace(Some(log));
    }

    fn take_down(&self, given: Option<Given>) {
        if let (Some(given), Some(log)) = (given, self.log.borrow().as_ref()) {
            log.write(given.entry);
        }
    }

    /// Does what the person wants about a request: answers it, or leaves it to its terminal.
    pub fn attend(self: &Rc<Self>, id: RequestId, wish: Wish, origin: Origin) -> Result<(), Refusal> {
        let now = clock::now();
        match wish {
            Wish::Decide(decision) => {
                self.answers.give(&mut self.registry.borrow_mut(), id, &decision, origin, now)
            }
            Wish::Leave => {
                if let Some(notifications) = self.notifications.get() {
                    notifications.leave(id);
                }
                self.let_go(&[id], now);
                Ok(())
            }
        }
    }

    /// Holds requests by this policy from now on, and no longer those that it leaves to the terminal.
    pub fn set_policy(self: &Rc<Self>, policy: Policy) {
        let is_left = |&id: &RequestId| {
            let registry = self.registry.borrow();
            let asks = registry.request(id);
            asks.is_some_and(|(session, wait, _)| !policy.answers(session.key.agent, wait.kind))
        };
        let open: Vec<RequestId> = self.registry.borrow().open_requests().collect();
        let left: Vec<RequestId> = open.into_iter().filter(is_left).collect();
        self.answers.follow(&policy);
        self.policy.replace(policy);
        self.let_go(&left, clock::now());
    }

    fn let_go(self: &Rc<Self>, requests: &[RequestId], now: Moment) {
        let mut registry = self.registry.borrow_mut();
        let changes = requests.iter().flat_map(|&id| registry.leave(id, now)).collect();
        self.answers.let_go(&mut registry);
        drop(registry);
        self.show(changes);
        self.settle();
    }

    /// How the intake stands. `None`: it has not said so yet.
    pub fn intake(&self) -> Option<Status> {
        self.intake.borrow().clone()
    }

    /// Takes note of how the intake stands. It is part of the table.
    pub fn set_intake(&self, status: Status) {
        self.intake.replace(Some(status));
        self.serial.set(self.serial.get() + 1);
    }

    fn show(&self, changes: Vec<Change>) {
        if !changes.is_empty() {
            if let Some(notifications) = self.notifications.get() {
                notifications.follow(&changes);
            }
            self.serial.set(self.serial.get() + 1);
            self.pending.borrow_mut().add(changes);
            let _ = self.wake.0.try_send(());
        }
    }

    /// Brings the list after the registry, for ever. Drawing goes first.
    async fn show_pending(self: Rc<Self>) {
        while self.wake.1.recv().await.is_ok() {
            while self.show_for(SHOWING) {
                yield_to_drawing().await;
            }
        }
    }

    /// Shows what is pending, for a stretch. Whether more is.
    fn show_for(&self, stretch: Duration) -> bool {
        let began = clock::now();
        let next = || self.pending.borrow_mut().next();
        let in_time = || clock::now().since(began) < stretch;
        let changes = std::iter::from_fn(|| in_time().then(next).flatten());
        self.list.apply(changes);
        !self.pending.borrow().is_empty()
    }

    /// After a stretch: who follows is told once of what changed, and the timer is set for what passes next.
    fn settle(self: &Rc<Self>) {
        if self.told.replace(self.serial.get()) != self.serial.get() {
            self.tell_followers();
        }
        self.set_timer();
    }

    fn tell_followers(&self) {
        let followers = self.followers.take();
        if followers.iter().any(|follower| !follower.is_closed()) {
            let table = self.table();
            for follower in followers {
                let _ = follower.try_send(table.clone());
            }
        }
    }

    fn table(&self) -> Table {
        let lines = table::lines(self.registry.borrow().sessions(), clock::now());
        Table {
            serial: self.serial.get(),
            trouble: self.intake.borrow().as_ref().and_then(words::trouble),
            sessions: serde_json::to_string(&lines).unwrap_or_default(),
        }
    }

    fn set_timer(self: &Rc<Self>) {
        let due = self.registry.borrow().due();
        let mut timer = self.timer.borrow_mut();
        if timer.as_ref().map(|(at, _)| *at) == due {
            return;
        }
        if let Some((_, source)) = timer.take() {
            source.remove();
        }
        *timer = due.map(|at| {
            let panel = Rc::downgrade(self);
            let wait = at.since(clock::now()) + Duration::from_millis(1);
            let source = glib::timeout_add_local_once(wait, move || {
                if let Some(panel) = panel.upgrade() {
                    panel.on_timer();
                }
            });
            (at, source)
        });
    }

    /// Looks what has passed: the timers stand still while the machine sleeps.
    pub fn catch_up(self: &Rc<Self>) {
        if let Some((_, source)) = self.timer.take() {
            source.remove();
        }
        self.on_timer();
    }

    fn on_timer(self: &Rc<Self>) {
        self.timer.take();
        let mut registry = self.registry.borrow_mut();
        let changes = registry.tick(clock::now());
        self.answers.let_go(&mut registry);
        drop(registry);
        self.show(changes);
        self.settle();
    }

    /// The policy by which requests are held.
    pub fn policy(&self) -> Policy {
        self.policy.borrow().clone()
    }

    /// Does what persons want about requests, as it comes from the cards.
    pub async fn attend_all(self: Rc<Self>, wishes: Receiver<(RequestId, Wish)>) {
        while let Ok((id, wish)) = wishes.recv().await {
            if let Err(reason) = self.attend(id, wish, Origin::Card) {
                tracing::warn!(request = %id, %reason, "not answered");
                if reason == Refusal::NotHonoured {
                    self.list.answer_again(id);
                }
            }
        }
    }

    /// Starts to take in what comes, beside drawing. `on_status` is called when the intake stands otherwise.
    pub fn listen(self: &Rc<Self>, inbox: Inbox, desk: Desk, on_status: impl Fn() + 'static) {
        self.answers.set_desk(desk);
        let take_in = self.clone().take_in(inbox, on_status);
        let context = MainContext::default();
        context.spawn_local_with_priority(Priority::DEFAULT_IDLE, take_in);
        context.spawn_local_with_priority(Priority::DEFAULT_IDLE, self.clone().show_pending());
    }
}

/// Lets the loop draw what is to be drawn.
async fn yield_to_drawing() {
    glib::timeout_future_with_priority(Priority::DEFAULT_IDLE, Duration::ZERO).await;
}
