// SPDX-License-Identifier: GPL-3.0-or-later
//! Reads a frame from a stream, in whatever pieces it comes.

use super::{Form, Frame, Header, MAX_HEADER, MAX_PAYLOAD, Payload, VERSION};

/// Why bytes are not a frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// No end of line within [`MAX_HEADER`] bytes.
    #[error("no header line within {MAX_HEADER} bytes")]
    EndlessHeader,
    /// The first line is not the JSON of a [`Header`].
    #[error("not a header: {0}")]
    NotAHeader(#[from] serde_json::Error),
    /// A helper of another protocol version.
    #[error("protocol version {0}, not {VERSION}")]
    Version(u64),
    /// More than [`MAX_PAYLOAD`] bytes announced.
    #[error("a payload of {0} bytes is too large")]
    TooLarge(usize),
    /// Bytes after the payload.
    #[error("bytes after the payload")]
    Trailing,
}

/// Only the version, so that a newer header is told from a broken one.
#[derive(serde::Deserialize)]
struct Version {
    version: u64,
}

/// Collects the bytes of one frame. It never holds more than one header and one payload.
#[derive(Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
    header: Option<Header>,
}

impl FrameReader {
    /// Takes the next bytes; the frame, once it is whole.
    ///
    /// After a frame or an error the reader is of no more use.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Frame>, FrameError> {
        self.bytes.extend_from_slice(bytes);
        if self.header.is_none() {
            self.header = self.take_header()?;
        }
        let Some(header) = self.header.take_if(|header| header.bytes_that_follow() <= self.bytes.len())
        else {
            return Ok(None);
        };
        if self.bytes.len() > header.bytes_that_follow() {
            return Err(FrameError::Trailing);
        }
        let bytes = std::mem::take(&mut self.bytes);
        let payload = match header.form {
            Form::Json => Payload::Json(bytes),
            Form::Raw => Payload::Raw(bytes),
            Form::Omitted => Payload::Omitted,
        };
        Ok(Some(Frame { header, payload }))
    }

    /// Bytes that this reader holds or has room for.
    pub fn held(&self) -> usize {
        self.bytes.capacity()
    }

    fn take_header(&mut self) -> Result<Option<Header>, FrameError> {
        let Some(end) = self.bytes.iter().take(MAX_HEADER).position(|&byte| byte == b'\n') else {
            return if self.bytes.len() < MAX_HEADER { Ok(None) } else { Err(FrameError::EndlessHeader) };
        };
        let rest = self.bytes.split_off(end + 1);
        let line = std::mem::replace(&mut self.bytes, rest);
        let header = parse_header(&line)?;
        self.bytes.reserve_exact(header.bytes_that_follow().saturating_sub(self.bytes.len()));
        Ok(Some(header))
    }
}

fn parse_header(line: &[u8]) -> Result<Header, FrameError> {
    let Version { version } = serde_json::from_slice(line)?;
    if version != u64::from(VERSION) {
        return Err(FrameError::Version(version));
    }
    let header: Header = serde_json::from_slice(line)?;
    if header.bytes_that_follow() > MAX_PAYLOAD {
        return Err(FrameError::TooLarge(header.length));
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::Moment;
    use crate::process::ProcessId;
    use crate::wire::Mode;
    use proptest::prelude::*;

    fn header(form: Form, length: usize) -> Header {
        Header {
            version: VERSION,
            agent: "claude".into(),
            mode: Mode::Notify,
            event: "Stop".into(),
            at: Moment::from_nanos(7),
            helper: ProcessId { pid: 5, start: 6 },
            again: false,
            chain: Vec::new(),
            pidfds: Vec::new(),
            hints: [("CLAUDE_PID".to_owned(), "5\n".to_owned())].into(),
            terminal: std::collections::BTreeMap::new(),
            form,
            length,
        }
    }

    fn bytes_of(header: &Header, payload: &[u8]) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(header).unwrap();
        bytes.push(b'\n');
        bytes.extend_from_slice(payload);
        bytes
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_frame(payload in prop::collection::vec(any::<u8>(), 0..200), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
            let header = header(Form::Raw, payload.len());
            let bytes = bytes_of(&header, &payload);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            cuts.sort_unstable();
            let mut reader = FrameReader::default();
            let mut from = 0;
            for cut in cuts {
                prop_assert_eq!(reader.push(&bytes[from..cut]).unwrap(), None);
                from = cut;
            }
            let frame = reader.push(&bytes[from..]).unwrap();
            prop_assert_eq!(frame, Some(Frame { header, payload: Payload::Raw(payload) }));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = FrameReader::default().push(&bytes);
        }
    }

    #[test]
    fn an_omitted_payload_is_not_waited_for() {
        let header = header(Form::Omitted, MAX_PAYLOAD * 4);
        let frame = FrameReader::default().push(&bytes_of(&header, b"")).unwrap();
        assert_eq!(frame, Some(Frame { header, payload: Payload::Omitted }));
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |bytes: &[u8]| FrameReader::default().push(bytes).unwrap_err();
        assert!(matches!(error(&vec![b'x'; MAX_HEADER]), FrameError::EndlessHeader));
        assert!(matches!(error(b"{}\n"), FrameError::NotAHeader(_)));
        assert!(matches!(error(b"{\"version\":2}\n"), FrameError::Version(2)));
        let large = bytes_of(&header(Form::Json, MAX_PAYLOAD + 1), b"");
        assert!(matches!(error(&large), FrameError::TooLarge(_)));
        assert!(matches!(error(&bytes_of(&header(Form::Json, 1), b"{}")), FrameError::Trailing));
    }
}
