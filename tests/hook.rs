// SPDX-License-Identifier: GPL-3.0-or-later
//! The helper as agents run it: what it tells, whatever comes on its standard input and wherever it is run.

use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;

use dasbo_core::wire::{Form, HINTS, MAX_PAYLOAD, Mode, Payload, TERMINAL, VERSION};
use dasbo_test_support::agent::{FakeAgent, Hook, Outcome};
use dasbo_test_support::helper::{self, Input};
use dasbo_test_support::home::Home;
use dasbo_test_support::panel::{Call, FakePanel, Manner};
use dasbo_test_support::wait::{LIMIT, eventually};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

const STOP: &[&str] = &["claude", "notify", "Stop"];

/// What the helper may take where nothing is to wait for, on a slow machine.
const AT_ONCE: u64 = 1_500;

fn helper_in(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.command(helper::path());
    command.args(arguments);
    command
}

fn is_silent(outcome: &Outcome) -> bool {
    outcome.printed("")
}

/// What arrives of `input`. Whatever it is, the helper is silent and well.
fn told(input: Input<'_>) -> (Call, Outcome) {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let outcome = helper::run(&mut helper_in(&home, STOP), input);
    assert!(is_silent(&outcome), "{outcome:?}");
    (panel.next(LIMIT), outcome)
}

fn payload(input: Input<'_>) -> Payload {
    let (call, outcome) = told(input);
    assert!(outcome.millis < AT_ONCE, "{outcome:?}");
    call.frame.payload
}

/// A hook of a fake agent, which the shell does not replace itself with.
fn hook(command: &str) -> Hook {
    let helper = helper::path();
    Hook {
        command: format!("P='{}'; {command}; exit $?", helper.display()),
        payload: "{\"cwd\":\"/p\"}\n".into(),
        ..Hook::default()
    }
}

fn is_readable(pidfd: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&pidfd.as_fd(), PollFlags::IN)], Some(&now)).unwrap() == 1
}

#[test]
fn a_frame_tells_who_calls_from_where() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let mut agent = FakeAgent::start("claude", |program| home.command(program));
    let mut hook = hook("$P claude notify Stop");
    let own = agent.pid().to_string();
    hook.env.insert("CLAUDE_PID".into(), own.clone());
    hook.env.insert("TMUX_PANE".into(), "%3".into());
    hook.env.insert("ANTHROPIC_API_KEY".into(), "secret".into());

    let before = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let outcome = agent.run(hook, LIMIT);
    let after = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    assert!(is_silent(&outcome), "{outcome:?}");

    let call = panel.next(LIMIT);
    let header = &call.frame.header;
    assert_eq!(
        (header.version, header.agent.as_str(), header.mode, header.event.as_str(), header.again),
        (VERSION, "claude", Mode::Notify, "Stop", false)
    );
    let nanos = |time: Timespec| u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap();
    assert!((nanos(before)..nanos(after)).contains(&header.at.as_nanos()));
    assert_eq!(header.hints, [("CLAUDE_PID".to_owned(), own)].into());
    assert_eq!(header.terminal, [("TMUX_PANE".to_owned(), "%3".to_owned())].into());
    assert_eq!(call.frame.payload, Payload::Json(b"{\"cwd\":\"/p\"}".to_vec()));

    let names: Vec<&str> = header.chain.iter().map(|one| one.comm.as_str()).collect();
    assert_eq!(names[..2], ["sh", "claude"]);
    assert_eq!(header.chain[1].id.pid, agent.pid());
    assert!(header.helper.start >= header.chain[1].id.start);
    let seen: Vec<u32> = header.chain.iter().filter(|one| !one.is_shell()).map(|one| one.id.pid).collect();
    assert_eq!(header.pidfds[..], seen[..seen.len().min(8)]);

    assert_eq!(call.pidfds.len(), header.pidfds.len());
    assert!(!is_readable(&call.pidfds[0]));
    agent.kill();
    eventually("the agent's pidfd tells its end", LIMIT, || is_readable(&call.pidfds[0]).then_some(()));
}

#[test]
fn the_installed_command_runs_it_in_the_shells_place_and_survives_without_it() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let mut agent = FakeAgent::start("claude", |program| home.command(program));
    let installed = |path: &str| Hook {
        command: format!("[ ! -x '{path}' ] || exec '{path}' claude notify Stop"),
        payload: "{}\n".into(),
        ..Hook::default()
    };
    let outcome = agent.run(installed(&helper::path().display().to_string()), LIMIT);
    assert!(is_silent(&outcome), "{outcome:?}");
    assert_eq!(panel.next(LIMIT).frame.header.chain[0].id.pid, agent.pid());

    let outcome = agent.run(installed("/nowhere/dasbo-hook"), LIMIT);
    assert!(is_silent(&outcome), "{outcome:?}");
    assert!(panel.is_quiet());
}

#[test]
fn an_open_pipe_is_left_at_the_end_of_the_value() {
    assert_eq!(payload(Input::LeftOpen(b" {\"a\":\"}\"}\n")), Payload::Json(b" {\"a\":\"}\"}".to_vec()));
    assert_eq!(payload(Input::LeftOpen(b"{}{}")), Payload::Json(b"{}".to_vec()));
}

#[test]
fn what_is_no_json_goes_on_as_it_is() {
    for bytes in [
        &b""[..],
        b"plain text\n",
        b"\xef\xbb\xbf{}",
        b"{\"a\":\"\xff\"}",
        b"{\"cut\":\"off",
        b"{\"a\":[}",
        b"\0\x01\x02",
    ] {
        assert_eq!(payload(Input::Closed(bytes)), Payload::Raw(bytes.to_vec()), "{bytes:?}");
    }
}

#[test]
fn what_never_ends_is_left_after_two_seconds() {
    let (call, outcome) = told(Input::LeftOpen(b"{\"cut\":"));
    assert_eq!(call.frame.payload, Payload::Raw(b"{\"cut\":".to_vec()));
    assert!((1_900..5_000).contains(&outcome.millis), "{outcome:?}");
}

#[test]
fn large_and_deep_payloads_pass_whole() {
    let mebibyte = format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20)).into_bytes();
    assert_eq!(payload(Input::Closed(&mebibyte)), Payload::Json(mebibyte));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes();
    assert_eq!(payload(Input::LeftOpen(&deep)), Payload::Json(deep));

    let largest = format!("[\"{}\"]", "x".repeat(MAX_PAYLOAD - 4)).into_bytes();
    let (call, _) = told(Input::Closed(&largest));
    assert!(call.frame.payload == Payload::Json(largest));
}

#[test]
fn a_payload_too_large_is_left_out_whole() {
    let larger = format!("[\"{}\"]", "x".repeat(MAX_PAYLOAD - 3)).into_bytes();
    let enormous = vec![b'['; 64 << 20];
    for input in [Input::Closed(&larger), Input::Closed(&enormous), Input::Endless(b"[\"endless\",")] {
        let (call, outcome) = told(input);
        assert_eq!(call.frame.payload, Payload::Omitted);
        assert_eq!(call.frame.header.form, Form::Omitted);
        assert!(call.frame.header.length > MAX_PAYLOAD);
        assert!(outcome.millis < 5_000, "{outcome:?}");
    }
}

#[test]
fn closed_streams_do_not_matter() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let mut agent = FakeAgent::start("claude", |program| home.command(program));
    for (redirection, form) in [
        ("<&-", Form::Raw),
        ("</dev/null", Form::Raw),
        ("</", Form::Raw),
        (">&-", Form::Json),
        ("2>&-", Form::Json),
        (">/dev/full 2>/dev/full", Form::Json),
    ] {
        let outcome = agent.run(hook(&format!("$P claude notify Stop {redirection}")), LIMIT);
        assert!(is_silent(&outcome), "{redirection}: {outcome:?}");
        assert_eq!(panel.next(LIMIT).frame.header.form, form, "{redirection}");
    }
}

#[test]
fn without_a_panel_it_is_silent() {
    let home = Home::new();
    for (variable, value) in [
        ("LC_ALL", "C".to_owned()),
        ("DASBO_SOCKET", "/nowhere/hook.sock".to_owned()),
        ("DASBO_SOCKET", "/".repeat(200)),
        ("DASBO_SOCKET", home.path().display().to_string()),
        ("XDG_RUNTIME_DIR", "/nowhere".to_owned()),
    ] {
        for mode in ["notify", "ask"] {
            let mut helper = helper_in(&home, &["claude", mode, "Stop"]);
            let outcome = helper::run(helper.env(variable, &value), Input::Closed(b"{}"));
            assert!(is_silent(&outcome), "{variable}={value}: {outcome:?}");
            assert!(outcome.millis < AT_ONCE, "{outcome:?}");
        }
    }
}

/// A listener that never accepts, with room for one connection.
fn deaf_panel(home: &Home) -> (OwnedFd, SocketAddrUnix) {
    let address = SocketAddrUnix::new(home.make_socket_folder()).unwrap();
    let listener = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&listener, &address).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    (listener, address)
}

#[test]
fn a_panel_that_never_reads_holds_nothing_up() {
    let large = format!("[\"{}\"]", "x".repeat(4 << 20)).into_bytes();
    for (mode, bytes, limit) in [
        ("notify", &b"{}"[..], AT_ONCE),
        ("notify", &large, AT_ONCE),
        ("ask", &large, AT_ONCE),
        ("ask", b"{}", 5_000),
    ] {
        let home = Home::new();
        let _panel = deaf_panel(&home);
        let outcome = helper::run(&mut helper_in(&home, &["claude", mode, "Stop"]), Input::Closed(bytes));
        assert!(is_silent(&outcome), "{mode}: {outcome:?}");
        assert!(outcome.millis < limit, "{mode}: {outcome:?}");
    }
}

#[test]
fn a_full_backlog_holds_nothing_up() {
    let home = Home::new();
    let (_panel, address) = deaf_panel(&home);
    let fill = || {
        let kind = SocketType::STREAM;
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, kind, SocketFlags::NONBLOCK, None).unwrap();
        rustix::net::connect(&socket, &address).map(|()| socket)
    };
    let waiting: Vec<OwnedFd> = std::iter::from_fn(|| fill().ok()).collect();
    assert!(!waiting.is_empty());
    let outcome = helper::run(&mut helper_in(&home, STOP), Input::Closed(b"{}"));
    assert!(is_silent(&outcome), "{outcome:?}");
    assert!((100..AT_ONCE).contains(&outcome.millis), "{outcome:?}");
}

#[test]
fn wrong_arguments_send_nothing() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    for arguments in [
        &[][..],
        &["--help"],
        &["claude", "notify"],
        &["claude", "allow", "Stop"],
        &["claude", "notify", "Stop", "Stop"],
    ] {
        let outcome = helper::run(&mut helper_in(&home, arguments), Input::LeftOpen(b""));
        assert!(is_silent(&outcome), "{arguments:?}: {outcome:?}");
        assert!(outcome.millis < AT_ONCE, "{outcome:?}");
    }
    assert!(panel.is_quiet());
}

#[test]
fn a_huge_environment_leaves_the_header_readable() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let mut helper = helper_in(&home, STOP);
    helper.envs(HINTS.iter().chain(TERMINAL).map(|name| (name, "v".repeat(3_000))));
    helper.env("TMUX", "t".repeat(100_000));
    helper.envs((0..500).map(|number| (format!("VARIABLE_{number}"), "x".repeat(1_000))));
    let outcome = helper::run(&mut helper, Input::Closed(b"{}"));
    assert!(is_silent(&outcome), "{outcome:?}");
    let header = panel.next(LIMIT).frame.header;
    assert_eq!(header.hints.len(), HINTS.len(), "hints are the last to go");
    assert!(header.terminal.is_empty());

    let mut helper = helper_in(&home, STOP);
    helper.env("TMUX", "t".repeat(100_000)).env("TMUX_PANE", "%1");
    helper::run(&mut helper, Input::Closed(b"{}"));
    let header = panel.next(LIMIT).frame.header;
    assert_eq!(header.terminal, [("TMUX_PANE".to_owned(), "%1".to_owned())].into());
}

/// In a sandbox with its own pids nobody above is seen: the panel must find the agent while the helper is there.
#[test]
fn a_helper_that_cannot_see_its_agent_waits_a_little() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let script = format!("'{}' claude notify Stop; exit $?", helper::path().display());
    let mut sandbox = home.command("unshare");
    sandbox.args(["-r", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", &script]);
    let outcome = helper::run(&mut sandbox, Input::Closed(b"{}"));
    assert!(is_silent(&outcome), "{outcome:?}");
    assert!((100..AT_ONCE).contains(&outcome.millis), "{outcome:?}");
    let header = panel.next(LIMIT).frame.header;
    let chain: Vec<(u32, &str)> = header.chain.iter().map(|one| (one.id.pid, one.comm.as_str())).collect();
    assert_eq!((header.helper.pid, chain), (2, vec![(1, "sh")]));
}
