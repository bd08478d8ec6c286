//! What schemas and instances may cost.

use super::{check, compile, options, read, schema, Schema};
use crate::json::Document;
use std::time::Instant;

fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// `length` definitions, each of which is `link` with `NEXT` for the one after it.
fn chain(length: usize, link: &str) -> String {
    let links: Vec<String> = (0..length)
        .map(|n| format!(r#""d{n}":{}"#, link.replace("NEXT", &format!("#/$defs/d{}", n + 1))))
        .collect();
    format!(r##"{{"$defs":{{{},"d{length}":{{"type":"string"}}}},"$ref":"#/$defs/d0"}}"##, links.join(","))
}

#[test]
fn schema_08_r078_composition_bombs_are_refused() {
    let twice = r#"{"allOf":[{"$ref":"NEXT"},{"$ref":"NEXT"}]}"#;
    let wide: Vec<String> = (0..10_001).map(|n| format!(r#""p{n}":{{}}"#)).collect();
    for (text, reason) in [
        (chain(20, twice), "subschemas to one value"),
        (chain(40, twice), "subschemas deep"),
        (chain(20, &twice.replace("allOf", "anyOf")), "subschemas to one value"),
        (chain(5_000, r#"{"if":true,"then":{"$ref":"NEXT"}}"#), "more than 10000 subschemas"),
        (chain(9_000, r#"{"$ref":"NEXT"}"#), "subschemas deep"),
        (format!(r#"{{"properties":{{{}}}}}"#, wide.join(",")), "more than 10000 subschemas"),
        (format!(r#"{{"enum":[{}0]}}"#, "0,".repeat(600_000)), "values"),
    ] {
        let document = read(&text);
        let start = Instant::now();
        let faults = Schema::compile(document.root(), &options()).expect_err(reason);
        println!("{reason}: {:?}", start.elapsed());
        assert!(faults.iter().any(|fault| fault.reason.contains(reason)), "{:?}", &faults[..1]);
    }
    // What is deep in the text never becomes a schema: documents are at most 128 deep.
    assert!(Document::parse(nested(100_000, r#"{"allOf":["#, "{}", "]}").into_bytes()).is_err());
    // Nested but small is fine.
    for text in [
        nested(30, r#"{"anyOf":[{"type":"null"},"#, r#"{"type":"string"}"#, "]}"),
        nested(60, r#"{"not":"#, "{}", "}"),
    ] {
        assert!(compile(&text).is_ok(), "{text}");
    }
    // One definition used in many places costs nothing.
    let shared: Vec<String> = (0..3_000).map(|n| format!(r##""p{n}":{{"$ref":"#/$defs/a"}}"##)).collect();
    assert!(compile(&format!(
        r#"{{"$defs":{{"a":{{"type":"string"}}}},"properties":{{{}}}}}"#,
        shared.join(",")
    ))
    .is_ok());
}

#[test]
fn schema_08_hostile_instances_are_bounded() {
    let objects: Vec<String> = (0..100_000).map(|n| format!(r#"{{"a":{n},"b":"x"}}"#)).collect();
    let unique = schema(r#"{"uniqueItems":true}"#);
    let document = read(&format!("[{}]", objects.join(",")));
    let start = Instant::now();
    assert!(unique.check(document.root()).is_ok());
    println!("uniqueItems on 100000 objects: {:?}", start.elapsed());

    // Twice as many ways with every level of the instance.
    let double = schema(
        r##"{"type":"object","properties":{"c":{"allOf":[{"$ref":"#"},{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}]}},"patternProperties":{"^c$":{"$ref":"#"}}}"##,
    );
    for (inner, wanted) in [("{}", true), ("1", false)] {
        let document = read(&nested(100, r#"{"c":"#, inner, "}"));
        let start = Instant::now();
        let verdict = double.check(document.root());
        println!("doubling: {:?} {verdict:?}", start.elapsed());
        assert!(verdict.is_err() || wanted);
    }
    // A member for every property, and as many again.
    let many: Vec<String> = (0..5_000).map(|n| format!(r#""p{n}":{{"type":"integer"}}"#)).collect();
    let wide = schema(&format!(r#"{{"properties":{{{}}},"required":["p4999","p1"]}}"#, many.join(",")));
    let members: Vec<String> = (0..20_000).map(|n| format!(r#""p{n}":{n}"#)).collect();
    let document = read(&format!("{{{}}}", members.join(",")));
    let start = Instant::now();
    let verdict = wide.check(document.root());
    println!("wide: {:?} {verdict:?}", start.elapsed());
}

#[test]
fn r031_deep_instances_fit_a_small_stack() {
    let recursive = schema(
        r##"{"type":"object","properties":{"c":{"allOf":[{"anyOf":[{"$ref":"#"},{"type":"null"}]}]}},"additionalProperties":false}"##,
    );
    let thread =
        std::thread::Builder::new().stack_size(if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 });
    let verdicts = thread
        .spawn(move || {
            let good = check(&recursive, &nested(120, r#"{"c":"#, "{}", "}")).is_ok();
            (good, check(&recursive, &nested(120, r#"{"c":"#, "1", "}")).is_ok())
        })
        .unwrap()
        .join()
        .unwrap();
    assert_eq!(verdicts, (true, false));
}
