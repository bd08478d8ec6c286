//! What a check may cost.

use crate::json::Node;
use std::cell::Cell;

/// Steps that any check may take.
const BASE_STEPS: u64 = 16 << 20;
/// Steps more for every value of the instance, so that the bound never hits a large but simple one.
const STEPS_PER_VALUE: u64 = 64;

/// How many steps a check may still take. A step is a subschema applied to a value, a member passed over, or 32 bytes
/// of text; a pattern that backtracks costs more. Once spent, nothing holds any more, so that the check ends soon with
/// a verdict that nobody may use: see [`Budget::spent`].
pub(super) struct Budget {
    left: Cell<u64>,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self { left: Cell::new(steps) }
    }

    /// Enough for any honest check of `instance`.
    pub(super) fn of(instance: Node<'_>) -> Self {
        Self::new(BASE_STEPS + STEPS_PER_VALUE * instance.values() as u64)
    }

    /// Draws `steps`; false once there are not enough.
    #[inline]
    pub(super) fn draw(&self, steps: u64) -> bool {
        let left = self.left.get();
        let enough = left > steps;
        self.left.set(if enough { left - steps } else { 0 });
        enough
    }

    /// Draws for reading a text of so many bytes.
    #[inline]
    pub(super) fn draw_text(&self, bytes: usize) -> bool {
        self.draw(1 + bytes as u64 / 32)
    }

    pub(super) fn left(&self) -> u64 {
        self.left.get()
    }

    pub(super) fn spend(&self) {
        self.left.set(0);
    }

    pub(super) fn spent(&self) -> bool {
        self.left.get() == 0
    }
}
