// SPDX-License-Identifier: GPL-3.0-or-later
//! The words in the cards for questions, plans and forms. What comes from an agent is made visible here, and cut where
//! nobody would read on.

use dasbo_core::request::{Field, FieldKind, Form, Question, visible};

use crate::i18n::{gettext, gettext_f, ngettext_f};

/// Longest text in a label, in characters.
const LONGEST: usize = 4_000;

/// Longest name in a label, in characters.
const LONGEST_NAME: usize = 500;

/// A text of an agent as a label shows it. What is left out is said.
pub fn shown(text: &str) -> String {
    cut(text, LONGEST)
}

/// A name that an agent gives something, as a label shows it.
pub fn shown_name(text: &str) -> String {
    cut(text, LONGEST_NAME)
}

fn cut(text: &str, longest: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return visible(text).into_owned();
    };
    let (kept, rest) = text.split_at(end);
    let left_out = rest.chars().count();
    let count = left_out.to_string();
    let more =
        ngettext_f("… and {n} more character", "… and {n} more characters", left_out, &[("n", &count)]);
    format!("{}{more}", visible(kept))
}

/// A question's place and name for a screen reader: "Question 1 of 3, Database, answered".
pub fn question_place(number: usize, count: usize, question: &Question, is_answered: bool) -> String {
    let values: &[(&str, &str)] = &[("number", &number.to_string()), ("count", &count.to_string())];
    let place = gettext_f("Question {number} of {count}", values);
    let header = question.header.as_deref().map(shown_name);
    let answered = is_answered.then(|| gettext("answered"));
    std::iter::once(place).chain(header).chain(answered).collect::<Vec<_>>().join(", ")
}

/// What stands on a question's tab.
pub fn question_tab(number: usize, question: &Question) -> String {
    question.header.as_deref().map_or_else(|| number.to_string(), shown_name)
}

/// How a question is to be answered.
pub fn question_hint(question: &Question) -> String {
    match (question.choices.is_empty(), question.multiple) {
        (true, _) => gettext("In your own words"),
        (false, false) => gettext("Choose one"),
        (false, true) => gettext("Choose any"),
    }
}

/// Whose preview it is.
pub fn preview_of(label: &str) -> String {
    gettext_f("Preview of {choice}", &[("choice", &shown_name(label))])
}

/// What stands in the place of a preview for a choice without one.
pub fn no_preview() -> String {
    gettext("No preview")
}

/// The name of the plan's text for a screen reader.
pub fn plan(is_edited: bool) -> String {
    if is_edited { gettext("The plan, in Markdown") } else { gettext("The plan") }
}

/// What a button says that approves a plan.
pub fn approve(accept_edits: bool, is_edited: bool) -> String {
    match (accept_edits, is_edited) {
        (false, false) => gettext("Approve"),
        (true, false) => gettext("Approve, Accept Edits"),
        (false, true) => gettext("Approve as Edited"),
        (true, true) => gettext("Approve as Edited, Accept Edits"),
    }
}

/// Who asks for a form.
pub fn form_heading(form: &Form) -> String {
    if form.server.trim().is_empty() {
        gettext("An MCP server asks")
    } else {
        gettext_f("MCP server {server} asks", &[("server", &shown_name(&form.server))])
    }
}

/// What a field is called.
pub fn field_title(field: &Field) -> String {
    let title = field.title.as_deref().filter(|title| !title.trim().is_empty());
    shown_name(title.unwrap_or(&field.name))
}

/// A field and its choice for a screen reader: "Colour: blue".
pub fn field_chosen(field: &Field, chosen: &str) -> String {
    gettext_f("{field}: {choice}", &[("field", &field_title(field)), ("choice", chosen)])
}

/// What a field takes that holds something else.
pub fn field_takes(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text { least, most } => text_takes(*least, *most),
        FieldKind::Number => gettext("Enter a number, such as 1.5"),
        FieldKind::Integer => gettext("Enter a whole number"),
        FieldKind::Boolean | FieldKind::OneOf(_) => gettext("Choose one"),
    }
}

fn text_takes(least: usize, most: Option<usize>) -> String {
    let lowest = least.to_string();
    match most {
        Some(most) if least > 0 => {
            let values: &[(&str, &str)] = &[("least", &lowest), ("most", &most.to_string())];
            gettext_f("Enter {least} to {most} characters", values)
        }
        Some(most) => {
            let values: &[(&str, &str)] = &[("n", &most.to_string())];
            ngettext_f("Enter at most {n} character", "Enter at most {n} characters", most, values)
        }
        None => {
            let values: &[(&str, &str)] = &[("n", &lowest)];
            ngettext_f("Enter at least {n} character", "Enter at least {n} characters", least, values)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(header: Option<&str>, labels: &[&str], multiple: bool) -> Question {
        let choice = |label: &&str| dasbo_core::request::Choice {
            label: (*label).into(),
            description: None,
            preview: None,
        };
        let choices = labels.iter().map(choice).collect();
        Question { text: "Which?".into(), header: header.map(Into::into), choices, multiple }
    }

    fn field(title: Option<&str>) -> Field {
        let kind = FieldKind::Boolean;
        let title = title.map(Into::into);
        Field { name: "dry_run".into(), title, description: None, kind, required: false, default: None }
    }

    #[test]
    fn a_text_of_an_agent_is_made_visible_and_says_what_is_left_out() {
        assert_eq!(shown("a\u{202e}\n<b>"), "a⟨U+202E⟩\n<b>");
        assert_eq!(shown(&"ä".repeat(4_000)), "ä".repeat(4_000));
        assert_eq!(shown(&"ä".repeat(4_001)), format!("{}… and 1 more character", "ä".repeat(4_000)));
        assert_eq!(shown_name(&"x".repeat(510)), format!("{}… and 10 more characters", "x".repeat(500)));
    }

    #[test]
    fn a_question_says_where_it_stands() {
        let database = question(Some("Database"), &["A"], false);
        assert_eq!(question_place(1, 3, &database, false), "Question 1 of 3, Database");
        assert_eq!(question_place(3, 3, &question(None, &[], false), true), "Question 3 of 3, answered");
        assert_eq!(question_tab(1, &database), "Database");
        assert_eq!(question_tab(2, &question(None, &[], false)), "2");
        assert_eq!(question_hint(&database), "Choose one");
        assert_eq!(question_hint(&question(None, &["A"], true)), "Choose any");
        assert_eq!(question_hint(&question(None, &[], true)), "In your own words");
        assert_eq!(preview_of("A\u{0}"), "Preview of A⟨NUL⟩");
    }

    #[test]
    fn a_plan_that_was_edited_is_approved_as_that() {
        assert_eq!([approve(false, false), approve(true, false)], ["Approve", "Approve, Accept Edits"]);
        assert_eq!(
            [approve(false, true), approve(true, true)],
            ["Approve as Edited", "Approve as Edited, Accept Edits"]
        );
        assert_eq!([plan(false), plan(true)], ["The plan", "The plan, in Markdown"]);
    }

    #[test]
    fn a_form_says_who_asks_and_what_it_takes() {
        let form = |server: &str| Form { server: server.into(), message: String::new(), fields: Vec::new() };
        assert_eq!(form_heading(&form("elicit")), "MCP server elicit asks");
        assert_eq!(form_heading(&form(" ")), "An MCP server asks");
        assert_eq!(field_title(&field(Some("Dry run"))), "Dry run");
        assert_eq!(field_title(&field(Some(""))), "dry_run");
        assert_eq!(field_title(&field(None)), "dry_run");
        assert_eq!(field_chosen(&field(Some("Dry run")), "Yes"), "Dry run: Yes");
        let text = |least, most| field_takes(&FieldKind::Text { least, most });
        assert_eq!(text(1, None), "Enter at least 1 character");
        assert_eq!(text(0, Some(9)), "Enter at most 9 characters");
        assert_eq!(text(2, Some(9)), "Enter 2 to 9 characters");
        assert_eq!(field_takes(&FieldKind::Integer), "Enter a whole number");
        assert_eq!(field_takes(&FieldKind::Number), "Enter a number, such as 1.5");
    }
}
