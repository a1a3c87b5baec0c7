// SPDX-License-Identifier: GPL-3.0-or-later
//! What changes between two texts, line by line.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// Lines shown around each change.
const CONTEXT: usize = 3;

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What becomes of it.
    pub fate: Fate,
    /// Its number, in the text where it stands (of one that stays: in the new text). From 1.
    pub number: usize,
    /// Without the line feed.
    pub text: String,
    /// Whether a line feed ends it. Only the last line of a text may lack one.
    pub is_ended: bool,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stays.
    Stays,
    /// It goes.
    Goes,
    /// It comes.
    Comes,
}

/// The changes, those close to one another together, with the lines around them. Empty: there are none.
pub fn diff(old: &str, new: &str) -> Vec<Vec<Line>> {
    let (old, new) = (lines(old), lines(new));
    let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
    let groups = group_diff_ops(changes, CONTEXT).into_iter();
    groups.map(|group| group.into_iter().flat_map(|op| of_change(op, &old, &new)).collect()).collect()
}

/// All of a text, as it comes.
pub fn comes(text: &str) -> Vec<Line> {
    section(Fate::Comes, &lines(text), 0, usize::MAX).collect()
}

/// All of a text, as it goes.
pub fn goes(text: &str) -> Vec<Line> {
    section(Fate::Goes, &lines(text), 0, usize::MAX).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn of_change(change: DiffOp, old: &[&str], new: &[&str]) -> Vec<Line> {
    let (fate, old_range, new_range) = change.as_tag_tuple();
    let gone = section(Fate::Goes, old, old_range.start, old_range.len());
    let come = section(Fate::Comes, new, new_range.start, new_range.len());
    match fate {
        similar::DiffTag::Equal => section(Fate::Stays, new, new_range.start, new_range.len()).collect(),
        _ => gone.chain(come).collect(),
    }
}

fn section<'a>(
    fate: Fate,
    lines: &'a [&str],
    start: usize,
    count: usize,
) -> impl Iterator<Item = Line> + use<'a> {
    lines.iter().enumerate().skip(start).take(count).map(move |(at, line)| {
        let text = line.strip_suffix('\n');
        Line { fate, number: at + 1, text: text.unwrap_or(line).to_owned(), is_ended: text.is_some() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `diff -u` writes it, with the numbers.
    fn said(groups: &[Vec<Line>]) -> Vec<String> {
        let sign = |line: &Line| match line.fate {
            Fate::Stays => ' ',
            Fate::Goes => '-',
            Fate::Comes => '+',
        };
        let say = |line: &Line| {
            let end = if line.is_ended { "" } else { "\\" };
            format!("{}{}{}{end}", line.number, sign(line), line.text)
        };
        groups.iter().map(|group| group.iter().map(say).collect::<Vec<_>>().join("|")).collect()
    }

    /// A line for each.
    fn numbers(numbers: impl Iterator<Item = usize>) -> String {
        numbers.map(|number| number.to_string() + "\n").collect()
    }

    #[test]
    fn three_lines_stand_around_a_change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = old.replace('5', "five\nand more");
        assert_eq!(said(&diff(old, &new)), ["2 2|3 3|4 4|5-5|5+five|6+and more|7 6|8 7|9 8"]);
    }

    #[test]
    fn changes_far_apart_are_told_apart() {
        let old = numbers(1..=20);
        let new = old.replace("2\n3\n", "3\n").replace("19\n", "");
        let said = said(&diff(&old, &new));
        assert_eq!(said, ["1 1|2-2|2 3|3 4|4 5", "15 16|16 17|17 18|19-19|18 20"]);
    }

    #[test]
    fn a_line_feed_at_the_end_counts() {
        assert_eq!(said(&diff("a", "a\n")), ["1-a\\|1+a"]);
        assert_eq!(diff("a\r\nb", "a\r\nb"), Vec::<Vec<Line>>::new());
        assert_eq!(said(&diff("a\r\n", "a\n")), ["1-a\r|1+a"]);
    }

    #[test]
    fn whole_texts_come_and_go() {
        assert_eq!(said(&[comes("a\n\nb")]), ["1+a|2+|3+b\\"]);
        assert_eq!(said(&[goes("a\n")]), ["1-a"]);
        assert_eq!(comes(""), []);
    }

    #[test]
    fn texts_that_have_all_but_the_order_in_common_are_told_apart_in_time() {
        let text = |step: usize| numbers((0..40_009).map(|at| at * step % 40_009));
        let begun = std::time::Instant::now();
        let lines = diff(&text(1), &text(7919)).concat();
        let of = |fate| lines.iter().filter(|line| line.fate == fate).count();
        assert_eq!(of(Fate::Goes), of(Fate::Comes));
        assert!(of(Fate::Goes) > 20_000);
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
