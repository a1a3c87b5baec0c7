// SPDX-License-Identifier: GPL-3.0-or-later
//! The display, watched from outside: what any program draws, and when.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::damage::{ConnectionExt as _, ReportLevel};
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Window,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// How long a program may take to show something.
const LIMIT: Duration = Duration::from_secs(20);

/// A display of which every change is reported.
pub struct Screen {
    connection: RustConnection,
    root: Window,
    /// The window that was shown last.
    shown: Option<Window>,
}

impl Screen {
    pub fn open() -> Self {
        let (connection, number) = x11rb::connect(None).expect("a display; run ./dev bench");
        let root = connection.setup().roots[number].root;
        let windows = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
        connection.change_window_attributes(root, &windows).unwrap();
        connection.damage_query_version(1, 1).unwrap().reply().expect("the DAMAGE extension");
        let damage = connection.generate_id().unwrap();
        // Raw: every drawing is told, whether it was told before or not; nothing has to be acknowledged.
        connection.damage_create(damage, root, ReportLevel::RAW_RECTANGLES).unwrap();
        say_that_windows_are_managed(&connection, root);
        connection.flush().unwrap();
        Self { connection, root, shown: None }
    }

    /// Forgets what happened so far.
    pub fn forget(&mut self) {
        self.connection.get_input_focus().unwrap().reply().unwrap();
        while self.connection.poll_for_event().unwrap().is_some() {}
        self.shown = None;
    }

    /// Waits until a window is shown and nothing was drawn in it for so long. When the last was drawn.
    pub fn wait_for_rest(&mut self, still: Duration) -> Instant {
        let end = Instant::now() + LIMIT;
        let mut drawn = None;
        while Instant::now() < end {
            let wait = drawn.map_or(LIMIT, |drawn: Instant| still.saturating_sub(drawn.elapsed()));
            match self.next(wait) {
                Some(Event::MapNotify(shown)) if shown.event == self.root => self.shown = Some(shown.window),
                Some(Event::DamageNotify(_)) if self.shown.is_some() => drawn = Some(Instant::now()),
                Some(_) => {}
                None => break,
            }
        }
        drawn.expect("something that is drawn")
    }

    fn next(&self, wait: Duration) -> Option<Event> {
        let event = self.connection.poll_for_event().unwrap();
        if event.is_some() || wait.is_zero() {
            return event;
        }
        let wait =
            Timespec { tv_sec: wait.as_secs().try_into().unwrap(), tv_nsec: wait.subsec_nanos().into() };
        poll(&mut [PollFd::new(self.connection.stream(), PollFlags::IN)], Some(&wait)).unwrap();
        self.connection.poll_for_event().unwrap()
    }

    /// Does what a window manager does to minimise: takes the window off the screen.
    pub fn minimise(&self) {
        self.connection.unmap_window(self.shown.expect("a window that is shown")).unwrap();
        self.connection.flush().unwrap();
    }
}

/// As on any desktop. Where no window manager says that it is there, GTK asks for one at each frame.
fn say_that_windows_are_managed(connection: &RustConnection, root: Window) {
    let name = b"_NET_SUPPORTING_WM_CHECK";
    let check = connection.intern_atom(false, name).unwrap().reply().unwrap().atom;
    let manager = connection.generate_id().unwrap();
    let (depth, visual) = (0, 0); // its parent's
    let none = CreateWindowAux::new();
    connection
        .create_window(depth, manager, root, -1, -1, 1, 1, 0, WindowClass::INPUT_ONLY, visual, &none)
        .unwrap();
    for window in [root, manager] {
        connection.change_property32(PropMode::REPLACE, window, check, AtomEnum::WINDOW, &[manager]).unwrap();
    }
}
