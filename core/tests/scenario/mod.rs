//! Reads the files of the wire corpus: tests/wire/README.md says what one may hold.

mod macros;
mod pattern;

pub(crate) use macros::expand;
pub(crate) use pattern::{pair, universal, Expected};

use std::collections::HashMap;
use std::path::Path;

/// What `#let` took, by name.
pub(crate) type Values = HashMap<String, String>;

/// One file.
pub(crate) struct Scenario {
    pub(crate) flags: Vec<String>,
    /// Lines of the host section that begin with `#`.
    pub(crate) marks: Vec<String>,
    /// Whether it is about sessions of the legacy era.
    pub(crate) session: bool,
    sections: HashMap<String, Vec<String>>,
}

impl Scenario {
    /// Reads one file; panics on one that is not well formed.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a readable file");
        let mut sections: HashMap<String, Vec<String>> = HashMap::new();
        let mut current = String::new();
        for line in text.lines() {
            match line.strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
                Some(name) => {
                    name.clone_into(&mut current);
                    let before = sections.insert(current.clone(), Vec::new());
                    assert!(before.is_none(), "{}: section {name} stands twice", path.display());
                }
                None if line.trim().is_empty() => {}
                None => sections.entry(current.clone()).or_default().push(line.to_owned()),
            }
        }
        let shown =
            sections.get("").is_some_and(|prose| prose.iter().any(|line| line.starts_with("Shows: ")));
        assert!(shown, "{}: no line 'Shows: …'", path.display());
        let host = sections.get("host").cloned().unwrap_or_default();
        let (marks, lines): (Vec<_>, Vec<_>) = host.into_iter().partition(|line| line.starts_with('#'));
        let session = marks.iter().any(|mark| mark.starts_with("#session"));
        let flags = lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect();
        Self { flags, marks, session, sections }
    }

    /// The lines of a section, if it is there.
    pub(crate) fn section(&self, name: &str) -> Option<&[String]> {
        self.sections.get(name).map(Vec::as_slice)
    }

    /// Whether the file is for this dispatch mode and for hosts without a process of their own.
    pub(crate) fn is_for(&self, dispatch: &str) -> bool {
        self.marks.iter().all(|mark| match mark.split_once(' ') {
            Some(("#only-dispatch", modes)) => modes.split(' ').any(|mode| mode == dispatch),
            _ => mark != "#process",
        })
    }
}
