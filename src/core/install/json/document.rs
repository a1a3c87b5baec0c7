// SPDX-License-Identifier: GPL-3.0-or-later
//! A parsed JSON text: where things stand in it.

use std::ops::Range;

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions,
    ast::{Array, Object, ObjectProp, Value},
    common::Ranged,
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};

use crate::install::Error;

/// The byte-order mark some editors write; not part of the JSON.
const BOM: char = '\u{feff}';

/// JSON as people write it: comments and trailing commas, nothing else beyond the standard.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) struct Document<'a> {
    /// The text without its byte-order mark. All ranges count in it.
    pub body: &'a str,
    /// Bytes of the byte-order mark before the body.
    pub mark: usize,
    /// `None`: nothing but blanks and comments.
    pub root: Option<Object<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        let body = text.strip_prefix(BOM).unwrap_or(text);
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(body, &collect, &OPTIONS)
            .map_err(|error| Error::Invalid { line: error.line_display(), column: error.column_display() })?;
        let root = match parsed.value {
            None => None,
            Some(Value::Object(root)) => Some(root),
            Some(_) => {
                return Err(Error::WrongType { at: String::new(), wanted: "an object" });
            }
        };
        let tokens = parsed.tokens.unwrap_or_default();
        let document = Self { body, mark: text.len() - body.len(), root, tokens };
        document.refuse_what_the_parser_lets_pass()?;
        Ok(document)
    }

    /// The parser takes control characters in strings, and blanks that are not JSON's.
    fn refuse_what_the_parser_lets_pass(&self) -> Result<(), Error> {
        let mut at = 0;
        for token in &self.tokens {
            self.check(at..token.range.start, |byte| b" \t\r\n".contains(&byte))?;
            if matches!(token.token, Token::String(_)) {
                self.check(span(&token.range), |byte| byte >= b' ')?;
            }
            at = token.range.end;
        }
        self.check(at..self.body.len(), |byte| b" \t\r\n".contains(&byte))
    }

    fn check(&self, range: Range<usize>, allowed: impl Fn(u8) -> bool) -> Result<(), Error> {
        let Some(found) = self.slice(range.clone()).bytes().position(|byte| !allowed(byte)) else {
            return Ok(());
        };
        let before = self.slice(0..range.start + found);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Err(Error::Invalid { line, column })
    }

    pub fn slice(&self, range: Range<usize>) -> &'a str {
        self.body.get(range).unwrap_or_default()
    }

    /// The last token, comments included, that ends at or before `at`.
    pub fn token_before(&self, at: usize) -> Option<&TokenAndRange<'a>> {
        let index = self.tokens.partition_point(|token| token.range.end <= at);
        self.tokens.get(index.checked_sub(1)?)
    }

    /// The comma behind `at`, if only blanks and comments stand between.
    pub fn comma_after(&self, at: usize) -> Option<Range<usize>> {
        let index = self.tokens.partition_point(|token| token.range.start < at);
        comma(self.tokens.get(index..)?.iter().find(|token| !is_comment(token))?)
    }

    /// The comma before `at`, if only blanks and comments stand between.
    pub fn comma_before(&self, at: usize) -> Option<Range<usize>> {
        let index = self.tokens.partition_point(|token| token.range.end <= at);
        comma(self.tokens.get(..index)?.iter().rev().find(|token| !is_comment(token))?)
    }

    /// Where the next token begins.
    pub fn next_start(&self, at: usize) -> Option<usize> {
        let index = self.tokens.partition_point(|token| token.range.start < at);
        Some(self.tokens.get(index)?.range.start)
    }

    /// Whether a comment stands in `range`, outside all of `but`.
    pub fn has_comment(&self, range: &Range<usize>, but: &[Range<usize>]) -> bool {
        let start = self.tokens.partition_point(|token| token.range.start < range.start);
        let tokens = self.tokens.get(start..).unwrap_or_default().iter();
        tokens
            .take_while(|token| token.range.end <= range.end)
            .filter(|token| is_comment(token))
            .any(|token| !but.iter().any(|skip| skip.contains(&token.range.start)))
    }

    /// All comments, as they stand.
    pub fn comments(&self) -> impl Iterator<Item = &'a str> {
        let comments = self.tokens.iter().filter(|token| is_comment(token));
        comments.map(|token| self.slice(token.range.start..token.range.end))
    }

    /// The blanks a line begins with, of the line that holds `at`.
    pub fn line_indent(&self, at: usize) -> Range<usize> {
        let before = self.slice(0..at);
        let start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
        let line = self.slice(start..at);
        start..at - line.trim_start_matches([' ', '\t']).len()
    }
}

fn comma(token: &TokenAndRange) -> Option<Range<usize>> {
    (token.token == Token::Comma).then_some(token.range.start..token.range.end)
}

pub(super) fn is_comment(token: &TokenAndRange) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// An object or array as a list of children, which is all that cutting and appending need to know.
pub(super) struct Container {
    /// From the opening to behind the closing bracket.
    pub range: Range<usize>,
    pub children: Vec<Range<usize>>,
}

impl Container {
    /// Between the brackets.
    pub fn inside(&self) -> Range<usize> {
        self.range.start + 1..self.range.end.saturating_sub(1)
    }
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        let children = object.properties.iter().map(span).collect();
        Self { range: span(object), children }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        let children = array.elements.iter().map(span).collect();
        Self { range: span(array), children }
    }
}

pub(super) fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// The only property of that name; which of two counts would be the agent's guess.
pub(super) fn only<'o, 'a>(
    object: &'o Object<'a>,
    name: &str,
    at: &str,
) -> Result<Option<&'o ObjectProp<'a>>, Error> {
    let mut found = object.properties.iter().filter(|prop| prop.name.as_str() == name);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(Error::Duplicate(at.to_owned())),
    }
}
