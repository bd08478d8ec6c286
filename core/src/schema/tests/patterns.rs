//! Patterns.

use super::super::dialect::Dialect;
use super::super::pattern::Pattern;
use super::{check, schema, table};
use crate::json::{Document, Node};
use std::time::Instant;

#[test]
fn b_41_patterns_of_every_meta_schema_can_be_matched() {
    fn look(node: Node<'_>, found: &mut usize) {
        for (name, member) in node.members() {
            if let (true, Some(text)) = (name == "pattern", member.as_str()) {
                assert!(Pattern::new(&text).is_some(), "{text}");
                *found += 1;
            }
            if name == "patternProperties" {
                for (text, _) in member.members() {
                    assert!(Pattern::new(&text).is_some(), "{text}");
                }
            }
            look(member, found);
        }
        node.elements().for_each(|element| look(element, found));
    }
    use Dialect::{Draft04, Draft06, Draft07, Draft201909, Draft202012};
    let mut found = 0;
    for dialect in [Draft04, Draft06, Draft07, Draft201909, Draft202012] {
        let document = Document::parse(dialect.meta().as_bytes().to_vec()).unwrap();
        look(document.root(), &mut found);
    }
    assert!(found > 3, "{found}");
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
