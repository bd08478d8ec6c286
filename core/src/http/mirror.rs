//! Headers that repeat parts of the message: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`.

use crate::engine::{mismatch, Mirror};
use crate::json::{Decimal, Document, Kind, Node};
use crate::jsonrpc::ErrorBody;
use crate::schema::{HeaderKind, HeaderParam};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use std::borrow::Cow;

/// Headers that stand on every request of their kind, and how the specification writes them.
static STANDARD_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];
const SHOWN: [&str; 3] = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"];
const VERSION: usize = 0;
const METHOD: usize = 1;
const NAME: usize = 2;
const PARAM: &str = "Mcp-Param-";
/// How a value in Base64 begins.
const CODED: &str = "=?base64?";

/// The values of a header.
#[derive(Clone, Copy)]
enum Found<'h> {
    None,
    Once(&'h HeaderValue),
    Twice,
}

/// Which member of the params `Mcp-Name` repeats.
const NAMED: [(&str, &str); 6] = [
    ("tools/call", "name"),
    ("prompts/get", "name"),
    ("resources/read", "uri"),
    ("tasks/get", "taskId"),
    ("tasks/update", "taskId"),
    ("tasks/cancel", "taskId"),
];

/// The headers of one request.
pub(super) struct Headers<'h> {
    all: &'h HeaderMap,
    /// The standard ones among them.
    standard: [Found<'h>; 3],
}

impl Mirror for Headers<'_> {
    fn version(&self, named: &str) -> Result<(), ErrorBody> {
        if self.is_plainly(VERSION, named) || self.required(VERSION)? == named {
            return Ok(());
        }
        Err(mismatch("The header MCP-Protocol-Version differs from the version in params._meta."))
    }

    fn names(&self, method: &str, params: Node<'_>) -> Result<(), ErrorBody> {
        if !self.is_plainly(METHOD, method) && self.required(METHOD)? != method {
            return Err(mismatch("The header Mcp-Method differs from the message's method."));
        }
        let member = NAMED.iter().find(|(known, _)| *known == method).map(|(_, member)| *member);
        // Without its source there is nothing to repeat; what is missing is refused for itself.
        let source = member.and_then(|member| Some((member, params.get(member)?.as_str()?)));
        let Some((member, source)) = source else { return Ok(()) };
        let is_plain = !source.starts_with(CODED) && self.is_plainly(NAME, &source);
        if is_plain || *decoded(SHOWN[NAME], self.required(NAME)?)? == *source {
            return Ok(());
        }
        Err(mismatch(format!("The header Mcp-Name differs from params.{member}.")))
    }

    fn params(&self, table: &[HeaderParam], arguments: Option<Node<'_>>) -> Result<(), ErrorBody> {
        table.iter().try_for_each(|param| self.param(param, arguments))
    }
}

impl<'h> Headers<'h> {
    /// Looks through the headers once: that costs less than looking up three.
    pub(super) fn new(all: &'h HeaderMap) -> Self {
        let mut standard = [Found::None; 3];
        for (name, value) in all {
            let known = STANDARD_HEADERS.iter().zip(&mut standard).find(|(known, _)| *known == name);
            if let Some((_, found)) = known {
                found.add(value);
            }
        }
        Self { all, standard }
    }

    /// Whether a header stands once and is `text`, byte for byte, with nothing in it that would need a second look:
    /// headers hold no control characters, so that is white space around it, and what is not ASCII.
    fn is_plainly(&self, header: usize, text: &str) -> bool {
        let ends = [text.as_bytes().first(), text.as_bytes().last()];
        matches!(self.standard[header], Found::Once(value) if value == text)
            && text.is_ascii()
            && ends.into_iter().flatten().all(u8::is_ascii_graphic)
    }

    /// The one value of a header, without white space around it.
    fn value(found: Found<'h>, shown: &str) -> Result<Option<&'h str>, ErrorBody> {
        let value = match found {
            Found::None => return Ok(None),
            Found::Once(value) => value,
            Found::Twice => return Err(mismatch(format!("The header {shown} stands twice."))),
        };
        // Whatever is not ASCII travels in Base64.
        match std::str::from_utf8(value.as_bytes()) {
            Ok(text) if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) => {
                Ok(Some(text.trim_matches([' ', '\t'])))
            }
            Ok(_) | Err(_) => Err(mismatch(format!(
                "The header {shown} has characters that no header may have: send them in Base64."
            ))),
        }
    }

    fn required(&self, header: usize) -> Result<&'h str, ErrorBody> {
        let shown = SHOWN[header];
        Self::value(self.standard[header], shown)?
            .ok_or_else(|| mismatch(format!("The header {shown} is missing.")))
    }

    fn param(&self, param: &HeaderParam, arguments: Option<Node<'_>>) -> Result<(), ErrorBody> {
        let name = format!("{PARAM}{}", param.header);
        let mut found = Found::None;
        self.all.get_all(&name).iter().for_each(|value| found.add(value));
        let value = Self::value(found, &name)?;
        let mut path = param.path.iter();
        let argument = path.try_fold(arguments, |node, name| Some(node?.get_present(name)));
        match (argument.flatten(), value) {
            (None, None) => Ok(()),
            (None, Some(_)) => {
                Err(mismatch(format!("The header {name} is there, but the argument that it repeats is not.")))
            }
            // No header can repeat these; the schema refuses them.
            (Some(argument), _) if argument.is_object() || argument.is_array() => Ok(()),
            (Some(_), None) => Err(mismatch(format!("The header {name} is missing."))),
            (Some(argument), Some(value)) => {
                if repeats(param.kind, argument, &decoded(&name, value)?) {
                    Ok(())
                } else {
                    Err(mismatch(format!("The header {name} differs from the argument that it repeats.")))
                }
            }
        }
    }
}

impl<'h> Found<'h> {
    fn add(&mut self, value: &'h HeaderValue) {
        *self = match self {
            Self::None => Self::Once(value),
            Self::Once(_) | Self::Twice => Self::Twice,
        };
    }
}

/// Whether a header says the same as an argument.
fn repeats(kind: HeaderKind, argument: Node<'_>, value: &str) -> bool {
    match (kind, argument.kind()) {
        (HeaderKind::Integer, Kind::Number) => {
            is_number(value) && Decimal::read(argument.raw()) == Decimal::read(value)
        }
        (HeaderKind::String | HeaderKind::Integer | HeaderKind::Boolean, Kind::String) => {
            argument.is_str(value)
        }
        // A literal, or of another type than the schema has: then the schema refuses it.
        (
            HeaderKind::String | HeaderKind::Integer | HeaderKind::Boolean,
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Array | Kind::Object,
        ) => argument.raw() == value,
    }
}

fn is_number(text: &str) -> bool {
    let spaced = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    !spaced && Document::parse(text.as_bytes().to_vec()).is_ok_and(|read| read.root().kind() == Kind::Number)
}

/// A value as it was before it was put into a header: `=?base64?…?=` holds Base64 of UTF-8, in canonical form only.
fn decoded<'v>(name: &str, value: &'v str) -> Result<Cow<'v, str>, ErrorBody> {
    let Some(inner) = value.strip_prefix(CODED).and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Cow::Borrowed(value));
    };
    let text = STANDARD.decode(inner).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Cow::Owned)
        .ok_or_else(|| mismatch(format!("The header {name} is not canonical Base64 of UTF-8 text.")))
}
