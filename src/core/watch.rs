// SPDX-License-Identifier: GPL-3.0-or-later
//! Follows a growing file: its appended lines, whatever they mean.

use std::io::{self, Read, Seek, SeekFrom};

/// Most bytes read at a time, and the longest line that is looked at (1 MiB).
pub const MAX_READ: usize = 1 << 20;

/// Which file it is, told from another one that took its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

/// A place in a growing file.
#[derive(Debug, Clone)]
pub struct Tailer {
    file: FileId,
    offset: u64,
    /// The beginning of a line whose end was not written yet.
    partial: Vec<u8>,
    /// Within a line that began before `offset`, or that is too long: what comes up to its end is not looked at.
    skips: bool,
}

/// What a read brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Whole lines, without their ends, in order.
    pub lines: Vec<Vec<u8>>,
    /// Whether there is more to read.
    pub more: bool,
}

impl Tailer {
    /// Follows a file of `length` bytes from its last `tail` bytes on.
    pub fn new(file: FileId, length: u64, tail: u64) -> Self {
        let offset = length.saturating_sub(tail);
        Self { file, offset, partial: Vec::new(), skips: offset > 0 }
    }

    /// Reads what was appended, at most [`MAX_READ`] bytes. A file that became shorter, or is another one, is read
    /// from its beginning.
    pub fn read(
        &mut self,
        file: FileId,
        length: u64,
        source: &mut (impl Read + Seek),
    ) -> io::Result<Appended> {
        if file != self.file || length < self.offset {
            *self = Self::new(file, 0, 0);
        }
        let wanted = (length - self.offset).min(MAX_READ as u64);
        source.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        let read = source.take(wanted).read_to_end(&mut bytes)?;
        self.offset += read as u64;
        Ok(Appended { lines: self.split(&bytes), more: read > 0 && self.offset < length })
    }

    fn split(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let ends = pieces.peek().is_some();
            if !self.skips {
                self.partial.extend_from_slice(piece);
            }
            if ends {
                let line = std::mem::take(&mut self.partial);
                if !std::mem::take(&mut self.skips) && !line.is_empty() {
                    lines.push(line);
                }
            } else if self.partial.len() > MAX_READ {
                self.partial = Vec::new();
                self.skips = true;
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    const FILE: FileId = FileId { device: 1, inode: 2 };

    fn read(tailer: &mut Tailer, text: &[u8]) -> Vec<String> {
        let appended = tailer.read(FILE, text.len() as u64, &mut Cursor::new(text)).unwrap();
        appended.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    #[test]
    fn gives_appended_lines_once_they_are_whole() {
        let mut tailer = Tailer::new(FILE, 4, 0);
        assert_eq!(read(&mut tailer, b"one\ntwo"), [] as [&str; 0], "the line it stands in began before");
        assert_eq!(read(&mut tailer, b"one\ntwo\nthree\nfo"), ["three"]);
        assert_eq!(read(&mut tailer, b"one\ntwo\nthree\nfour\n\n"), ["four"]);
    }

    #[test]
    fn a_tail_begins_at_a_whole_line() {
        let mut tailer = Tailer::new(FILE, 14, 8);
        assert_eq!(read(&mut tailer, b"one\ntwo\nthree\n"), ["three"]);
    }

    #[test]
    fn a_shorter_file_and_another_one_are_read_from_the_beginning() {
        let mut tailer = Tailer::new(FILE, 8, 0);
        assert_eq!(read(&mut tailer, b"new\n"), ["new"]);
        let other = FileId { inode: 3, ..FILE };
        let appended = tailer.read(other, 6, &mut Cursor::new(b"other\n")).unwrap();
        assert_eq!(appended.lines, [b"other".to_vec()]);
    }

    #[test]
    fn an_endless_line_is_passed_over_in_bounded_memory() {
        let mut text = vec![b'x'; 3 * MAX_READ];
        text.extend_from_slice(b"\nnext\n");
        let mut tailer = Tailer::new(FILE, 0, 0);
        let mut lines = Vec::new();
        loop {
            let appended = tailer.read(FILE, text.len() as u64, &mut Cursor::new(&text)).unwrap();
            assert!(tailer.partial.len() <= 2 * MAX_READ);
            lines.extend(appended.lines);
            if !appended.more {
                break;
            }
        }
        assert_eq!(lines, [b"next".to_vec()]);
    }

    proptest! {
        #[test]
        fn any_growth_gives_the_same_lines(text in "[ab\n]{0,60}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let bytes = text.as_bytes();
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            ends.sort_unstable();
            ends.push(bytes.len());
            let mut tailer = Tailer::new(FILE, 0, 0);
            let seen: Vec<String> = ends.iter().flat_map(|&end| read(&mut tailer, &bytes[..end])).collect();
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            let expected: Vec<&str> = whole.split('\n').filter(|line| !line.is_empty()).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
