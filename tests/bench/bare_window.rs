// SPDX-License-Identifier: GPL-3.0-or-later
//! The least that a libadwaita application can be: registered on the bus like the panel, with an empty window of the
//! panel's size.

use adw::prelude::*;

fn main() -> adw::glib::ExitCode {
    let application = adw::Application::builder().application_id("org.dasbo.BareWindow").build();
    application.connect_activate(|application| {
        let content = adw::gtk::Box::new(adw::gtk::Orientation::Vertical, 0);
        content.append(&adw::HeaderBar::new());
        let window = adw::ApplicationWindow::builder()
            .application(application)
            .title("Bare")
            .default_width(420)
            .default_height(640)
            .content(&content)
            .build();
        window.present();
    });
    application.run()
}
