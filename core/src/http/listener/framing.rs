//! Finds heads that give their body's length twice, by `Content-Length` and by `Transfer-Encoding`.
//!
//! Two servers in a row that believe different ones see different requests (request smuggling, RFC 9112 section 11.2).
//! hyper drops the former header, so that a request does not show it any more. This looks at the bytes before.

const NAMES: [&[u8]; 2] = [b"content-length", b"transfer-encoding"];
/// Neither name is as long; a line that has not ended its name by then has another.
const LONGEST: usize = 17;

/// Reads everything that comes in, in pieces cut anywhere. It knows lines only, not where bodies begin: a body whose
/// lines look like such a head raises the alarm too, and nothing else does.
#[derive(Debug, Default)]
pub(super) struct LengthWatch {
    /// The beginning of the current line, up to its colon, where it may still become one of the names.
    name: Name,
    /// Which of the names the current block of lines has.
    seen: [bool; 2],
    found: bool,
}

#[derive(Debug)]
enum Name {
    Reading { bytes: [u8; LONGEST], len: usize },
    Passed,
}

impl Default for Name {
    fn default() -> Self {
        Self::Reading { bytes: [0; LONGEST], len: 0 }
    }
}

impl LengthWatch {
    /// Takes the next bytes. True from the moment on when a block of lines had both names.
    pub(super) fn see(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            bytes = match &mut self.name {
                Name::Passed => match memchr::memchr(b'\n', bytes) {
                    Some(end) => {
                        self.name = Name::default();
                        bytes.get(end + 1..).unwrap_or_default()
                    }
                    None => &[],
                },
                Name::Reading { .. } => self.read_name(bytes),
            };
        }
        self.found
    }

    /// Reads on in the beginning of a line and returns what is behind.
    fn read_name<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Name::Reading { bytes: name, len } = &mut self.name else {
            return bytes;
        };
        for (at, &byte) in bytes.iter().enumerate() {
            let behind = bytes.get(at + 1..).unwrap_or_default();
            match byte {
                b'\n' => {
                    // An empty line ends the block. Other lines without a colon are requests' and bodies'.
                    if name.get(..*len).is_some_and(|line| line.is_empty() || line == b"\r") {
                        self.found |= self.seen == [true, true];
                        self.seen = [false, false];
                    }
                    self.name = Name::default();
                    return behind;
                }
                b':' => {
                    let line = name.get(..*len).unwrap_or_default();
                    for (seen, known) in self.seen.iter_mut().zip(NAMES) {
                        *seen |= line == known;
                    }
                    self.name = Name::Passed;
                    return behind;
                }
                _ => {
                    let Some(place) = name.get_mut(*len) else {
                        self.name = Name::Passed;
                        return behind;
                    };
                    *place = byte.to_ascii_lowercase();
                    *len += 1;
                }
            }
        }
        &[]
    }
}

#[cfg(test)]
mod tests {
    //! Decision 54.

    use super::*;

    fn finds(text: &str) -> bool {
        let whole = LengthWatch::default().see(text.as_bytes());
        for cut in 0..=text.len() {
            let mut watch = LengthWatch::default();
            watch.see(&text.as_bytes()[..cut]);
            assert_eq!(watch.see(&text.as_bytes()[cut..]), whole, "cut at {cut}: {text:?}");
        }
        let mut watch = LengthWatch::default();
        let bytewise = text.bytes().fold(false, |_, byte| watch.see(&[byte]));
        assert_eq!(bytewise, whole, "byte by byte: {text:?}");
        whole
    }

    #[test]
    fn a_head_with_both_lengths_is_found() {
        for text in [
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding:chunked\r\nHost: a\r\nCONTENT-LENGTH:3\r\n\r\n",
            "POST / HTTP/1.1\nContent-Length: 3\nTransfer-Encoding: chunked\n\n",
            "POST / HTTP/1.1\nContent-Length: 3\nTransfer-Encoding: chunked\n\r\n",
            // Behind a body without a line's end.
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
            // Behind a chunked body.
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert!(finds(text), "{text:?}");
        }
    }

    #[test]
    fn one_length_a_head_is_fine() {
        for text in [
            "",
            "\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nX: Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nX-Content-Length: 3\r\nContent-Lengths: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding-And-More: 3\r\nContent-Length: 3\r\n\r\n",
            "POST /?Content-Length:1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert!(!finds(text), "{text:?}");
        }
    }

    #[test]
    fn what_was_found_stays_found() {
        let mut watch = LengthWatch::default();
        assert!(watch.see(b"A\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"));
        assert!(watch.see(b"GET / HTTP/1.1\r\n\r\n"));
    }
}
