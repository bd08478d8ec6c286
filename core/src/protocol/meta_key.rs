//! The grammar of `_meta` keys and extension ids (2026-07-28, basic, `_meta`).

/// Checks the name of a `_meta` member: an optional prefix of dot-separated labels and `/`, then a name.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(key: &str) -> Result<(), String> {
    let (prefix, name) = parts(key);
    if let Some(prefix) = prefix {
        let Some(label) = prefix.split('.').find(|label| !is_label(label)) else {
            return check_name(key, name);
        };
        return Err(match label {
            "" => format!("{}: the prefix has an empty label", short(key)),
            _ => format!(
                "{}: a label of the prefix starts with a letter, ends with a letter or digit, and has no other than \
                 letters, digits and \"-\" inside",
                short(key)
            ),
        });
    }
    check_name(key, name)
}

/// Whether the protocol keeps the key's prefix to itself: its second label is `modelcontextprotocol` or `mcp`.
pub(crate) fn is_reserved(key: &str) -> bool {
    let (prefix, _) = parts(key);
    let second = prefix.and_then(|prefix| prefix.split('.').nth(1));
    matches!(second, Some("modelcontextprotocol" | "mcp"))
}

/// Checks the id of an extension: a `_meta` key that must have a prefix.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_extension_id(id: &str) -> Result<(), String> {
    match parts(id) {
        (None, _) => Err(format!("{}: an extension id needs a prefix, as in com.example/name", short(id))),
        (Some(_), "") => Err(format!("{}: an extension id needs a name behind the \"/\"", short(id))),
        (Some(_), _) => check(id),
    }
}

fn parts(key: &str) -> (Option<&str>, &str) {
    match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    }
}

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
}

fn check_name(key: &str, name: &str) -> Result<(), String> {
    let good = name.is_empty()
        || (name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.ends_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.')));
    if good {
        return Ok(());
    }
    Err(format!(
        "{}: a name starts and ends with a letter or digit, and has no other than these and \"-\", \"_\", \".\" inside",
        short(key)
    ))
}

/// The key, quoted, and cut to what fits into a message.
fn short(key: &str) -> String {
    let head: String = key.chars().take(40).collect();
    let more = if head.len() < key.len() { "…" } else { "" };
    format!("{head:?}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_grammar_meta01() {
        for key in
            ["com.example/a_b.c", "com.example/", "x", "a-b.c1/n", "", "a.b.c/1", "progressToken", "A/B"]
        {
            assert_eq!(check(key), Ok(()), "{key}");
        }
        let bad = [
            "1a.b/c", "a-.b/c", "a.b/_c", "a.b/c-", "/c", "a b", "a..b/c", ".a/c", "a./c", "-a/c", "a_b/c",
            "a/b/c", "_", "a.b/.c", "ä", "a/é", "a.b/c\n", "a/\u{0}",
        ];
        for key in bad {
            let message = check(key).unwrap_err();
            assert!(message.len() < 200 && !message.contains('\n'), "{message}");
        }
        assert!(check(&"ä".repeat(10_000)).unwrap_err().len() < 250);
    }

    #[test]
    fn the_second_label_reserves_a_prefix_meta02() {
        for key in
            ["io.modelcontextprotocol/", "dev.mcp/x", "org.modelcontextprotocol.api/", "com.mcp.tools/"]
        {
            assert!(is_reserved(key), "{key}");
        }
        for key in ["com.example.mcp/", "mcp/x", "mcp", "modelcontextprotocol/x", "a.mcpx/", "a.b/c.mcp", ""]
        {
            assert!(!is_reserved(key), "{key}");
        }
    }

    #[test]
    fn an_extension_id_needs_a_prefix_ext01() {
        assert_eq!(check_extension_id("io.modelcontextprotocol/tasks"), Ok(()));
        for id in ["tasks", "", "com.example/", "/tasks", "1.a/b", "com.example/-"] {
            assert!(check_extension_id(id).is_err(), "{id}");
        }
    }
}
