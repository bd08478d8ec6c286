//! What is told of a value that does not match, and repair.

use super::{check, read, schema, violations};

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
