//! A value that comes again and again is read once.

use super::entry::Entry;
use super::{Node, Parsed};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// A longer value is read each time.
const LONGEST: usize = 1024;

/// The text of an object, and its entries as if it stood first.
struct Known {
    mark: Mark,
    text: Box<[u8]>,
    entries: Box<[Entry]>,
    spaced: bool,
}

thread_local! {
    /// The `_meta` that this thread was told to remember last: clients send the same one with each request.
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// Names an act of remembering, so that more can be remembered of the same text elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u64);

static MARKS: AtomicU64 = AtomicU64::new(0);

/// Has this thread remember an object, if that can be done. It must stand as deep as the place where [`recall`] is asked
/// for it. [`super::Parsed::recalled`] tells documents in which it was met again.
pub(crate) fn remember(node: Node<'_>) -> Option<Mark> {
    if !node.is_object() || node.raw().len() > LONGEST {
        return None;
    }
    // Read by itself, it has its own flags, and entries that stand first.
    let own = Parsed::borrow(node.raw()).ok().filter(|own| own.duplicate().is_none())?;
    let mark = Mark(MARKS.fetch_add(1, Ordering::Relaxed));
    let text = node.raw().as_bytes().into();
    KNOWN.set(Some(Known { mark, text, entries: own.entries.as_slice().into(), spaced: own.spaced() }));
    Some(mark)
}

/// If `rest`, which stands at `at`, starts with what this thread remembers: appends its entries, and gives its length, its
/// mark, and whether white space stands in it.
pub(super) fn recall(rest: &[u8], at: u32, entries: &mut Vec<Entry>) -> Option<(usize, Mark, bool)> {
    KNOWN.with_borrow(|known| {
        let known = known.as_ref()?;
        rest.starts_with(&known.text).then(|| {
            let index = u32::try_from(entries.len()).unwrap_or(u32::MAX);
            entries.extend(known.entries.iter().map(|entry| entry.moved(at, index)));
            (known.text.len(), known.mark, known.spaced)
        })
    })
}
