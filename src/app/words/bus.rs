// SPDX-License-Identifier: GPL-3.0-or-later
//! The sentences of the command line about the panel that it asks.

use crate::desktop::bus::{AnswerError, Silence};
use crate::i18n::gettext;

/// Why a panel gave no answer, and what to do.
pub fn silence(silence: &Silence) -> String {
    match silence {
        Silence::NotRunning => {
            gettext("Dasbo is not running. Open it from your applications, or with “dasbo”.")
        }
        Silence::NoBus => gettext(
            "There is no session bus here, over which Dasbo is asked. Run this on the desktop that Dasbo runs on.",
        ),
        Silence::Refused => {
            gettext("Dasbo is running but gives no answer. Quit it, open it again, and try again.")
        }
    }
}

/// Why a request was not answered.
pub fn not_answered(error: AnswerError) -> String {
    match error {
        AnswerError::Bus(error) => silence(&Silence::of(&error.into())),
        AnswerError::NotOpen(_) => {
            gettext("No such request is open. “dasbo status” prints the ids of those that are.")
        }
        AnswerError::Decided(_) => gettext("It is being answered already."),
        AnswerError::NotApproval(_) => {
            gettext("It is not an approval. Answer it in the panel or in its terminal.")
        }
        AnswerError::NotHonoured(_) => {
            gettext("The agent takes no such answer here. Answer it in the panel or in its terminal.")
        }
        AnswerError::TooLate(_) => gettext("Too late: it was settled elsewhere. Nothing was answered."),
        AnswerError::Unclear(_) => {
            gettext("The panel does not understand this. Quit it, open it again, and try again.")
        }
    }
}
