//! The subschemas of a document and how they lead to one another, references included.

use super::dialect::Dialect;
use super::explain::{below, cut};
use super::positions::{self, Place};
use super::SchemaFault;
use crate::json::Node;
use jsonschema::{uri, Uri};
use std::collections::HashMap;
use std::rc::Rc;

/// Subschemas in one document.
const MAX_SCHEMAS: usize = 10_000;
/// The base of a schema without `$id`, as the validator has it.
const DEFAULT_BASE: &str = "json-schema:///";

/// A subschema.
pub(super) struct Vertex {
    pub(super) pointer: String,
    /// The subschemas that are applied to the same value.
    pub(super) same: Vec<usize>,
}

struct Reference {
    from: usize,
    keyword: &'static str,
    target: String,
    base: Rc<Uri<String>>,
    /// Where it stands.
    pointer: String,
}

/// All of it. Vertex 0 is the root.
pub(super) struct Graph<'s> {
    pub(super) vertices: Vec<Vertex>,
    pub(super) faults: Vec<SchemaFault>,
    dialect: Dialect,
    /// Vertices by the index of their node.
    known: HashMap<u32, usize>,
    /// Embedded resources by their URI, without fragment.
    resources: HashMap<String, Node<'s>>,
    /// Anchors by the URI of their resource and their name; the flag tells dynamic ones.
    anchors: HashMap<(String, String), (Node<'s>, bool)>,
    references: Vec<Reference>,
    overflow: bool,
}

impl<'s> Graph<'s> {
    /// Walks `root` and resolves what it refers to, nothing being fetched.
    pub(super) fn of(root: Node<'s>, dialect: Dialect) -> Self {
        let mut graph = Self {
            vertices: Vec::new(),
            faults: Vec::new(),
            dialect,
            known: HashMap::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
            references: Vec::new(),
            overflow: false,
        };
        let Ok(base) = uri::from_str(DEFAULT_BASE) else {
            return graph;
        };
        graph.resources.insert(base.as_str().to_owned(), root);
        graph.walk(root, String::new(), &Rc::new(base));
        graph.resolve();
        graph
    }

    fn fault(&mut self, pointer: String, reason: String) {
        self.faults.push(SchemaFault { pointer, reason });
    }

    /// Adds `schema` and all below it; gives its vertex. Recursion is bounded by the depth of documents.
    fn walk(&mut self, schema: Node<'s>, pointer: String, base: &Rc<Uri<String>>) -> usize {
        if let Some(&vertex) = self.known.get(&schema.index()) {
            return vertex;
        }
        if self.vertices.len() == MAX_SCHEMAS {
            if !std::mem::replace(&mut self.overflow, true) {
                self.fault(pointer, format!("has more than {MAX_SCHEMAS} subschemas"));
            }
            return 0;
        }
        let vertex = self.vertices.len();
        self.known.insert(schema.index(), vertex);
        self.vertices.push(Vertex {
            pointer: pointer.clone(),
            same: Vec::new(),
        });
        if vertex > 0 {
            self.nested_dialect(schema, &pointer);
        }
        let referring = self.dialect.reference_alone() && schema.get("$ref").is_some();
        let base = if referring {
            Rc::clone(base)
        } else {
            self.identify(schema, &pointer, base)
        };
        self.refer(schema, vertex, &pointer, &base);
        for sub in positions::subschemas(schema, &pointer) {
            let child = self.walk(sub.node, sub.pointer, &base);
            // Beside `$ref`, the older dialects ignore everything.
            if sub.place == Place::Same && !referring {
                self.vertices[vertex].same.push(child);
            }
        }
        vertex
    }

    fn nested_dialect(&mut self, schema: Node<'_>, pointer: &str) {
        if let Some(named) = schema.get("$schema") {
            if let Err(reason) = Dialect::named(named) {
                self.fault(below(pointer, "$schema"), reason);
            }
        }
    }

    /// Notes `$id` and anchors; gives the base for what stands below.
    fn identify(&mut self, schema: Node<'s>, pointer: &str, base: &Rc<Uri<String>>) -> Rc<Uri<String>> {
        let mut base = Rc::clone(base);
        let keyword = self.dialect.id_keyword();
        if let Some(id) = schema.get(keyword).and_then(Node::as_str) {
            if let Some(name) = id.strip_prefix('#') {
                // In the older dialects an anchor.
                self.anchors
                    .insert((without_fragment(&base), name.to_owned()), (schema, false));
            } else {
                match uri::resolve_against(&base.borrow(), &id) {
                    Ok(resolved) => {
                        base = Rc::new(resolved);
                        self.resources.insert(without_fragment(&base), schema);
                    }
                    Err(_) => self.fault(below(pointer, keyword), "is not a URI".to_owned()),
                }
            }
        }
        for (keyword, dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
            if let Some(name) = schema.get(keyword).and_then(Node::as_str) {
                self.anchors
                    .insert((without_fragment(&base), name.into_owned()), (schema, dynamic));
            }
        }
        base
    }

    fn refer(&mut self, schema: Node<'_>, from: usize, pointer: &str, base: &Rc<Uri<String>>) {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = schema.get(keyword).and_then(Node::as_str) {
                self.references.push(Reference {
                    from,
                    keyword,
                    target: target.into_owned(),
                    base: Rc::clone(base),
                    pointer: below(pointer, keyword),
                });
            }
        }
    }

    /// Follows every reference; what stands where no keyword leads is walked when something refers to it.
    fn resolve(&mut self) {
        while let Some(reference) = self.references.pop() {
            let targets = match self.targets(&reference) {
                Ok(targets) => targets,
                Err(reason) => {
                    self.fault(reference.pointer, reason);
                    continue;
                }
            };
            for target in targets {
                if !target.is_object() && target.as_bool().is_none() {
                    let named = cut(&reference.target, 80);
                    let reason = format!("refers to \"{named}\", which is not a schema");
                    self.fault(reference.pointer.clone(), reason);
                    continue;
                }
                let vertex = self.walk(target, reference.target.clone(), &reference.base);
                self.vertices[reference.from].same.push(vertex);
            }
        }
    }

    /// Where a reference may lead: one place, or for dynamic ones every place with that anchor.
    fn targets(&self, reference: &Reference) -> Result<Vec<Node<'s>>, String> {
        let named = cut(&reference.target, 80);
        let resolved = uri::resolve_against(&reference.base.borrow(), &reference.target)
            .map_err(|_| format!("\"{named}\" is not a URI reference"))?;
        let resource = without_fragment(&resolved);
        let Some(&root) = self.resources.get(&resource) else {
            return Err(format!(
                "refers to \"{named}\", which is not in this document; nothing is fetched"
            ));
        };
        let fragment = resolved.fragment().map(|text| text.as_str()).unwrap_or_default();
        let Some(fragment) = decode(fragment) else {
            return Err(format!("refers to \"{named}\", whose escapes are not valid"));
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return match root.pointer(&fragment) {
                Some(node) => Ok(vec![node]),
                None => Err(format!("refers to \"{named}\", which does not exist")),
            };
        }
        let Some(&(node, dynamic)) = self.anchors.get(&(resource, fragment.clone())) else {
            return Err(format!("refers to \"{named}\", an anchor that does not exist"));
        };
        if dynamic && reference.keyword == "$dynamicRef" {
            let same = self
                .anchors
                .iter()
                .filter(|((_, name), (_, dynamic))| *dynamic && *name == fragment);
            return Ok(same.map(|(_, (node, _))| *node).collect());
        }
        Ok(vec![node])
    }
}

fn without_fragment(uri: &Uri<String>) -> String {
    uri.strip_fragment().as_str().to_owned()
}

/// Percent-decodes a fragment.
fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}
