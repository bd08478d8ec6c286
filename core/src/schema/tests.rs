//! Names carry the ids of the requirements that they show.

use super::{header_params, HeaderKind, HeaderParam, Schema, SchemaFault, SchemaOptions, Violations};
use crate::json::Document;
use std::time::Instant;

fn read(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec()).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

fn options() -> SchemaOptions {
    SchemaOptions::default()
}

fn compile(text: &str) -> Result<Schema, Vec<SchemaFault>> {
    Schema::compile(read(text).root(), &options())
}

fn schema(text: &str) -> Schema {
    compile(text).unwrap_or_else(|faults| panic!("{faults:?}: {text}"))
}

fn check(schema: &Schema, instance: &str) -> Result<(), Violations> {
    schema.check(read(instance).root())
}

fn violations(text: &str, instance: &str) -> String {
    check(&schema(text), instance).expect_err(instance).to_string()
}

/// Rows of schema, instance, whether it is valid.
fn table(rows: &[(&str, &str, bool)]) {
    for (text, instance, valid) in rows {
        let verdict = check(&schema(text), instance);
        assert_eq!(verdict.is_ok(), *valid, "{text} on {instance}: {verdict:?}");
    }
}

/// Rows of schema, pointer of a fault, part of its reason.
fn refused(rows: &[(&str, &str, &str)]) {
    for (text, pointer, reason) in rows {
        let faults = compile(text).expect_err(text);
        let found = faults.iter().any(|fault| fault.pointer == *pointer && fault.reason.contains(reason));
        assert!(found, "{text}: {faults:?}");
        for fault in &faults {
            assert!(fault.reason.chars().count() < 200 && !fault.reason.contains('\n'), "{fault:?}");
        }
    }
}

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
fn b_37_to_b_44_r068_r069_every_violation_is_named() {
    let add = r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}"#;
    let rows = [
        (add, r#"{"a":"x","b":1}"#, r#"/a: expected integer, got "x""#),
        (
            add,
            "{}",
            "/a: expected a value (required), got nothing; /b: expected a value (required), got nothing",
        ),
        (add, r#"{"a":1,"b":2,"c":3}"#, "/c: expected no property of this name, got 3"),
        (add, "[ 1 ]", "(root): expected object, got [1]"),
        (
            r#"{"properties":{"o":{"properties":{"mode":{"enum":["r","w"]}}}}}"#,
            r#"{"o":{"mode":"x"}}"#,
            r#"/o/mode: expected one of "r", "w", got "x""#,
        ),
        (
            r#"{"properties":{"tags":{"items":{"type":"string"}}}}"#,
            r#"{"tags":["a",5]}"#,
            "/tags/1: expected string, got 5",
        ),
        (r#"{"properties":{"a/b":{"const":1}}}"#, r#"{"a/b":2}"#, "/a~1b: expected 1, got 2"),
        (r#"{"minimum":5}"#, "4", "(root): expected a number of at least 5, got 4"),
        (r#"{"maxLength":1}"#, "\"ab\"", "(root): expected a string of at most 1 character, got \"ab\""),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "5", "(root): expected string or null, got 5"),
        (
            r#"{"oneOf":[{"required":["a"]},{"properties":{"b":{"type":"integer"}}}]}"#,
            r#"{"b":"x"}"#,
            "integer at /b",
        ),
        (
            r#"{"propertyNames":{"maxLength":1}}"#,
            r#"{"ab":1}"#,
            "expected property names that are a string of at most 1 character, got \"ab\"",
        ),
        (r#"{"pattern":"^a$"}"#, "\"b\"", "(root): expected a string that matches \"^a$\", got \"b\""),
        (r#"{"uniqueItems":true}"#, "[1,1.0]", "(root): expected items that all differ, got [1,1.0]"),
        (r#"{"unevaluatedProperties":false}"#, r#"{"a":1}"#, "/a: expected no property of this name, got 1"),
        (r#"{"properties":{"a":false}}"#, r#"{"a":1}"#, "/a: expected no value here, got 1"),
    ];
    for (text, instance, expected) in rows {
        let told = violations(text, instance);
        assert!(told.contains(expected), "{instance}: {told}");
    }
}

#[test]
fn the_text_of_violations_is_bounded() {
    let object: Vec<String> = (0..500).map(|n| format!(r#""p{n}":"x""#)).collect();
    let found = check(
        &schema(r#"{"additionalProperties":{"type":"integer"}}"#),
        &format!("{{{}}}", object.join(",")),
    )
    .unwrap_err();
    assert_eq!((found.entries.len(), found.more), (16, 484));
    assert!(found.to_string().ends_with("; and 484 more"));
    // Cut between characters, wherever the limit falls.
    for fill in 70..90 {
        let text =
            violations(r#"{"type":"integer"}"#, &format!("\"{}{}\"", "a".repeat(fill), "é😀".repeat(500)));
        assert!(text.len() < 400 && text.ends_with('…'), "{text}");
    }
    let name = "n".repeat(100_000);
    let text = violations(r#"{"additionalProperties":false}"#, &format!(r#"{{"{name}":"{name}"}}"#));
    assert!(text.len() < 1000, "{}", text.len());
}

#[test]
fn a_large_value_with_one_fault_is_told_that_fault() {
    let items = format!("[{}\"x\"]", "1,".repeat(200_000));
    assert_eq!(
        violations(r#"{"items":{"type":"integer"}}"#, &items),
        r#"/200000: expected integer, got "x""#
    );
    let all = format!("[{}1]", "\"x\",".repeat(1_000_000));
    assert!(violations(r#"{"items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}"#, &all).len() < 400);
}

#[test]
fn decision_29_numbers_are_exact_at_any_size() {
    let sixty = "9".repeat(60);
    let less = format!("{}8", "9".repeat(59));
    let rows = [
        (r#"{"type":"integer"}"#.to_owned(), "9007199254740993", true),
        (r#"{"type":"integer"}"#.to_owned(), &sixty, true),
        (r#"{"type":"integer"}"#.to_owned(), "1e400", true),
        (r#"{"type":"integer"}"#.to_owned(), "1.0", true),
        (r#"{"type":"integer"}"#.to_owned(), "1.50e1", true),
        (r#"{"type":"integer"}"#.to_owned(), "1e-400", false),
        (r#"{"type":"integer"}"#.to_owned(), "9007199254740993.00000000000000001", false),
        (r#"{"type":"number"}"#.to_owned(), "1e400", true),
        (r#"{"maximum":9007199254740992}"#.to_owned(), "9007199254740993", false),
        (r#"{"maximum":9007199254740993}"#.to_owned(), "9007199254740993.000000000000001", false),
        (format!(r#"{{"maximum":{less}}}"#), &sixty, false),
        (format!(r#"{{"maximum":{sixty}}}"#), &sixty, true),
        (format!(r#"{{"exclusiveMaximum":{sixty}}}"#), &sixty, false),
        (format!(r#"{{"exclusiveMinimum":{less}}}"#), &sixty, true),
        (r#"{"maximum":1e400}"#.to_owned(), "1e399", true),
        (r#"{"maximum":1e400}"#.to_owned(), "1.1e400", false),
        (r#"{"minimum":-1e400}"#.to_owned(), "-1e401", false),
        (r#"{"exclusiveMinimum":0}"#.to_owned(), "1e-400", true),
        (r#"{"minimum":0.1}"#.to_owned(), "0.0999999999999999999999999", false),
        (r#"{"minimum":0}"#.to_owned(), "-0.0", true),
        (r#"{"multipleOf":0.1}"#.to_owned(), "0.3", true),
        (r#"{"multipleOf":0.01}"#.to_owned(), "19.99", true),
        (r#"{"multipleOf":3}"#.to_owned(), &sixty, true),
        (r#"{"multipleOf":7}"#.to_owned(), &sixty, true),
        (r#"{"multipleOf":3}"#.to_owned(), "1e400", false),
        (r#"{"multipleOf":2}"#.to_owned(), "1e400", true),
        (r#"{"multipleOf":2}"#.to_owned(), "9007199254740993", false),
        (format!(r#"{{"multipleOf":{sixty}}}"#), &sixty, true),
        (format!(r#"{{"multipleOf":{sixty}}}"#), &less, false),
        (r#"{"multipleOf":1e-400}"#.to_owned(), "1", true),
        (r#"{"multipleOf":2}"#.to_owned(), "1.0e1", true),
        (r#"{"const":9007199254740993}"#.to_owned(), "9007199254740992", false),
        (r#"{"const":9007199254740993}"#.to_owned(), "9007199254740993.0", true),
        (format!(r#"{{"enum":["a",{sixty}]}}"#), &less, false),
        (format!(r#"{{"enum":["a",{sixty}]}}"#), &sixty, true),
        (format!(r#"{{"const":{{"a":[{sixty}]}}}}"#), r#"{"a":[1]}"#, false),
        (r#"{"const":1e400}"#.to_owned(), "10e399", true),
        (r#"{"const":1e400}"#.to_owned(), "1e401", false),
    ];
    for (text, instance, valid) in &rows {
        table(&[(text, instance, *valid)]);
    }
    // A reference reaches the same numbers, wherever they stand.
    let text = format!(r##"{{"x-parts":{{"a":{{"const":{sixty}}}}},"items":{{"$ref":"#/x-parts/a"}}}}"##);
    table(&[(&text, &format!("[{sixty}]"), true), (&text, &format!("[{less}]"), false)]);
    assert!(violations(&format!(r#"{{"maximum":{less}}}"#), &sixty)
        .contains(&format!("at most {less}, got {sixty}")));
}

#[test]
fn b_43_values_compare_as_json_at_any_depth() {
    table(&[
        (r#"{"const":{"a":[1,{"b":2}]}}"#, r#"{"a":[1.0,{"b":2e0}]}"#, true),
        (r#"{"const":{"a":1,"b":2}}"#, r#"{"b":2,"a":1}"#, true),
        (r#"{"enum":[[0]]}"#, "[false]", false),
        (r#"{"enum":[1]}"#, "true", false),
        (r#"{"enum":["1"]}"#, "1", false),
        (r#"{"const":"a"}"#, "\"\\u0061\"", true),
        (r#"{"const":{"a":"b"}}"#, r#"{"\u0061":"\u0062"}"#, true),
        (r#"{"uniqueItems":true}"#, r#"[{"a":1,"b":[2]},{"b":[2.0],"a":1e0}]"#, false),
        (r#"{"uniqueItems":true}"#, r#"[1,true,"1",[1],null,{},[],""]"#, true),
        (r#"{"uniqueItems":true}"#, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,1.0]", false),
        (r#"{"uniqueItems":true}"#, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,100,1e2]", false),
        (
            r#"{"uniqueItems":true}"#,
            "[[0],[1],[2],[3],[4],[5],[6],[7],[8],[9],[10],[11],[12],[13],[14],[15],[16],[\"0\"]]",
            true,
        ),
    ]);
}

#[test]
fn b_40_b_42_integers_and_lengths() {
    table(&[
        (r#"{"type":"integer"}"#, "1.5", false),
        (r#"{"type":["integer","string"]}"#, "2.0", true),
        (r#"{"enum":[2]}"#, "2.0", true),
        // Draft-04 alone goes by the spelling.
        (r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#, "1.0", false),
        (r#"{"$schema":"http://json-schema.org/draft-06/schema#","type":"integer"}"#, "1.0", true),
        (r#"{"maxLength":2}"#, "\"😀😀\"", true),
        (r#"{"maxLength":1}"#, "\"\\ud83d\\ude00\"", true),
        (r#"{"minLength":2}"#, "\"\\ud83d\\ude00\"", false),
        (r#"{"minLength":3}"#, "\"éé\"", false),
        (r#"{"minLength":4,"maxLength":4}"#, "\"a\\n😀é\"", true),
    ]);
}

#[test]
fn b_41_patterns_follow_ecma_262() {
    table(&[
        (r#"{"pattern":"^\\d$"}"#, "\"٣\"", false),
        (r#"{"pattern":"^\\w$"}"#, "\"é\"", false),
        (r#"{"pattern":"^a$"}"#, "\"a\\n\"", false),
        (r#"{"pattern":"b"}"#, "\"abc\"", true),
        (r#"{"pattern":"^.$"}"#, "\"\\n\"", false),
        (r#"{"pattern":"^\\cA$"}"#, "\"\\u0001\"", true),
        (r#"{"pattern":"^\\u0061\\x62$"}"#, "\"ab\"", true),
        (r#"{"pattern":"^\\p{Lu}$"}"#, "\"É\"", true),
        (r#"{"pattern":"^(?!x)a"}"#, "\"a\"", true),
        (r#"{"pattern":"^(?!x).*"}"#, "\"xa\"", false),
        (r#"{"pattern":"^(.)\\1$"}"#, "\"aa\"", true),
        (r#"{"pattern":"^(.)\\1$"}"#, "\"ab\"", false),
        (r#"{"pattern":"^(?=.*[A-Z])(?=.*\\d).{4,}$"}"#, "\"aB3d\"", true),
        (r#"{"patternProperties":{"^(?!x-)":{"type":"string"}}}"#, r#"{"x-a":1,"b":"c"}"#, true),
        (r#"{"patternProperties":{"^(?!x-)":{"type":"string"}}}"#, r#"{"b":1}"#, false),
    ]);
}

#[test]
fn r077_a_catastrophic_pattern_is_answered_or_refused() {
    let subject = format!("\"{}!\"", "a".repeat(40));
    let large = format!("\"{}!\"", "a".repeat(200 << 10));
    for pattern in [r"^(a+)+$", r"^(\\w|\\w\\w)*$", r"(x+x+)+y", r"^(?=a)(a+)+$"] {
        let compiled = schema(&format!(r#"{{"pattern":"{pattern}"}}"#));
        for subject in [&subject, &large] {
            let start = Instant::now();
            assert!(check(&compiled, subject).is_err(), "{pattern}");
            println!("{pattern} on {} bytes: {:?}", subject.len(), start.elapsed());
        }
    }
    // Only backtracking can match these; out of budget is a violation, under `not` and beside a way out too.
    let costly = r"^(?:(?!b)a|(?!b)a?)*\\d(.)\\1$";
    for text in [
        format!(r#"{{"pattern":"{costly}"}}"#),
        format!(r#"{{"not":{{"pattern":"{costly}"}}}}"#),
        format!(r#"{{"anyOf":[{{"pattern":"{costly}"}},true]}}"#),
        format!(r#"{{"items":{{"pattern":"{costly}"}}}}"#),
    ] {
        let instance = if text.contains("items") {
            format!("[{}{subject}]", format!("{subject},").repeat(1000))
        } else {
            subject.clone()
        };
        let start = Instant::now();
        let told = check(&schema(&text), &instance).expect_err(&text).to_string();
        println!("{text}: {:?}", start.elapsed());
        assert!(told.contains("too much to check"), "{text}: {told}");
    }
    let names = schema(&format!(r#"{{"patternProperties":{{"{costly}":false}}}}"#));
    let start = Instant::now();
    let object: Vec<String> = (30..130).map(|n| format!(r#""{}!":1"#, "a".repeat(n))).collect();
    assert!(check(&names, &format!("{{{}}}", object.join(","))).is_err());
    println!("names: {:?}", start.elapsed());
}

#[test]
fn honest_use_of_a_backtracking_pattern_stays_within_the_budget() {
    let tags = schema(r#"{"items":{"pattern":"^(?!.*--)[a-z-]+$"}}"#);
    let words = format!("[{}\"last\"]", "\"some-tag\",".repeat(5_000));
    assert!(check(&tags, &words).is_ok());
    assert!(check(&tags, r#"["a--b"]"#).is_err());
    let text = format!("\"{}\"", "lorem ipsum ".repeat(1_000));
    assert!(check(&schema(r#"{"pattern":"^(?:(?!DROP)[^;])*$"}"#), &text).is_ok());
}

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

#[test]
fn r070_r071_repair_is_driven_by_the_schema() {
    let add = r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["number","null"]},"s":{"type":"string"},"f":{"type":"boolean"},"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","properties":{"x":{"type":"integer"}}},"q":{"anyOf":[{"type":"integer"},{"type":"null"}]},"e":{"type":"string","enum":["1"]}},"additionalProperties":false}"#;
    let compiled = schema(add);
    for (instance, repaired) in [
        (r#"{"a":"5","b":"7"}"#, Some(r#"{"a":5,"b":7}"#)),
        (r#"{"a": "-5", "s": "5"}"#, Some(r#"{"a": -5, "s": "5"}"#)),
        (r#"{"b":"7.25"}"#, Some(r#"{"b":7.25}"#)),
        (r#"{"b":"null"}"#, Some(r#"{"b":null}"#)),
        (r#"{"f":"false"}"#, Some(r#"{"f":false}"#)),
        (r#"{"l":"[1]"}"#, Some(r#"{"l":[1]}"#)),
        (r#"{"l":"[ \"1\", 2 ]"}"#, Some(r#"{"l":[ 1, 2 ]}"#)),
        (r#"{"o":"{\"x\":\"3\"}"}"#, Some(r#"{"o":{"x":3}}"#)),
        (r#"{"q":"5"}"#, Some(r#"{"q":5}"#)),
        (r#"{"\u0061":"5"}"#, Some(r#"{"\u0061":5}"#)),
        (r#"{"a":"0x5"}"#, None),
        (r#"{"a":"1e3"}"#, None),
        (r#"{"b":"1e3"}"#, None),
        (r#"{"a":"5 "}"#, None),
        (r#"{"a":" 5"}"#, None),
        (r#"{"a":"+5"}"#, None),
        (r#"{"a":"05"}"#, None),
        (r#"{"a":"5.0"}"#, None),
        (r#"{"a":"5","b":"x"}"#, None),
        (r#"{"a":"5","z":1}"#, None),
        (r#"{"f":"False"}"#, None),
        (r#"{"f":"1"}"#, None),
        (r#"{"l":"[1"}"#, None),
        (r#"{"o":"{\"x\":1,\"x\":2}"}"#, None),
        (r#"{"s":5}"#, None),
        (r#"{"e":"2"}"#, None),
        (r#"{"a":5,"s":"{\"a\":1}"}"#, None),
    ] {
        assert_eq!(compiled.repair(read(instance).root()).as_deref(), repaired, "{instance}");
    }
    // Only the arguments are given, not the message around them.
    let message = read(r#"{"arguments":{"a":"5"}}"#);
    let arguments = message.root().get("arguments").unwrap();
    assert_eq!(compiled.repair(arguments).as_deref(), Some(r#"{"a":5}"#));
}

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

fn decimal(value: i128, scale: usize) -> String {
    // The same value with `scale` digits behind the point.
    let factor = 10_i128.pow(u32::try_from(scale).unwrap());
    let (whole, rest) = (value.abs() / factor, value.abs() % factor);
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{whole}.{rest:0>scale$}")
}

proptest::proptest! {
    /// Decision 29: whatever the spelling, numbers compare and divide as their values do.
    #[test]
    fn decimals_agree_with_integers(a in -1_000_000_i64..1_000_000, b in 1_i64..5_000, scale in 0_usize..6, shift in 0_usize..6) {
        use crate::json::Decimal;
        let (left, right) = (i128::from(a), i128::from(b));
        let fixed = decimal(left, 6);
        let exponent = format!("{a}e-6");
        proptest::prop_assert!(Decimal::read(&fixed) == Decimal::read(&exponent));
        let (a_text, b_text) = (decimal(left, scale + 1), decimal(right, shift + 1));
        let (ten_a, ten_b) = (10_i128.pow(u32::try_from(shift).unwrap()), 10_i128.pow(u32::try_from(scale).unwrap()));
        let (a_value, b_value) = (left * ten_a, right * ten_b);
        let (a_read, b_read) = (Decimal::read(&a_text), Decimal::read(&b_text));
        proptest::prop_assert_eq!(a_read.cmp(&b_read), a_value.cmp(&b_value));
        proptest::prop_assert_eq!(a_read.is_multiple_of(&b_read), Some(a_value % b_value == 0));
        // The same beyond the size of a machine word, by hand.
        let big = "1000000000000000000000000000001";
        let product = |n: i128| format!("{}{}", n, &format!("{n:0>30}"));
        let multiple = product(right);
        proptest::prop_assert_eq!(Decimal::read(&multiple).is_multiple_of(&Decimal::read(big)), Some(true));
        let off = format!("{multiple}.5");
        proptest::prop_assert_eq!(Decimal::read(&off).is_multiple_of(&Decimal::read(big)), Some(false));
    }
}
