//! A value that comes again and again is read once.

use super::entry::Entry;
use super::Node;
use std::cell::RefCell;

/// A longer value is read each time.
const LONGEST: usize = 1024;

/// The text of an object, and its entries as if it stood first.
struct Known {
    text: Box<[u8]>,
    entries: Box<[Entry]>,
}

thread_local! {
    /// The `_meta` that this thread was told to remember last: clients send the same one with each request.
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// Has this thread remember an object. It must stand as deep as the place where [`recall`] is asked for it.
pub(crate) fn remember(node: Node<'_>) {
    let document = node.document();
    // What is known of a whole document is not known of a part.
    let plain = document.duplicate().is_none() && !document.spaced() && !document.surrogates();
    if !plain || !node.is_object() || node.raw().len() > LONGEST {
        return;
    }
    let entries = node.entries().iter().map(|entry| {
        let (start, index) = (node.entries()[0].start, node.index());
        entry.moved(start.wrapping_neg(), index.wrapping_neg())
    });
    let known = Known { text: node.raw().as_bytes().into(), entries: entries.collect() };
    KNOWN.set(Some(known));
}

/// If `rest`, which stands at `at`, starts with what this thread remembers: appends its entries, and gives its length.
pub(super) fn recall(rest: &[u8], at: u32, entries: &mut Vec<Entry>) -> Option<usize> {
    KNOWN.with_borrow(|known| {
        let known = known.as_ref()?;
        rest.starts_with(&known.text).then(|| {
            let index = u32::try_from(entries.len()).unwrap_or(u32::MAX);
            entries.extend(known.entries.iter().map(|entry| entry.moved(at, index)));
            known.text.len()
        })
    })
}
