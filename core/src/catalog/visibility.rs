//! Who sees what.

use super::settings::ItemSettings;
use crate::caller::Caller;

impl ItemSettings {
    /// Whether `caller` has every scope that the item needs.
    pub(crate) fn allows(&self, caller: &Caller) -> bool {
        self.scopes.is_empty() || self.scopes.iter().all(|scope| caller.has_scope(scope))
    }

    /// The scopes that `caller` lacks, sorted.
    pub(crate) fn missing_scopes(&self, caller: &Caller) -> Vec<&str> {
        self.scopes.iter().map(|scope| &**scope).filter(|scope| !caller.has_scope(scope)).collect()
    }
}
