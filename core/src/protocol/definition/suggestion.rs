//! What somebody may have meant.

/// The one of `known` that `word` most likely stands for.
pub(crate) fn did_you_mean<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Distance costs the product of the lengths.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    if let Some(same) = known.iter().find(|known| same_letters(known, word)) {
        return Some(same);
    }
    let word: Vec<u8> = letters(word).collect();
    let near = known
        .iter()
        .map(|known| (distance(&letters(known).collect::<Vec<_>>(), &word), *known))
        .filter(|(distance, known)| *distance <= known.len().div_ceil(4))
        .min();
    near.map(|(_, known)| known).or_else(|| {
        let part = |known: &&&str| word.len() >= 4 && contains(&letters(known).collect::<Vec<_>>(), &word);
        known.iter().find(part).copied()
    })
}

/// Whether both are the same but for case, `_`, `-` and spaces.
pub(super) fn same_letters(a: &str, b: &str) -> bool {
    letters(a).eq(letters(b))
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b' ')
}

fn letters(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().filter(|byte| !is_joint(*byte)).map(|byte| byte.to_ascii_lowercase())
}

fn contains(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len().max(1)).any(|window| window == part)
}

/// Insertions, removals and exchanges that turn `a` into `b`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let up = *cell;
            left = (corner + usize::from(x != y)).min(up + 1).min(left + 1);
            corner = up;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn finds_what_was_meant_and_does_not_guess_wildly() {
        let known = ["tools", "resources", "resourceTemplates", "prompts"];
        for (word, meant) in [
            ("tool", Some("tools")),
            ("Tools", Some("tools")),
            ("tolos", Some("tools")),
            ("toosl", Some("tools")),
            ("resource_templates", Some("resourceTemplates")),
            ("resourcetemplate", Some("resourceTemplates")),
            ("templates", Some("resourceTemplates")),
            ("promts", Some("prompts")),
            ("prompt", Some("prompts")),
            ("version", None),
            ("", None),
            ("_", None),
            ("é", None),
        ] {
            assert_eq!(did_you_mean(word, &known), meant, "{word}");
        }
        assert_eq!(did_you_mean(&"t".repeat(1 << 20), &known), None);
    }
}
