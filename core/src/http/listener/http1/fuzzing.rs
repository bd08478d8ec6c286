//! Reads a connection's bytes without a connection, for the fuzz target.

use super::framing::Framing;
use super::head::{self, Refused};
use http::header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{request, HeaderMap, StatusCode, Version};

/// The requests that stand in `bytes`, which come in pieces of `size`, each with its body; and how the last was refused.
pub(crate) fn requests(bytes: &[u8], size: usize) -> (Vec<(String, Vec<u8>)>, Option<StatusCode>) {
    let (mut read, mut rest, mut come) = (Vec::new(), bytes, 0);
    let refused = loop {
        while rest[..come].starts_with(b"\r\n") {
            (rest, come) = (&rest[2..], come - 2);
        }
        match head::read(&rest[..come], &mut HeaderMap::new()) {
            Ok(Some(head)) => {
                check(&rest[..head.length], &head.parts);
                let shown = format!("{:?}", head.parts);
                (rest, come) = (&rest[head.length..], come - head.length);
                let Ok(Some((body, length))) = body(head.framing, rest, come, size) else { break None };
                read.push((shown, body));
                (rest, come) = (&rest[length..], come.saturating_sub(length));
            }
            Ok(None) if come == rest.len() => break None,
            Ok(None) => come = (come + size).min(rest.len()),
            Err(Refused { status, .. }) => break Some(status),
        }
    };
    (read, refused)
}

/// A body and the bytes that it took; nothing if its end is missing.
fn body(
    mut framing: Framing,
    bytes: &[u8],
    mut come: usize,
    size: usize,
) -> Result<Option<(Vec<u8>, usize)>, super::framing::Broken> {
    let (mut body, mut at) = (Vec::new(), 0);
    while !framing.has_ended() {
        let step = framing.step(&bytes[at..come])?;
        body.extend_from_slice(&bytes[at + step.skip..at + step.skip + step.data]);
        at += step.skip + step.data;
        if step.skip + step.data == 0 {
            if come == bytes.len() {
                return Ok(None);
            }
            come = (come + size).min(bytes.len());
        }
    }
    Ok(Some((body, at)))
}

/// No head that is taken can be read in two ways.
fn check(head: &[u8], parts: &request::Parts) {
    let count = |name| parts.headers.get_all(name).iter().count();
    assert!(head.ends_with(b"\r\n\r\n") && !head.starts_with(b"\r\n"));
    for (at, _) in head.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        assert!(at > 0 && head[at - 1] == b'\r');
        assert!(!matches!(head.get(at + 1), Some(b' ' | b'\t')));
    }
    assert!(count(CONTENT_LENGTH) + count(TRANSFER_ENCODING) <= 1);
    assert!(count(HOST) == 1 || (count(HOST) == 0 && parts.version == Version::HTTP_10));
    assert!(count(TRANSFER_ENCODING) == 0 || parts.version == Version::HTTP_11);
}
