// SPDX-License-Identifier: GPL-3.0-or-later
//! Markdown as pieces of text and how each looks. What is in it is shown, never followed: raw HTML as it stands, links
//! with their addresses.

use dasbo_core::request::visible;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

mod table;
mod writer;

use table::Table;
use writer::Writer;

/// Some text of one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text. Blocks end with a line feed.
    pub text: String,
    /// How it looks.
    pub looks: Vec<Look>,
}

/// A way in which text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Look {
    /// A heading of this level, 1 to 3.
    Heading(u8),
    /// A paragraph, with some room above.
    Paragraph,
    /// So many steps from the margin, 1 to [`Look::DEEPEST`].
    Indent(u8),
    /// The mark of a list's item, left of the rest.
    Mark,
    /// A line of code, of a table, or of something that is shown as it stands.
    Block,
    /// The first line of such.
    First,
    /// Code within a line.
    Code,
    /// Important.
    Strong,
    /// Stressed.
    Emphasis,
    /// Struck out.
    Struck,
    /// Quoted.
    Quote,
    /// Where a link leads.
    Address,
}

impl Look {
    /// The deepest step that differs from the one before.
    pub const DEEPEST: u8 = 6;
}

/// What Markdown looks like.
pub fn pieces(markdown: &str) -> Vec<Piece> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(&markdown.replace("\r\n", "\n"), options) {
        reader.read(event);
    }
    reader.writer.finish()
}

#[derive(Debug, Default)]
struct Reader {
    writer: Writer,
    /// The lists around, with the number of the next item.
    lists: Vec<Option<u64>>,
    /// The links around: where they lead, and their text so far.
    links: Vec<(String, String)>,
    /// The table around.
    table: Option<Table>,
    /// Whether an item's mark was just written: what follows goes on its line.
    after_mark: bool,
    /// Whether what follows is the first line of a block.
    at_first: bool,
}

impl Reader {
    fn read(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(text) | Event::InlineHtml(text) => self.text(&text, Some(Look::Code)),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text, None),
            Event::SoftBreak => self.text(" ", None),
            Event::HardBreak => self.text("\n", None),
            Event::Rule => self.line("────────", Look::Paragraph),
            Event::TaskListMarker(done) => self.text(if done { "☑ " } else { "☐ " }, None),
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => self.block(Look::Paragraph),
            Tag::Heading { level, .. } => self.block(Look::Heading((level as u8).min(3))),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) | Tag::HtmlBlock => {
                self.block(Look::Block);
                self.at_first = true;
            }
            Tag::BlockQuote(_) => {
                self.writer.start_line();
                self.writer.indent(1);
                self.writer.begin(Look::Quote);
            }
            Tag::List(first) => {
                self.writer.start_line();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.writer.start_line();
                self.table = Some(Table::default());
            }
            Tag::Strong => self.writer.begin(Look::Strong),
            Tag::Emphasis => self.writer.begin(Look::Emphasis),
            Tag::Strikethrough => self.writer.begin(Look::Struck),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), String::new()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_block(Look::Paragraph),
            TagEnd::Heading(level) => self.end_block(Look::Heading((level as u8).min(3))),
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.end_block(Look::Block),
            TagEnd::BlockQuote(_) => {
                self.writer.start_line();
                self.writer.end(Look::Quote);
                self.writer.indent(-1);
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Item => {
                self.writer.start_line();
                self.writer.indent(-1);
                self.after_mark = false;
            }
            TagEnd::TableCell => drop(self.table.as_mut().map(Table::end_cell)),
            TagEnd::TableHead | TagEnd::TableRow => drop(self.table.as_mut().map(Table::end_row)),
            TagEnd::Table => {
                let table = self.table.take().unwrap_or_default();
                self.block(Look::Block);
                self.at_first = true;
                self.text(&table.lines().join("\n"), None);
                self.end_block(Look::Block);
            }
            TagEnd::Strong => self.writer.end(Look::Strong),
            TagEnd::Emphasis => self.writer.end(Look::Emphasis),
            TagEnd::Strikethrough => self.writer.end(Look::Struck),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn block(&mut self, look: Look) {
        if !std::mem::take(&mut self.after_mark) {
            self.writer.start_line();
        }
        self.writer.begin(look);
    }

    fn end_block(&mut self, look: Look) {
        self.writer.start_line();
        self.writer.end(look);
    }

    fn line(&mut self, text: &str, look: Look) {
        self.block(look);
        self.writer.write(text, None);
        self.end_block(look);
    }

    fn item(&mut self) {
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "• ".to_owned(),
        };
        self.writer.start_line();
        self.writer.indent(1);
        self.writer.write(&mark, Some(Look::Mark));
        self.after_mark = true;
    }

    fn text(&mut self, text: &str, look: Option<Look>) {
        let text = visible(text);
        if let Some((_, so_far)) = self.links.last_mut() {
            so_far.push_str(&text);
        }
        if let Some(table) = &mut self.table {
            table.push(&text);
        } else if std::mem::take(&mut self.at_first) {
            let end = text.find('\n').map_or(text.len(), |at| at + 1);
            let (first, rest) = text.split_at(end);
            self.writer.write(first, Some(Look::First));
            self.writer.write(rest, look);
        } else {
            self.after_mark = false;
            self.writer.write(&text, look);
        }
    }

    /// Says where a link leads, unless its text says so.
    fn end_link(&mut self) {
        let Some((address, text)) = self.links.pop() else { return };
        let address = visible(&address);
        if !address.is_empty() && *address != text && address.strip_prefix("mailto:") != Some(&text) {
            self.text(" ", None);
            self.text(&format!("({address})"), Some(Look::Address));
        }
    }
}

#[cfg(test)]
mod tests;
