// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo answer`: a person's answer to an approval, given in the terminal.

use std::process::ExitCode;

use glib::MainContext;

use super::options::{AnswerOptions, Verdict};
use crate::desktop::bus::Client;
use crate::words;

pub fn run(options: &AnswerOptions) -> ExitCode {
    match MainContext::new().block_on(answer(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Gives the answer; or a sentence about why it did not arrive.
async fn answer(AnswerOptions { id, verdict }: &AnswerOptions) -> Result<(), String> {
    let (decision, note) = match verdict {
        Verdict::Allow => ("allow", ""),
        Verdict::Deny(note) => ("deny", note.as_deref().unwrap_or_default()),
    };
    let client = Client::new().await.map_err(|silence| words::silence(&silence))?;
    client.answer(id, decision, note).await.map_err(words::not_answered)
}
