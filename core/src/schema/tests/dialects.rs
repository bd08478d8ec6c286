//! Dialects, their meta-schemas and keywords.

use super::{check, compile, options, read, refused, schema, table, Schema, SchemaOptions};

#[test]
fn schema_01_full_2020_12_without_a_dialect() {
    table(&[
        (r#"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#, r#"["a",1]"#, true),
        (r#"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#, r#"["a","b"]"#, false),
        (r#"{"dependentRequired":{"a":["b"]}}"#, r#"{"a":1}"#, false),
        (r#"{"dependentSchemas":{"a":{"required":["b"]}}}"#, r#"{"a":1,"b":2}"#, true),
        (r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#, r#"{"a":1}"#, true),
        (r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#, r#"{"b":1}"#, false),
        (r#"{"contains":{"const":1},"minContains":2}"#, "[1,2,1.0]", true),
        (r#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#, r#"{"a":1}"#, false),
        (r#"{"not":{"type":"string"}}"#, "1", true),
        (r#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "3", false),
        (r#"{"propertyNames":{"maxLength":2}}"#, r#"{"abc":1}"#, false),
        (
            r#"{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}"#,
            r#"{"x-a":"b"}"#,
            true,
        ),
        (
            r#"{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}"#,
            r#"{"y":"b"}"#,
            false,
        ),
        (r#"{"minProperties":1,"maxProperties":2}"#, "{}", false),
        (r#"{"type":["string","null"]}"#, "null", true),
    ]);
}

#[test]
fn schema_02_the_dialect_that_is_named_r075() {
    let tuple =
        |uri: &str| format!(r#"{{"$schema":"{uri}","items":[{{"type":"string"}}],"additionalItems":false}}"#);
    for uri in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ] {
        assert!(check(&schema(&tuple(uri)), r#"["a"]"#).is_ok(), "{uri}");
        assert!(check(&schema(&tuple(uri)), "[1]").is_err(), "{uri}");
        assert!(check(&schema(&tuple(uri)), r#"["a",1]"#).is_err(), "{uri}");
    }
    // The array form of `items` is no longer a schema in 2020-12, under either spelling of its name.
    for uri in
        ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#"]
    {
        let faults = compile(&tuple(uri)).expect_err(uri);
        assert_eq!(faults[0].pointer, "/items");
        assert!(compile(&format!(r#"{{"$schema":"{uri}","prefixItems":[true]}}"#)).is_ok());
    }
    refused(&[
        (
            r#"{"$schema":"https://example.com/mine"}"#,
            "/$schema",
            r#"dialect "https://example.com/mine" is not supported; use 2020-12, 2019-09, draft-07, draft-06 or draft-04"#,
        ),
        (r#"{"$schema":"http://json-schema.org/draft-03/schema#"}"#, "/$schema", "draft-03"),
        (r#"{"$schema":5}"#, "/$schema", "must be a URI"),
        (r#"{"$defs":{"a":{"$id":"a","$schema":"urn:x"}}}"#, "/$defs/a/$schema", "urn:x"),
    ]);
    table(&[
        (
            r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a","maxLength":1}}}"##,
            r#"{"x":"ab"}"#,
            true,
        ),
        (
            r##"{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a","maxLength":1}}}"##,
            r#"{"x":"ab"}"#,
            false,
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}"#,
            "1",
            false,
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","maximum":1,"exclusiveMaximum":true}"#,
            "0.5",
            true,
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"$schema":{"type":"string"}}}"#,
            r#"{"$schema":"x"}"#,
            true,
        ),
    ]);
}

#[test]
fn schema_04_breaches_of_the_meta_schema_are_named_all_at_once() {
    refused(&[
        (r#"{"type":"objekt"}"#, "/type", "got \"objekt\""),
        (r#"{"properties":{"a":{"minLength":-1}}}"#, "/properties/a/minLength", "at least 0"),
        (r#"{"required":"a"}"#, "/required", "expected array"),
        (r#"{"anyOf":[]}"#, "/anyOf", "at least 1 item"),
        (r#"{"properties":{"a":5}}"#, "/properties/a", "boolean or object"),
        (r#"{"pattern":"(" }"#, "/pattern", "regular expression"),
        (r#"{"multipleOf":0}"#, "/multipleOf", "above 0"),
        ("[]", "", "must be an object"),
        (r#"{"a":1,"a":2}"#, "", "twice"),
    ]);
    let faults = compile(r##"{"type":"objekt","properties":{"a":{"minLength":"x"}},"$ref":"#/$defs/no"}"##)
        .unwrap_err();
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for pointer in ["/type", "/properties/a/minLength", "/$ref"] {
        assert!(pointers.contains(&pointer), "{faults:?}");
    }
}

#[test]
fn schema_09_10_roots() {
    let input = SchemaOptions { root_object: true, ..options() };
    for text in ["{}", r#"{"type":"array"}"#, r#"{"type":["object"]}"#, r#"{"oneOf":[{"type":"object"}]}"#] {
        let faults = Schema::compile(read(text).root(), &input).expect_err(text);
        assert_eq!((faults.len(), faults[0].pointer.as_str()), (1, "/type"), "{text}");
        // T-20: an output schema may be any.
        assert!(compile(text).is_ok(), "{text}");
    }
    assert!(Schema::compile(read(r#"{"type":"object","$anchor":"a","oneOf":[true]}"#).root(), &input).is_ok());
}

#[test]
fn r079_optional_parameters() {
    let opt = r#"{"properties":{"q":{"anyOf":[{"type":"string"},{"type":"null"}]},"n":{"type":"string","nullable":true}}}"#;
    table(&[
        (opt, "{}", true),
        (opt, r#"{"q":null}"#, true),
        (opt, r#"{"q":"x"}"#, true),
        (opt, r#"{"q":5}"#, false),
        (opt, r#"{"n":null}"#, false),
    ]);
}

#[test]
fn r080_b_39_formats_are_annotations_unless_asked() {
    let strict = SchemaOptions { check_formats: true, ..options() };
    let dialects = [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-04/schema#",
    ];
    for dialect in dialects {
        let text = format!(
            r#"{{"$schema":"{dialect}","properties":{{"d":{{"format":"date-time"}},"u":{{"format":"no-such"}},"e":{{"contentEncoding":"base64"}}}},"x-mine":1}}"#
        );
        let (lax, strict) = (schema(&text), Schema::compile(read(&text).root(), &strict).unwrap());
        assert!(check(&lax, r#"{"d":"x","u":"y","e":"!"}"#).is_ok(), "{dialect}");
        assert!(check(&strict, r#"{"d":"2026-07-28T00:00:00Z","u":"y","e":"!"}"#).is_ok(), "{dialect}");
        let told = check(&strict, r#"{"d":"x"}"#).unwrap_err().to_string();
        assert_eq!(told, r#"/d: expected a string of format date-time, got "x""#);
    }
}
