//! Cursors: where a page ended, as text that any process of the same server can read.
//!
//! A cursor names its list and the last item of the page, not a position, so items that come and go between two pages
//! shift nothing. It is checked against damage but not secret and not signed: it says nothing that the page did not.

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use sha2::{Digest, Sha256};

/// The lists that come in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// `tools/list`
    Tools,
    /// `resources/list`
    Resources,
    /// `resources/templates/list`
    ResourceTemplates,
    /// `prompts/list`
    Prompts,
}

impl List {
    /// All lists.
    pub(crate) const ALL: [List; 4] = [List::Tools, List::Resources, List::ResourceTemplates, List::Prompts];

    /// The method that asks for it.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
            Self::Prompts => "prompts/list",
        }
    }

    /// The member of the result (and of a catalog document) that holds the items.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// The byte that stands for it in a cursor; never given to another list.
    fn code(self) -> u8 {
        match self {
            Self::Tools => b't',
            Self::Resources => b'r',
            Self::ResourceTemplates => b'u',
            Self::Prompts => b'p',
        }
    }
}

/// The longest key that a cursor can name, in bytes. A longer name or uri cannot be listed in pages.
pub(crate) const MAX_KEY_BYTES: usize = 64 << 10;

const VERSION: u8 = 1;
const HEAD: usize = 2;
const CHECKSUM: usize = 6;
const MAX_TEXT: usize = (HEAD + MAX_KEY_BYTES + CHECKSUM).div_ceil(3) * 4;

/// The cursor behind the item `key`: version, list, key and checksum, as unpadded URL-safe base64.
pub(crate) fn encode(list: List, key: &str) -> String {
    let mut bytes = Vec::with_capacity(HEAD + key.len() + CHECKSUM);
    bytes.extend_from_slice(&[VERSION, list.code()]);
    bytes.extend_from_slice(key.as_bytes());
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The key of the item behind which the page `cursor` starts.
///
/// # Errors
/// What is wrong with the cursor, in words for the client.
pub(crate) fn decode(cursor: &str, expected: List) -> Result<String, String> {
    const DAMAGED: &str = "The cursor is damaged or was not made by this server; list again without it.";
    let damaged = || DAMAGED.to_owned();
    if cursor.len() > MAX_TEXT {
        return Err(damaged());
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| damaged())?;
    let (body, sum) = bytes.split_last_chunk::<CHECKSUM>().ok_or_else(damaged)?;
    let (&[version, code], key) = body.split_first_chunk::<HEAD>().ok_or_else(damaged)?;
    if checksum(body) != *sum {
        return Err(damaged());
    }
    if version != VERSION {
        return Err(
            "The cursor was made by another version of this server; list again without it.".to_owned()
        );
    }
    let list = List::ALL.into_iter().find(|list| list.code() == code).ok_or_else(damaged)?;
    if list != expected {
        return Err(format!("The cursor belongs to {}, not to {}.", list.method(), expected.method()));
    }
    String::from_utf8(key.to_vec()).map_err(|_| damaged())
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let digest = Sha256::digest(body);
    std::array::from_fn(|n| digest[n])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list() -> impl Strategy<Value = List> {
        prop::sample::select(&List::ALL[..])
    }

    #[test]
    fn cursors_are_the_same_in_every_process_b57_page05() {
        let cursor = "AXRlY2hvpXDE8GVJ";
        assert_eq!(encode(List::Tools, "echo"), cursor);
        assert_eq!(decode(cursor, List::Tools).as_deref(), Ok("echo"));
    }

    #[test]
    fn what_no_server_made_is_damaged_b56_p141_page03_page04() {
        let long = "A".repeat(8 << 20);
        for text in ["", "zzz", "!", "AQ", "e30", "AXRlY2hv", "\u{0}", "ä", &long, &long[..MAX_TEXT]] {
            let message = decode(text, List::Tools).unwrap_err();
            assert!(message.contains("damaged"), "{message}");
        }
    }

    #[test]
    fn every_kind_of_damage_is_refused_b56() {
        let good = encode(List::Resources, "file:///a/b?c");
        for end in 0..good.len() {
            assert!(decode(&good[..end], List::Resources).is_err(), "cut to {end}");
        }
        for (n, c) in good.char_indices() {
            for other in ('!'..='~').filter(|&other| other != c) {
                let changed = format!("{}{other}{}", &good[..n], &good[n + 1..]);
                assert!(decode(&changed, List::Resources).is_err(), "{changed}");
            }
        }
        for suffix in ["A", "=", "==", "\n", " ", "AAAA"] {
            assert!(decode(&format!("{good}{suffix}"), List::Resources).is_err(), "{suffix:?}");
        }
    }

    #[test]
    fn another_version_is_told() {
        let mut bytes = vec![VERSION + 1, b't', b'x'];
        bytes.extend(checksum(&bytes));
        let message = decode(&URL_SAFE_NO_PAD.encode(bytes), List::Tools).unwrap_err();
        assert!(message.contains("another version"), "{message}");
    }

    proptest! {
        #[test]
        fn a_key_comes_back_and_the_same_text_is_made_b54_b57(list in list(), key in ".*") {
            let cursor = encode(list, &key);
            prop_assert_eq!(&cursor, &encode(list, &key));
            prop_assert!(cursor.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_'));
            prop_assert_eq!(decode(&cursor, list), Ok(key));
        }

        #[test]
        fn another_list_is_named_b55(made in list(), asked in list(), key in ".*") {
            prop_assume!(made != asked);
            let message = decode(&encode(made, &key), asked).unwrap_err();
            let names = format!("belongs to {}, not to {}", made.method(), asked.method());
            prop_assert!(message.contains(&names), "{}", message);
        }
    }

    #[test]
    fn the_longest_key_still_makes_a_cursor() {
        let key = "k".repeat(MAX_KEY_BYTES);
        assert_eq!(decode(&encode(List::Prompts, &key), List::Prompts), Ok(key));
    }
}
