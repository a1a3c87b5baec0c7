// SPDX-License-Identifier: GPL-3.0-or-later
//! How often the panel wakes up: voluntary context switches of all its threads.

use std::collections::BTreeMap;
use std::time::Duration;

use dasbo_test_support::helper;
use serde_json::{Value, json};

use crate::launch::Running;
use crate::report::Figure;
use crate::screen::Screen;
use crate::script::event;
use crate::spawn::Job;
use crate::start::{SESSIONS, show_idle_sessions};

const AT_REST_A_MINUTE: f64 = 6.0;
const WORKING_A_SECOND: f64 = 2.0;
const EACH_EVENT: f64 = 1.0;

const MINUTE: Duration = Duration::from_secs(60);
const A_WHILE: Duration = Duration::from_secs(10);

/// What is left of a start is over by then.
const SETTLE: Duration = Duration::from_secs(3);

/// Events that are told while one session works, and how far apart.
const EVENTS: usize = 40;
const APART: Duration = Duration::from_millis(250);

/// How often a bare window is told in the same way.
const TOLD: usize = 20;

pub fn measure(screen: &mut Screen) -> Vec<Figure> {
    let least = Least::measure(screen);
    let panel = Running::listening_panel(screen);
    show_idle_sessions();
    std::thread::sleep(SETTLE);
    let visible = count(&panel, "at rest, visible", || std::thread::sleep(MINUTE));
    tell(&prompt());
    let shown = while_one_works(&panel, "visible");
    screen.minimise();
    let hidden = while_one_works(&panel, "minimised");
    tell(&event(WORKER, "Stop", json!({ "last_assistant_message": "Done." })));
    std::thread::sleep(SETTLE * 2); // the end of a turn is marked for three seconds
    let at_rest_hidden = count(&panel, "at rest, minimised", || std::thread::sleep(MINUTE));
    let mut figures = vec![
        Figure::bounded("wake-ups a minute, only idle sessions, visible", visible, "", AT_REST_A_MINUTE),
        Figure::bounded(
            "wake-ups a minute, only idle sessions, minimised",
            at_rest_hidden,
            "",
            AT_REST_A_MINUTE,
        ),
    ];
    figures.extend(compare(shown, hidden, &least));
    figures
}

fn compare([working, each]: [f64; 2], [working_hidden, each_hidden]: [f64; 2], least: &Least) -> Vec<Figure> {
    let working_bound = WORKING_A_SECOND;
    vec![
        Figure::bounded("wake-ups a second, one session works, visible", working, "", working_bound),
        Figure::shown("GTK alone: a bare window whose text changes each second", least.second, ""),
        Figure::bounded("wake-ups a second, one session works, minimised", working_hidden, "", working_bound),
        Figure::shown("wake-ups for each event, visible", each, ""),
        Figure::shown("GTK alone: a bare window that is told, and draws a text anew", least.drawn, ""),
        Figure::shown("GTK alone: the same with a label, which lays out all anew", least.laid_out, ""),
        Figure::bounded("wake-ups for each event beyond GTK's, visible", each - least.drawn, "", EACH_EVENT),
        Figure::shown("wake-ups for each event, minimised", each_hidden, ""),
        Figure::shown("GTK alone: a bare window that is told, minimised", least.hidden, ""),
        Figure::bounded(
            "wake-ups for each event beyond GTK's, minimised",
            each_hidden - least.hidden,
            "",
            EACH_EVENT,
        ),
    ]
}

/// What a window costs that does nothing but show what it is told: to be woken, and what GTK does to draw.
#[derive(Debug)]
struct Least {
    /// A second, told once in each.
    second: f64,
    /// Each time, for a text that is drawn anew.
    drawn: f64,
    /// The same for a label.
    laid_out: f64,
    /// Each time, minimised.
    hidden: f64,
}

impl Least {
    fn measure(screen: &mut Screen) -> Self {
        let window = Running::bare_window_with("label", screen);
        let laid_out = while_told(&window, "a label", TOLD, APART);
        drop(window);
        let window = Running::bare_window_with("inscription", screen);
        let drawn = while_told(&window, "a text", TOLD, APART);
        let second = while_told(&window, "a text each second", 5, Duration::from_secs(1));
        screen.minimise();
        let hidden = while_told(&window, "a text, minimised", TOLD, APART);
        Self { second, drawn, laid_out, hidden }
    }
}

/// Wake-ups for each time that the bare window is told.
fn while_told(window: &Running, how: &str, times: usize, apart: Duration) -> f64 {
    std::thread::sleep(Duration::from_secs(1));
    let all = count(window, &format!("bare window, {how}"), || {
        for _ in 0..times {
            window.tell();
            std::thread::sleep(apart);
        }
    });
    all / f64::from(u32::try_from(times).unwrap())
}

/// Wake-ups a second without an event, and how many more each event costs.
fn while_one_works(panel: &Running, how: &str) -> [f64; 2] {
    std::thread::sleep(SETTLE);
    let quiet = count(panel, &format!("one works, {how}"), || std::thread::sleep(A_WHILE));
    let with_events = count(panel, &format!("one works, {EVENTS} events, {how}"), || {
        for number in 0..EVENTS {
            tell(&tool_event(number));
            std::thread::sleep(APART);
        }
    });
    let a_second = quiet / A_WHILE.as_secs_f64();
    let (events, spent) = (f64::from(u32::try_from(EVENTS).unwrap()), APART * u32::try_from(EVENTS).unwrap());
    [a_second, (with_events - a_second * spent.as_secs_f64()) / events]
}

/// The session that works is none of the idle ones.
const WORKER: usize = SESSIONS;

fn prompt() -> Value {
    event(WORKER, "UserPromptSubmit", json!({ "prompt": "Go on" }))
}

/// Calls begin and end in turns.
fn tool_event(number: usize) -> Value {
    let name = if number.is_multiple_of(2) { "PreToolUse" } else { "PostToolUse" };
    let input = json!({ "command": format!("cargo test step-{}", number / 2) });
    event(
        WORKER,
        name,
        json!({ "tool_name": "Bash", "tool_use_id": (number / 2).to_string(), "tool_input": input }),
    )
}

fn tell(payload: &Value) {
    let name = payload["hook_event_name"].as_str().unwrap();
    Job::new(&helper::path(), &["claude", "notify", name], payload.to_string().as_bytes()).run();
}

/// How often a program's threads wake up in the meantime. Says on standard error which.
fn count(running: &Running, what: &str, meanwhile: impl FnOnce()) -> f64 {
    let before = threads(running);
    meanwhile();
    let after = threads(running).into_iter().map(|(thread, count)| {
        let since = count - before.get(&thread).unwrap_or(&0);
        (thread.1, since)
    });
    let awake: Vec<(String, u32)> = after.filter(|(_, count)| *count > 0).collect();
    eprintln!("  {what}: {awake:?}");
    f64::from(awake.iter().map(|(_, count)| count).sum::<u32>())
}

/// Voluntary context switches of each thread, by its id and name.
fn threads(running: &Running) -> BTreeMap<(String, String), u32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", running.pid())).unwrap();
    let look = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| Some(line.strip_prefix(name)?.trim()));
        let id = task.file_name().to_string_lossy().into_owned();
        let count = field("voluntary_ctxt_switches:")?.parse().ok()?;
        Some(((id, field("Name:")?.to_owned()), count))
    };
    tasks.filter_map(|task| look(task.ok()?)).collect()
}
