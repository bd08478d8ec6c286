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
        let mut found: Vec<usize> = cuts.filter_map(|cut| self.groups.get(cut)).flatten().copied().collect();
        found.sort_unstable();
        found
    }
}

/// The plain ASCII that a template begins with. It stops where one letter can be spelled in two ways, and where a query
/// begins, whose members come in any order.
fn literal(template: &str) -> &str {
    let bytes = template.bytes();
    let plain = bytes
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii() && !matches!(byte, b'{' | b'%' | b'?' | b'&' | b'#'))
        .count();
    &template[..plain]
}

#[cfg(test)]
mod tests {
    use super::PrefixIndex;

    /// A read looks at the templates that can match, however many there are.
    #[test]
    fn few_of_many_templates_are_looked_at() {
        for count in [50, 50_000] {
            let mut templates: Vec<String> = (0..count).map(|n| format!("db://table{n}/{{id}}")).collect();
            templates.extend(["db://{+rest}", "db://é/{x}", "{+any}"].map(str::to_owned));
            let index = PrefixIndex::new(templates.iter().map(String::as_str));
            assert_eq!(index.candidates("db://table7/1"), [7, count, count + 1, count + 2]);
            assert_eq!(index.candidates("db:é"), [count + 2]);
            assert_eq!(index.candidates(""), [count + 2]);
        }
    }

    #[test]
    fn no_template_that_could_match_is_left_out() {
        let long = format!("a://{}/{{x}}", "y".repeat(200));
        let templates = [long.as_str(), "a://%C3%A9/{x}", "a://b", "a://b{/c}", "a://b?q=1&r={r}"];
        let index = PrefixIndex::new(templates.into_iter());
        assert_eq!(index.candidates(&format!("a://{}/z", "y".repeat(200))), [0, 1]);
        assert_eq!(index.candidates("a://%c3%a9/z"), [1]);
        assert_eq!(index.candidates("a://b"), [1, 2, 3, 4]);
        assert_eq!(index.candidates("a://b?r=2&q=1"), [1, 2, 3, 4]);
    }
}
