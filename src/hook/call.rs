// SPDX-License-Identifier: GPL-3.0-or-later
//! The command line: `dasbo-hook <agent> <notify|ask> <Event>`. It never changes: agents trust a hook by its hash.

use std::ffi::OsString;

use dasbo_core::wire::Mode;

/// Which hook of which agent runs us.
pub struct Call {
    pub agent: String,
    pub mode: Mode,
    pub event: String,
}

impl Call {
    /// Reads the arguments, program name first. `None` for anything but exactly these three words.
    pub fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        arguments.next()?;
        let mut word = || arguments.next()?.into_string().ok();
        let call = Self { agent: word()?, mode: Mode::from_word(&word()?)?, event: word()? };
        arguments.next().is_none().then_some(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn parse(words: &[&str]) -> Option<(String, Mode, String)> {
        Call::parse(words.iter().map(OsString::from)).map(|call| (call.agent, call.mode, call.event))
    }

    #[test]
    fn three_words_and_nothing_else() {
        let call = Some(("claude".to_owned(), Mode::Ask, "PermissionRequest".to_owned()));
        assert_eq!(parse(&["hook", "claude", "ask", "PermissionRequest"]), call);
        for wrong in [
            &[][..],
            &["hook"],
            &["hook", "claude", "ask"],
            &["hook", "claude", "tell", "Stop"],
            &["hook", "claude", "ask", "Stop", "more"],
        ] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
        let odd = ["hook", "claude", "ask"].map(OsString::from).into_iter();
        assert!(Call::parse(odd.chain([OsString::from_vec(vec![0xff])])).is_none());
    }
}
