//! Handles that a host may finish twice by mistake.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// What a handle holds until it is consumed.
pub(crate) struct Once<T> {
    /// Whether it was not consumed yet; whoever clears it owns what is inside.
    live: AtomicBool,
    inside: UnsafeCell<Option<T>>,
}

// SAFETY: what is inside is shared as a reference, and taken out only by the one who clears `live`; the header says that
// no thread reads a handle while another finishes it.
unsafe impl<T: Send + Sync> Sync for Once<T> {}

impl<T> Once<T> {
    pub(crate) fn new(inside: T) -> Self {
        Self { live: AtomicBool::new(true), inside: UnsafeCell::new(Some(inside)) }
    }

    /// What is inside, unless it was consumed.
    pub(crate) fn get(&self) -> Option<&T> {
        if !self.live.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: nobody takes it out while this thread reads: the contract of the header.
        unsafe { &*self.inside.get() }.as_ref()
    }

    /// Takes out what is inside, for good; `None` if it was consumed before.
    pub(crate) fn take(&self) -> Option<T> {
        if !self.live.swap(false, Ordering::AcqRel) {
            return None;
        }
        // SAFETY: only the one that cleared `live` comes here.
        unsafe { &mut *self.inside.get() }.take()
    }
}

/// The `N` handles of a kind that were consumed last. They stay allocated for a while, so that a host that finishes one
/// twice gets a status. They are shared by all servers because a handle does not know its own once it was consumed.
pub(crate) struct Graveyard<H, const N: usize> {
    places: [AtomicPtr<H>; N],
    /// How many handles were consumed, round and round.
    turn: AtomicUsize,
}

// Whoever buries one frees another, that perhaps another thread made.
impl<H: Send, const N: usize> Graveyard<H, N> {
    pub(crate) const fn new() -> Self {
        Self { places: [const { AtomicPtr::new(std::ptr::null_mut()) }; N], turn: AtomicUsize::new(0) }
    }

    /// Puts a handle in the place of the oldest, which is freed.
    pub(crate) fn bury(&self, handle: Box<H>) {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % N;
        let Some(place) = self.places.get(turn) else { return };
        let oldest = place.swap(Box::into_raw(handle), Ordering::AcqRel);
        if !oldest.is_null() {
            // SAFETY: what stands in the list was a box, and whoever takes it out is the only one to free it.
            drop(unsafe { Box::from_raw(oldest) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_is_taken_once() {
        let once = Once::new(7);
        assert_eq!(once.get(), Some(&7));
        assert_eq!(once.take(), Some(7));
        assert_eq!((once.get(), once.take()), (None, None));
    }

    #[test]
    fn the_oldest_handles_go_first() {
        const REMEMBERED: usize = 256;
        let alive = std::sync::Arc::new(());
        let graveyard = Graveyard::<_, REMEMBERED>::new();
        for _ in 0..REMEMBERED + 10 {
            graveyard.bury(Box::new(std::sync::Arc::clone(&alive)));
        }
        assert_eq!(std::sync::Arc::strong_count(&alive), REMEMBERED + 1);
    }
}
