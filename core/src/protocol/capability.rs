//! What a client declares that it can do, and what is missing.

use super::content::text;
use super::meta_key;
use super::shape::{self, optional, Checked, Fault, Field, ShapeFault, Side};
use crate::json::{Kind, Node};

/// The capabilities object of one request, or of a legacy session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientCapabilities<'d> {
    node: Node<'d>,
}

impl<'d> ClientCapabilities<'d> {
    /// Capabilities that are not checked, for asking only.
    pub(crate) fn new(node: Node<'d>) -> Self {
        Self { node }
    }

    /// The object as it came.
    pub(crate) fn node(self) -> Node<'d> {
        self.node
    }

    /// Checks the shapes of the capabilities that the protocol defines; others are let through.
    pub(crate) fn check(self) -> Result<(), ShapeFault> {
        check(self.node, Side::Client).map_err(|fault| fault.locate(self.node))
    }

    /// Whether a capability is declared: `sampling`, `elicitation.url`, `extensions.<id>`, `experimental.<name>` …
    ///
    /// `elicitation.form` is also declared by an `elicitation` that names no mode (2026-07-28, elicitation).
    pub(crate) fn supports(self, capability: &str) -> bool {
        // An extension's id has dots of its own, so only the first one divides.
        match capability.split_once('.') {
            Some((name, inner)) => self.supports_inner(name, Some(inner)),
            None => self.supports_inner(capability, None),
        }
    }

    fn supports_inner(self, name: &str, inner: Option<&str>) -> bool {
        let holds = |node: Node<'_>| !matches!(node.kind(), Kind::Null | Kind::False);
        let Some(declared) = self.node.get(name).filter(|node| holds(*node)) else {
            return false;
        };
        match inner {
            None => true,
            Some("form") if name == "elicitation" && declared.is_object() => {
                declared.get_present("form").is_some() || declared.get_present("url").is_none()
            }
            Some(inner) => declared.get(inner).is_some_and(holds),
        }
    }
}

fn check(node: Node<'_>, side: Side) -> Checked {
    const SAMPLING: [Field; 2] = [optional("context", shape::object), optional("tools", shape::object)];
    const ELICITATION: [Field; 2] = [optional("form", shape::object), optional("url", shape::object)];
    const FIELDS: [Field; 5] = [
        optional("roots", shape::object),
        optional("sampling", |node, side| shape::read(node, side, &SAMPLING).map(drop)),
        optional("elicitation", |node, side| shape::read(node, side, &ELICITATION).map(drop)),
        optional("extensions", extensions),
        optional("experimental", |node, side| {
            shape::object(node, side)?;
            node.members().try_for_each(|(_, value)| shape::object(value, side))
        }),
    ];
    shape::read(node, side, &FIELDS).map(drop)
}

/// A map of extension ids, which need a prefix, to objects.
pub(crate) fn extensions(node: Node<'_>, side: Side) -> Checked {
    shape::object(node, side)?;
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        let id = text(name);
        if !id.contains('/') || meta_key::check(&id).is_err() {
            return Err(Fault::at(value, "is no extension id; it must be a prefix, '/' and a name"));
        }
        shape::object(value, side)?;
    }
    Ok(())
}

/// Something that a question to the client needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Form,
    Url,
    Sampling,
    SamplingContext,
    SamplingTools,
    Roots,
}

impl Need {
    const ALL: [Need; 6] =
        [Need::Form, Need::Url, Need::Sampling, Need::SamplingContext, Need::SamplingTools, Need::Roots];

    /// The capability, and the member inside it that says more.
    fn path(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Form => ("elicitation", Some("form")),
            Self::Url => ("elicitation", Some("url")),
            Self::Sampling => ("sampling", None),
            Self::SamplingContext => ("sampling", Some("context")),
            Self::SamplingTools => ("sampling", Some("tools")),
            Self::Roots => ("roots", None),
        }
    }
}

/// What a request needs and its client did not declare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// A bit for each need.
    set: u8,
}

impl Missing {
    /// Adds `need` unless the client declared it.
    pub(crate) fn require(&mut self, capabilities: ClientCapabilities<'_>, need: Need) {
        let declared = match need.path() {
            (name, None) => capabilities.supports(name),
            (name, Some(inner)) => capabilities.supports_inner(name, Some(inner)),
        };
        if !declared {
            self.set |= 1 << need as u8;
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.set == 0
    }

    /// The object for `data.requiredCapabilities` of -32021, with everything that is missing.
    pub(crate) fn to_json(self) -> String {
        let missing = |need: &Need| self.set & (1 << *need as u8) != 0;
        let mut groups = Vec::new();
        for name in ["elicitation", "sampling", "roots"] {
            let group = Need::ALL.into_iter().filter(missing).map(Need::path);
            let group: Vec<_> = group.filter(|(outer, _)| *outer == name).collect();
            if !group.is_empty() {
                let inner = group.into_iter().filter_map(|(_, inner)| inner);
                let inner: Vec<String> = inner.map(|inner| format!("\"{inner}\":{{}}")).collect();
                groups.push(format!("\"{name}\":{{{}}}", inner.join(",")));
            }
        }
        format!("{{{}}}", groups.join(","))
    }
}
