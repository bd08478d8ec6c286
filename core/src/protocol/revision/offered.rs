//! The revisions that a server offers.

use super::{Era, Revision};

/// A set of revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offered {
    /// A bit for each.
    set: u8,
}

impl Offered {
    /// The `chosen` revisions (none: all of them), less those of the legacy era unless `legacy`.
    pub(crate) fn new(chosen: &[Revision], legacy: bool) -> Self {
        let offered = |revision: &Revision| {
            (chosen.is_empty() || chosen.contains(revision)) && (legacy || revision.era() == Era::Modern)
        };
        Self { set: Revision::all().filter(offered).fold(0, |set, revision| set | bit(revision)) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.set == 0
    }

    pub(crate) fn has(self, revision: Revision) -> bool {
        self.set & bit(revision) != 0
    }

    /// Newest first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Revision> + Clone {
        Revision::all().filter(move |revision| self.has(*revision))
    }

    /// What a session is opened under, asked for `wanted`: that, or the newest that there is; none if the legacy era is
    /// not offered. A revision without sessions is never answered (2025-11-25, lifecycle, version negotiation).
    pub(crate) fn negotiate(self, wanted: &str) -> Option<Revision> {
        let mut sessions = self.iter().filter(|revision| revision.era() == Era::Legacy);
        let newest = sessions.clone().next()?;
        Some(sessions.find(|revision| revision.as_str() == wanted).unwrap_or(newest))
    }
}

fn bit(revision: Revision) -> u8 {
    1 << revision as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leg_02_what_is_not_offered_is_countered_with_the_newest_session() {
        let all = Offered::new(&[], true);
        for (wanted, answered) in [
            ("2025-11-25", Revision::V2025_11_25),
            ("2025-06-18", Revision::V2025_06_18),
            ("2025-03-26", Revision::V2025_03_26),
            ("2024-11-05", Revision::V2024_11_05),
            ("1999-01-01", Revision::V2025_11_25),
            ("2026-07-28", Revision::V2025_11_25),
            ("2099-01-01", Revision::V2025_11_25),
            ("", Revision::V2025_11_25),
        ] {
            assert_eq!(all.negotiate(wanted), Some(answered), "{wanted}");
        }
        let two = Offered::new(&[Revision::V2024_11_05, Revision::V2025_03_26], true);
        assert_eq!(two.negotiate("2025-11-25"), Some(Revision::V2025_03_26));
        assert_eq!(two.iter().count(), 2);
        assert_eq!(Offered::new(&[], false).negotiate("2025-11-25"), None);
        assert_eq!(Offered::new(&[Revision::LATEST], true).negotiate("2025-11-25"), None);
        assert!(Offered::new(&[Revision::V2025_11_25], false).is_empty());
    }
}
