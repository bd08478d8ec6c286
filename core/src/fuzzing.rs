//! What the fuzz targets in `core/fuzz` call: each function reads hostile bytes and asserts what must hold for any.

use crate::catalog::cursor::{self, List};
use crate::catalog::{check_uri, UriTemplate};
use crate::environment::System;
use crate::json::{push_compact, Document};
use crate::jsonrpc;
use crate::state::{digest_arguments, Binding, Sealer};
use std::sync::Arc;

/// A message is read or refused; what is written is one line of JSON and says the same.
pub fn message(data: &[u8]) {
    if let Ok(document) = Document::parse(data.to_vec()) {
        let mut compact = Vec::new();
        push_compact(&mut compact, document.root());
        assert!(!compact.contains(&b'\n'));
        let again = Document::parse(compact).expect("what was read is written as JSON");
        assert_eq!(again.duplicate(), document.duplicate());
        assert_eq!(digest_arguments(again.root()), digest_arguments(document.root()));
        assert_eq!(again.root().to_value(), document.root().to_value());
    }
    if let Ok(document) = Document::parse_host(data.to_vec()) {
        let mut compact = Vec::new();
        push_compact(&mut compact, document.root());
        Document::parse(compact).expect("what a host may write is written as strict JSON");
    }
    if let Err(refusal) = jsonrpc::read(data.to_vec()) {
        assert!(!refusal.text.contains(&b'\n'));
        let refusal = Document::parse(refusal.text).expect("a refusal is JSON");
        assert!(refusal.root().get("error").is_some());
    }
}

/// A cursor is refused, or is the very text that its key makes.
pub fn cursor(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for list in List::ALL {
        if let Ok(key) = cursor::decode(text, list) {
            assert_eq!(cursor::encode(list, &key), text);
        }
        assert_eq!(
            cursor::decode(&cursor::encode(list, text), list).as_deref(),
            Ok(text)
        );
    }
}

/// The first line is a template, the rest a URI. What matches has values that cannot mislead.
pub fn template(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (template, uri) = text.split_once('\n').unwrap_or((text, text));
    let well_formed = check_uri(uri).is_ok();
    let Ok(template) = UriTemplate::parse(template, false) else {
        return;
    };
    let names: Vec<&str> = template.variables().collect();
    let values = template.matches(uri);
    if names.is_empty() && well_formed && template.as_str() == uri && uri.is_ascii() {
        assert!(
            values.is_some(),
            "a template without variables matches its own text"
        );
    }
    let mut rest = names.as_slice();
    for (name, value) in values.unwrap_or_default() {
        let at = rest
            .iter()
            .position(|&other| *other == *name)
            .expect("values come in the template's order");
        rest = &rest[at + 1..];
        assert!(!value.contains('\0') && value.split('/').all(|segment| segment != ".."));
    }
}

/// Nobody can make a state that opens, from nothing or out of a good one.
pub fn state(data: &[u8]) {
    let sealer = Sealer::new(&[[7; 32]], Arc::new(System)).expect("a key was given");
    let binding = Binding {
        principal: "p",
        method: "tools/call",
        target: "t",
        arguments: [1; 32],
    };
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(sealer.open(&binding, text).is_err());
    }
    let good = sealer
        .seal(&binding, u64::MAX, data)
        .expect("the system has randomness");
    assert_eq!(sealer.open(&binding, &good).as_deref(), Ok(data));
    if let [at, at2, byte, ..] = *data {
        let mut bad = good.clone().into_bytes();
        let at = usize::from(u16::from_be_bytes([at, at2])) % bad.len();
        bad[at] = byte;
        let bad = String::from_utf8_lossy(&bad).into_owned();
        assert_eq!(sealer.open(&binding, &bad).is_ok(), bad == good);
    }
}
