//! A way in, as the server knows it.

use crate::caller::Caller;
use crate::host::CancelReason;
use std::time::Duration;

/// What has exchanges that end with the server.
pub(crate) trait Door: Send + Sync {
    /// Takes nothing new, and ends subscriptions with their results.
    fn end_gracefully(&self);

    /// Waits until no call is owed, at most `timeout`. True if none is.
    fn drain(&self, timeout: Duration) -> bool;

    /// Calls that were not answered yet.
    fn owed(&self) -> usize;

    /// Ends everything at once.
    fn close(&self, reason: CancelReason);

    /// Ends the streams of sessions of such callers.
    fn evict(&self, whose: &dyn Fn(&Caller) -> bool) {
        let _ = whose;
    }
}
