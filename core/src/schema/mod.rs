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
        let fault = |reason: &str| {
            Err(vec![SchemaFault {
                pointer: "/type".to_owned(),
                reason: reason.to_owned(),
            }])
        };
        let _ = options.check_formats;
        match node.get("type").and_then(Node::as_str) {
            Some(kind) if kind == "objekt" => fault("no such type"),
            Some(kind) if kind == "object" => Ok(Schema {}),
            Some(_) | None if options.root_object => fault("must be \"object\""),
            Some(_) | None => Ok(Schema {}),
        }
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
