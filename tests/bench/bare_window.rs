// SPDX-License-Identifier: GPL-3.0-or-later
//! The least that a libadwaita application can be: registered on the bus like the panel, with an empty window of the
//! panel's size. With `label` or `inscription` it shows a text there, another one for each byte on its standard input.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

use adw::glib;
use adw::prelude::*;

fn main() -> glib::ExitCode {
    let application = adw::Application::builder().application_id("org.dasbo.BareWindow").build();
    application.connect_activate(|application| {
        let content = gtk::Box::new(gtk::Orientation::Vertical, 0);
        content.append(&adw::HeaderBar::new());
        match std::env::args().nth(1).as_deref() {
            Some("label") => {
                let label = gtk::Label::new(None);
                content.append(&label);
                follow_input(move |text| label.set_label(text));
            }
            Some("inscription") => {
                let inscription = gtk::Inscription::builder().nat_chars(20).build();
                content.append(&inscription);
                follow_input(move |text| inscription.set_text(Some(text)));
            }
            _ => {}
        }
        let window = adw::ApplicationWindow::builder()
            .application(application)
            .title("Bare")
            .default_width(420)
            .default_height(640)
            .content(&content)
            .build();
        window.present();
    });
    application.run_with_args::<&str>(&[])
}

fn follow_input(show: impl Fn(&str) + 'static) {
    let number = Rc::new(Cell::new(0_u32));
    glib::unix_fd_add_local(0, glib::IOCondition::IN, move |_, _| {
        if !matches!(std::io::stdin().read(&mut [0; 1]), Ok(1)) {
            return glib::ControlFlow::Break;
        }
        number.set(number.get() + 1);
        show(&format!("step {}", number.get()));
        glib::ControlFlow::Continue
    });
}
