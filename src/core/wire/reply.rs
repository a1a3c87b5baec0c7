// SPDX-License-Identifier: GPL-3.0-or-later
//! What the panel says to a waiting helper.
//!
//! Lines: `leave`, `come back`, and `answer LENGTH` with that many bytes after it. Of the first two the last one said
//! holds: a panel lets a helper go by saying `leave` and closing. After an answer nothing is said.

/// Answers of more bytes than this are not ours (16 MiB).
pub const MAX_ANSWER: usize = 16 << 20;

/// `answer 16777216` and its end.
const MAX_LINE: usize = 16;

const LEAVE: &[u8] = b"leave";
const COME_BACK: &[u8] = b"come back";
const ANSWER: &[u8] = b"answer ";

/// One thing said to a helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Acknowledged. Should the panel vanish: print nothing and end.
    Leave,
    /// Acknowledged. Should the panel vanish: send the frame again when it is there again.
    ComeBack,
    /// What a person decided, in the agent's own form: print these bytes and end.
    Answer(Vec<u8>),
}

/// Why bytes are not a reply. Whoever reads one prints nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// A line that is none of the three.
    #[error("not a reply")]
    NotAReply,
    /// More than [`MAX_ANSWER`] bytes announced.
    #[error("an answer of {0} bytes is too large")]
    TooLarge(usize),
}

impl Reply {
    /// The bytes to send. An answer must not be larger than [`MAX_ANSWER`].
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Leave => [LEAVE, b"\n"].concat(),
            Self::ComeBack => [COME_BACK, b"\n"].concat(),
            Self::Answer(bytes) => [format!("answer {}\n", bytes.len()).as_bytes(), bytes].concat(),
        }
    }
}

/// Collects replies from the bytes of a connection. It holds at most one answer and what came after it.
#[derive(Debug, Default)]
pub struct ReplyReader {
    bytes: Vec<u8>,
    expects: Expects,
}

#[derive(Debug, Default, Clone, Copy)]
enum Expects {
    #[default]
    Line,
    /// This many bytes.
    Answer(usize),
    Nothing,
}

impl ReplyReader {
    /// Takes the next bytes. Call [`Self::next_reply`] until it gives none.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next reply, once it is whole. An answer that is not whole is never given, in no part; what follows one is
    /// never given either. After an error the reader is of no more use.
    pub fn next_reply(&mut self) -> Result<Option<Reply>, ReplyError> {
        if let Expects::Line = self.expects {
            match self.take_line()? {
                None => return Ok(None),
                Some(Line::Leave) => return Ok(Some(Reply::Leave)),
                Some(Line::ComeBack) => return Ok(Some(Reply::ComeBack)),
                Some(Line::Answer(length)) => self.expects = Expects::Answer(length),
            }
        }
        Ok(self.take_answer())
    }

    fn take_answer(&mut self) -> Option<Reply> {
        let Expects::Answer(length) = self.expects else {
            return None;
        };
        (self.bytes.len() >= length).then(|| {
            self.expects = Expects::Nothing;
            self.bytes.truncate(length);
            Reply::Answer(std::mem::take(&mut self.bytes))
        })
    }

    fn take_line(&mut self) -> Result<Option<Line>, ReplyError> {
        let Some(end) = self.bytes.iter().take(MAX_LINE).position(|&byte| byte == b'\n') else {
            return if self.bytes.len() < MAX_LINE { Ok(None) } else { Err(ReplyError::NotAReply) };
        };
        let rest = self.bytes.split_off(end + 1);
        let line = std::mem::replace(&mut self.bytes, rest);
        parse_line(line.strip_suffix(b"\n").unwrap_or(&line)).map(Some)
    }
}

enum Line {
    Leave,
    ComeBack,
    Answer(usize),
}

fn parse_line(line: &[u8]) -> Result<Line, ReplyError> {
    match line {
        LEAVE => Ok(Line::Leave),
        COME_BACK => Ok(Line::ComeBack),
        _ => {
            line.strip_prefix(ANSWER).and_then(parse_length).ok_or(ReplyError::NotAReply).and_then(|length| {
                if length > MAX_ANSWER { Err(ReplyError::TooLarge(length)) } else { Ok(Line::Answer(length)) }
            })
        }
    }
}

/// Digits alone: `parse` would take a sign.
fn parse_length(digits: &[u8]) -> Option<usize> {
    let text = str::from_utf8(digits).ok()?;
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_all(pieces: &[&[u8]]) -> Result<Vec<Reply>, ReplyError> {
        let mut reader = ReplyReader::default();
        let mut replies = Vec::new();
        for piece in pieces {
            reader.push(piece);
            while let Some(reply) = reader.next_reply()? {
                replies.push(reply);
            }
        }
        Ok(replies)
    }

    fn acknowledgement() -> impl Strategy<Value = Reply> {
        prop_oneof![Just(Reply::Leave), Just(Reply::ComeBack)]
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_replies(
            acknowledgements in prop::collection::vec(acknowledgement(), 0..4),
            answer in prop::collection::vec(any::<u8>(), 0..100),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let mut said = acknowledgements;
            said.push(Reply::Answer(answer));
            let bytes: Vec<u8> = said.iter().flat_map(Reply::to_bytes).collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read_all(&pieces), Ok(said));
        }

        #[test]
        fn an_answer_cut_short_is_never_given(answer in prop::collection::vec(any::<u8>(), 1..100), cut in any::<prop::sample::Index>()) {
            let bytes = Reply::Answer(answer).to_bytes();
            prop_assert_eq!(read_all(&[&bytes[..cut.index(bytes.len())]]), Ok(Vec::new()));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = read_all(&[&bytes]);
        }
    }

    #[test]
    fn the_lines_are_these() {
        assert_eq!(Reply::Leave.to_bytes(), b"leave\n");
        assert_eq!(Reply::ComeBack.to_bytes(), b"come back\n");
        assert_eq!(Reply::Answer(b"{}".to_vec()).to_bytes(), b"answer 2\n{}");
        assert_eq!(read_all(&[b"answer 0\n"]), Ok(vec![Reply::Answer(Vec::new())]));
    }

    #[test]
    fn one_answer_and_no_more() {
        assert_eq!(
            read_all(&[
                b"answer 1
xanswer 1
y",
                b"answer 1
z"
            ]),
            Ok(vec![Reply::Answer(b"x".to_vec())])
        );
    }

    #[test]
    fn the_largest_answer_passes_and_a_larger_one_does_not() {
        let line = format!("answer {MAX_ANSWER}\n");
        assert_eq!(line.len(), MAX_LINE);
        assert_eq!(read_all(&[line.as_bytes()]), Ok(Vec::new()));
        let larger = format!("answer {}\n", MAX_ANSWER + 1);
        assert_eq!(read_all(&[larger.as_bytes()]), Err(ReplyError::TooLarge(MAX_ANSWER + 1)));
    }

    #[test]
    fn anything_else_is_an_error() {
        for line in [
            "\n",
            "stay\n",
            "Leave\n",
            "answer\n",
            "answer \n",
            "answer +2\n{}",
            "answer -2\n{}",
            "answer 2 \n{}",
            "{\"behavior\":\"allow\"}\n",
            "no end of line in sight",
        ] {
            assert_eq!(read_all(&[line.as_bytes()]), Err(ReplyError::NotAReply), "{line:?}");
        }
    }
}
