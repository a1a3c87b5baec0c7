// SPDX-License-Identifier: GPL-3.0-or-later
//! What comes over the socket, whole and in pieces: frames, replies, and the end of a payload.
//!
//! The first byte says how long the pieces are, the rest is what is read.

use dasbo_core::wire::{
    Frame, FrameError, FrameReader, JsonEnd, MAX_ANSWER, MAX_HEADER, MAX_PAYLOAD, Payload, Reply, ReplyReader,
};

pub fn play(input: &[u8]) -> usize {
    let Some((&first, bytes)) = input.split_first() else { return 0 };
    let size = usize::from(first) + 1;
    replies(bytes, size);
    end_of_json(bytes, size);
    usize::from(frame(bytes, size))
}

/// Whether the bytes are a frame.
fn frame(bytes: &[u8], size: usize) -> bool {
    let whole = FrameReader::default().push(bytes);
    let (in_pieces, taken) = frame_in_pieces(bytes, size);
    match (&whole, &in_pieces) {
        (Ok(whole), Ok(in_pieces)) => assert_eq!(whole, in_pieces, "in pieces it is another frame"),
        // Read in pieces it is whole before the rest comes.
        (Err(FrameError::Trailing), Ok(Some(_))) => assert!(taken < bytes.len()),
        (Err(whole), Err(in_pieces)) => assert_eq!(whole.to_string(), in_pieces.to_string()),
        _ => panic!("whole {whole:?}, in pieces {in_pieces:?}"),
    }
    let Ok(Some(frame)) = whole else { return false };
    assert!(frame.header.bytes_that_follow() <= MAX_PAYLOAD);
    let again = FrameReader::default().push(&bytes_of(&frame)).expect("what was read can be written");
    assert_eq!(again, Some(frame), "written and read again it is another frame");
    true
}

fn frame_in_pieces(bytes: &[u8], size: usize) -> (Result<Option<Frame>, FrameError>, usize) {
    let mut reader = FrameReader::default();
    let mut taken = 0;
    for piece in bytes.chunks(size) {
        taken += piece.len();
        let read = reader.push(piece);
        // A buffer grows by doubling.
        assert!(reader.held() <= 2 * (MAX_HEADER + size) + MAX_PAYLOAD, "it holds {}", reader.held());
        if !matches!(read, Ok(None)) {
            return (read, taken);
        }
    }
    (Ok(None), taken)
}

fn bytes_of(frame: &Frame) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(&frame.header).expect("a header is JSON");
    bytes.push(b'\n');
    match &frame.payload {
        Payload::Json(payload) | Payload::Raw(payload) => bytes.extend_from_slice(payload),
        Payload::Omitted => {}
    }
    bytes
}

fn replies(bytes: &[u8], size: usize) {
    let whole = read_replies(bytes.chunks(bytes.len().max(1)));
    assert_eq!(whole, read_replies(bytes.chunks(size)), "in pieces there are other replies");
    let written: Vec<u8> = whole.0.iter().flat_map(Reply::to_bytes).collect();
    assert!(
        bytes.starts_with(&written) || whole.0.is_empty() || has_odd_length(bytes),
        "replies from nowhere"
    );
}

/// `answer 007` is the one reply that can be written in more than one way.
fn has_odd_length(bytes: &[u8]) -> bool {
    bytes.windows(8).any(|window| window == b"answer 0")
}

/// The replies, and whether an error ended them.
fn read_replies<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Reply>, bool) {
    let mut reader = ReplyReader::default();
    let mut replies = Vec::new();
    for piece in pieces {
        reader.push(piece);
        loop {
            match reader.next_reply() {
                Ok(None) => break,
                Ok(Some(reply)) => {
                    let answer = if let Reply::Answer(answer) = &reply { answer.len() } else { 0 };
                    assert!(answer <= MAX_ANSWER);
                    replies.push(reply);
                }
                Err(_) => return (replies, true),
            }
        }
    }
    (replies, false)
}

/// Where the brackets end, a value ends, if it is one.
fn end_of_json(bytes: &[u8], size: usize) {
    let whole = JsonEnd::default().push(bytes);
    let mut end = JsonEnd::default();
    let mut before = 0;
    let in_pieces = bytes.chunks(size).find_map(|piece| {
        let found = end.push(piece).map(|at| before + at);
        before += piece.len();
        found
    });
    assert_eq!(whole, in_pieces, "in pieces it ends elsewhere");
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<serde_json::Value>();
    let is_container = |value: serde_json::Value| value.is_object() || value.is_array();
    if values.next().is_some_and(|value| value.is_ok_and(is_container)) {
        assert_eq!(whole, Some(values.byte_offset()), "the value ends elsewhere");
    }
}
