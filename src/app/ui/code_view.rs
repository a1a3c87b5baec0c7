// SPDX-License-Identifier: GPL-3.0-or-later
//! Coloured text in a fixed width, that scrolls.

use adw::prelude::*;

use crate::code::{Code, Look, Run, Tint};

/// Highest that it grows by itself, in pixels.
const MOST_HEIGHT: i32 = 260;

/// A view of this text, with a name for who cannot see it. A long one is filled in little by little.
pub fn code_view(code: Code, name: &str) -> gtk::ScrolledWindow {
    let text = gtk::TextView::builder()
        .editable(false)
        .cursor_visible(false)
        .monospace(true)
        .wrap_mode(gtk::WrapMode::WordChar)
        .css_classes(["code"])
        .build();
    text.update_property(&[gtk::accessible::Property::Label(name)]);
    let buffer = text.buffer();
    make_tags(&buffer);
    fill(buffer, code.runs.into_iter());
    gtk::ScrolledWindow::builder()
        .focusable(false)
        .hscrollbar_policy(gtk::PolicyType::Never)
        .propagate_natural_height(true)
        .max_content_height(MOST_HEIGHT)
        .css_classes(["code-frame"])
        .child(&text)
        .build()
}

fn make_tags(buffer: &gtk::TextBuffer) {
    use gtk::pango::Weight;
    let bold = glib::translate::IntoGlib::into_glib(Weight::Bold);
    let tag = |name: &str| gtk::TextTag::builder().name(name);
    let tags = [
        tag("comes").paragraph_background("rgba(46, 194, 126, 0.22)").build(),
        tag("goes").paragraph_background("rgba(224, 27, 36, 0.2)").build(),
        tag("mark").background("rgba(245, 194, 17, 0.5)").weight(bold).build(),
        tag("key").weight(bold).build(),
        tag("dim").scale(0.9).build(),
    ];
    for tag in tags {
        buffer.tag_table().add(&tag);
    }
}

/// A run at a time, so that the window goes on meanwhile.
fn fill(buffer: gtk::TextBuffer, mut runs: std::vec::IntoIter<Run>) {
    const AT_ONCE: usize = 64;
    put(&buffer, runs.by_ref().take(AT_ONCE));
    if runs.len() > 0 {
        glib::idle_add_local(move || {
            put(&buffer, runs.by_ref().take(AT_ONCE));
            if runs.len() > 0 { glib::ControlFlow::Continue } else { glib::ControlFlow::Break }
        });
    }
}

fn put(buffer: &gtk::TextBuffer, runs: impl Iterator<Item = Run>) {
    for run in runs {
        let look = match run.look {
            Look::Plain => None,
            Look::Mark => Some("mark"),
            Look::Key => Some("key"),
            Look::Dim => Some("dim"),
        };
        let tint = match run.tint {
            Tint::None => None,
            Tint::Comes => Some("comes"),
            Tint::Goes => Some("goes"),
        };
        let names: Vec<&str> = look.into_iter().chain(tint).collect();
        buffer.insert_with_tags_by_name(&mut buffer.end_iter(), &run.text, &names);
    }
}
