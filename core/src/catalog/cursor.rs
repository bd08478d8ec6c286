//! Stand-in.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl List {
    pub(crate) const ALL: [List; 4] = [
        List::Tools,
        List::Resources,
        List::ResourceTemplates,
        List::Prompts,
    ];

    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

pub(crate) const MAX_KEY_BYTES: usize = 64 << 10;

pub(crate) fn encode(list: List, key: &str) -> String {
    format!("{list:?}.{key}")
}

pub(crate) fn decode(cursor: &str, expected: List) -> Result<String, String> {
    match cursor.strip_prefix(&format!("{expected:?}.")) {
        Some(key) => Ok(key.to_owned()),
        None => Err("the cursor belongs to another list".to_owned()),
    }
}
