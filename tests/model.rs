// SPDX-License-Identifier: GPL-3.0-or-later
//! The session list, as a view would follow it. Needs no display.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use dasbo::model::{GroupHeader, Session, SessionList};
use dasbo::table;
use dasbo_core::change::Change;
use dasbo_core::event::{Actor, AgentId, PermissionMode, SessionId, SessionKey, WaitKind};
use dasbo_core::moment::Moment;
use dasbo_core::session::{self, Group, RowId, State, Wait};
use dasbo_test_support::items_changed::ItemsChanged;
use gio::prelude::*;
use proptest::prelude::*;

fn idle(row: u64, since: u64) -> session::Session {
    session::Session {
        row: RowId(row),
        key: SessionKey { agent: AgentId("claude"), id: SessionId::new(&row.to_string()).unwrap() },
        process: None,
        started: Moment::from_nanos(row),
        heard: Moment::from_nanos(since),
        news_lost: false,
        project: None,
        cwd: None,
        title: None,
        branch: None,
        mode: PermissionMode::Default,
        model: None,
        state: State::Idle,
        since: Moment::from_nanos(since),
        waits: Vec::new(),
        compacting: false,
        helpers: BTreeSet::new(),
        background: 0,
        tasks: Vec::new(),
        last_prompt: None,
        last_answer: None,
        note: None,
        finished_until: None,
        attended: true,
        tokens: None,
        transcript: None,
    }
}

fn thinking(row: u64, started: u64) -> session::Session {
    session::Session { state: State::Thinking, started: Moment::from_nanos(started), ..idle(row, 0) }
}

fn waiting(row: u64, since: u64) -> session::Session {
    let wait = Wait {
        kind: WaitKind::Question,
        actor: Actor::Main,
        call: None,
        request: None,
        held: None,
        since: Moment::from_nanos(since),
        confirmed: false,
    };
    session::Session { waits: vec![wait], ..thinking(row, row) }
}

fn added(data: session::Session) -> Change {
    Change::Added(Box::new(data))
}

fn updated(data: session::Session) -> Change {
    Change::Updated(Box::new(data))
}

/// The list in short: W, K and Q for the headers, numbers for the sessions.
fn shape(list: &SessionList) -> String {
    let items = (0..list.n_items()).map(|position| list.item(position).unwrap());
    let words = items.map(|item| match item.downcast::<Session>() {
        Ok(session) => session.data().row.0.to_string(),
        Err(item) => match item.downcast::<GroupHeader>().unwrap().group() {
            Group::Waiting => "W".into(),
            Group::Working => "K".into(),
            Group::Quiet => "Q".into(),
        },
    });
    words.collect::<Vec<_>>().join(" ")
}

fn session_at(list: &SessionList, position: u32) -> Session {
    list.item(position).unwrap().downcast().unwrap()
}

#[test]
fn groups_come_in_order_and_empty_ones_are_hidden() {
    let list = SessionList::new();
    assert_eq!(shape(&list), "");
    list.apply(vec![added(idle(1, 5))]);
    assert_eq!(shape(&list), "Q 1");
    list.apply(vec![added(waiting(2, 5)), added(thinking(3, 5))]);
    assert_eq!(shape(&list), "W 2 K 3 Q 1");
    list.apply(vec![Change::Removed(RowId(3))]);
    assert_eq!(shape(&list), "W 2 Q 1");
}

#[test]
fn each_group_has_its_order() {
    let list = SessionList::new();
    // Waiting: the oldest wait first. Working: the oldest session first. Quiet: the latest first.
    list.apply(vec![added(waiting(1, 20)), added(waiting(2, 10)), added(waiting(3, 20))]);
    list.apply(vec![added(thinking(4, 20)), added(thinking(5, 10)), added(thinking(6, 20))]);
    list.apply(vec![added(idle(7, 10)), added(idle(8, 20)), added(idle(9, 10))]);
    assert_eq!(shape(&list), "W 2 1 3 K 5 4 6 Q 8 7 9");
}

#[test]
fn scripts_see_the_order_of_the_rows() {
    let sessions =
        [idle(1, 10), thinking(2, 20), waiting(3, 20), idle(4, 20), waiting(5, 10), thinking(6, 10)];
    let lines = table::lines(sessions.iter(), Moment::from_nanos(30));
    let order: Vec<&str> = lines.iter().map(|line| line.session.as_str()).collect();
    assert_eq!(order, ["5", "3", "6", "2", "4", "1"]);
}

#[test]
fn an_update_in_place_is_no_list_signal() {
    let list = SessionList::new();
    list.apply(vec![added(thinking(1, 1)), added(thinking(2, 2))]);
    let recorder = ItemsChanged::new(&list);
    let session = session_at(&list, 1);
    let changes = Rc::new(Cell::new(0));
    let counted = Rc::clone(&changes);
    session.connect_local("changed", false, move |_| {
        counted.set(counted.get() + 1);
        None
    });
    let mut data = thinking(1, 1);
    list.apply(vec![updated(data.clone())]);
    assert_eq!(changes.get(), 0, "nothing changed");
    data.since = Moment::from_nanos(9);
    list.apply(vec![updated(data.clone())]);
    assert_eq!(changes.get(), 1);
    assert_eq!(session.data().since, Moment::from_nanos(9));
    assert_eq!(recorder.take(), []);
}

#[test]
fn a_move_is_one_removal_and_one_insertion() {
    let list = SessionList::new();
    list.apply(vec![added(thinking(1, 1)), added(thinking(2, 2)), added(thinking(3, 3))]);
    let recorder = ItemsChanged::new(&list);
    // Away from others: its own line; to an empty group: with the header.
    list.apply(vec![updated(waiting(2, 5))]);
    assert_eq!(shape(&list), "W 2 K 1 3");
    assert_eq!(recorder.take(), [(2, 1, 0), (0, 0, 2)]);
    // To others: its own line only.
    list.apply(vec![updated(waiting(3, 6))]);
    assert_eq!(recorder.take(), [(4, 1, 0), (2, 0, 1)]);
    // The last one takes the header along.
    list.apply(vec![updated(waiting(1, 7))]);
    assert_eq!(shape(&list), "W 2 3 1");
    assert_eq!(recorder.take(), [(3, 2, 0), (3, 0, 1)]);
    // Within the group.
    list.apply(vec![updated(waiting(2, 9))]);
    assert_eq!(shape(&list), "W 3 1 2");
    assert_eq!(recorder.take(), [(1, 1, 0), (3, 0, 1)]);
    recorder.check();
}

#[test]
fn a_held_row_keeps_its_place_until_released() {
    let list = SessionList::new();
    list.apply(vec![added(thinking(1, 1)), added(thinking(2, 2)), added(thinking(3, 3))]);
    let recorder = ItemsChanged::new(&list);
    list.set_held(Some(RowId(2)));
    list.apply(vec![updated(idle(2, 5))]);
    assert_eq!(shape(&list), "K 1 2 3");
    assert_eq!(recorder.take(), []);
    // Others find their places around it, and need not move for it.
    list.apply(vec![added(thinking(4, 0)), added(waiting(5, 9)), updated(idle(3, 3))]);
    assert_eq!(shape(&list), "W 5 K 4 1 2 Q 3");
    list.set_held(Some(RowId(2)));
    assert_eq!(shape(&list), "W 5 K 4 1 2 Q 3");
    list.set_held(None);
    assert_eq!(shape(&list), "W 5 K 4 1 Q 2 3");
    recorder.check();
}

#[test]
fn a_held_row_goes_up_when_it_begins_to_wait() {
    let list = SessionList::new();
    list.apply(vec![added(waiting(1, 1)), added(thinking(2, 2)), added(thinking(3, 3))]);
    list.set_held(Some(RowId(3)));
    let moving = Rc::new(RefCell::new(Vec::new()));
    let told = Rc::clone(&moving);
    list.connect_local("moving", false, move |values| {
        told.borrow_mut().push(values[1].get::<Session>().unwrap().data().row.0);
        None
    });
    list.apply(vec![updated(waiting(3, 5))]);
    assert_eq!(shape(&list), "W 1 3 K 2");
    assert_eq!(moving.take(), [3]);
    // There it is held as elsewhere.
    list.apply(vec![updated(waiting(3, 0))]);
    assert_eq!(shape(&list), "W 1 3 K 2");
    list.apply(vec![updated(thinking(3, 3))]);
    assert_eq!(shape(&list), "W 1 3 K 2");
    assert_eq!(moving.take(), [0; 0]);
    list.set_held(None);
    assert_eq!(shape(&list), "W 1 K 2 3");
    assert_eq!(moving.take(), [3]);
}

#[test]
fn a_held_row_alone_keeps_its_header() {
    let list = SessionList::new();
    list.apply(vec![added(thinking(1, 1))]);
    list.set_held(Some(RowId(1)));
    list.apply(vec![updated(idle(1, 2))]);
    assert_eq!(shape(&list), "K 1");
    assert!(!list.running());
    list.set_held(Some(RowId(7)));
    assert_eq!(shape(&list), "Q 1");
    list.set_held(Some(RowId(1)));
    list.apply(vec![Change::Removed(RowId(1))]);
    assert_eq!(shape(&list), "");
    // The row is new: what was held is gone.
    list.apply(vec![added(idle(1, 2)), updated(thinking(1, 1))]);
    assert_eq!(shape(&list), "K 1");
}

#[test]
fn counts_are_told_when_they_change() {
    let list = SessionList::new();
    let told = Rc::new(Cell::new(0));
    for property in ["waiting", "sessions", "running"] {
        let told = Rc::clone(&told);
        list.connect_notify_local(Some(property), move |_, _| told.set(told.get() + 1));
    }
    list.apply(vec![added(idle(1, 1)), added(idle(2, 1))]);
    assert_eq!((told.take(), list.sessions(), list.waiting(), list.running()), (1, 2, 0, false));
    list.apply(vec![updated(waiting(1, 1))]);
    assert_eq!((told.take(), list.sessions(), list.waiting(), list.running()), (2, 2, 1, true));
    list.apply(vec![updated(waiting(1, 2)), updated(idle(2, 5))]);
    assert_eq!(told.take(), 0);
    list.apply(vec![Change::Removed(RowId(1))]);
    assert_eq!((told.take(), list.sessions(), list.waiting(), list.running()), (3, 1, 0, false));
}

#[test]
fn headers_count_who_stands_under_them() {
    let list = SessionList::new();
    list.apply(vec![added(idle(1, 1)), added(idle(2, 2))]);
    let header: GroupHeader = list.item(0).unwrap().downcast().unwrap();
    assert_eq!(header.count(), 2);
    list.apply(vec![updated(thinking(1, 1))]);
    assert_eq!(header.count(), 1);
}

#[test]
fn unfolding_stays_with_the_session() {
    let list = SessionList::new();
    list.apply(vec![added(thinking(1, 1))]);
    session_at(&list, 1).set_expanded(true);
    list.apply(vec![updated(waiting(1, 1))]);
    assert!(session_at(&list, 1).expanded());
}

/// What a view may do with the list while it is told of a change.
#[test]
fn nothing_is_borrowed_while_a_signal_goes_out() {
    let list = SessionList::new();
    list.connect_items_changed(|list, _, _, _| {
        list.set_held(Some(RowId(3)));
        let sessions = (0..list.n_items()).filter_map(|at| list.item(at).and_downcast::<Session>());
        for session in sessions {
            let data = session.data().clone();
            session.update(session::Session { heard: Moment::from_nanos(data.heard.as_nanos() + 1), ..data });
        }
        list.set_held(None);
    });
    list.apply(vec![
        added(idle(1, 1)),
        added(waiting(2, 2)),
        updated(thinking(2, 2)),
        Change::Removed(RowId(1)),
    ]);
    assert_eq!(shape(&list), "K 2");
}

#[derive(Debug, Clone)]
enum Step {
    Put(Box<session::Session>),
    Remove(RowId),
    Hold(Option<RowId>),
}

fn any_session() -> impl Strategy<Value = session::Session> {
    (0..8_u64, 0..4_u64, 0..3_u8).prop_map(|(row, time, group)| match group {
        0 => waiting(row, time),
        1 => thinking(row, time),
        _ => idle(row, time),
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any_session().prop_map(|data| Step::Put(Box::new(data))),
        2 => (0..8_u64).prop_map(|row| Step::Remove(RowId(row))),
        2 => prop::option::of(0..8_u64).prop_map(|row| Step::Hold(row.map(RowId))),
    ]
}

/// The list that the rules demand when no row is held.
fn demanded(sessions: &BTreeMap<RowId, session::Session>) -> String {
    let of = |group| sessions.values().filter(move |session| session.group() == group);
    let mut waiting: Vec<_> = of(Group::Waiting).collect();
    waiting.sort_by_key(|session| (session.waits[0].since, session.row));
    let mut working: Vec<_> = of(Group::Working).collect();
    working.sort_by_key(|session| (session.started, session.row));
    let mut quiet: Vec<_> = of(Group::Quiet).collect();
    quiet.sort_by_key(|session| (std::cmp::Reverse(session.since), session.row));
    let mut words = Vec::new();
    for (name, group) in [("W", waiting), ("K", working), ("Q", quiet)] {
        if !group.is_empty() {
            words.push(name.to_owned());
            words.extend(group.iter().map(|session| session.row.0.to_string()));
        }
    }
    words.join(" ")
}

fn objects(list: &SessionList) -> BTreeMap<RowId, Session> {
    let sessions = (0..list.n_items()).filter_map(|at| list.item(at).and_downcast::<Session>());
    sessions.map(|session| (session.data().row, session.clone())).collect()
}

proptest! {
    #[test]
    fn a_view_never_loses_the_list(steps in prop::collection::vec(any_step(), 1..60)) {
        let list = SessionList::new();
        let recorder = ItemsChanged::new(&list);
        let mut sessions = BTreeMap::new();
        let mut held = None;
        for step in steps {
            let before = objects(&list);
            match step {
                Step::Put(data) => {
                    let change = if before.contains_key(&data.row) { updated } else { added };
                    sessions.insert(data.row, (*data).clone());
                    list.apply(vec![change(*data)]);
                    prop_assert!(recorder.take().len() <= 2);
                }
                Step::Remove(row) => {
                    sessions.remove(&row);
                    held = held.filter(|held| *held != row);
                    list.apply(vec![Change::Removed(row)]);
                    prop_assert!(recorder.take().len() <= 1);
                }
                Step::Hold(row) => {
                    held = row;
                    list.set_held(row);
                    prop_assert!(recorder.take().len() <= 2);
                }
            }
            recorder.check();
            let after = objects(&list);
            prop_assert!(after.keys().eq(sessions.keys()));
            for (row, session) in &after {
                prop_assert_eq!(&*session.data(), &sessions[row]);
                prop_assert!(before.get(row).is_none_or(|before| before == session), "a session is one object");
            }
            let held_is_there = held.is_some_and(|row| sessions.contains_key(&row));
            if !held_is_there {
                prop_assert_eq!(shape(&list), demanded(&sessions));
            }
        }
    }

    #[test]
    fn the_order_of_arrival_does_not_matter(
        data in prop::collection::btree_map(0..8_u64, any_session(), 0..8),
        seed in any::<prop::sample::Index>(),
    ) {
        let mut data: Vec<_> = data.into_values().collect();
        data.dedup_by_key(|session| session.row);
        let sessions: BTreeMap<_, _> = data.iter().map(|data| (data.row, data.clone())).collect();
        let mut arriving: Vec<_> = sessions.values().cloned().map(added).collect();
        if !arriving.is_empty() {
            let first = seed.index(arriving.len());
            arriving.rotate_left(first);
        }
        let list = SessionList::new();
        list.apply(arriving);
        prop_assert_eq!(shape(&list), demanded(&sessions));
    }
}
