//! Stand-in.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

pub(crate) fn encode(list: List, key: &str) -> String {
    format!("{list:?}.{key}")
}

pub(crate) fn decode(cursor: &str, expected: List) -> Result<String, String> {
    match cursor.strip_prefix(&format!("{expected:?}.")) {
        Some(key) => Ok(key.to_owned()),
        None => Err("the cursor belongs to another list".to_owned()),
    }
}
