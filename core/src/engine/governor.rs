//! Keeps progress honest and rare: it grows, it is not a flood, and the last value is told.

/// Notifications that may go out at once.
const BURST: u32 = 16;
/// After the burst, one each so many milliseconds.
const INTERVAL_MS: u64 = 20;

/// The progress of one call.
#[derive(Debug, Default)]
pub(crate) struct Governor {
    last: Option<f64>,
    spent: u32,
    refilled_ms: u64,
    held: Option<Vec<u8>>,
}

impl Governor {
    /// Takes one report. Returns the message if it may go out now; else it is held until the next or the end.
    /// A report that does not grow is dropped.
    pub(crate) fn admit(
        &mut self,
        progress: f64,
        now_ms: u64,
        render: impl FnOnce() -> Vec<u8>,
    ) -> Option<Vec<u8>> {
        if self.last.is_some_and(|last| progress <= last) {
            return None;
        }
        self.last = Some(progress);
        if self.spent == 0 {
            self.refilled_ms = now_ms;
        }
        let earned = (now_ms.saturating_sub(self.refilled_ms)) / INTERVAL_MS;
        if earned > 0 {
            self.spent = self.spent.saturating_sub(u32::try_from(earned).unwrap_or(u32::MAX));
            self.refilled_ms += earned * INTERVAL_MS;
        }
        let message = render();
        if self.spent < BURST {
            self.spent += 1;
            self.held = None;
            return Some(message);
        }
        self.held = Some(message);
        None
    }

    /// The last report, if it was held back.
    pub(crate) fn finish(&mut self) -> Option<Vec<u8>> {
        self.held.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prog_03_only_growing_values_pass() {
        let mut governor = Governor::default();
        assert!(governor.admit(1.0, 0, Vec::new).is_some());
        assert!(governor.admit(1.0, 0, Vec::new).is_none());
        assert!(governor.admit(0.5, 0, Vec::new).is_none());
        assert!(governor.admit(1.5, 0, Vec::new).is_some());
    }

    #[test]
    fn prog_06_a_flood_is_thinned_and_its_last_value_kept() {
        let mut governor = Governor::default();
        let reports = (1..=10_000_u32).filter_map(|n| {
            let at = u64::from(n / 100);
            governor.admit(f64::from(n), at, || n.to_string().into_bytes())
        });
        let mut sent: Vec<_> = reports.collect();
        sent.extend(governor.finish());
        assert!(sent.len() <= 16 + 100 / 20 + 1, "{}", sent.len());
        assert_eq!(sent.last().map(Vec::as_slice), Some(&b"10000"[..]));
        assert_eq!(governor.finish(), None);
    }
}
