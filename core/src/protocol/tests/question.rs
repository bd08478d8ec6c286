//! Questions of a host and answers of a client.

mod answers;
mod elicitation;
mod sampling;

use super::{accepts, document, refuses};
use crate::json::Node;
use crate::protocol::shape::ShapeFault;
use crate::protocol::{check_input_requests, Asked, ClientCapabilities, InputFault, InputKind};

const EVERYTHING: &str =
    r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#;

fn ask(requests: &str, declared: &str) -> Result<Vec<Asked>, InputFault> {
    let declared = document(declared);
    check_input_requests(document(requests).root(), ClientCapabilities::new(declared.root()))
}

fn question(node: Node<'_>) -> Result<(), ShapeFault> {
    let declared = document(EVERYTHING);
    match check_input_requests(node, ClientCapabilities::new(declared.root())) {
        Ok(_) => Ok(()),
        Err(InputFault::Shape(fault)) => Err(fault),
        Err(InputFault::Undeclared { required }) => panic!("undeclared: {required}"),
    }
}

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"p":{"type":"string"}}}}}"#;
const URL: &str = r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/x?y#z"}}"#;
const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;

#[test]
fn mrtr_03_p_26_requests_have_a_method_and_params_only() {
    accepts(question, "{@}", &["", r#""k":{"method":"roots/list","params":{"_meta":{}}}"#]);
    accepts(question, r#"{"k":@}"#, &[FORM, URL, SAMPLE, ROOTS]);
    refuses(question, "@", &[("[]", "must be an object"), (r#"{"a/b":5}"#, "/a~1b must be an object")]);
    refuses(
        question,
        r#"{"k":{@}}"#,
        &[
            ("", "/k needs `method`"),
            (r#""method":"tools/call""#, "/k/method must be elicitation/create"),
            (r#""method":5"#, "/k/method must be a string"),
            (r#""method":"roots/list","id":1"#, "/k/id has no place"),
            (r#""method":"roots/list","jsonrpc":"2.0""#, "/k/jsonrpc has no place"),
            (r#""method":"roots/list","params":[]"#, "/k/params must be an object"),
            (r#""method":"elicitation/create""#, "/k needs `params`"),
            (r#""method":"sampling/createMessage""#, "/k needs `params`"),
        ],
    );
}

#[test]
fn mrtr_05_meta_10_r089_undeclared_kinds_are_named_together() {
    let all = format!(r#"{{"a":{FORM},"b":{URL},"c":{SAMPLE},"d":{ROOTS}}}"#);
    let tools = SAMPLE.replace(r#""maxTokens""#, r#""tools":[],"maxTokens""#);
    let choice = SAMPLE.replace(r#""maxTokens""#, r#""toolChoice":{},"maxTokens""#);
    let context = SAMPLE.replace(r#""maxTokens""#, r#""includeContext":"thisServer","maxTokens""#);
    let no_context = SAMPLE.replace(r#""maxTokens""#, r#""includeContext":"none","maxTokens""#);
    let used = r#"{"role":"assistant","content":{"type":"tool_use","id":"1","name":"n","input":{}}},
        {"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[]}}"#;
    let used = SAMPLE.replace("[]", &format!("[{used}]"));
    let one = |request: &str| format!(r#"{{"k":{request}}}"#);
    for (requests, declared, missing) in [
        (&all, "{}", r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#),
        (&all, r#"{"elicitation":{},"roots":{}}"#, r#"{"elicitation":{"url":{}},"sampling":{}}"#),
        (&one(URL), r#"{"elicitation":{}}"#, r#"{"elicitation":{"url":{}}}"#),
        (&one(FORM), r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"form":{}}}"#),
        (&one(ROOTS), r#"{"sampling":{}}"#, r#"{"roots":{}}"#),
        (&one(SAMPLE), "{}", r#"{"sampling":{}}"#),
        (&one(&tools), "{}", r#"{"sampling":{"tools":{}}}"#),
        (&one(&tools), r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#),
        (&one(&choice), r#"{"sampling":{"context":{}}}"#, r#"{"sampling":{"tools":{}}}"#),
        (&one(&used), r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#),
        (&one(&context), r#"{"sampling":{"tools":{}}}"#, r#"{"sampling":{"context":{}}}"#),
        (&one(&no_context), r#"{"sampling":{}}"#, ""),
        (&one(&used), r#"{"sampling":{"tools":{}}}"#, ""),
        (&one(FORM), r#"{"elicitation":{}}"#, ""),
        (&all, EVERYTHING, ""),
    ] {
        match ask(requests, declared) {
            Ok(_) => assert_eq!(missing, "", "{requests} {declared}"),
            Err(InputFault::Undeclared { required }) => {
                assert_eq!(required, missing, "{requests} {declared}");
            }
            Err(InputFault::Shape(fault)) => panic!("{requests}: {fault}"),
        }
    }
    // A wrong shape is the host's fault whatever the client declared.
    assert!(matches!(ask(r#"{"k":{"method":"x"}}"#, "{}"), Err(InputFault::Shape(_))));
}

#[test]
fn questions_are_kept_for_their_answers() {
    let spaced = FORM.replace(r#""type":"#, r#""type" : "#);
    let asked =
        ask(&format!(r#"{{"a\u0062":{spaced},"b":{URL},"c":{SAMPLE},"d":{ROOTS}}}"#), EVERYTHING).unwrap();
    let kept: Vec<_> =
        asked.iter().map(|asked| (asked.key.as_str(), asked.kind, asked.schema.as_deref())).collect();
    assert_eq!(
        kept,
        [
            ("ab", InputKind::Elicit, Some(r#"{"type":"object","properties":{"p":{"type":"string"}}}"#)),
            ("b", InputKind::ElicitUrl, None),
            ("c", InputKind::Sample, None),
            ("d", InputKind::Roots, None),
        ]
    );
    // ELIC-05: no secrets by form.
    for (field, secret) in [("p", false), ("Api-Key", true), ("db_password", true), ("passenger", false)] {
        let form = FORM.replace(r#""p""#, &format!("\"{field}\""));
        let asked = ask(&format!(r#"{{"a":{form}}}"#), EVERYTHING).unwrap();
        assert_eq!(asked[0].secret_field.as_deref(), secret.then_some(field));
    }
}
