//! Makes a program of a graph.

use super::assertion::{Assertion, Entailed};
use super::dialect::Dialect;
use super::explain::{below, show_whole};
use super::format::Format;
use super::graph::{Graph, Vertex};
use super::number::{self, Bound, Relation};
use super::pattern::Pattern;
use super::program::{
    Branches, Contains, Dynamic, Id, Keyword, Keywords, Members, Named, Program, Subschema,
};
use super::types::Types;
use super::SchemaFault;
use crate::json::{Document, Node};

/// Whose patterns a schema has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// A host: each is made a program at once, which shows whether it is one.
    Host,
    /// This library, whose tests know them: each is made when it is first matched. Nearly all of a meta-schema's never
    /// are, and making them was a fifth of what the start of a small server costs.
    Us,
}

/// The program of a graph without faults.
///
/// # Errors
/// The patterns that cannot be matched.
pub(super) fn assemble(
    graph: &Graph<'_>,
    check_formats: bool,
    author: Author,
) -> Result<Program, Vec<SchemaFault>> {
    let mut faults = Vec::new();
    let mut subschemas = Vec::with_capacity(graph.vertices.len());
    let (mut dynamic, mut alternatives) = (false, false);
    for (number, vertex) in graph.vertices.iter().enumerate() {
        let mut assembly =
            Assembly { graph, number, vertex, check_formats, author, keywords: vec![], faults: &mut faults };
        let subschema = assembly.subschema();
        if let Subschema::Keywords(keywords) = &subschema {
            dynamic |= keywords.all.iter().any(|keyword| matches!(keyword, Keyword::Dynamic(_)));
            alternatives |=
                keywords.all.iter().any(|keyword| matches!(keyword, Keyword::Any(_) | Keyword::One(_)));
        }
        subschemas.push(subschema);
    }
    if faults.is_empty() {
        Ok(Program { subschemas, dynamic, alternatives })
    } else {
        Err(faults)
    }
}

/// One subschema on its way.
struct Assembly<'a, 's> {
    graph: &'a Graph<'s>,
    number: usize,
    vertex: &'a Vertex<'s>,
    check_formats: bool,
    author: Author,
    keywords: Vec<Keyword>,
    faults: &'a mut Vec<SchemaFault>,
}

impl<'s> Assembly<'_, 's> {
    fn subschema(&mut self) -> Subschema {
        let node = self.vertex.node;
        match node.as_bool() {
            Some(true) => return Subschema::Anything,
            Some(false) => return Subschema::Nothing,
            None => {}
        }
        let alone = self.dialect().reference_alone() && self.get("$ref").is_some();
        for (name, value) in node.members() {
            if !alone || name == "$ref" {
                self.keyword(&name, value);
            }
        }
        let leftovers =
            |keyword: &Keyword| matches!(keyword, Keyword::LeftoverItems(_) | Keyword::LeftoverProperties(_));
        self.keywords.sort_by_key(leftovers);
        if self.keywords.is_empty() {
            return Subschema::Anything;
        }
        if let [Keyword::Assertion(Assertion::Type(types))] = self.keywords[..] {
            return Subschema::Typed(types);
        }
        Subschema::Keywords(Keywords {
            leftovers: self.keywords.iter().any(leftovers),
            all: std::mem::take(&mut self.keywords).into(),
            resource: self.vertex.base.resource,
        })
    }

    fn dialect(&self) -> Dialect {
        self.vertex.base.dialect
    }

    fn since(&self, dialect: Dialect) -> bool {
        self.dialect() >= dialect
    }

    fn get(&self, keyword: &str) -> Option<Node<'s>> {
        self.vertex.node.get(keyword)
    }

    fn count(&self, keyword: &str) -> Option<u64> {
        self.get(keyword).and_then(number::count)
    }

    /// The number of a subschema that stands in a keyword of this one.
    fn id(&self, node: Node<'_>) -> Option<Id> {
        self.graph.vertex(node).and_then(|vertex| Id::try_from(vertex).ok())
    }

    fn ids(&self, list: Node<'_>) -> Box<[Id]> {
        list.elements().filter_map(|node| self.id(node)).collect()
    }

    fn ids_by_name(&self, map: Node<'_>) -> Vec<(Box<str>, Id)> {
        map.members().filter_map(|(name, node)| Some((name.into(), self.id(node)?))).collect()
    }

    fn keyword(&mut self, name: &str, value: Node<'s>) {
        let keyword = match name {
            "$ref" | "$dynamicRef" | "$recursiveRef" => self.reference(name),
            "allOf" => Some(Keyword::All(self.ids(value))),
            "anyOf" => Some(Keyword::Any(self.ids(value))),
            "oneOf" => Some(Keyword::One(self.ids(value))),
            "not" => self.id(value).map(|schema| Keyword::Not { schema, shown: show_whole(value) }),
            "if" if self.since(Dialect::Draft07) => self.branches(value),
            "properties" | "patternProperties" | "additionalProperties" => self.members(name),
            "propertyNames" if self.since(Dialect::Draft06) => self.id(value).map(Keyword::Names),
            "dependencies" | "dependentRequired" | "dependentSchemas" => return self.entailed(name, value),
            "items" | "prefixItems" | "additionalItems" => self.items(name, value),
            "contains" if self.since(Dialect::Draft06) => self.contains(value),
            "unevaluatedItems" if self.since(Dialect::Draft201909) => {
                self.id(value).map(Keyword::LeftoverItems)
            }
            "unevaluatedProperties" if self.since(Dialect::Draft201909) => {
                self.id(value).map(Keyword::LeftoverProperties)
            }
            _ => self.assertion(name, value).map(Keyword::Assertion),
        };
        self.keywords.extend(keyword);
    }

    fn assertion(&mut self, name: &str, value: Node<'s>) -> Option<Assertion> {
        Some(match name {
            "type" => Assertion::Type(Types::read(value, self.dialect() == Dialect::Draft04)),
            "const" if self.since(Dialect::Draft06) => listed(&format!("[{}]", value.raw()))?,
            "enum" => listed(value.raw())?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                return self.bound(name, value)
            }
            "minLength" => Assertion::Length { least: number::count(value)?, most: u64::MAX },
            "maxLength" => Assertion::Length { least: 0, most: number::count(value)? },
            "minItems" => Assertion::Items { least: number::count(value)?, most: u64::MAX },
            "maxItems" => Assertion::Items { least: 0, most: number::count(value)? },
            "minProperties" => Assertion::Properties { least: number::count(value)?, most: u64::MAX },
            "maxProperties" => Assertion::Properties { least: 0, most: number::count(value)? },
            "uniqueItems" if value.as_bool() == Some(true) => Assertion::Unique,
            "required" if value.is_array() => Assertion::Required(names(value)),
            "pattern" => {
                Assertion::Pattern(self.pattern(&value.as_str()?, &below(&self.vertex.pointer, name))?)
            }
            "format" if self.check_formats => {
                Assertion::Format(Format::named(&value.as_str()?, self.dialect())?)
            }
            _ => return None,
        })
    }

    fn bound(&self, name: &str, value: Node<'_>) -> Option<Assertion> {
        let token = value.as_number()?;
        // In draft-04 the exclusive forms are switches beside the bound.
        let switched = |switch| {
            self.dialect() == Dialect::Draft04 && self.get(switch).and_then(Node::as_bool) == Some(true)
        };
        let relation = match name {
            "minimum" if switched("exclusiveMinimum") => Relation::Above,
            "maximum" if switched("exclusiveMaximum") => Relation::Below,
            "minimum" => Relation::AtLeast,
            "maximum" => Relation::AtMost,
            "exclusiveMinimum" => Relation::Above,
            "exclusiveMaximum" => Relation::Below,
            _ => Relation::MultipleOf,
        };
        Some(Assertion::Bound(Bound::new(relation, token)))
    }

    fn pattern(&mut self, text: &str, pointer: &str) -> Option<Pattern> {
        let pattern = match self.author {
            Author::Host => Pattern::new(text),
            Author::Us => Some(Pattern::known(text)),
        };
        if pattern.is_none() {
            let shown = super::explain::cut(&crate::json::quote(text), 80);
            self.faults.push(SchemaFault {
                pointer: pointer.to_owned(),
                reason: format!("{shown} is not a regular expression that can be matched"),
            });
        }
        pattern
    }

    fn reference(&self, name: &str) -> Option<Keyword> {
        let link = |keyword| self.graph.link(self.number, keyword);
        let id = |vertex: usize| Id::try_from(vertex).ok();
        match name {
            "$ref" => Some(Keyword::Reference(id(link("$ref")?.vertex)?)),
            "$dynamicRef" if self.since(Dialect::Draft202012) => {
                let link = link("$dynamicRef")?;
                let plain = id(link.vertex)?;
                let Some(anchor) = &link.dynamic else {
                    return Some(Keyword::Reference(plain));
                };
                let places = self.graph.dynamic(anchor);
                let places = places.filter_map(|(resource, vertex)| Some((resource, id(vertex)?))).collect();
                Some(Keyword::Dynamic(Dynamic { plain, places }))
            }
            "$recursiveRef" if self.dialect() == Dialect::Draft201909 => {
                let link = link("$recursiveRef")?;
                let plain = id(link.vertex)?;
                if !is_recursive(self.graph.vertices.get(link.vertex)?) {
                    return Some(Keyword::Reference(plain));
                }
                let roots = self.graph.vertices.iter().enumerate().filter(|(_, vertex)| is_recursive(vertex));
                let places =
                    roots.filter_map(|(number, vertex)| Some((vertex.base.resource, id(number)?))).collect();
                Some(Keyword::Dynamic(Dynamic { plain, places }))
            }
            _ => None,
        }
    }

    fn branches(&self, test: Node<'_>) -> Option<Keyword> {
        let branch = |keyword| self.get(keyword).and_then(|node| self.id(node));
        let test = self.id(test)?;
        Some(Keyword::If(Branches { test, then: branch("then"), otherwise: branch("else") }))
    }

    /// The three keywords as one, where the first of them stands.
    fn members(&mut self, name: &str) -> Option<Keyword> {
        const KEYWORDS: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];
        let first = self.vertex.node.members().find(|(name, _)| KEYWORDS.contains(&&**name));
        if first.is_none_or(|(first, _)| first != name) {
            return None;
        }
        let named = self.get(KEYWORDS[0]).map(|map| self.ids_by_name(map)).unwrap_or_default();
        let mut patterns = Vec::new();
        if let Some(map) = self.get(KEYWORDS[1]) {
            let pointer = below(&self.vertex.pointer, KEYWORDS[1]);
            for (name, node) in map.members() {
                let pattern = self.pattern(&name, &below(&pointer, &name));
                patterns.extend(pattern.zip(self.id(node)));
            }
        }
        let rest = self.get(KEYWORDS[2]).and_then(|node| self.id(node));
        Some(Keyword::Members(Members { named: Named::new(named), patterns: patterns.into(), rest }))
    }

    fn entailed(&mut self, name: &str, value: Node<'s>) {
        let newer = self.since(Dialect::Draft201909);
        if name != "dependencies" && !newer {
            return;
        }
        if name != "dependentSchemas" {
            let lists = value.members().filter(|(_, node)| node.is_array());
            let lists: Box<[_]> =
                lists.map(|(name, node)| Entailed { name: name.into(), names: names(node) }).collect();
            self.keywords
                .extend((!lists.is_empty()).then_some(Keyword::Assertion(Assertion::Entailed(lists))));
        }
        if name != "dependentRequired" {
            let schemas = self.ids_by_name(value);
            self.keywords.extend((!schemas.is_empty()).then(|| Keyword::EntailedSchemas(schemas.into())));
        }
    }

    fn items(&self, name: &str, value: Node<'_>) -> Option<Keyword> {
        let newest = self.since(Dialect::Draft202012);
        match name {
            "prefixItems" => newest.then(|| Keyword::First(self.ids(value))),
            "items" if newest => {
                let from = self.get("prefixItems").map_or(0, Node::len);
                Some(Keyword::Rest { from, schema: self.id(value)? })
            }
            "items" if value.is_array() => Some(Keyword::First(self.ids(value))),
            "items" => Some(Keyword::Rest { from: 0, schema: self.id(value)? }),
            _ => {
                let first = self.get("items").filter(|items| items.is_array() && !newest)?;
                if value.as_bool() == Some(false) {
                    let most = first.len() as u64;
                    return Some(Keyword::Assertion(Assertion::Items { least: 0, most }));
                }
                Some(Keyword::Rest { from: first.len(), schema: self.id(value)? })
            }
        }
    }

    fn contains(&self, value: Node<'_>) -> Option<Keyword> {
        let bounded = self.since(Dialect::Draft201909);
        let bound = |keyword| self.count(keyword).filter(|_| bounded);
        Some(Keyword::Contains(Contains {
            schema: self.id(value)?,
            least: bound("minContains").unwrap_or(1),
            most: bound("maxContains").unwrap_or(u64::MAX),
            evaluates: self.since(Dialect::Draft202012),
        }))
    }
}

fn is_recursive(vertex: &Vertex<'_>) -> bool {
    vertex.node.get("$recursiveAnchor").and_then(Node::as_bool) == Some(true)
}

fn listed(array: &str) -> Option<Assertion> {
    Some(Assertion::Listed(Document::parse_host(array.as_bytes().to_vec()).ok()?))
}

fn names(list: Node<'_>) -> Box<[Box<str>]> {
    list.elements().filter_map(|name| name.as_str().map(Into::into)).collect()
}
