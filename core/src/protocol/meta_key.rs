//! The grammar of `_meta` keys and extension ids.

/// Checks a key: an optional prefix of dot-separated labels and `/`, then a name that may be empty.
pub(crate) fn check(key: &str) -> Result<(), String> {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let label = |label: &str| {
        label.starts_with(|c: char| c.is_ascii_alphabetic())
            && label.ends_with(|c: char| c.is_ascii_alphanumeric())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if !prefix.is_none_or(|prefix| prefix.split('.').all(label)) {
        return Err(format!(
            "{key:?}: the prefix must be labels of letters, digits and '-', separated by dots"
        ));
    }
    let edge = |c: char| c.is_ascii_alphanumeric();
    let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    if name.is_empty() || (name.starts_with(edge) && name.ends_with(edge) && name.bytes().all(inner)) {
        Ok(())
    } else {
        Err(format!(
            "{key:?}: the name must start and end with a letter or digit"
        ))
    }
}

/// Whether the protocol keeps the key's prefix for itself: its second label is `modelcontextprotocol` or `mcp`.
pub(crate) fn is_reserved(key: &str) -> bool {
    key.split_once('/')
        .and_then(|(prefix, _)| prefix.split('.').nth(1))
        .is_some_and(|label| label == "modelcontextprotocol" || label == "mcp")
}
