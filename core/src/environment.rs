//! Time and randomness, behind a trait so that tests own them.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Where the engine takes time and randomness from.
pub trait Environment: Send + Sync + 'static {
    /// Milliseconds on a clock that never goes back; its start is arbitrary.
    fn monotonic_ms(&self) -> u64;
    /// Milliseconds since 1970.
    fn unix_ms(&self) -> u64;
    /// Fills `bytes` with unpredictable bytes.
    ///
    /// # Errors
    /// A text that says why none could be had.
    fn random(&self, bytes: &mut [u8]) -> Result<(), String>;
}

/// The operating system's clock and randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Environment for System {
    fn monotonic_ms(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        let start = START.get_or_init(Instant::now);
        u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn unix_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), String> {
        getrandom::fill(bytes).map_err(|error| error.to_string())
    }
}
