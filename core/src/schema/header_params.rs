//! `x-mcp-header`: which arguments a client repeats as HTTP headers.

use super::explain::below;
use super::positions;
use super::SchemaFault;
use crate::json::Node;
use std::collections::HashSet;

const KEYWORD: &str = "x-mcp-header";

/// What type of argument a header repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderKind {
    /// A string, verbatim.
    String,
    /// An integer, compared by value.
    Integer,
    /// `true` or `false`.
    Boolean,
}

/// An argument that a client repeats as the header `Mcp-Param-` + `header`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderParam {
    /// The annotation as written, a token.
    pub(crate) header: String,
    /// The names of the properties that lead to the argument, outermost first.
    pub(crate) path: Vec<String>,
    /// Its type.
    pub(crate) kind: HeaderKind,
}

/// The annotated arguments of an input schema, in the order of the schema.
///
/// # Errors
/// Every annotation that clients would drop the tool for (2026-07-28, transports, custom headers from parameters).
pub(crate) fn header_params(schema: Node<'_>) -> Result<Vec<HeaderParam>, Vec<SchemaFault>> {
    let mut search = Search::default();
    search.schema(schema, "", Some(&[]));
    if search.faults.is_empty() {
        Ok(search.found)
    } else {
        Err(search.faults)
    }
}

#[derive(Default)]
struct Search {
    found: Vec<HeaderParam>,
    /// Headers so far, in lower case.
    names: HashSet<String>,
    faults: Vec<SchemaFault>,
}

impl Search {
    /// `path` is the way through `properties` alone, if there is one. Recursion is bounded by the depth of documents.
    fn schema(&mut self, schema: Node<'_>, pointer: &str, path: Option<&[String]>) {
        for (keyword, value) in schema.members() {
            if keyword == KEYWORD {
                self.annotation(schema, value, below(pointer, KEYWORD), path);
            } else if !positions::holds_schemas(&keyword) && !positions::is_data(&keyword) {
                self.elsewhere(value, &below(pointer, &keyword));
            }
        }
        for sub in positions::subschemas(schema, pointer) {
            let through = path.filter(|_| sub.keyword == "properties").map(|path| {
                let name = sub.pointer.rsplit('/').next().unwrap_or_default();
                let mut path = path.to_vec();
                path.push(name.replace("~1", "/").replace("~0", "~"));
                path
            });
            self.schema(sub.node, &sub.pointer, through.as_deref());
        }
    }

    /// Under a keyword that is nobody's, an annotation is as unreachable as under `items`.
    fn elsewhere(&mut self, value: Node<'_>, pointer: &str) {
        for (name, member) in value.members() {
            let pointer = below(pointer, &name);
            if name == KEYWORD {
                self.unreachable(pointer);
            } else {
                self.elsewhere(member, &pointer);
            }
        }
        for (n, item) in value.elements().enumerate() {
            self.elsewhere(item, &format!("{pointer}/{n}"));
        }
    }

    fn annotation(&mut self, schema: Node<'_>, value: Node<'_>, pointer: String, path: Option<&[String]>) {
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return self.unreachable(pointer);
        };
        let Some(header) = value.as_str() else {
            return self.fault(pointer, "x-mcp-header must be a string");
        };
        if header.is_empty() || !header.bytes().all(is_tchar) {
            return self.fault(
                pointer,
                "x-mcp-header must be an RFC 9110 token: letters, digits and !#$%&'*+-.^_`|~ only",
            );
        }
        let kind =
            match schema.get("type").and_then(Node::as_str).as_deref() {
                Some("string") => HeaderKind::String,
                Some("integer") => HeaderKind::Integer,
                Some("boolean") => HeaderKind::Boolean,
                _ => return self.fault(
                    pointer,
                    "x-mcp-header needs a property whose \"type\" is \"string\", \"integer\" or \"boolean\"",
                ),
            };
        if !self.names.insert(header.to_ascii_lowercase()) {
            return self.fault(pointer, "x-mcp-header is used twice in this schema (case does not count)");
        }
        self.found.push(HeaderParam { header: header.into_owned(), path: path.to_vec(), kind });
    }

    fn unreachable(&mut self, pointer: String) {
        self.fault(
            pointer,
            "x-mcp-header works only on properties reached from the root through \"properties\" alone",
        );
    }

    fn fault(&mut self, pointer: String, reason: &str) {
        self.faults.push(SchemaFault { pointer, reason: reason.to_owned() });
    }
}

fn is_tchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
