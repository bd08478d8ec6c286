//! Bytes that came in and were not used yet.

use std::io;
use std::pin::Pin;
use std::task::{ready, Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// What a buffer has at first. A request of the usual size fits.
const FIRST: usize = 4 << 10;
/// A longer one does not outlive its request.
const MOST_KEPT: usize = 16 << 10;

/// A buffer of one connection.
#[derive(Debug, Default)]
pub(in super::super) struct Input {
    /// All of it has been written once, so that it can be read into.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The last read left no room: there was more to be read at once.
    was_full: bool,
}

impl Input {
    /// What has come and is not used.
    pub(in super::super) fn waiting(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    pub(in super::super) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Passes over bytes that have been used.
    pub(in super::super) fn skip(&mut self, count: usize) {
        self.start += count.min(self.len());
        if self.is_empty() {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Gives memory back that a quiet connection does not need.
    pub(in super::super) fn settle(&mut self) {
        if self.is_empty() && self.bytes.len() > MOST_KEPT {
            self.bytes = Vec::new();
            self.was_full = false;
        }
    }

    /// Reads once, so that at most `most` bytes wait. 0: the other side has ended, or there is no room.
    pub(in super::super) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        socket: Pin<&mut impl AsyncRead>,
        most: usize,
    ) -> Poll<io::Result<usize>> {
        self.make_room(most);
        let limit = (self.start + most).min(self.bytes.len());
        let room = self.bytes.get_mut(self.end..limit).unwrap_or_default();
        let mut buffer = ReadBuf::new(room);
        ready!(socket.poll_read(cx, &mut buffer))?;
        let count = buffer.filled().len();
        self.end += count;
        self.was_full = self.end == self.bytes.len();
        Poll::Ready(Ok(count))
    }

    fn make_room(&mut self, most: usize) {
        if self.start > 0 && self.end == self.bytes.len() {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.len());
        }
        if (self.was_full || self.end == self.bytes.len()) && self.bytes.len() < most {
            let larger = (self.bytes.len() * 4).clamp(FIRST, most.max(FIRST));
            self.bytes.resize(larger, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    fn read(input: &mut Input, mut from: &[u8], most: usize) -> usize {
        let mut cx = Context::from_waker(Waker::noop());
        match input.poll_read(&mut cx, Pin::new(&mut from), most) {
            Poll::Ready(read) => read.unwrap(),
            Poll::Pending => panic!("a slice is always there"),
        }
    }

    #[test]
    fn bytes_come_out_as_they_came_in() {
        let source: Vec<u8> =
            (0..200_000_u32).map(|number| number.to_le_bytes()[0] ^ number.to_le_bytes()[1]).collect();
        let (mut input, mut given, mut taken) = (Input::default(), 0, Vec::new());
        let mut step = 1;
        while taken.len() < source.len() {
            given += read(&mut input, &source[given..], 30_000);
            step = step * 7 % 9973;
            let count = step.min(input.len());
            taken.extend_from_slice(&input.waiting()[..count]);
            input.skip(count);
        }
        assert_eq!(taken, source);
    }

    #[test]
    fn no_more_waits_than_is_allowed() {
        let source = vec![7; 100_000];
        let mut input = Input::default();
        while read(&mut input, &source, 20_000) > 0 {}
        assert_eq!(input.len(), 20_000);
        input.skip(1);
        assert_eq!(read(&mut input, &source, 20_000), 1);
    }

    #[test]
    fn a_buffer_grows_while_reads_fill_it() {
        let source = vec![7; 300_000];
        let (mut input, mut from, mut reads) = (Input::default(), &source[..], 0);
        while !from.is_empty() {
            let count = read(&mut input, from, 64 << 10);
            from = &from[count..];
            input.skip(count);
            reads += 1;
        }
        assert!(reads < 10, "{reads}");
    }

    #[test]
    fn a_large_buffer_is_given_back() {
        let mut input = Input::default();
        while read(&mut input, &vec![0; 100_000], 100_000) > 0 {}
        input.settle();
        assert_eq!(input.len(), 100_000, "not while something waits");
        input.skip(100_000);
        input.settle();
        assert_eq!(input.bytes.capacity(), 0);
    }
}
