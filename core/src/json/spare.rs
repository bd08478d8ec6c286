//! Buffers of messages that are gone, for messages to come.
//!
//! Large ones above all: memory that the system hands out anew has to be cleared page by page, which costs as much as
//! reading the message. What a thread keeps is bounded, and one that never needed a large buffer keeps none.

use std::cell::{Cell, RefCell};

/// Buffers up to this length are small, in bytes. Two are kept: a request's and its response's.
const SMALL: usize = 4 << 10;
/// What a new buffer has at least, so that the next message fits it as it is, and that allocators hand out quickly.
const LEAST: usize = 960;
/// Longer ones are not kept.
const LARGEST: usize = 5 << 19;
/// So many bytes of large buffers are kept.
const MOST_LARGE: usize = 6 << 20;

thread_local! {
    static SPARE: Cell<[Vec<u8>; 2]> = const { Cell::new([Vec::new(), Vec::new()]) };
    static LARGE: RefCell<Large> = const { RefCell::new(Large { buffers: Vec::new(), bytes: 0, wanted: false }) };
}

struct Large {
    buffers: Vec<Vec<u8>>,
    /// Of all buffers.
    bytes: usize,
    /// Whether this thread has ever asked for one.
    wanted: bool,
}

/// An empty buffer for about `length` bytes.
pub(crate) fn take(length: usize) -> Vec<u8> {
    let mut buffer = if length <= SMALL {
        let taken = SPARE.try_with(|spare| {
            let [last, other] = spare.take();
            spare.set([other, Vec::new()]);
            last
        });
        // A thread that ends has none.
        taken.unwrap_or_default()
    } else if length <= LARGEST {
        // A thread that ends, and one in the middle of this, get a new one.
        LARGE
            .try_with(|large| large.try_borrow_mut().ok().and_then(|mut large| large.take()))
            .ok()
            .flatten()
            .unwrap_or_default()
    } else {
        Vec::new()
    };
    if buffer.capacity() < length {
        buffer = Vec::with_capacity(length.max(LEAST));
    }
    buffer
}

/// Keeps a buffer that is no longer needed.
pub(crate) fn keep(mut buffer: Vec<u8>) {
    buffer.clear();
    let capacity = buffer.capacity();
    if capacity == 0 {
        // It would only take the place of another.
    } else if capacity <= SMALL {
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spare| {
            let [last, _] = spare.take();
            spare.set([buffer, last]);
        });
    } else if capacity <= LARGEST {
        let _ = LARGE.try_with(|large| large.try_borrow_mut().map(|mut large| large.keep(buffer)));
    }
}

impl Large {
    fn take(&mut self) -> Option<Vec<u8>> {
        self.wanted = true;
        let buffer = self.buffers.pop()?;
        self.bytes -= buffer.capacity();
        Some(buffer)
    }

    fn keep(&mut self, buffer: Vec<u8>) {
        if self.wanted && self.bytes + buffer.capacity() <= MOST_LARGE {
            self.bytes += buffer.capacity();
            self.buffers.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_empty() {
        for length in [10, SMALL, SMALL + 1, LARGEST - 100] {
            let mut buffer = take(length);
            assert!(buffer.capacity() >= length);
            buffer.push(1);
            let place = buffer.as_ptr();
            keep(buffer);
            let again = take(length);
            assert!(again.is_empty() && again.as_ptr() == place, "{length}");
        }
    }

    #[test]
    fn the_buffers_of_a_message_and_its_answer_serve_the_next() {
        let mut places = Vec::new();
        for length in [300, 900, 20, 500] {
            let (message, answer) = (take(length), take(950 - length));
            places.push([message.as_ptr(), answer.as_ptr()].map(|place| place as usize));
            keep(message);
            keep(Vec::new());
            keep(answer);
        }
        for pair in &mut places {
            pair.sort_unstable();
        }
        places.dedup();
        assert_eq!(places.len(), 1);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        drop(take(LARGEST));
        for _ in 0..100 {
            keep(Vec::with_capacity(1 << 20));
            keep(Vec::with_capacity(LARGEST + 1));
            keep(Vec::with_capacity(SMALL + 1));
        }
        let kept: usize =
            std::iter::from_fn(|| LARGE.with_borrow_mut(Large::take)).map(|buffer| buffer.capacity()).sum();
        assert!(kept <= MOST_LARGE && kept > 0, "{kept}");
    }

    #[test]
    fn a_thread_without_need_keeps_no_large_buffer() {
        std::thread::spawn(|| {
            keep(Vec::with_capacity(1 << 20));
            assert!(LARGE.with_borrow(|large| large.buffers.is_empty()));
        })
        .join()
        .unwrap();
    }
}
