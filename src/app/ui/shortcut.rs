// SPDX-License-Identifier: GPL-3.0-or-later
//! The key that answers in a card.

use gtk::prelude::*;

/// Ctrl+Return while the focus is in this view presses the button, if that can be pressed. It goes before what is inside
/// of the view: a text takes Return, whatever is held down with it.
pub fn press_on_control_return(view: &impl IsA<gtk::Widget>, button: &gtk::Button) {
    let button = button.downgrade();
    let press = gtk::CallbackAction::new(move |_, _| {
        if let Some(button) = button.upgrade().filter(WidgetExt::is_sensitive) {
            button.emit_clicked();
        }
        glib::Propagation::Stop
    });
    let controller = gtk::ShortcutController::new();
    controller.set_propagation_phase(gtk::PropagationPhase::Capture);
    for keys in ["<Control>Return", "<Control>KP_Enter"] {
        let trigger = gtk::ShortcutTrigger::parse_string(keys);
        controller.add_shortcut(gtk::Shortcut::new(trigger, Some(press.clone())));
    }
    view.add_controller(controller);
}
