//! The official test suite, as `tests/schema_suite.py` lays it out.

use super::read;
use crate::json::Node;
use crate::schema::{Schema, SchemaOptions};
use std::path::Path;

/// Nothing is fetched, and every other dialect is refused: a schema may be refused for these reasons alone.
const REFUSALS: [&str; 3] = ["nothing is fetched", "is not supported; use 2020-12", "must be an object"];

/// Files about what is left out: content is an annotation, and internationalised names need tables.
const LEFT_OUT: [&str; 3] = ["optional/content", "optional/format/idn-email", "optional/format/idn-hostname"];

/// Cases of a file that is not left out: A-labels are not decoded.
const A_LABELS: &str = "validation of A-label (punycode) host names";

/// Whether the verdict of one case is as the suite has it; `uri` is the dialect where the case names none.
fn run(case: Node<'_>, uri: &str) -> Result<usize, String> {
    let text = |name| case.get(name).and_then(Node::as_str).unwrap_or_default();
    let (file, told) = (text("file"), text("description"));
    let mut schema = case.get("schema").unwrap().raw().to_owned();
    if schema.starts_with('{') && !schema.contains("\"$schema\"") {
        let comma = if schema == "{}" { "" } else { "," };
        schema = format!(r#"{{"$schema":"{uri}"{comma}{}"#, &schema[1..]);
    }
    let options =
        SchemaOptions { check_formats: file.starts_with("optional/format/"), ..SchemaOptions::default() };
    let compiled = match Schema::compile(read(&schema).root(), &options) {
        Ok(compiled) => compiled,
        Err(faults) => {
            let expected = |reason: &str| {
                REFUSALS.iter().any(|known| reason.contains(known)) || reason.contains("anchor")
            };
            return match faults.iter().find(|fault| !expected(&fault.reason)) {
                Some(fault) => Err(format!("{file}: {told}: refused: {fault:?}")),
                None => Ok(0),
            };
        }
    };
    let mut passed = 0;
    for test in case.get("tests").unwrap().elements() {
        let valid = test.get("valid").and_then(Node::as_bool).unwrap();
        let verdict = compiled.check(test.get("data").unwrap());
        if verdict.is_ok() != valid {
            let which = test.get("description").unwrap().raw();
            return Err(format!("{file}: {told}: {which}: {verdict:?}"));
        }
        passed += 1;
    }
    Ok(passed)
}

#[test]
#[ignore = "`make schema-suite` fetches what it reads, and runs it"]
fn schema_01_02_the_official_suite_of_every_dialect() {
    let folder = std::env::var("MCP_SCHEMA_SUITE").expect("MCP_SCHEMA_SUITE names the folder of the suite");
    for (name, uri, least) in [
        ("draft-04", "http://json-schema.org/draft-04/schema#", 800),
        ("draft-06", "http://json-schema.org/draft-06/schema#", 1_100),
        ("draft-07", "http://json-schema.org/draft-07/schema#", 1_300),
        ("2019-09", "https://json-schema.org/draft/2019-09/schema", 1_700),
        ("2020-12", "https://json-schema.org/draft/2020-12/schema", 1_700),
    ] {
        let path = Path::new(&folder).join(format!("{name}.jsonl"));
        let text = std::fs::read_to_string(&path).unwrap();
        let mut passed = 0;
        let mut failures = Vec::new();
        for line in text.lines() {
            let document = read(line);
            let case = document.root();
            let is = |name: &str, text: &str| case.get(name).is_some_and(|node| node.is_str(text));
            if LEFT_OUT.iter().any(|file| is("file", file)) || is("description", A_LABELS) {
                continue;
            }
            match run(case, uri) {
                Ok(count) => passed += count,
                Err(failure) => failures.push(failure),
            }
        }
        assert!(failures.is_empty(), "{name}: {}", failures.join("\n"));
        assert!(passed >= least, "{name}: only {passed} were run");
    }
}
