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
/// References, a dynamic one counted once for every place that it may lead to.
const MAX_REFERENCES: usize = 100_000;
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

/// A schema that can be referred to.
#[derive(Clone)]
struct Target<'s> {
    node: Node<'s>,
    pointer: String,
}

/// All of it. Vertex 0 is the root.
pub(super) struct Graph<'s> {
    pub(super) vertices: Vec<Vertex>,
    pub(super) faults: Vec<SchemaFault>,
    dialect: Dialect,
    /// Vertices by the index of their node.
    known: HashMap<u32, usize>,
    /// Nodes of vertices by their pointer.
    pointers: HashMap<String, Node<'s>>,
    /// Embedded resources and where they stand, by their URI without fragment.
    resources: HashMap<String, Target<'s>>,
    /// Anchors by the URI of their resource and their name.
    anchors: HashMap<(String, String), Target<'s>>,
    /// Dynamic ones of the whole document by their name, besides.
    dynamic: HashMap<String, Vec<Target<'s>>>,
    references: Vec<Reference>,
    /// Why not all of the document was walked.
    pub(super) overflow: Option<SchemaFault>,
}

impl<'s> Graph<'s> {
    /// Walks `root` and resolves what it refers to, nothing being fetched.
    pub(super) fn of(root: Node<'s>, dialect: Dialect) -> Self {
        let mut graph = Self {
            vertices: Vec::new(),
            faults: Vec::new(),
            dialect,
            known: HashMap::new(),
            pointers: HashMap::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
            references: Vec::new(),
            overflow: None,
        };
        let Ok(base) = uri::from_str(DEFAULT_BASE) else {
            return graph;
        };
        let target = Target { node: root, pointer: String::new() };
        graph.resources.insert(base.as_str().to_owned(), target);
        graph.walk(root, String::new(), &Rc::new(base));
        graph.resolve();
        graph
    }

    fn fault(&mut self, pointer: String, reason: String) {
        self.faults.push(SchemaFault { pointer, reason });
    }

    fn overflow(&mut self, pointer: String, reason: String) {
        self.overflow.get_or_insert(SchemaFault { pointer, reason });
    }

    /// Adds `schema` and all below it; gives its vertex. Recursion is bounded by the depth of documents.
    fn walk(&mut self, schema: Node<'s>, pointer: String, base: &Rc<Uri<String>>) -> usize {
        if let Some(&vertex) = self.known.get(&schema.index()) {
            return vertex;
        }
        if self.vertices.len() == MAX_SCHEMAS {
            self.overflow(pointer, format!("has more than {MAX_SCHEMAS} subschemas"));
            return 0;
        }
        let vertex = self.vertices.len();
        self.known.insert(schema.index(), vertex);
        self.pointers.insert(pointer.clone(), schema);
        self.vertices.push(Vertex { pointer: pointer.clone(), same: Vec::new() });
        if vertex > 0 {
            self.nested_dialect(schema, &pointer);
        }
        let referring = self.dialect.reference_alone() && schema.get("$ref").is_some();
        let base = if referring { Rc::clone(base) } else { self.identify(schema, &pointer, base) };
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
    fn identify(&mut self, node: Node<'s>, pointer: &str, base: &Rc<Uri<String>>) -> Rc<Uri<String>> {
        let mut base = Rc::clone(base);
        let keyword = self.dialect.id_keyword();
        let target = Target { node, pointer: pointer.to_owned() };
        if let Some(id) = node.get(keyword).and_then(Node::as_str) {
            if let Some(name) = id.strip_prefix('#') {
                // In the older dialects an anchor.
                self.anchors.insert((without_fragment(&base), name.to_owned()), target.clone());
            } else {
                match uri::resolve_against(&base.borrow(), &id) {
                    Ok(resolved) => {
                        base = Rc::new(resolved);
                        self.resources.insert(without_fragment(&base), target.clone());
                    }
                    Err(_) => self.fault(below(pointer, keyword), "is not a URI".to_owned()),
                }
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(name) = node.get(keyword).and_then(Node::as_str) else {
                continue;
            };
            if keyword == "$dynamicAnchor" {
                self.dynamic.entry(name.to_string()).or_default().push(target.clone());
            }
            self.anchors.insert((without_fragment(&base), name.into_owned()), target.clone());
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
        let mut followed = 0;
        while let Some(reference) = self.references.pop() {
            let named = cut(&reference.target, 80);
            let targets = match self.targets(&reference, &named) {
                Ok(targets) => targets,
                Err(reason) => {
                    self.fault(reference.pointer, reason);
                    continue;
                }
            };
            followed += targets.len();
            if followed > MAX_REFERENCES {
                return self
                    .overflow(reference.pointer, format!("is one of over {MAX_REFERENCES} references"));
            }
            for Target { node, pointer } in targets {
                if node.is_object() || node.as_bool().is_some() {
                    let vertex = self.walk(node, pointer, &reference.base);
                    self.vertices[reference.from].same.push(vertex);
                } else {
                    let reason = format!("refers to \"{named}\", which is not a schema");
                    self.fault(reference.pointer.clone(), reason);
                }
            }
        }
    }

    /// Where a reference may lead: one place, or for a dynamic one every place with that anchor.
    fn targets(&self, reference: &Reference, named: &str) -> Result<Vec<Target<'s>>, String> {
        let resolved = uri::resolve_against(&reference.base.borrow(), &reference.target)
            .map_err(|_| format!("\"{named}\" is not a URI reference"))?;
        let uri = without_fragment(&resolved);
        let resource = self.resources.get(&uri).ok_or_else(|| {
            format!("refers to \"{named}\", which is not in this document; nothing is fetched")
        })?;
        let fragment = decode(resolved.fragment().map_or("", |text| text.as_str()))
            .ok_or_else(|| format!("refers to \"{named}\", whose escapes are not valid"))?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{}{fragment}", resource.pointer);
            let known = self.pointers.get(&pointer).copied();
            let node = known
                .or_else(|| resource.node.pointer(&fragment))
                .ok_or_else(|| format!("refers to \"{named}\", which does not exist"))?;
            return Ok(vec![Target { node, pointer }]);
        }
        if let (Some(all), "$dynamicRef") = (self.dynamic.get(&fragment), reference.keyword) {
            return Ok(all.clone());
        }
        match self.anchors.get(&(uri, fragment)) {
            Some(target) => Ok(vec![target.clone()]),
            None => Err(format!("refers to \"{named}\", an anchor that does not exist")),
        }
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
