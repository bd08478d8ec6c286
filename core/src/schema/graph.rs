//! The subschemas of a document and how they lead to one another, references included.

use super::dialect::Dialect;
use super::explain::{below, cut};
use super::positions::{self, Place};
use super::SchemaFault;
use crate::json::Node;
use fluent_uri::{Uri, UriRef};
use std::collections::HashMap;
use std::rc::Rc;

/// Subschemas in one document.
const MAX_SCHEMAS: usize = 10_000;
/// References, a dynamic one counted once for every place that it may lead to.
const MAX_REFERENCES: usize = 100_000;
/// The base of a schema without `$id`, as the validator has it.
const DEFAULT_BASE: &str = "json-schema:///";

/// A subschema.
pub(super) struct Vertex<'s> {
    pub(super) node: Node<'s>,
    pub(super) pointer: String,
    pub(super) base: Rc<Base>,
    /// The subschemas that are applied to the same value.
    pub(super) same: Vec<usize>,
}

/// What a `$id` encloses, or the document.
pub(super) struct Base {
    uri: Uri<String>,
    /// Its number.
    pub(super) resource: u32,
    pub(super) dialect: Dialect,
}

/// Where a reference leads.
pub(super) struct Link {
    pub(super) vertex: usize,
    /// The name, if it is that of a dynamic anchor there.
    pub(super) dynamic: Option<String>,
}

struct Reference {
    from: usize,
    keyword: &'static str,
    target: String,
    base: Rc<Base>,
    /// Where it stands.
    pointer: String,
}

/// A schema that can be referred to.
#[derive(Clone)]
struct Target<'s> {
    node: Node<'s>,
    pointer: String,
    base: Rc<Base>,
}

/// All of it. Vertex 0 is the root.
pub(super) struct Graph<'s> {
    pub(super) vertices: Vec<Vertex<'s>>,
    pub(super) faults: Vec<SchemaFault>,
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
    /// By the vertex and the keyword of a reference.
    links: HashMap<(usize, &'static str), Link>,
    /// Why not all of the document was walked.
    pub(super) overflow: Option<SchemaFault>,
}

impl<'s> Graph<'s> {
    /// Walks `root` and resolves what it refers to, nothing being fetched.
    pub(super) fn of(root: Node<'s>, dialect: Dialect) -> Self {
        let mut graph = Self {
            vertices: Vec::new(),
            faults: Vec::new(),
            known: HashMap::new(),
            pointers: HashMap::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
            references: Vec::new(),
            links: HashMap::new(),
            overflow: None,
        };
        let Ok(uri) = Uri::parse(DEFAULT_BASE.to_owned()) else {
            return graph;
        };
        let base = Rc::new(Base { uri, resource: 0, dialect });
        let target = Target { node: root, pointer: String::new(), base: Rc::clone(&base) };
        graph.resources.insert(DEFAULT_BASE.to_owned(), target);
        graph.walk(root, String::new(), &base);
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
    fn walk(&mut self, schema: Node<'s>, pointer: String, base: &Rc<Base>) -> usize {
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
        if vertex > 0 {
            self.nested_dialect(schema, &pointer);
        }
        let referring = base.dialect.reference_alone() && schema.get("$ref").is_some();
        let base = if referring { Rc::clone(base) } else { self.identify(schema, &pointer, base) };
        self.vertices.push(Vertex {
            node: schema,
            pointer: pointer.clone(),
            base: Rc::clone(&base),
            same: Vec::new(),
        });
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
    fn identify(&mut self, node: Node<'s>, pointer: &str, base: &Rc<Base>) -> Rc<Base> {
        let mut base = Rc::clone(base);
        let dialect = node.get("$schema").and_then(|named| Dialect::named(named).ok());
        let dialect = dialect.unwrap_or(base.dialect);
        let keyword = dialect.id_keyword();
        let mut target = Target { node, pointer: pointer.to_owned(), base: Rc::clone(&base) };
        if let Some(id) = node.get(keyword).and_then(Node::as_str) {
            if let Some(name) = id.strip_prefix('#') {
                // In the older dialects an anchor.
                self.anchors.insert((without_fragment(&base.uri), name.to_owned()), target.clone());
            } else if let Some(uri) = resolve(&base.uri, &id) {
                let resource = u32::try_from(self.resources.len()).unwrap_or(u32::MAX);
                base = Rc::new(Base { uri, resource, dialect });
                target.base = Rc::clone(&base);
                self.resources.insert(without_fragment(&base.uri), target.clone());
            } else {
                self.fault(below(pointer, keyword), "is not a URI".to_owned());
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            let Some(name) = node.get(keyword).and_then(Node::as_str) else {
                continue;
            };
            if keyword == "$dynamicAnchor" {
                self.dynamic.entry(name.to_string()).or_default().push(target.clone());
            }
            self.anchors.insert((without_fragment(&base.uri), name.into_owned()), target.clone());
        }
        base
    }

    fn refer(&mut self, schema: Node<'_>, from: usize, pointer: &str, base: &Rc<Base>) {
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
            followed += 1 + targets.others.len();
            if followed > MAX_REFERENCES {
                return self
                    .overflow(reference.pointer, format!("is one of over {MAX_REFERENCES} references"));
            }
            let Targets { plain, others, dynamic } = targets;
            let mut first = None;
            for Target { node, pointer, base } in std::iter::once(plain).chain(others) {
                if node.is_object() || node.as_bool().is_some() {
                    let vertex = self.walk(node, pointer, &base);
                    self.vertices[reference.from].same.push(vertex);
                    first.get_or_insert(vertex);
                } else {
                    let reason = format!("refers to \"{named}\", which is not a schema");
                    self.fault(reference.pointer.clone(), reason);
                }
            }
            if let Some(vertex) = first {
                self.links.insert((reference.from, reference.keyword), Link { vertex, dynamic });
            }
        }
    }

    /// The vertex of a subschema that was walked.
    pub(super) fn vertex(&self, node: Node<'_>) -> Option<usize> {
        self.known.get(&node.index()).copied()
    }

    /// Where the reference in a keyword of a vertex leads.
    pub(super) fn link(&self, vertex: usize, keyword: &'static str) -> Option<&Link> {
        self.links.get(&(vertex, keyword))
    }

    /// The places with a dynamic anchor of this name, as the resource and the vertex.
    pub(super) fn dynamic(&self, name: &str) -> impl Iterator<Item = (u32, usize)> + '_ {
        let targets = self.dynamic.get(name).into_iter().flatten();
        targets.filter_map(|target| Some((target.base.resource, self.vertex(target.node)?)))
    }

    /// Where a reference may lead: one place, or for a dynamic one every place with that anchor.
    fn targets(&self, reference: &Reference, named: &str) -> Result<Targets<'s>, String> {
        let resolved = resolve(&reference.base.uri, &reference.target)
            .ok_or_else(|| format!("\"{named}\" is not a URI reference"))?;
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
            let plain = Target { node, pointer, base: Rc::clone(&resource.base) };
            return Ok(Targets { plain, others: Vec::new(), dynamic: None });
        }
        let Some(plain) = self.anchors.get(&(uri, fragment.clone())).cloned() else {
            return Err(format!("refers to \"{named}\", an anchor that does not exist"));
        };
        let is_dynamic = plain.node.get("$dynamicAnchor").is_some_and(|name| name.is_str(&fragment));
        if is_dynamic && reference.keyword == "$dynamicRef" {
            let others = self.dynamic.get(&fragment).cloned().unwrap_or_default();
            return Ok(Targets { plain, others, dynamic: Some(fragment) });
        }
        Ok(Targets { plain, others: Vec::new(), dynamic: None })
    }
}

/// Where a reference leads.
struct Targets<'s> {
    /// As a plain one.
    plain: Target<'s>,
    /// Where it may lead besides, going by how it was come by.
    others: Vec<Target<'s>>,
    /// The name of the anchor, if it is a dynamic one.
    dynamic: Option<String>,
}

/// A reference taken against a base, whose fragment has no part in it.
fn resolve(base: &Uri<String>, reference: &str) -> Option<Uri<String>> {
    let base = base.strip_fragment();
    Some(UriRef::parse(reference).ok()?.resolve_against(&base).ok()?.normalize())
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
