//! References.

use super::{refused, table};

#[test]
fn schema_05_07_r072_r074_references_stay_inside_the_document() {
    refused(&[
        (
            r#"{"$ref":"http://127.0.0.1:1/s.json"}"#,
            "/$ref",
            "\"http://127.0.0.1:1/s.json\", which is not in this document",
        ),
        (r#"{"$ref":"file:///etc/passwd"}"#, "/$ref", "file:///etc/passwd"),
        (r#"{"$ref":"//h/s"}"#, "/$ref", "//h/s"),
        (r#"{"$id":"https://example.com/root.json","$ref":"other.json"}"#, "/$ref", "other.json"),
        (r##"{"properties":{"x":{"$ref":"#/$defs/No"}},"$defs":{}}"##, "/properties/x/$ref", "#/$defs/No"),
        (r##"{"$defs":{"a":{"$ref":"#nowhere"}}}"##, "/$defs/a/$ref", "anchor"),
        (r#"{"$dynamicRef":"http://example.com/x#meta"}"#, "/$dynamicRef", "http://example.com/x#meta"),
        (r##"{"title":"t","$ref":"#/title"}"##, "/$ref", "not a schema"),
        (r##"{"$ref":"#"}"##, "", "itself without end"),
        (
            r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
            "/$defs/a",
            "itself without end",
        ),
        (r#"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#, "/$ref", "not in this document"),
    ]);
}

#[test]
fn r073_references_that_do_resolve() {
    let recursive =
        r##"{"$defs":{"n":{"type":"object","properties":{"c":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}"##;
    table(&[
        (recursive, r#"{"c":{"c":{"c":{}}}}"#, true),
        (recursive, r#"{"c":{"c":{"c":1}}}"#, false),
        (r##"{"$defs":{"a":{"$anchor":"here","type":"string"}},"$ref":"#here"}"##, "1", false),
        (
            r##"{"$defs":{"n":{"$dynamicAnchor":"node","type":"string"}},"items":{"$dynamicRef":"#node"}}"##,
            "[1]",
            false,
        ),
        (r##"{"$defs":{"n":{"type":"string"}},"$ref":"#/%24defs/n"}"##, "1", false),
        (r##"{"$defs":{"a/b":{"type":"string"}},"$ref":"#/$defs/a~1b"}"##, "1", false),
        (r##"{"$defs":{"a/b":{"type":"string"}},"$ref":"#/$defs/a~1b"}"##, "\"x\"", true),
        (
            r#"{"$id":"https://example.com/r","$defs":{"a":{"$id":"a","type":"string"}},"$ref":"a"}"#,
            "1",
            false,
        ),
        (
            r#"{"$id":"https://example.com/r","$defs":{"a":{"type":"string"}},"$ref":"https://example.com/r#/$defs/a"}"#,
            "1",
            false,
        ),
        (r##"{"x-parts":{"a":{"type":"string","maximum":1}},"$ref":"#/x-parts/a"}"##, "1", false),
        (
            r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"$id":"#a","type":"string"}},"allOf":[{"$ref":"#a"}]}"##,
            "1",
            false,
        ),
        (
            r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","properties":{"c":{"$recursiveRef":"#"}}}"##,
            r#"{"c":1}"#,
            false,
        ),
    ]);
}
