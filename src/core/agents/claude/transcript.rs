// SPDX-License-Identifier: GPL-3.0-or-later
//! The conversation that Claude Code writes, a JSON object a line: `~/.claude/projects/…/SESSION.jsonl`. Large and
//! undocumented, so only a few kinds of lines are looked at, and what is odd is passed over.

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::agents::lenient::{line as one_line, maybe, name, object, paragraph, part, text};
use crate::event::{About, Actor, Event, SessionKey, Source, Tokens, What};
use crate::moment::{Moment, WallClock};

const INTERRUPTED: &[&str] = &["[Request interrupted by user]", "[Request interrupted by user for tool use]"];

/// What a line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Line {
    /// What happened then, if anything did.
    what: Option<(Moment, What)>,
    /// What it says of the session.
    about: About,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawLine {
    #[serde(rename = "type", deserialize_with = "text")]
    kind: Option<String>,
    #[serde(deserialize_with = "maybe")]
    is_sidechain: Option<bool>,
    #[serde(deserialize_with = "text")]
    timestamp: Option<String>,
    #[serde(deserialize_with = "name")]
    git_branch: Option<String>,
    #[serde(deserialize_with = "part")]
    message: Option<Message>,
    #[serde(deserialize_with = "part")]
    origin: Option<Origin>,
    /// What the program itself puts into the conversation.
    #[serde(deserialize_with = "maybe")]
    is_meta: Option<bool>,
    #[serde(deserialize_with = "text")]
    prompt_source: Option<String>,
    #[serde(deserialize_with = "text")]
    custom_title: Option<String>,
    #[serde(deserialize_with = "text")]
    ai_title: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Value,
    #[serde(deserialize_with = "name")]
    model: Option<String>,
    #[serde(deserialize_with = "part")]
    usage: Option<Usage>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(rename = "input_tokens", deserialize_with = "maybe")]
    input: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens", deserialize_with = "maybe")]
    cache_creation: Option<u64>,
    #[serde(rename = "cache_read_input_tokens", deserialize_with = "maybe")]
    cache_read: Option<u64>,
    #[serde(rename = "output_tokens", deserialize_with = "maybe")]
    output: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Origin {
    #[serde(deserialize_with = "text")]
    kind: Option<String>,
}

/// What appended lines say: what happened at its own time, all else at once.
pub(super) fn events(session: &SessionKey, lines: &[Vec<u8>], clock: WallClock, now: Moment) -> Vec<Event> {
    let told = |at, about, what| Event {
        session: session.clone(),
        at,
        actor: Actor::Main,
        source: Source::File,
        process: None,
        about,
        what,
    };
    let mut about = About::default();
    let mut events = Vec::new();
    for line in lines.iter().map(|bytes| line(bytes, clock)) {
        events.extend(line.what.map(|(at, what)| told(at, About::default(), what)));
        take_over(&mut about, line.about);
    }
    if about != About::default() {
        events.push(told(now, about, What::Seen));
    }
    events
}

/// What a later line says holds.
fn take_over(about: &mut About, later: About) {
    let About { title, model, branch, prompt, answer, tokens, .. } = later;
    about.title = title.or(about.title.take());
    about.model = model.or(about.model.take());
    about.branch = branch.or(about.branch.take());
    about.prompt = prompt.or(about.prompt.take());
    about.answer = answer.or(about.answer.take());
    about.tokens = tokens.or(about.tokens);
}

/// What a line says that Dasbo shows. Most say nothing.
fn line(bytes: &[u8], clock: WallClock) -> Line {
    let Ok(raw) = object::<RawLine>(bytes) else { return Line::default() };
    if raw.is_sidechain == Some(true) {
        return Line::default();
    }
    match raw.kind.as_deref() {
        Some("user") => user(raw, clock),
        Some("assistant") => assistant(raw),
        Some("custom-title") => titled(raw.custom_title),
        Some("ai-title") => titled(raw.ai_title),
        _ => Line::default(),
    }
}

fn titled(title: Option<String>) -> Line {
    let title = title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
    Line { about: About { title, ..About::default() }, ..Line::default() }
}

fn user(raw: RawLine, clock: WallClock) -> Line {
    let content = raw.message.map(|message| message.content).unwrap_or_default();
    let kind = raw.origin.and_then(|origin| origin.kind);
    let by_program = raw.is_meta == Some(true) || kind.is_some_and(|kind| kind != "human");
    // What a person typed is a plain text; lists are results of tools, and in 2.1.220 only tags tell commands.
    let typed = |text: &&str| !by_program && !text.starts_with('<');
    let prompt = content.as_str().filter(typed).map(paragraph);
    let queued = prompt.is_some() && raw.prompt_source.as_deref() == Some("queued");
    let what = is_interruption(&content).then_some(What::Interrupted);
    let what = what.or(queued.then_some(What::QueuedPrompt));
    let what = what.and_then(|what| Some((moment(raw.timestamp.as_deref()?, clock)?, what)));
    Line { what, about: About { prompt, branch: branch(raw.git_branch), ..About::default() } }
}

/// Without a repository, or with none of its branches checked out, it says `HEAD`.
fn branch(name: Option<String>) -> Option<String> {
    name.filter(|name| !name.is_empty() && name != "HEAD")
}

/// Only a text item that is exactly this: other lines repeat it (09a).
fn is_interruption(content: &Value) -> bool {
    let text = |item: &Value| {
        let is_text = item.get("type").and_then(Value::as_str) == Some("text");
        is_text && item.get("text").and_then(Value::as_str).is_some_and(|text| INTERRUPTED.contains(&text))
    };
    content.as_array().is_some_and(|items| items.iter().any(text))
}

fn assistant(raw: RawLine) -> Line {
    let Some(message) = raw.message else { return Line::default() };
    // An error that the program itself put into the model's mouth.
    if message.model.as_deref() == Some("<synthetic>") {
        return Line::default();
    }
    let about = About {
        answer: said(&message.content),
        branch: branch(raw.git_branch),
        model: message.model,
        tokens: message.usage.map(tokens),
        ..About::default()
    };
    Line { about, ..Line::default() }
}

fn said(content: &Value) -> Option<String> {
    let mut texts = content.as_array()?.iter().filter_map(|item| item.get("text").and_then(Value::as_str));
    texts.next_back().map(paragraph).filter(|text| !text.is_empty())
}

fn tokens(usage: Usage) -> Tokens {
    let context = [usage.input, usage.cache_creation, usage.cache_read];
    Tokens {
        context: context.into_iter().flatten().fold(0, u64::saturating_add),
        output: usage.output.unwrap_or_default(),
    }
}

fn moment(timestamp: &str, clock: WallClock) -> Option<Moment> {
    let time = OffsetDateTime::parse(timestamp, &Rfc3339).ok()?;
    u64::try_from(time.unix_timestamp_nanos() / 1_000_000).ok().map(|millis| clock.moment(millis))
}
