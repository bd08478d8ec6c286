//! Cuts a stream of bytes into lines.

use memchr::memchr;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Unused capacity that a line may keep; more is given back (R005).
const SLACK: usize = 16 << 10;

/// One line of the stream, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line that is not blank.
    Whole(Vec<u8>),
    /// A line over the limit, said once, as soon as that is known; its bytes are dropped up to its end.
    TooLong,
}

/// Cuts a stream of bytes into lines, however they are split.
///
/// `\r` before `\n` and a byte order mark at the start of the stream are dropped, blank lines are skipped. A line that
/// lies within one chunk is copied once, into a vector of its size. Never holds more than the limit.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The longest line, in bytes, without its `\n`.
    limit: usize,
    /// The start of a line whose end has not come yet.
    partial: Vec<u8>,
    /// Between a [`Line::TooLong`] and the end of that line.
    skipping: bool,
    /// No line has ended yet, so a byte order mark may stand in front.
    first: bool,
}

impl Lines {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), skipping: false, first: true }
    }

    /// Takes the next line out of `chunk`. `None` when `chunk` is used up; the start of a line is kept.
    pub(crate) fn next(&mut self, chunk: &mut &[u8]) -> Option<Line> {
        loop {
            let (piece, ended) = cut(chunk)?;
            if self.skipping {
                self.skipping = !ended;
            } else if self.partial.len() + piece.len() > self.limit {
                self.partial = Vec::new();
                self.skipping = !ended;
                self.first = false;
                return Some(Line::TooLong);
            } else if !ended {
                self.keep(piece);
            } else if let Some(line) = self.complete(piece) {
                return Some(Line::Whole(line));
            }
        }
    }

    /// The stream has ended: its last line, if that lacks its newline.
    pub(crate) fn finish(&mut self) -> Option<Line> {
        self.skipping = false;
        self.complete(&[]).map(Line::Whole)
    }

    /// Ends the line that `piece` is the last part of. `None` if it is blank.
    fn complete(&mut self, piece: &[u8]) -> Option<Vec<u8>> {
        let first = std::mem::replace(&mut self.first, false);
        if self.partial.is_empty() {
            let bare = if first { piece.strip_prefix(BYTE_ORDER_MARK).unwrap_or(piece) } else { piece };
            let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
            return (!bare.trim_ascii_start().is_empty()).then(|| bare.to_vec());
        }
        self.keep(piece);
        let mut line = std::mem::take(&mut self.partial);
        if first && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.capacity() - line.len() > SLACK {
            line.shrink_to_fit();
        }
        (!line.trim_ascii_start().is_empty()).then_some(line)
    }

    /// Appends to the partial line. Grows by doubling, but never past the limit.
    fn keep(&mut self, piece: &[u8]) {
        let needed = self.partial.len() + piece.len();
        if needed > self.partial.capacity() {
            let target = self.partial.capacity().saturating_mul(2).min(self.limit).max(needed);
            self.partial.reserve_exact(target - self.partial.len());
        }
        self.partial.extend_from_slice(piece);
    }
}

/// The bytes of `chunk` up to its next newline, and whether there was one; moves `chunk` behind it.
fn cut<'a>(chunk: &mut &'a [u8]) -> Option<(&'a [u8], bool)> {
    let whole = *chunk;
    if whole.is_empty() {
        return None;
    }
    let end = memchr(b'\n', whole);
    let (piece, rest) = whole.split_at(end.unwrap_or(whole.len()));
    *chunk = rest.strip_prefix(b"\n").unwrap_or(rest);
    Some((piece, end.is_some()))
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};

    fn read(limit: usize, stream: &[u8], step: usize) -> Vec<Line> {
        let mut lines = Lines::new(limit);
        let mut found = Vec::new();
        for mut chunk in stream.chunks(step) {
            while let Some(line) = lines.next(&mut chunk) {
                found.push(line);
            }
            assert!(lines.partial.capacity() <= limit, "kept {} bytes", lines.partial.capacity());
        }
        found.extend(lines.finish());
        found
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    /// B-84, STDIO-14, R004: the same lines come out, however the stream is split.
    #[test]
    fn lines_do_not_depend_on_how_the_stream_is_split() {
        let cases: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("{}\n", &["{}"]),
            ("{}", &["{}"]),
            ("a\nb\r\nc\r", &["a", "b", "c"]),
            ("\n\r\n  \n\t\r\na\n\n", &["a"]),
            ("\u{feff}a\n\u{feff}b\n", &["a", "\u{feff}b"]),
            ("\u{feff}", &[]),
            ("\u{feff}\r\na\n", &["a"]),
            ("a\r\r\nb\rc\n", &["a\r", "b\rc"]),
            (" é😀 \n", &[" é😀 "]),
        ];
        for (stream, expected) in cases {
            let expected: Vec<Line> = expected.iter().map(|text| whole(text)).collect();
            for step in 1..=stream.len().max(1) {
                assert_eq!(read(64, stream.as_bytes(), step), expected, "{stream:?} by {step}");
            }
        }
    }

    /// R005, B-85: a line over the limit is said once and the next line is read; one of exactly the limit is whole.
    #[test]
    fn a_line_over_the_limit_is_dropped_while_reading() {
        let stream = b"12345678\n123456789\nok\n123456789012345678901234567890";
        let expected = [whole("12345678"), Line::TooLong, whole("ok"), Line::TooLong];
        for step in 1..=stream.len() {
            assert_eq!(read(8, stream, step), expected, "by {step}");
        }
        let mut lines = Lines::new(8);
        assert_eq!(lines.next(&mut &b"123456789"[..]), Some(Line::TooLong), "said before the line ends");
        assert_eq!(lines.partial.capacity(), 0);
    }

    /// R005: neither the splitter nor the line keeps much more than the line's bytes.
    #[test]
    fn memory_is_given_back_after_a_long_line() {
        let mut lines = Lines::new(1 << 20);
        let mut line = None;
        for _ in 0..41 {
            line = line.or(lines.next(&mut &[b'x'; 10_000][..]));
        }
        assert_eq!(line, None);
        let Some(Line::Whole(line)) = lines.next(&mut &b"\n"[..]) else { panic!("no line") };
        assert_eq!(line.len(), 410_000);
        assert!(line.capacity() <= line.len() + super::SLACK && lines.partial.capacity() == 0);
    }
}
