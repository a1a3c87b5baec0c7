// SPDX-License-Identifier: GPL-3.0-or-later

use super::*;

fn text(markdown: &str) -> String {
    pieces(markdown).into_iter().map(|piece| piece.text).collect()
}

/// How the piece with this text looks.
fn looks(markdown: &str, text: &str) -> Vec<Look> {
    let pieces = pieces(markdown);
    let found = pieces.iter().find(|piece| piece.text.trim_end_matches('\n') == text);
    found.unwrap_or_else(|| panic!("no {text:?} in {pieces:?}")).looks.clone()
}

#[test]
fn blocks_stand_on_lines_of_their_own() {
    assert_eq!(text("# Plan\nFirst\nline.\n\nSecond.\n\n---\n"), "Plan\nFirst line.\nSecond.\n────────\n");
    assert_eq!(looks("# Plan\nText", "Plan"), [Look::Heading(1)]);
    assert_eq!(looks("##### Deep", "Deep"), [Look::Heading(3)]);
    assert_eq!(text("a  \nb"), "a\nb\n");
    assert_eq!(text("a\r\n\r\nb\r\n"), "a\nb\n");
}

#[test]
fn lists_have_marks_and_depth() {
    let list = "3. one\n4. two\n   - in\n\n     more\n   - [x] done\n   - [ ] open\n";
    assert_eq!(text(list), "3. one\n4. two\n• in\nmore\n• ☑ done\n• ☐ open\n");
    assert_eq!(looks("- a", "• "), [Look::Indent(1), Look::Mark]);
    assert_eq!(looks("- a\n  - b", "b"), [Look::Indent(2)]);
    let deep: Vec<String> = (0..20).map(|depth| format!("{}- x", "  ".repeat(depth))).collect();
    assert!(pieces(&deep.join("\n")).iter().any(|piece| piece.looks.contains(&Look::Indent(Look::DEEPEST))));
    assert_eq!(looks("> said", "said"), [Look::Indent(1), Look::Quote, Look::Paragraph]);
}

#[test]
fn words_within_a_line() {
    let line = "a **b** *c* ~~d~~ `e`";
    assert_eq!(text(line), "a b c d e\n");
    for (word, look) in [("b", Look::Strong), ("c", Look::Emphasis), ("d", Look::Struck), ("e", Look::Code)] {
        assert_eq!(looks(line, word), [Look::Paragraph, look]);
    }
}

#[test]
fn code_is_kept_as_it_stands() {
    let code = "```rust\nfn main() {\n\n    **no**\n}\n```\nafter";
    assert_eq!(text(code), "fn main() {\n\n    **no**\n}\nafter\n");
    assert_eq!(looks(code, "fn main() {"), [Look::Block, Look::First]);
    assert_eq!(looks(code, "\n    **no**\n}"), [Look::Block]);
}

#[test]
fn a_link_says_where_it_leads() {
    assert_eq!(text("[here](https://e.org/x)"), "here (https://e.org/x)\n");
    assert_eq!(looks("[here](https://e.org)", "(https://e.org)"), [Look::Paragraph, Look::Address]);
    assert_eq!(text("<https://e.org>"), "https://e.org\n");
    assert_eq!(text("<a@e.org>"), "a@e.org\n");
    assert_eq!(text("[https://good.org](https://bad.org)"), "https://good.org (https://bad.org)\n");
    assert_eq!(text("![alt](file:///x.png)"), "alt (file:///x.png)\n");
}

#[test]
fn html_and_markup_are_text() {
    assert_eq!(text("<b>x</b> &lt;i&gt;"), "<b>x</b> <i>\n");
    assert_eq!(text("<script>\nalert(1)\n</script>\n"), "<script>\nalert(1)\n</script>\n");
    assert_eq!(text("a <span foreground='red'>b</span>"), "a <span foreground='red'>b</span>\n");
}

#[test]
fn a_table_is_lined_up() {
    let table = "| Key | Value |\n|---|---|\n| a | long one |\n| bcde | `x` |\n";
    assert_eq!(text(table), "Key  │ Value\n─────┼─────────\na    │ long one\nbcde │ x\n");
    assert!(pieces(table).iter().all(|piece| piece.looks.contains(&Look::Block)));
}

#[test]
fn what_hides_is_shown() {
    assert_eq!(text("a\u{202e}b `\u{1b}` [x](\u{200b}y)"), "a⟨U+202E⟩b ⟨ESC⟩ x (⟨U+200B⟩y)\n");
}

#[test]
fn endless_lines_are_broken_and_nothing_is_lost() {
    let long = "äx".repeat(50_000);
    let shown = text(&format!("`{long}`"));
    assert_eq!(shown.replace('\n', ""), long);
    assert!(shown.lines().all(|line| line.len() <= 4_000));
    let lines = "x\n".repeat(10_000);
    assert_eq!(text(&format!("```\n{lines}```")), lines);
}
