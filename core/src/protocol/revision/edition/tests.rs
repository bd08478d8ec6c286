//! What each revision leaves out.

use super::*;
use crate::json::Document;

const OLDER: [Revision; 4] = [NOVEMBER, JUNE, MARCH, FIRST];

fn edit(text: &str, write: impl Fn(&mut Vec<u8>, Node<'_>)) -> String {
    let document = Document::parse_host(text.as_bytes().to_vec()).unwrap();
    let mut out = Vec::new();
    write(&mut out, document.root());
    let out = String::from_utf8(out).unwrap();
    assert!(Document::parse(out.clone().into_bytes()).is_ok(), "{out}");
    out
}

/// LEG-50, LEG-62, LEG-71: a member is there from its revision on, and the members around it stay.
#[test]
fn a_member_is_there_from_its_revision_on() {
    for (shape, member, value, since) in [
        (TOOL, "title", r#""t""#, JUNE),
        (TOOL, "outputSchema", r#"{"type":"object"}"#, JUNE),
        (TOOL, "outputSchema", r#"{"type":"array"}"#, MODERN),
        (TOOL, "outputSchema", r#"{"type":["object"]}"#, MODERN),
        (TOOL, "outputSchema", "{}", MODERN),
        (TOOL, "annotations", r#"{"title":"t"}"#, MARCH),
        (TOOL, "icons", "[]", NOVEMBER),
        (TOOL, "execution", r#"{"taskSupport":"optional"}"#, MODERN),
        (TOOL, "_meta", "{}", JUNE),
        (TOOL, "description", r#""d""#, FIRST),
        (TOOL, "com.example", "[1,{}]", FIRST),
        (RESOURCE, "title", r#""t""#, JUNE),
        (RESOURCE, "icons", "[]", NOVEMBER),
        (RESOURCE, "_meta", "{}", JUNE),
        (RESOURCE, "size", "1", FIRST),
        (PROMPT, "title", r#""t""#, JUNE),
        (PROMPT, "icons", "[]", NOVEMBER),
        (PROMPT, "_meta", "{}", JUNE),
        (IMPLEMENTATION, "title", r#""t""#, JUNE),
        (IMPLEMENTATION, "description", r#""t""#, NOVEMBER),
        (IMPLEMENTATION, "websiteUrl", r#""t""#, NOVEMBER),
        (IMPLEMENTATION, "icons", "[]", NOVEMBER),
        (TOOL_RESULT, "structuredContent", r#"{"a":1}"#, JUNE),
        (TOOL_RESULT, "structuredContent", "[1]", MODERN),
        (TOOL_RESULT, "structuredContent", "null", MODERN),
        (TOOL_RESULT, "isError", "true", FIRST),
        (TOOL_RESULT, "resultType", r#""complete""#, MODERN),
        (READ_RESULT, "ttlMs", "5", MODERN),
        (READ_RESULT, "cacheScope", r#""public""#, MODERN),
        (PROMPT_RESULT, "resultType", r#""complete""#, MODERN),
        (PROMPT_RESULT, "description", r#""d""#, FIRST),
    ] {
        for revision in OLDER.into_iter().chain([MODERN]) {
            for (before, after) in [("", ""), (r#""x":1"#, ""), ("", r#""y":2"#), (r#""x":1"#, r#""y":2"#)] {
                let object = |middle: &str| {
                    let members = [before, middle, after].map(str::to_owned);
                    format!(
                        "{{{}}}",
                        members.into_iter().filter(|m| !m.is_empty()).collect::<Vec<_>>().join(",")
                    )
                };
                let member = format!("\"{member}\":{value}");
                let expected = object(if revision >= since { &member } else { "" });
                let given = edit(&object(&member), |out, node| {
                    push(out, node, revision, shape);
                });
                assert_eq!(given, expected, "{revision:?}");
            }
        }
    }
}

#[test]
fn members_inside_are_looked_at() {
    for (shape, text, revision, expected) in [
        (
            TOOL,
            r#"{"inputSchema":{"$schema":"s","a":{"$schema":"t"}}}"#,
            JUNE,
            r#"{"inputSchema":{"a":{"$schema":"t"}}}"#,
        ),
        (TOOL, r#"{"inputSchema":{"$schema":"s"}}"#, NOVEMBER, r#"{"inputSchema":{"$schema":"s"}}"#),
        (
            RESOURCE,
            r#"{"annotations":{"lastModified":"x","priority":1}}"#,
            MARCH,
            r#"{"annotations":{"priority":1}}"#,
        ),
        (
            PROMPT,
            r#"{"arguments":[{"title":"t","name":"n"},{"name":"m"}]}"#,
            MARCH,
            r#"{"arguments":[{"name":"n"},{"name":"m"}]}"#,
        ),
        (
            TOOL_RESULT,
            r#"{"content":[{"type":"resource","resource":{"uri":"u","text":"t","_meta":{}},"_meta":{}}]}"#,
            MARCH,
            r#"{"content":[{"type":"resource","resource":{"uri":"u","text":"t"}}]}"#,
        ),
        (
            TOOL_RESULT,
            r#"{"content":[{"type":"resource_link","uri":"u","name":"n","icons":[]}]}"#,
            JUNE,
            r#"{"content":[{"type":"resource_link","uri":"u","name":"n"}]}"#,
        ),
        (
            TOOL_RESULT,
            r#"{"content":[{"type":"resource_link","uri":"u","name":"n\"m"}]}"#,
            MARCH,
            r#"{"content":[{"type":"text","text":"n\"m: u"}]}"#,
        ),
        (
            TOOL_RESULT,
            r#"{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}"#,
            MARCH,
            r#"{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}"#,
        ),
        (
            READ_RESULT,
            r#"{"contents":[{"uri":"u","text":"t","_meta":{"a":1}}],"_meta":{"io.modelcontextprotocol/serverInfo":{},"b":2}}"#,
            MARCH,
            r#"{"contents":[{"uri":"u","text":"t"}],"_meta":{"b":2}}"#,
        ),
        // What is of the wrong kind stays what it is.
        (TOOL, r#"{"inputSchema":true,"annotations":5}"#, MARCH, r#"{"inputSchema":true,"annotations":5}"#),
    ] {
        let given = edit(text, |out, node| {
            push(out, node, revision, shape);
        });
        assert_eq!(given, expected, "{revision:?}");
    }
}

/// LEG-52: titles of choices stand in `enumNames`, and only a boolean has a default.
#[test]
fn forms_are_plain_before_2025_11_25() {
    let form = |fields: &str| {
        format!(
            r#"{{"mode":"form","message":"m","requestedSchema":{{"$schema":"s","type":"object","properties":{{{fields}}},"required":["a"]}}}}"#
        )
    };
    let plain = |fields: &str| {
        format!(
            r#"{{"message":"m","requestedSchema":{{"type":"object","properties":{{{fields}}},"required":["a"]}}}}"#
        )
    };
    for (given, expected) in [
        (r#""a":{"type":"string","default":"x","title":"t"}"#, r#""a":{"type":"string","title":"t"}"#),
        (
            r#""a":{"default":1,"type":"number"},"b":{"type":"boolean","default":false}"#,
            r#""a":{"type":"number"},"b":{"type":"boolean","default":false}"#,
        ),
        (
            r#""a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}],"description":"d"}"#,
            r#""a":{"type":"string","enum":["x","y"],"enumNames":["X","Y"],"description":"d"}"#,
        ),
        (
            r#""a":{"type":"string","enum":["x"],"enumNames":["X"]}"#,
            r#""a":{"type":"string","enum":["x"],"enumNames":["X"]}"#,
        ),
    ] {
        assert_eq!(edit(&form(given), |out, node| push_form_params(out, node, JUNE)), plain(expected));
        assert_eq!(edit(&form(given), |out, node| push_form_params(out, node, NOVEMBER)), form(given));
    }
    let several = Document::parse(br#"{"properties":{"a":{"type":"array"}}}"#.to_vec()).unwrap();
    let one = Document::parse(br#"{"properties":{"a":{"type":"string"}}}"#.to_vec()).unwrap();
    for revision in OLDER {
        assert_eq!(has_form(several.root(), revision), revision == NOVEMBER, "{revision:?}");
        assert_eq!(has_form(one.root(), revision), revision >= JUNE, "{revision:?}");
    }
}

/// A message with several blocks becomes as many messages, in their order, before 2025-11-25.
#[test]
fn a_sampling_message_has_one_block_before_2025_11_25() {
    let text = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"audio","data":"","mimeType":"audio/wav","_meta":{}}],"_meta":{}},{"role":"assistant","content":{"type":"text","text":"b"}}],"maxTokens":1,"includeContext":"thisServer"}"#;
    let expected = |audio: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":"a"}}}},{{"role":"user","content":{audio}}},{{"role":"assistant","content":{{"type":"text","text":"b"}}}}],"maxTokens":1,"includeContext":"thisServer"}}"#
        )
    };
    let given = |revision| edit(text, |out, node| push_sample_params(out, node, revision));
    assert_eq!(given(NOVEMBER), text);
    assert_eq!(given(JUNE), expected(r#"{"type":"audio","data":"","mimeType":"audio/wav","_meta":{}}"#));
    assert_eq!(given(MARCH), expected(r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#));
    let words = r#"{"type":"text","text":"(audio of type audio/wav, which this client cannot take)"}"#;
    assert_eq!(given(FIRST), expected(words));
}
