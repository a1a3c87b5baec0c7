// SPDX-License-Identifier: GPL-3.0-or-later
//! Habits of labels.

use gtk::pango::EllipsizeMode;
use gtk::prelude::*;

/// Shows a text; an unchanged one costs nothing.
pub fn say(label: &gtk::Label, text: &str) {
    if label.label() != text {
        label.set_label(text);
    }
}

/// Shows a text, or hides the label.
pub fn say_or_hide(label: &gtk::Label, text: Option<&str>) {
    say(label, text.unwrap_or_default());
    label.set_visible(text.is_some());
}

/// A text on as many lines as it needs.
pub fn wrapping(text: &str) -> gtk::Label {
    let label = gtk::Label::builder().label(text).xalign(0.0).wrap(true);
    label.wrap_mode(gtk::pango::WrapMode::WordChar).build()
}

/// Shows a text of which so many characters stay where there is little room.
pub fn say_at_least(label: &gtk::Label, text: &str, characters: u16) {
    let short = text.chars().count() <= usize::from(characters);
    label.set_ellipsize(if short { EllipsizeMode::None } else { EllipsizeMode::End });
    label.set_width_chars(if short { -1 } else { i32::from(characters) });
    say(label, text);
}

/// Shows a text in room for at least so many characters. Only where the room changes, all is laid out anew.
pub fn inscribe(inscription: &gtk::Inscription, text: &str, least: u32) {
    if inscription.text().as_deref() == Some(text) {
        return;
    }
    let room = u32::try_from(text.chars().count()).unwrap_or(u32::MAX).max(least);
    if inscription.nat_chars() != room {
        inscription.set_min_chars(room);
        inscription.set_nat_chars(room);
    }
    inscription.set_text(Some(text));
}

/// Shows a text in the room that is there: nothing is laid out anew.
pub fn fill(inscription: &gtk::Inscription, text: &str) {
    if inscription.text().as_deref() != Some(text) {
        inscription.set_text(Some(text));
    }
}

/// Explains a widget under the pointer. To set a tooltip GTK asks the display where the pointer is, and waits for the
/// answer: an unchanged one is left alone.
pub fn explain(widget: &impl IsA<gtk::Widget>, text: Option<&str>) {
    if widget.tooltip_text().as_deref() != text {
        widget.set_tooltip_text(text);
    }
}

/// Shows the whole text under the pointer while the label has to cut it.
pub fn explain_when_cut(label: &gtk::Label) {
    label.set_has_tooltip(true);
    label.connect_query_tooltip(|label, _, _, _, tooltip| {
        let cut = label.layout().is_ellipsized();
        if cut {
            tooltip.set_text(Some(&label.label()));
        }
        cut
    });
}

/// The same for an inscription, which does not say by itself whether it cuts.
pub fn explain_inscription_when_cut(inscription: &gtk::Inscription) {
    inscription.set_has_tooltip(true);
    inscription.connect_query_tooltip(|inscription, _, _, _, tooltip| {
        let text = inscription.text();
        let (width, _) = inscription.create_pango_layout(text.as_deref()).pixel_size();
        let cut = width > inscription.width();
        if cut {
            tooltip.set_text(text.as_deref());
        }
        cut
    });
}
