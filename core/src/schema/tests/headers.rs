//! `x-mcp-header`.

use super::{header_params, read, HeaderKind, HeaderParam};

#[test]
fn hdr_14_15_16_annotations_that_are_valid() {
    let text = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "n":{"type":"integer","x-mcp-header":"Method"},
        "a":{"type":"object","properties":{"b/~c":{"type":"boolean","x-mcp-header":"a!#$%&'*+-.^_`|~9"}}},
        "x-mcp-header":{"type":"string"},
        "d":{"type":"object","default":{"x-mcp-header":"data"},"examples":[{"x-mcp-header":1}]}}}"#;
    let param = |header: &str, path: &[&str], kind| HeaderParam {
        header: header.to_owned(),
        path: path.iter().map(|&name| name.to_owned()).collect(),
        kind,
    };
    assert_eq!(
        header_params(read(text).root()).unwrap(),
        [
            param("Region", &["region"], HeaderKind::String),
            param("Method", &["n"], HeaderKind::Integer),
            param("a!#$%&'*+-.^_`|~9", &["a", "b/~c"], HeaderKind::Boolean),
        ]
    );
    assert_eq!(header_params(read("{}").root()).unwrap(), []);
}

#[test]
fn hdr_14_15_16_18_amb_24_annotations_that_are_not() {
    let property = |body: &str| format!(r#"{{"properties":{{"a":{{{body}}}}}}}"#);
    let string = |header: &str| property(&format!(r#""type":"string","x-mcp-header":{header}"#));
    let at = "/properties/a/x-mcp-header";
    let mut rows = vec![
        (property(r#""type":"number","x-mcp-header":"A""#), at, "\"type\""),
        (property(r#""type":"object","x-mcp-header":"A""#), at, "\"type\""),
        (property(r#""type":"array","x-mcp-header":"A""#), at, "\"type\""),
        (property(r#""type":"null","x-mcp-header":"A""#), at, "\"type\""),
        (property(r#""type":["string"],"x-mcp-header":"A""#), at, "\"type\""),
        (property(r#""x-mcp-header":"A""#), at, "\"type\""),
        (string("5"), at, "must be a string"),
        (string("null"), at, "must be a string"),
        (r#"{"x-mcp-header":"A","type":"object"}"#.to_owned(), "/x-mcp-header", "alone"),
        (r#"{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"REGION"}}}"#.to_owned(), "/properties/b/x-mcp-header", "twice"),
        (r#"{"x-other":{"a":[{"x-mcp-header":"A"}]}}"#.to_owned(), "/x-other/a/0/x-mcp-header", "alone"),
    ];
    for header in [r#""""#, r#""My Region""#, r#""A:B""#, r#""Région""#, r#""R\t1""#, r#""A\u0000""#] {
        rows.push((string(header), at, "token"));
    }
    for keyword in [
        "items",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
    ] {
        rows.push((format!(r#"{{"{keyword}":{{"type":"string","x-mcp-header":"A"}}}}"#), "", "alone"));
    }
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems", "items"] {
        rows.push((
            format!(r#"{{"{keyword}":[{{"properties":{{"a":{{"type":"string","x-mcp-header":"A"}}}}}}]}}"#),
            "",
            "alone",
        ));
    }
    for keyword in ["$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"] {
        rows.push((
            format!(r#"{{"{keyword}":{{"a":{{"type":"string","x-mcp-header":"A"}}}}}}"#),
            "",
            "alone",
        ));
    }
    for (text, pointer, reason) in rows {
        let faults = header_params(read(&text).root()).expect_err(&text);
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
        assert!(pointer.is_empty() || faults[0].pointer == pointer, "{text}: {faults:?}");
        assert!(faults[0].reason.contains(reason), "{text}: {faults:?}");
        assert!(read(&text).root().pointer(&faults[0].pointer).is_some(), "{faults:?}");
    }
}
