// SPDX-License-Identifier: GPL-3.0-or-later
//! Questions answered in a card. The bytes are those that Claude Code was seen to take.

use anyhow::{Result, ensure};
use dasbo_desktop_tests::accessibility::{Key, Modifier, Node, State};
use dasbo_desktop_tests::wait;

use crate::cards::{Asking, control, ensure_names, permission};
use crate::stage::{LIMIT, Stage};

/// Numbers and escapes as an agent might write them: they go back as they came.
const DATABASE: &str = r#"{"question":"Which database?","header":"Database","options":[{"label":"SQLite","description":"One \u0066ile"},{"label":"Postgres","description":"A server"}],"multiSelect":false}"#;
const EXTRAS: &str = r#"{"question":"Which extras?","header":"Extras","options":[{"label":"Auth","description":"Log in"},{"label":"Cache"},{"label":"Queue"}],"multiSelect":true}"#;

fn input(questions: &[&str]) -> String {
    format!(r#""questions":[{}],"metadata":{{"n":1.0}}"#, questions.join(","))
}

async fn ask<'a>(stage: &'a Stage, questions: &[&str]) -> Result<Asking<'a>> {
    Asking::permission(stage, "AskUserQuestion", &format!("{{{}}}", input(questions))).await
}

fn answered(questions: &[&str], rest: &str) -> String {
    permission(&format!(r#"{{"behavior":"allow","updatedInput":{{{},{rest}}}}}"#, input(questions)))
}

#[tokio::test]
async fn one_question_is_answered_by_a_choice() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage, &[DATABASE]).await?;
    let card = asking.card().await?;
    ensure_names(&card)?;
    for text in ["Which database?", "Choose one", "SQLite", "One file", "Postgres", "A server"] {
        ensure!(card.texts().contains(&text), "no {text:?} in {card}");
    }
    ensure!(!asking.can_press("Send").await?, "nothing is answered");
    asking.choose("Postgres").await?;
    let expected = answered(&[DATABASE], r#""answers":{"Which database?":"Postgres"}"#);
    asking.answer("Send", &expected).await
}

#[tokio::test]
async fn two_questions_are_sent_together() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asking = ask(&stage, &[DATABASE, EXTRAS]).await?;
    asking.choose("SQLite").await?;
    asking.fill("Note to your answer", "optional note").await?;
    ensure!(!asking.can_press("Send").await?, "the second is not answered");
    asking.press("Next Question").await?;
    asking.wait_until("second question", |card| card.texts().contains(&"Which extras?")).await?;
    ensure_names(&asking.card().await?)?;
    asking.check("Queue").await?;
    asking.check("Auth").await?;
    asking.fill("Your own answer", "Search").await?;
    // Back to the first, which is as it was left.
    asking.press("Question 1 of 2, Database, answered").await?;
    asking.wait_until("first question", |card| card.texts().contains(&"Which database?")).await?;
    ensure!(asking.control("SQLite").await?.is(State::Checked));
    let note = asking.control("Note to your answer").await?;
    ensure!(stage.window.text(&note).await? == "optional note");
    asking.press("Question 2 of 2, Extras, answered").await?;
    asking.wait_until("second question", |card| card.texts().contains(&"Which extras?")).await?;
    ensure!(asking.control("Queue").await?.is(State::Checked));
    ensure!(!asking.control("Cache").await?.is(State::Checked));
    asking.ensure_waiting()?;
    let expected = answered(
        &[DATABASE, EXTRAS],
        r#""answers":{"Which database?":"SQLite","Which extras?":"Auth, Queue, Search"},"annotations":{"Which database?":{"notes":"optional note"}}"#,
    );
    asking.answer("Send", &expected).await
}

#[tokio::test]
async fn own_words_take_the_place_of_a_choice() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage, &[DATABASE]).await?;
    asking.choose("SQLite").await?;
    asking.fill("Your own answer", "MariaDB \"11\"").await?;
    asking
        .wait_until("own words instead of the choice", |card| {
            let checked = |name| card.named(name).is_some_and(|node| node.is(State::Checked));
            checked("Something else") && !checked("SQLite")
        })
        .await?;
    // A choice sets them aside, and they come back.
    asking.choose("Postgres").await?;
    let own = asking.control("Your own answer").await?;
    ensure!(stage.window.text(&own).await? == "MariaDB \"11\"", "the words are lost");
    asking.choose("Something else").await?;
    let expected = answered(&[DATABASE], r#""answers":{"Which database?":"MariaDB \"11\""}"#);
    asking.answer("Send", &expected).await
}

/// By keys alone, from the list to the answer.
#[tokio::test]
async fn control_return_sends_from_inside_of_the_card_only() -> Result<()> {
    let stage = Stage::set().await?;
    let mut asking = ask(&stage, &[DATABASE]).await?;
    asking.focus("Your own answer").await?;
    stage.desktop.write("none").await?;
    asking
        .wait_until("words", |card| card.named("Something else").is_some_and(|own| own.is(State::Checked)))
        .await?;
    // Neither Enter in the entry nor the keys on the row answer.
    stage.desktop.key(Key::Enter).await?;
    asking.focus("Claude Code, shop, waiting: Asks a question").await?;
    stage.desktop.chord(Modifier::Control, Key::Enter).await?;
    asking.focus("Your own answer").await?;
    asking.ensure_waiting()?;
    stage.desktop.chord(Modifier::Control, Key::Enter).await?;
    asking.ensure_printed(&answered(&[DATABASE], r#""answers":{"Which database?":"none"}"#))
}

#[tokio::test]
async fn thirty_long_choices_and_markup_are_shown_as_they_are() -> Result<()> {
    let stage = Stage::set().await?;
    let option = |at: usize| format!(r#"{{"label":"<b>{at}</b> {}"}}"#, "long ".repeat(40).trim_end());
    let options = (0..30).map(option).collect::<Vec<_>>().join(",");
    let question = format!(r#"{{"question":"Which \u202e<i>?","options":[{options}],"multiSelect":true}}"#);
    let asking = ask(&stage, &[&question]).await?;
    let card = asking.card().await?;
    ensure_names(&card)?;
    ensure!(card.texts().contains(&"Which ⟨U+202E⟩<i>?"), "{card}");
    let label = |at: usize| format!("<b>{at}</b> {}", "long ".repeat(40).trim_end());
    let names: Vec<String> = (0..30).map(label).collect();
    for name in &names {
        ensure!(card.texts().contains(&name.as_str()), "no {name:?}");
    }
    asking.check(&names[0]).await?;
    asking.check(&names[29]).await?;
    let answer = format!("{}, {}", names[0], names[29]);
    let expected = answered(&[&question], &format!("\"answers\":{{\"Which \u{202e}<i>?\":\"{answer}\"}}"));
    asking.answer("Send", &expected).await
}

#[tokio::test]
async fn previews_follow_the_choice_at_hand() -> Result<()> {
    let stage = Stage::set().await?;
    let question = r#"{"question":"Which layout?","header":"Layout","options":[{"label":"Left","preview":"+-+--+\n| |  |"},{"label":"Top","preview":"+----+\n+----+"}],"multiSelect":false}"#;
    let asking = ask(&stage, &[question]).await?;
    let shows = |name: &'static str| move |card: &Node| card.named(name).is_some();
    asking.wait_until("first preview", shows("Preview of Left")).await?;
    ensure_names(&asking.card().await?)?;
    asking.choose("Top").await?;
    let preview = asking.control("Preview of Top").await?;
    ensure!(stage.window.text(&preview).await? == "+----+\n+----+");
    asking.answer("Send", &answered(&[question], r#""answers":{"Which layout?":"Top"}"#)).await
}

#[tokio::test]
async fn a_card_that_comes_takes_no_focus() -> Result<()> {
    let stage = Stage::set().await?;
    let _other = stage.agent("wiki", crate::stage::recorded::CLEAR, 1);
    stage.wait_for_row("Claude Code, wiki, Idle").await?;
    stage.enter_list().await?;
    let before = stage.wait_for_focus("wiki").await?;
    let asking = ask(&stage, &[DATABASE]).await?;
    ensure!(stage.wait_for_focus("wiki").await?.id() == before.id());
    stage.enter_list().await?;
    asking.choose("SQLite").await?;
    asking.answer("Send", &answered(&[DATABASE], r#""answers":{"Which database?":"SQLite"}"#)).await
}

#[tokio::test]
async fn what_was_entered_is_not_printed_when_it_is_left_to_the_terminal() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage, &[DATABASE]).await?;
    asking.choose("SQLite").await?;
    asking.leave().await
}

#[tokio::test]
async fn a_mouse_takes_choices_and_does_not_unfold_the_row() -> Result<()> {
    let stage = Stage::set().await?;
    let asking = ask(&stage, &[DATABASE]).await?;
    for name in ["SQLite", "Postgres"] {
        asking.click(name).await?;
        asking
            .wait_until(name, |card| control(card, name).is_some_and(|node| node.is(State::Checked)))
            .await?;
    }
    asking.click("Note to your answer").await?;
    stage.desktop.write("why").await?;
    let note = asking.control("Note to your answer").await?;
    wait::until(LIMIT, "note", async || (stage.window.text(&note).await.ok()? == "why").then_some(()))
        .await?;
    ensure!(!asking.card().await?.is(State::Expanded), "the row unfolded");
    let expected = answered(
        &[DATABASE],
        r#""answers":{"Which database?":"Postgres"},"annotations":{"Which database?":{"notes":"why"}}"#,
    );
    asking.answer("Send", &expected).await
}
