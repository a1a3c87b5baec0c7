// SPDX-License-Identifier: GPL-3.0-or-later
//! A form that an MCP server asks to fill.

/// A form of simple fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The server that asks.
    pub server: String,
    /// What it says.
    pub message: String,
    /// The fields, in its order. Not empty.
    pub fields: Vec<Field>,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name under which the server knows it.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What is to be entered.
    pub description: Option<String>,
    /// What it takes.
    pub kind: FieldKind,
    /// Whether the form is incomplete without it.
    pub required: bool,
    /// What it holds until the person enters something else.
    pub default: Option<FieldValue>,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A text of at least and at most so many characters.
    Text {
        /// At least.
        least: usize,
        /// At most.
        most: Option<usize>,
    },
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// One of these: the value, and its name for people.
    OneOf(Vec<(String, String)>),
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    /// A text, or the value of a choice.
    Text(String),
    /// A number in JSON's own writing.
    Number(serde_json::Number),
    /// Yes or no.
    Boolean(bool),
}

impl Field {
    /// Whether this may stand in the field.
    pub fn takes(&self, value: &FieldValue) -> bool {
        match (&self.kind, value) {
            (FieldKind::Text { least, most }, FieldValue::Text(text)) => {
                let length = text.chars().count();
                length >= *least && most.is_none_or(|most| length <= most)
            }
            (FieldKind::OneOf(choices), FieldValue::Text(text)) => {
                choices.iter().any(|(value, _)| value == text)
            }
            (FieldKind::Number, FieldValue::Number(_)) | (FieldKind::Boolean, FieldValue::Boolean(_)) => true,
            (FieldKind::Integer, FieldValue::Number(number)) => number.is_i64() || number.is_u64(),
            _ => false,
        }
    }
}

impl Form {
    /// Whether these values fill it: each of one of its fields, which takes it, and none twice; none of a required field
    /// is missing.
    pub fn is_filled(&self, values: &[(String, FieldValue)]) -> bool {
        let of = |field: &Field| values.iter().filter(|(name, _)| *name == field.name).count();
        let fits = |(name, value): &(String, FieldValue)| {
            self.fields.iter().any(|field| field.name == *name && field.takes(value))
        };
        values.iter().all(fits)
            && self.fields.iter().all(|field| (usize::from(field.required)..=1).contains(&of(field)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, kind: FieldKind, required: bool) -> Field {
        Field { name: name.into(), title: None, description: None, kind, required, default: None }
    }

    fn text(text: &str) -> FieldValue {
        FieldValue::Text(text.into())
    }

    #[test]
    fn a_form_is_filled_with_what_its_fields_take() {
        let short = FieldKind::Text { least: 1, most: Some(3) };
        let fields = vec![field("a", short, true), field("b", FieldKind::Integer, false)];
        let form = Form { server: String::new(), message: String::new(), fields };
        let number = |text: &str| FieldValue::Number(text.parse().unwrap());
        let is_filled = |values: &[(&str, FieldValue)]| {
            let values: Vec<_> =
                values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            form.is_filled(&values)
        };
        assert!(is_filled(&[("a", text("äöü"))]));
        assert!(is_filled(&[("b", number("-1")), ("a", text("x"))]));
        assert!(!is_filled(&[]));
        assert!(!is_filled(&[("a", text(""))]));
        assert!(!is_filled(&[("a", text("four"))]));
        assert!(!is_filled(&[("a", text("x")), ("b", number("1.5"))]));
        assert!(!is_filled(&[("a", text("x")), ("b", text("1"))]));
        assert!(!is_filled(&[("a", text("x")), ("c", text("x"))]));
        assert!(!is_filled(&[("a", text("x")), ("a", text("x"))]));
    }
}
