//! An item as clients see it.

use super::settings::MEMBER;
use crate::json::{push_compact, push_quoted, Node};

/// The text of `node` as its list shows it: members, order and numbers as the host wrote them, white space between
/// tokens dropped, the engine's own member left out. `extra` is a member that is added if the item lacks it.
pub(super) fn render(node: Node<'_>, extra: Option<(&str, &str)>) -> Box<[u8]> {
    let extra = extra.filter(|(name, _)| node.get(name).is_none());
    let mut out = Vec::with_capacity(node.raw().len());
    if extra.is_none() && node.get(MEMBER).is_none() {
        push_compact(&mut out, node);
        return out.into();
    }
    out.push(b'{');
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        if name.is_str(MEMBER) {
            continue;
        }
        separate(&mut out);
        push_compact(&mut out, name);
        out.push(b':');
        push_compact(&mut out, value);
    }
    if let Some((name, text)) = extra {
        separate(&mut out);
        push_quoted(&mut out, name);
        out.push(b':');
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b'}');
    out.into()
}

fn separate(out: &mut Vec<u8>) {
    if out.len() > 1 {
        out.push(b',');
    }
}
