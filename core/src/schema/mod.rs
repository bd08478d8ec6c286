//! Stand-in.

use crate::json::Node;

pub(crate) struct SchemaOptions {
    pub(crate) check_formats: bool,
    pub(crate) root_object: bool,
}

#[derive(Debug)]
pub(crate) struct Schema {}

#[derive(Debug)]
pub(crate) struct SchemaFault {
    pub(crate) pointer: String,
    pub(crate) reason: String,
}

#[derive(Debug)]
pub(crate) struct HeaderParam {}

impl Schema {
    pub(crate) fn compile(node: Node<'_>, options: &SchemaOptions) -> Result<Schema, Vec<SchemaFault>> {
        let _ = options.check_formats;
        let fault = |pointer: &str, reason: &str| {
            Err(vec![SchemaFault {
                pointer: pointer.to_owned(),
                reason: reason.to_owned(),
            }])
        };
        for pointer in ["/type", "/not/type"] {
            if node.pointer(pointer).is_some_and(|kind| kind.is_str("objekt")) {
                return fault(pointer, "no such type");
            }
        }
        if options.root_object && !node.get("type").is_some_and(|kind| kind.is_str("object")) {
            return fault("/type", "must be \"object\"");
        }
        Ok(Schema {})
    }
}

pub(crate) fn header_params(node: Node<'_>) -> Result<Vec<HeaderParam>, Vec<SchemaFault>> {
    match node.pointer("/properties/a/x-mcp-header") {
        Some(word) if word.is_str("") => Err(vec![SchemaFault {
            pointer: "/properties/a/x-mcp-header".to_owned(),
            reason: "is empty".to_owned(),
        }]),
        Some(_) | None => Ok(Vec::new()),
    }
}
