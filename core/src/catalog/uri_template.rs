//! URI templates (RFC 6570), read backwards: which template made this URI, and from which values?

mod parse;
mod pattern;

use pattern::Pattern;
use std::borrow::Cow;

/// URIs longer than this match nothing, so that a hostile one costs little.
const MAX_URI_BYTES: usize = 64 << 10;

/// A template whose every expression can be matched.
///
/// `{v}` is one non-empty segment, `{+v}` runs across segments, `{a,b}` are non-empty values with a comma between;
/// `{/v}` and `{#v}` may be absent; `{?a,b}` and `{&a,b}` take their members in any order, each may be absent, and
/// members that nobody named are ignored. The same holds for a query that is written out (`?q={q}&lang=en`), but its
/// members must be there, and stand as they are written if no key of their own tells them apart. Where several readings fit, earlier variables take as much as they can.
#[derive(Debug)]
pub(crate) struct UriTemplate {
    text: Box<str>,
    /// Everything before the query, or everything if no query is matched by its members.
    path: Pattern,
    query: Option<Query>,
    /// The variable of a closing `{#v}`.
    fragment: Option<Box<str>>,
    allow_traversal: bool,
}

/// A query that is matched member by member.
#[derive(Debug)]
struct Query {
    /// `?`, or `&` for a template that has `{&v}` and no `?`.
    lead: char,
    /// Members that are written out in the template, each with a key of its own: each must be there once.
    written: Vec<Pattern>,
    /// The variables of `{?…}` and `{&…}`: each may be there once.
    named: Vec<Box<str>>,
}

/// A variable and its value as it stands in the URI.
type Found<'p, 't> = (&'p str, &'t str);

impl UriTemplate {
    /// Reads a template. `..` segments in a value are no match unless `allow_traversal`.
    ///
    /// # Errors
    /// Why the template cannot be matched.
    pub(crate) fn parse(text: &str, allow_traversal: bool) -> Result<Self, String> {
        parse::template(text, allow_traversal)
    }

    /// The values that make this URI, percent-decoded once, in the template's order; variables without a value are left
    /// out. `None` if the URI is none of this template's, or a value has a bad escape, is not UTF-8, or holds NUL or
    /// (unless allowed) a `..` segment.
    pub(crate) fn matches(&self, uri: &str) -> Option<Vec<(Box<str>, String)>> {
        if uri.len() > MAX_URI_BYTES || !self.path.may_start(uri) {
            return None;
        }
        let uri = normalize(uri)?;
        let mut found = Vec::new();
        let (rest, fragment) = match &self.fragment {
            Some(_) => split(&uri, '#'),
            None => (&*uri, None),
        };
        let (path, query) = match &self.query {
            Some(query) => split(rest, query.lead),
            None => (rest, None),
        };
        if !self.path.find(path, &mut found) {
            return None;
        }
        if let Some(expected) = &self.query {
            expected.find(query.unwrap_or(""), &mut found)?;
        }
        if let (Some(name), Some(value)) = (&self.fragment, fragment) {
            found.push((name, value));
        }
        found.into_iter().map(|(name, value)| Some((name.into(), self.decode(value)?))).collect()
    }

    /// The names of the variables, in the template's order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let query = self.query.iter().flat_map(|query| {
            query.written.iter().flat_map(Pattern::variables).chain(query.named.iter().map(|name| &**name))
        });
        self.path.variables().chain(query).chain(self.fragment.as_deref())
    }

    /// The template as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Percent-decodes once. Escapes are known to be whole: `normalize` refused others.
    fn decode(&self, raw: &str) -> Option<String> {
        let mut bytes = Vec::with_capacity(raw.len());
        let mut rest = raw.as_bytes();
        while let Some((&first, behind)) = rest.split_first() {
            if let (b'%', Some(code)) = (first, escape(rest)) {
                bytes.push(code);
                rest = &rest[3..];
            } else {
                bytes.push(first);
                rest = behind;
            }
        }
        let value = String::from_utf8(bytes).ok()?;
        // A backslash separates segments for hosts on Windows.
        let climbs = !self.allow_traversal && value.split(['/', '\\']).any(|segment| segment == "..");
        (!climbs && !value.contains('\0')).then_some(value)
    }
}

impl Query {
    fn find<'p, 't>(&'p self, query: &'t str, found: &mut Vec<Found<'p, 't>>) -> Option<()> {
        let mut written: Vec<Option<Vec<Found<'p, 't>>>> = self.written.iter().map(|_| None).collect();
        let mut named: Vec<Option<&'t str>> = self.named.iter().map(|_| None).collect();
        if query.contains('#') {
            return None;
        }
        for member in query.split('&').filter(|member| !member.is_empty()) {
            let (key, value) = member.split_once('=').unwrap_or((member, ""));
            if let Some(n) = self.named.iter().position(|name| normalize(name).as_deref() == Some(key)) {
                // A member that stands twice has no single meaning.
                if named[n].replace(value).is_some() {
                    return None;
                }
                continue;
            }
            if let Some(n) = self.written.iter().position(|pattern| pattern.key() == Some(key)) {
                let mut values = Vec::new();
                if !self.written[n].find(member, &mut values) || written[n].replace(values).is_some() {
                    return None;
                }
            }
        }
        for values in written {
            found.extend(values?);
        }
        found.extend(self.named.iter().zip(named).filter_map(|(name, value)| Some((&**name, value?))));
        Some(())
    }
}

/// Checks that `text` is an absolute URI (RFC 3986).
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn check_uri(text: &str) -> Result<(), String> {
    fluent_uri::Uri::parse(text)
        .map(|_| ())
        .map_err(|error| format!("not an absolute URI (RFC 3986): {error}"))
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

/// The byte that the escape at the start of `bytes` stands for.
fn escape(bytes: &[u8]) -> Option<u8> {
    let digit = |n: usize| char::from(*bytes.get(n)?).to_digit(16);
    if bytes.first() != Some(&b'%') {
        return None;
    }
    u8::try_from(digit(1)? << 4 | digit(2)?).ok()
}

/// The one spelling in which URIs and literals are compared: bytes beyond ASCII escaped, escapes in capitals. `None` if
/// an escape is not whole.
fn normalize(text: &str) -> Option<Cow<'_, str>> {
    const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let bytes = text.as_bytes();
    if bytes.iter().all(|&byte| byte.is_ascii() && byte != b'%') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = if byte == b'%' { escape(&bytes[at..])? } else { byte };
        if byte == b'%' || !byte.is_ascii() {
            out.push('%');
            out.push(HEX[usize::from(code >> 4)]);
            out.push(HEX[usize::from(code & 15)]);
        } else {
            out.push(char::from(byte));
        }
        at += if byte == b'%' { 3 } else { 1 };
    }
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests;
