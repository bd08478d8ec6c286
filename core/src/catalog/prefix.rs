//! Which templates can match a uri at all.

use std::collections::HashMap;

/// Templates by the literal text that they begin with, so that a read looks at the few that can match and not at all.
#[derive(Default)]
pub(super) struct PrefixIndex {
    /// Lengths of the prefixes, each once, ascending.
    lengths: Vec<usize>,
    groups: HashMap<Box<str>, Vec<usize>>,
}

/// Longer prefixes are cut: it bounds the look-ups that one uri takes.
const LONGEST: usize = 48;

impl PrefixIndex {
    /// The index of `templates`, in their order.
    pub(super) fn new<'t>(templates: impl Iterator<Item = &'t str>) -> Self {
        let mut index = Self::default();
        for (number, template) in templates.enumerate() {
            let prefix = literal(template);
            index.groups.entry(prefix.into()).or_default().push(number);
            if let Err(at) = index.lengths.binary_search(&prefix.len()) {
                index.lengths.insert(at, prefix.len());
            }
        }
        index
    }

    /// The templates that `uri` begins like, in their order.
    pub(super) fn candidates(&self, uri: &str) -> Vec<usize> {
        // Prefixes are ASCII: where the uri cannot be cut, none of that length fits.
        let cuts = self.lengths.iter().filter_map(|length| uri.get(..*length));
        let mut found: Vec<usize> = cuts
            .filter_map(|cut| self.groups.get(cut))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found
    }
}

/// The plain ASCII that a template begins with. It stops where a matcher might see two spellings of one letter.
fn literal(template: &str) -> &str {
    let bytes = template.bytes();
    let plain = bytes
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii() && !matches!(byte, b'{' | b'%'))
        .count();
    &template[..plain]
}
