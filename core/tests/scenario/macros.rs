//! Macros in client and server lines.

use super::Values;

const PREFIX: &str = "io.modelcontextprotocol/";

/// Replaces every macro; panics on one that is not known.
pub(crate) fn expand(text: &str, values: &Values) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let name_len =
            after[1..].bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
        let name = &after[1..=name_len];
        rest = &after[1 + name_len..];
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            out.push('$');
            out.push_str(name);
        } else if let ("REPEAT" | "TEXT", Some(inner)) = (name, rest.strip_prefix('(')) {
            let end = closing(inner);
            out.push_str(&call(name, &inner[..end], values));
            rest = &inner[end + 1..];
        } else {
            let value = values.get(name).cloned().or_else(|| constant(name));
            out.push_str(&expand(&value.unwrap_or_else(|| panic!("${name} is not defined")), values));
        }
    }
    out.push_str(rest);
    out
}

/// Where the parenthesis that is open ends.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    panic!("a parenthesis is open in {text}")
}

fn call(name: &str, argument: &str, values: &Values) -> String {
    if name == "REPEAT" {
        let (text, count) = argument.rsplit_once(',').expect("$REPEAT(text,count)");
        return text.repeat(count.parse().expect("a count"));
    }
    let text = expand(argument, values);
    format!(r#""content":[{{"type":"text","text":"{text}"}}]"#)
}

fn constant(name: &str) -> Option<String> {
    let key = |name: &str| format!("\"{PREFIX}{name}\"");
    Some(match name {
        "PV" => key("protocolVersion"),
        "CC" => key("clientCapabilities"),
        "CI" => key("clientInfo"),
        "LL" => key("logLevel"),
        "SI" => key("serverInfo"),
        "SID" => key("subscriptionId"),
        "V" => r#"$PV:"2026-07-28""#.to_owned(),
        "M" => r#""_meta":{$V,$CC:{}}"#.to_owned(),
        "ME" => r#""_meta":{$SI:{"name":"everything","version":"1.0.0"}}"#.to_owned(),
        "R" => r#""resultType":"complete",$ME"#.to_owned(),
        "HINTS" => r#""ttlMs":0,"cacheScope":"private""#.to_owned(),
        _ => return None,
    })
}
