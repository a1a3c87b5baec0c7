// SPDX-License-Identifier: GPL-3.0-or-later
//! What can be allowed beyond one call, each in words with its scope and the file that it is written to.

use std::rc::Rc;

use dasbo_core::agents::Agent;
use dasbo_core::request::{Approval, Grant};
use gtk::prelude::*;

use crate::words;

/// Height from which the menu scrolls.
const HEIGHT: i32 = 480;

/// A menu of all grants. `choose` gets the one that the person takes.
pub fn grant_menu(
    approval: &Approval,
    agent: &dyn Agent,
    choose: impl Fn(Grant) + 'static,
) -> gtk::ScrolledWindow {
    let choices = gtk::Box::builder().orientation(gtk::Orientation::Vertical).build();
    let choose = Rc::new(choose);
    let mut group = None;
    for offered in words::grants(approval, agent) {
        if group.replace(offered.group).is_some_and(|before| before != offered.group) {
            choices.append(&gtk::Separator::new(gtk::Orientation::Horizontal));
        }
        let button = button(&offered);
        let choose = choose.clone();
        button.connect_clicked(move |_| choose(offered.grant));
        choices.append(&button);
    }
    gtk::ScrolledWindow::builder()
        .hscrollbar_policy(gtk::PolicyType::Never)
        .propagate_natural_height(true)
        .propagate_natural_width(true)
        .max_content_height(HEIGHT)
        .child(&choices)
        .build()
}

fn button(offered: &words::OfferedGrant) -> gtk::Button {
    let label = |text: &str| {
        let label = gtk::Label::builder().label(text).xalign(0.0).wrap(true).max_width_chars(36).build();
        label.set_wrap_mode(gtk::pango::WrapMode::WordChar);
        label
    };
    let (title, scope) = (label(&offered.title), label(&offered.scope));
    scope.add_css_class("heading-small");
    let texts = gtk::Box::builder().orientation(gtk::Orientation::Vertical).build();
    texts.append(&title);
    texts.append(&scope);
    let button = gtk::Button::builder().child(&texts).css_classes(["flat"]).build();
    let name = format!("{}, {}", offered.title, offered.scope);
    button.update_property(&[gtk::accessible::Property::Label(&name)]);
    button
}
