// SPDX-License-Identifier: GPL-3.0-or-later
//! Answers from the command line: approvals only, with the same checks as a click.

use std::rc::Rc;

use async_channel::Receiver;
use dasbo_core::registry::{Refusal, Sent};
use dasbo_core::request::{Content, Decision, RequestId};

use super::Panel;
use crate::answers::{Origin, Wish};
use crate::desktop::bus::{AnswerError, Reply};

impl Panel {
    /// Does what callers over D-Bus want, as it comes. Each is told once its answer arrived, or why it did not.
    pub async fn reply_all(self: Rc<Self>, replies: Receiver<Reply>) {
        while let Ok(Reply { id, decision, outcome }) = replies.recv().await {
            match self.reply(id, decision) {
                Ok(arrival) => {
                    glib::spawn_future_local(async move {
                        let _ = outcome.try_send(become_of(arrival.recv().await.ok()));
                    });
                }
                Err(error) => {
                    let _ = outcome.try_send(Err(error));
                }
            }
        }
    }

    fn reply(self: &Rc<Self>, id: RequestId, decision: Decision) -> Result<Receiver<Sent>, AnswerError> {
        self.is_approval(id)?;
        self.attend(id, Wish::Decide(decision), Origin::CommandLine)?;
        Ok(self.answers.arrival(id))
    }

    fn is_approval(&self, id: RequestId) -> Result<(), AnswerError> {
        let registry = self.registry.borrow();
        let (_, _, request) = registry.request(id).ok_or(Refusal::NotOpen)?;
        match request.content {
            Content::Approval(_) => Ok(()),
            _ => Err(AnswerError::NotApproval("not an approval".to_owned())),
        }
    }
}

/// What became of an answer. `None`: nobody will ever say.
fn become_of(sent: Option<Sent>) -> Result<(), AnswerError> {
    match sent {
        Some(Sent::Answered) => Ok(()),
        Some(Sent::TooLate) | None => Err(AnswerError::TooLate("it was settled elsewhere".to_owned())),
    }
}
