//! Writing JSON text.

use super::scan::plain_run;
use super::{Kind, Node};

/// A JSON string literal of `text`, quotes included.
pub fn quote(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    // `push_quoted` writes what it was given and ASCII, so this never fails.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the JSON string literal of `text`.
pub(crate) fn push_quoted(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, behind) = rest.split_at(plain_run(rest));
        out.extend_from_slice(plain);
        let Some((&byte, behind)) = behind.split_first() else { break };
        rest = behind;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            other => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(other >> 4)]);
                out.push(HEX[usize::from(other & 15)]);
            }
        }
    }
    out.push(b'"');
}

/// Appends `node` as it was written, without the white space between tokens and with lone surrogates replaced.
pub(crate) fn push_compact(out: &mut Vec<u8>, node: Node<'_>) {
    let document = node.document();
    if !document.spaced() && !document.surrogates() {
        out.extend_from_slice(node.raw().as_bytes());
        return;
    }
    push_node(out, node, document.surrogates());
}

// Recursion is bounded: a document is at most MAX_DEPTH deep.
fn push_node(out: &mut Vec<u8>, node: Node<'_>, surrogates: bool) {
    match node.kind() {
        Kind::Object => {
            out.push(b'{');
            let mut members = node.members();
            let mut first = true;
            while let Some((name, value)) = members.next_nodes() {
                if !std::mem::take(&mut first) {
                    out.push(b',');
                }
                push_node(out, name, surrogates);
                out.push(b':');
                push_node(out, value, surrogates);
            }
            out.push(b'}');
        }
        Kind::Array => {
            out.push(b'[');
            for (n, value) in node.elements().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                push_node(out, value, surrogates);
            }
            out.push(b']');
        }
        Kind::String if surrogates => push_quoted(out, &node.as_str().unwrap_or_default()),
        Kind::String | Kind::Number | Kind::Null | Kind::True | Kind::False => {
            out.extend_from_slice(node.raw().as_bytes());
        }
    }
}
