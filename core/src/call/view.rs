//! A call to read from.

use super::Call;
use std::ops::Deref;

/// What a call asks, readable also after it was answered; it can report progress and log while the call is open. It
/// neither answers the call nor counts as running.
#[derive(Debug)]
pub struct CallView {
    call: Call,
}

impl CallView {
    pub(super) fn new(call: Call) -> Self {
        Self { call }
    }
}

impl Deref for CallView {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}
