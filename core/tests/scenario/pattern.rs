//! Compares messages with what a file expects.

use super::{expand, Values};
use mcpcore::json::{Document, Kind, Node};

/// One line of a server section.
pub(crate) struct Expected {
    text: String,
    loose: bool,
    any_number: bool,
    /// Lines with the same number above 0 may come in any order.
    group: usize,
}

impl Expected {
    /// Reads a server section.
    pub(crate) fn read(lines: &[String]) -> Vec<Self> {
        let mut found = Vec::new();
        let (mut group, mut inside) = (0, false);
        for line in lines {
            match line.as_str() {
                "#unordered" => {
                    group += 1;
                    inside = true;
                }
                "#ordered" => inside = false,
                line => {
                    let text = line.strip_prefix("#any ");
                    let any_number = text.is_some();
                    let text = text.unwrap_or(line);
                    let exact = text.strip_prefix("~~ ").or_else(|| text.strip_prefix("~ "));
                    assert!(exact.unwrap_or(text).starts_with(['{', '[']), "not a server line: {line}");
                    let group = if inside { group } else { 0 };
                    found.push(Self {
                        text: exact.unwrap_or(text).to_owned(),
                        loose: exact.is_some(),
                        any_number,
                        group,
                    });
                }
            }
        }
        found
    }

    /// Whether `message` is what the line says.
    fn fits(&self, message: &str, values: &Values) -> bool {
        let wanted = expand(&self.text, values);
        if !self.loose && !wanted.contains("**") {
            return wanted == message;
        }
        let wanted = Document::parse_host(wanted.into_bytes())
            .unwrap_or_else(|fault| panic!("{}: {fault}", self.text));
        let message = Document::parse_host(message.as_bytes().to_vec());
        message.is_ok_and(|message| matches(wanted.root(), message.root(), self.loose))
    }
}

fn is_star(text: &str, loose: bool) -> bool {
    text == "**" || (loose && text == "*")
}

fn matches(pattern: Node<'_>, value: Node<'_>, loose: bool) -> bool {
    if pattern.as_str().is_some_and(|text| is_star(&text, loose)) {
        return true;
    }
    if pattern.kind() != value.kind() {
        return false;
    }
    match pattern.kind() {
        Kind::Object => object_matches(pattern, value, loose),
        Kind::Array => {
            pattern.elements().count() == value.elements().count()
                && pattern.elements().zip(value.elements()).all(|(one, other)| matches(one, other, loose))
        }
        Kind::String => match (pattern.as_str(), value.as_str()) {
            (Some(one), Some(other)) => glob(&one, &other, loose),
            _ => false,
        },
        _ => pattern.raw() == value.raw(),
    }
}

fn object_matches(pattern: Node<'_>, value: Node<'_>, loose: bool) -> bool {
    let open = pattern.get("...").and_then(Node::as_str).is_some_and(|text| is_star(&text, loose));
    let names: Vec<_> = pattern.members().map(|(name, _)| name).filter(|name| name != "...").collect();
    if !open && names.len() != value.members().count() {
        return false;
    }
    let known: Vec<_> = value.members().map(|(name, _)| name).filter(|name| names.contains(name)).collect();
    if !loose && names != known {
        return false;
    }
    names.iter().all(|name| match (pattern.get(name), value.get(name)) {
        (Some(one), Some(other)) => matches(one, other, loose),
        _ => false,
    })
}

/// `**` (and in loose lines `*`) stand for any text.
fn glob(pattern: &str, text: &str, loose: bool) -> bool {
    let pattern = if loose {
        pattern.replace("**", "*")
    } else {
        pattern.replace('*', "\u{1}").replace("\u{1}\u{1}", "*")
    };
    let parts: Vec<String> = pattern.split('*').map(|part| part.replace('\u{1}', "*")).collect();
    let [first, middle @ .., last] = parts.as_slice() else {
        return pattern == text;
    };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else {
        return false;
    };
    for part in middle {
        match rest.find(part.as_str()) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last.as_str())
}

/// What is wrong between the lines and the messages: never came, or unexpected.
pub(crate) fn pair(expected: &[Expected], messages: &[String], values: &Values) -> Vec<String> {
    let mut rest: Vec<&String> = messages
        .iter()
        .filter(|message| !expected.iter().any(|line| line.any_number && line.fits(message, values)))
        .collect();
    let mut faults = Vec::new();
    let mut index = 0;
    while let Some(line) = expected.get(index) {
        let block = expected[index..]
            .iter()
            .take_while(|other| line.group > 0 && other.group == line.group)
            .count()
            .max(1);
        index += block;
        if line.any_number {
            continue;
        }
        let reach = block.min(rest.len());
        let mut window: Vec<&String> = rest.drain(..reach).collect();
        for line in &expected[index - block..index] {
            match window.iter().position(|message| line.fits(message, values)) {
                Some(at) => {
                    window.remove(at);
                }
                None => faults.push(format!("never came: {}", line.text)),
            }
        }
        faults.extend(window.into_iter().map(|message| format!("unexpected: {message}")));
    }
    faults.extend(rest.into_iter().map(|message| format!("unexpected: {message}")));
    faults
}

/// What is wrong with a message whatever the file says; `session` if it may be of the legacy era.
pub(crate) fn universal(line: &str, session: bool) -> Option<String> {
    let Ok(document) = Document::parse_host(line.as_bytes().to_vec()) else {
        return Some("not JSON".to_owned());
    };
    if document.duplicate().is_some() {
        return Some("a member name repeats".to_owned());
    }
    if has_space(line) {
        return Some("white space outside strings".to_owned());
    }
    let root = document.root();
    if session && root.is_array() {
        return root.elements().find_map(|element| message_fault(element, session));
    }
    message_fault(root, session)
}

fn message_fault(root: Node<'_>, session: bool) -> Option<String> {
    if !root.get("jsonrpc").is_some_and(|version| version.is_str("2.0")) {
        return Some("not a JSON-RPC 2.0 object".to_owned());
    }
    if root.get("method").is_some() {
        return root.get("id").filter(|_| !session).map(|_| "a request to the client".to_owned());
    }
    match (root.get("result"), root.get("error")) {
        (Some(result), None) => {
            let named = result.get("resultType").and_then(Node::as_str);
            let known = named
                .as_deref()
                .map_or(session && is_bare(result), |word| word == "complete" || word == "input_required");
            (!known).then(|| "a result without its resultType".to_owned())
        }
        (None, Some(error)) => error_fault(error, session),
        _ => Some("neither or both of result and error".to_owned()),
    }
}

/// LEG-05: a result without its type has none of the other members of the modern era.
fn is_bare(result: Node<'_>) -> bool {
    let identity = result.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    identity.is_none() && ["ttlMs", "cacheScope"].iter().all(|name| result.get(name).is_none())
}

fn error_fault(error: Node<'_>, session: bool) -> Option<String> {
    let Some(code) = error.get("code").and_then(Node::as_i64) else {
        return Some("no integer code".to_owned());
    };
    let of_sessions = session && [-32002, -32042].contains(&code);
    if (-32099..=-32000).contains(&code) && ![-32020, -32021, -32022].contains(&code) && !of_sessions {
        return Some(format!("the code {code} is not for servers"));
    }
    let text = error.get("message").and_then(Node::as_str).unwrap_or_default();
    let short = !text.is_empty() && text.chars().count() < 200 && !text.contains('\n');
    (!short).then(|| "an error message that is not one short line".to_owned())
}

fn has_space(line: &str) -> bool {
    let (mut inside, mut escaped) = (false, false);
    for c in line.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            c if c.is_whitespace() && !inside => return true,
            _ => {}
        }
    }
    false
}
