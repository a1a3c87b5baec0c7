// SPDX-License-Identifier: GPL-3.0-or-later
//! Long texts in text views, put in bit by bit so that the window stays alive.

use std::time::Duration;

use gtk::pango;
use gtk::prelude::*;

use crate::clock;
use crate::markdown::{self, Look, Piece};

/// How long text is put in at a stretch: a quarter of a frame at 60 a second.
const STRETCH: Duration = Duration::from_millis(4);

/// A text of so many bytes is read beside the main loop.
const LONG: usize = 64 << 10;

/// Pixels from one step of depth to the next.
const STEP: i32 = 18;

/// A buffer that shows Markdown, at once or soon. A buffer that nobody holds any longer is not filled further.
pub fn formatted(text: &str) -> gtk::TextBuffer {
    let buffer = gtk::TextBuffer::new(Some(&tags()));
    if text.len() < LONG {
        fill(&buffer, markdown::pieces(text).into_iter(), |_| {});
        return buffer;
    }
    let (text, weak) = (text.to_owned(), buffer.downgrade());
    glib::spawn_future_local(async move {
        let pieces = gio::spawn_blocking(move || markdown::pieces(&text)).await;
        if let (Ok(pieces), Some(buffer)) = (pieces, weak.upgrade()) {
            fill(&buffer, pieces.into_iter(), |_| {});
        }
    });
    buffer
}

/// A buffer that holds a text as it is. `done` is called when it is whole.
pub fn plain(text: &str, done: impl Fn(&gtk::TextBuffer) + 'static) -> gtk::TextBuffer {
    let buffer = gtk::TextBuffer::new(None);
    buffer.set_enable_undo(false);
    let lines = text.split_inclusive('\n').map(|line| Piece { text: line.to_owned(), looks: Vec::new() });
    let lines: Vec<Piece> = lines.collect();
    fill(&buffer, lines.into_iter(), move |buffer| {
        buffer.set_enable_undo(true);
        done(buffer);
    });
    buffer
}

/// Whether a text view holds it as it is: it takes no NUL, and stands still over an endless line.
pub fn can_be_edited(text: &str) -> bool {
    !text.contains('\0') && text.lines().all(|line| line.len() <= LONG)
}

fn fill(
    buffer: &gtk::TextBuffer,
    mut pieces: std::vec::IntoIter<Piece>,
    done: impl Fn(&gtk::TextBuffer) + 'static,
) {
    if fill_for(buffer, &mut pieces, STRETCH) {
        return done(buffer);
    }
    let buffer = buffer.downgrade();
    glib::idle_add_local(move || {
        let Some(buffer) = buffer.upgrade() else {
            return glib::ControlFlow::Break;
        };
        if fill_for(&buffer, &mut pieces, STRETCH) {
            done(&buffer);
            return glib::ControlFlow::Break;
        }
        glib::ControlFlow::Continue
    });
}

/// Puts in pieces for a stretch. Whether that was all.
fn fill_for(buffer: &gtk::TextBuffer, pieces: &mut std::vec::IntoIter<Piece>, stretch: Duration) -> bool {
    let began = clock::now();
    while clock::now().since(began) < stretch {
        let Some(piece) = pieces.next() else { break };
        let names: Vec<String> = piece.looks.iter().map(|&look| name(look)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // The last line's end would look like another line.
        let is_last = pieces.as_slice().is_empty() && !piece.looks.is_empty();
        let text = if is_last { piece.text.trim_end_matches('\n') } else { &piece.text };
        buffer.insert_with_tags_by_name(&mut buffer.end_iter(), text, &names);
    }
    pieces.as_slice().is_empty()
}

fn name(look: Look) -> String {
    format!("{look:?}")
}

/// A tag for each look. Later ones go before earlier ones. Their grey is one in the light and in the dark.
fn tags() -> gtk::TextTagTable {
    let grey = gtk::gdk::RGBA::new(0.5, 0.5, 0.5, 0.15);
    let tag = |look: Look| gtk::TextTag::builder().name(name(look));
    let bold = |look: Look| tag(look).weight(pango::ffi::PANGO_WEIGHT_BOLD);
    let heading = |level, scale, above| {
        bold(Look::Heading(level)).scale(scale).pixels_above_lines(above).pixels_below_lines(3).build()
    };
    let indent = |depth: u8| tag(Look::Indent(depth)).left_margin(8 + STEP * i32::from(depth)).build();
    let table = gtk::TextTagTable::new();
    for depth in 1..=Look::DEEPEST {
        table.add(&indent(depth));
    }
    for tag in [
        tag(Look::Paragraph).pixels_above_lines(6).build(),
        tag(Look::Mark).indent(-STEP + 4).pixels_above_lines(3).build(),
        heading(1, 1.2, 10),
        heading(2, 1.1, 10),
        heading(3, 1.0, 8),
        tag(Look::Quote).style(pango::Style::Italic).build(),
        tag(Look::Block).family("monospace").scale(0.92).paragraph_background_rgba(&grey).build(),
        tag(Look::First).pixels_above_lines(6).build(),
        tag(Look::Code).family("monospace").scale(0.92).background_rgba(&grey).build(),
        bold(Look::Strong).build(),
        tag(Look::Emphasis).style(pango::Style::Italic).build(),
        tag(Look::Struck).strikethrough(true).build(),
        tag(Look::Address).family("monospace").scale(0.85).build(),
    ] {
        table.add(&tag);
    }
    table
}
