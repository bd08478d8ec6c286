//! Questions of a host and answers of a client.

use super::{accepts, document, refuses};
use crate::json::Node;
use crate::protocol::shape::ShapeFault;
use crate::protocol::{
    check_answer, check_input_requests, format, Asked, ClientCapabilities, InputFault, InputKind,
};

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

#[test]
fn elic_02_elic_04_modes() {
    const FRAME: &str = r#"{"k":{"method":"elicitation/create","params":{@}}}"#;
    accepts(
        question,
        FRAME,
        &[
            r#""mode":"form","message":"","requestedSchema":{"type":"object","properties":{}}"#,
            r#""mode":"url","message":"","url":"myapp://authorize?x=1""#,
            r#""mode":"url","message":"","url":"http://localhost:8080/a%20b","_meta":{}"#,
        ],
    );
    refuses(
        question,
        FRAME,
        &[
            (
                r#""message":"m","requestedSchema":{"type":"object","properties":{}},"mode":"page""#,
                "/params/mode must be",
            ),
            (
                r#""message":"m","requestedSchema":{"type":"object","properties":{}},"mode":null"#,
                "/params/mode must be",
            ),
            (r#""requestedSchema":{"type":"object","properties":{}}"#, "/k/params needs `message`"),
            (r#""message":"m""#, "/k/params needs `requestedSchema`"),
            (r#""message":"m","url":"https://a""#, "needs `\"mode\":\"url\"`"),
            (r#""mode":"url","message":"m""#, "/k/params needs `url`"),
            (r#""mode":"url","url":"https://a""#, "/k/params needs `message`"),
            (r#""mode":"url","message":"m","url":"/login""#, "/params/url must be an absolute URL"),
            (r#""mode":"url","message":"m","url":"https://a b""#, "/params/url must be an absolute URL"),
            (r#""mode":"url","message":"m","url":"https://""#, "/params/url must name a host"),
            (r#""mode":"url","message":"m","url":"https:a""#, "/params/url must name a host"),
            // ELIC-09: no credentials in the address.
            (r#""mode":"url","message":"m","url":"https://u:p@a.example""#, "/params/url must not carry"),
            (
                r#""mode":"url","message":"m","url":"https://a","elicitationId":"1""#,
                "/params/elicitationId has no place",
            ),
            (
                r#""mode":"url","message":"m","url":"https://a","requestedSchema":{}"#,
                "/requestedSchema has no place",
            ),
        ],
    );
}

fn form_frame() -> String {
    FORM.replace(r#"{"p":{"type":"string"}}"#, r#"{"p":@}"#).replace("{\"method\"", "{\"k\":{\"method\"")
        + "}"
}

#[test]
fn elic_03_fields_of_a_form() {
    accepts(
        question,
        &form_frame(),
        &[
            r#"{"type":"string","title":"t","description":"d","minLength":0,"maxLength":3,"default":"äöü"}"#,
            r#"{"type":"string","format":"email","default":"a@b.c"}"#,
            r#"{"type":"string","format":"uri"}"#,
            r#"{"type":"string","format":"date","default":"2024-02-29"}"#,
            r#"{"type":"string","format":"date-time"}"#,
            r#"{"type":"integer","minimum":0,"maximum":1e400,"default":30}"#,
            r#"{"type":"number","minimum":-0.5,"default":95.5}"#,
            r#"{"type":"boolean","default":true,"$comment":"c","x-order":[1]}"#,
            r#"{"type":"string","enum":["a","b"],"default":"a"}"#,
            r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#,
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}"#,
            r#"{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}"#,
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":[]}"#,
        ],
    );
    refuses(
        question,
        &form_frame(),
        &[
            ("{}", "/p needs `type`"),
            (r#"{"type":"object","properties":{}}"#, "/p/type must be string, number"),
            (r#"{"type":["string","null"]}"#, "/p/type must be"),
            (r#"{"type":"string","pattern":"a"}"#, "`pattern` is no keyword"),
            (r#"{"type":"string","minlength":1}"#, "`minlength` is no keyword"),
            (r#"{"type":"string","format":"ipv4"}"#, "/p/format must be \"email\""),
            (r#"{"type":"string","minLength":-1}"#, "/p/minLength must be an integer"),
            (r#"{"type":"string","minLength":3,"maxLength":2}"#, "/p/minLength must not be above"),
            (r#"{"type":"string","default":5}"#, "/p/default must be a string"),
            (r#"{"type":"string","maxLength":2,"default":"abc"}"#, "/p/default must have at most 2"),
            (r#"{"type":"string","format":"date","default":"2023-02-29"}"#, "/p/default must be a date"),
            (r#"{"type":"number","minimum":"0"}"#, "/p/minimum must be a number"),
            (r#"{"type":"number","exclusiveMinimum":0}"#, "`exclusiveMinimum` is no keyword"),
            (r#"{"type":"number","minimum":1.5,"maximum":1.49}"#, "/p/minimum must not be above"),
            (r#"{"type":"integer","default":1.5}"#, "/p/default must be an integer"),
            (r#"{"type":"integer","maximum":9,"default":10}"#, "/p/default must be at most 9"),
            (r#"{"type":"boolean","default":"true"}"#, "/p/default must be true or false"),
            (r#"{"type":"boolean","default":null}"#, "/p/default must not be null"),
            (r#"{"type":"string","enum":[]}"#, "/p/enum must offer"),
            (r#"{"type":"string","enum":["a",1]}"#, "/p/enum/1 must be a string"),
            (r#"{"type":"string","enum":["a"],"enumNames":["A","B"]}"#, "/p/enumNames must have one"),
            (r#"{"type":"string","enum":["a"],"default":"b"}"#, "/p/default must be one of"),
            (r#"{"type":"string","enum":["a"],"oneOf":[]}"#, "`oneOf` is no keyword"),
            (r#"{"type":"string","oneOf":[{"const":"a"}]}"#, "/p/oneOf/0 needs `title`"),
            (r#"{"type":"string","oneOf":[{"const":1,"title":"A"}]}"#, "/p/oneOf/0/const must be a string"),
            (
                r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"A"}"#,
                "/p/default must be one of",
            ),
            (r#"{"type":"array"}"#, "/p needs `items`"),
            (r#"{"type":"array","items":{"type":"string"}}"#, "/p/items needs `enum`"),
            (
                r#"{"type":"array","items":{"type":"integer","enum":["a"]}}"#,
                "/p/items/type must be \"string\"",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}"#,
                "`uniqueItems`",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":["b"]}"#,
                "/p/default/0 must be one of",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1,"default":[]}"#,
                "at least 1 values",
            ),
            (r#"{"type":"array","items":{"anyOf":[]}}"#, "/p/items/anyOf must offer"),
        ],
    );
    let whole = r#"{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":@}}}"#;
    accepts(
        question,
        whole,
        &[
            r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"title":"T"}"#,
            r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}"#,
        ],
    );
    refuses(
        question,
        whole,
        &[
            ("[]", "/requestedSchema must be an object"),
            (r#"{"properties":{}}"#, "needs `type`"),
            (r#"{"type":"string","properties":{}}"#, "/requestedSchema/type must be \"object\""),
            (r#"{"type":"object"}"#, "needs `properties`"),
            (r#"{"type":"object","properties":{"p":true}}"#, "/properties/p must be an object"),
            (r#"{"type":"object","properties":{},"required":["a"]}"#, "/required/0 must be the name"),
            (r#"{"type":"object","properties":{},"allOf":[]}"#, "`allOf` is no keyword"),
        ],
    );
}

#[test]
fn samp_01_to_03_sampling_requests() {
    const FRAME: &str = r#"{"k":{"method":"sampling/createMessage","params":{@}}}"#;
    accepts(
        question,
        FRAME,
        &[
            r#""messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":100,"systemPrompt":"s",
        "temperature":0.7,"stopSequences":["x"],"metadata":{},"includeContext":"none","modelPreferences":
        {"hints":[{"name":"n"},{}],"costPriority":0,"speedPriority":1,"intelligencePriority":0.5}"#,
            r#""messages":[],"maxTokens":1,"toolChoice":{"mode":"required"},
        "tools":[{"name":"n","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#,
        ],
    );
    refuses(
        question,
        FRAME,
        &[
            (r#""maxTokens":1"#, "/k/params needs `messages`"),
            (r#""messages":[]"#, "/k/params needs `maxTokens`"),
            (r#""messages":{},"maxTokens":1"#, "/params/messages must be an array"),
            (r#""messages":[],"maxTokens":1.5"#, "/params/maxTokens must be"),
            (r#""messages":[],"maxTokens":0"#, "/params/maxTokens must be"),
            (r#""messages":[],"maxTokens":1,"includeContext":"all""#, "/params/includeContext must be"),
            (r#""messages":[],"maxTokens":1,"temperature":"1""#, "/params/temperature must be a number"),
            (
                r#""messages":[],"maxTokens":1,"stopSequences":[1]"#,
                "/params/stopSequences/0 must be a string",
            ),
            (r#""messages":[],"maxTokens":1,"metadata":[]"#, "/params/metadata must be an object"),
            (r#""messages":[],"maxTokens":1,"systemPrompt":1"#, "/params/systemPrompt must be a string"),
            (
                r#""messages":[],"maxTokens":1,"modelPreferences":{"hints":["n"]}"#,
                "/hints/0 must be an object",
            ),
            (
                r#""messages":[],"maxTokens":1,"modelPreferences":{"costPriority":2}"#,
                "/costPriority must be a number",
            ),
            (r#""messages":[],"maxTokens":1,"toolChoice":{"mode":"any"}"#, "/toolChoice/mode must be"),
            (
                r#""messages":[],"maxTokens":1,"tools":[{"inputSchema":{"type":"object"}}]"#,
                "/tools/0 needs `name`",
            ),
            (r#""messages":[],"maxTokens":1,"tools":[{"name":"n"}]"#, "/tools/0 needs `inputSchema`"),
            (
                r#""messages":[],"maxTokens":1,"tools":[{"name":"n","inputSchema":{}}]"#,
                "needs `\"type\":\"object\"`",
            ),
            (
                r#""messages":[],"maxTokens":1,"tools":[{"name":"n","inputSchema":{"type":"object"}},
            {"name":"n","inputSchema":{"type":"object"}}]"#,
                "/tools/1/name names two tools",
            ),
        ],
    );
}

#[test]
fn samp_03_tool_uses_are_answered_by_the_next_message() {
    let text = r#"{"type":"text","text":"t"}"#;
    let of = |role: &str, blocks: &[&str]| format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","));
    let uses = |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"n","input":{{}}}}"#);
    let result = |id: &str| format!(r#"{{"type":"tool_result","toolUseId":"{id}","content":[{text}]}}"#);
    let (u1, u2, r1, r2) = (&*uses("1"), &*uses("2"), &*result("1"), &*result("2"));
    let frame = r#"{"k":{"method":"sampling/createMessage","params":{"messages":[@],"maxTokens":1}}}"#;
    accepts(
        question,
        frame,
        &[
            &of("user", &[text, text]),
            &of("user", &[]),
            &[of("user", &[text]), of("assistant", &[text, u1, u2]), of("user", &[r2, r1])].join(","),
            // An id may come again in a later round.
            &[of("assistant", &[u1]), of("user", &[r1]), of("assistant", &[u1]), of("user", &[r1])].join(","),
        ],
    );
    refuses(
        question,
        frame,
        &[
            (r#"{"role":"system","content":{"type":"text","text":"t"}}"#, "/messages/0/role must be"),
            (r#"{"role":"user"}"#, "/messages/0 needs `content`"),
            (r#"{"role":"user","content":"t"}"#, "/messages/0/content must be an object"),
            (
                r#"{"role":"user","content":[{"type":"resource_link","uri":"a:b","name":"n"}]}"#,
                "/content/0/type must be",
            ),
            (
                r#"{"role":"user","content":{"type":"tool_result","toolUseId":"1"}}"#,
                "/messages/0/content needs `content`",
            ),
            (
                r#"{"role":"assistant","content":{"type":"tool_use","id":"1","name":"n"}}"#,
                "/content needs `input`",
            ),
            (&of("assistant", &[u1]), "/messages/0 uses a tool, but no message"),
            (
                &[of("assistant", &[u1]), of("user", &[text])].join(","),
                "/messages/1 needs the `tool_result` of `1`",
            ),
            (
                &[of("assistant", &[u1]), of("assistant", &[text])].join(","),
                "/messages/1 needs the `tool_result`",
            ),
            (
                &[of("assistant", &[u1, u2]), of("user", &[r1])].join(","),
                "/messages/1 needs the `tool_result` of `2`",
            ),
            (
                &[of("assistant", &[u1]), of("user", &[r1, r2])].join(","),
                "/messages/1/content/1 answers no tool use",
            ),
            (
                &[of("assistant", &[u1]), of("user", &[r1, r1])].join(","),
                "/messages/1/content/1 answers no tool use",
            ),
            (
                &[of("assistant", &[u1]), of("user", &[r1, text])].join(","),
                "/messages/1 must hold tool results only",
            ),
            (&of("user", &[r1]), "/messages/0/content/0 answers no tool use"),
            (&of("user", &[u1]), "/messages/0/content/0 is in the wrong role"),
            (&of("assistant", &[r1]), "/messages/0/content/0 is in the wrong role"),
            (
                &[of("assistant", &[u1, u1]), of("user", &[r1])].join(","),
                "/messages/0/content/1 repeats the id",
            ),
        ],
    );
}

fn asked(kind: InputKind, schema: Option<&str>) -> Asked {
    Asked { key: "k".to_owned(), kind, schema: schema.map(str::to_owned), secret_field: None }
}

#[test]
fn mrtr_14_answers_fit_their_question() {
    let elicited = [
        r#"{"action":"accept","content":{"a":"","b":1.5,"c":false,"d":["x"]},"_meta":{"io.mcp/x":1}}"#,
        r#"{"action":"accept"}"#,
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel","content":null}"#,
        r#"{"action":"cancel","content":{}}"#,
    ];
    let sampled = [
        r#"{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","stopReason":"endTurn"}"#,
        r#"{"role":"user","content":[{"type":"tool_use","id":"1","name":"n","input":{}}],"model":""}"#,
        r#"{"role":"assistant","content":{"type":"image","data":"AA==","mimeType":"a/b","annotations":null},"model":""}"#,
    ];
    let roots = [r#"{"roots":[]}"#, r#"{"roots":[{"uri":"file:///a%20b","name":"n"},{"uri":"file://h/"}]}"#];
    let wrong_elicited = [
        ("{}", "needs `action`"),
        (r#"{"action":"yes"}"#, "/action must be"),
        (r#"{"action":null}"#, "needs `action`"),
        (r#"{"action":"decline","content":{"a":1}}"#, "/content belongs to an accepted form only"),
        (r#"{"action":"accept","content":[]}"#, "/content must be an object"),
        (r#"{"action":"accept","content":{"a":{}}}"#, "/content/a must be a string"),
        (r#"{"action":"accept","content":{"a":[1]}}"#, "/content/a must be a string"),
        (r#"{"action":"accept","content":{"a":null}}"#, "/content/a must be a string"),
    ];
    let wrong_sampled = [
        (r#"{"role":"assistant","model":"m"}"#, "needs `content`"),
        (r#"{"role":"assistant","content":{"type":"text","text":"t"}}"#, "needs `model`"),
        (r#"{"content":{"type":"text","text":"t"},"model":"m"}"#, "needs `role`"),
        (r#"{"role":"assistant","content":"t","model":"m"}"#, "/content must be an object"),
        (
            r#"{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","stopReason":1}"#,
            "/stopReason",
        ),
        // R103: padding is part of base64.
        (
            r#"{"role":"assistant","content":{"type":"image","data":"AA","mimeType":"a/b"},"model":""}"#,
            "base64",
        ),
    ];
    let wrong_roots = [
        (r#"{"roots":{}}"#, "/roots must be an array"),
        (r#"{"roots":[{"name":"n"}]}"#, "/roots/0 needs `uri`"),
        (r#"{"roots":[{"uri":"https://a"}]}"#, "/roots/0/uri must be a file:// URI"),
        (r#"{"roots":[{"uri":"file:///a","name":1}]}"#, "/roots/0/name must be a string"),
    ];
    let [elicit, url, sample, list] = [
        asked(InputKind::Elicit, Some(r#"{"type":"object","properties":{}}"#)),
        asked(InputKind::ElicitUrl, None),
        asked(InputKind::Sample, None),
        asked(InputKind::Roots, None),
    ];
    for (known, right, wrong) in [
        (&elicit, &elicited[..], &wrong_elicited[..]),
        (&url, &elicited[1..], &wrong_elicited[..4]),
        (&sample, &sampled, &wrong_sampled),
        (&list, &roots, &wrong_roots),
    ] {
        accepts(|node| check_answer(Some(known), node), "@", right);
        refuses(|node| check_answer(Some(known), node), "@", wrong);
        for other in [&elicit, &sample, &list].into_iter().filter(|other| other.kind != known.kind) {
            if (known.kind, other.kind) != (InputKind::ElicitUrl, InputKind::Elicit) {
                let cases: Vec<(&str, &str)> = right.iter().map(|text| (*text, "")).collect();
                refuses(|node| check_answer(Some(other), node), "@", &cases);
            }
        }
        // Without the question any of the shapes will do.
        accepts(|node| check_answer(None, node), "@", right);
        refuses(
            |node| check_answer(None, node),
            "@",
            wrong.iter().map(|(text, _)| (*text, "")).collect::<Vec<_>>().as_slice(),
        );
        refuses(
            |node| check_answer(Some(known), node),
            "@",
            &[("5", "must be an object"), ("null", "must be")],
        );
    }
    // ELIC-13: opening an address gives no content.
    let with_content = r#"{"action":"accept","content":{"a":1}}"#;
    refuses(
        |node| check_answer(Some(&url), node),
        "@",
        &[(with_content, "/content belongs to an accepted form only")],
    );
    refuses(
        |node| check_answer(None, node),
        "@",
        &[("5", "must be the result"), (r#"{"action":"accept","roots":[]}"#, "must be")],
    );
}

#[test]
fn elic_07_r089_accepted_content_fits_the_form() {
    let schema = r#"{"type":"object","required":["s"],"properties":{
        "s":{"type":"string","minLength":2,"maxLength":3},
        "mail":{"type":"string","format":"email"},"uri":{"type":"string","format":"uri"},
        "date":{"type":"string","format":"date"},"time":{"type":"string","format":"date-time"},
        "i":{"type":"integer","minimum":-5,"maximum":9007199254740993},"n":{"type":"number","minimum":0.1},
        "b":{"type":"boolean"},"e":{"type":"string","enum":["a","b"]},
        "o":{"type":"string","oneOf":[{"const":"a","title":"A"}]},
        "m":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2},
        "t":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}}}"#;
    let form = asked(InputKind::Elicit, Some(schema));
    let frame = r#"{"action":"accept","content":{"s":"ab"@}}"#;
    accepts(
        |node| check_answer(Some(&form), node),
        frame,
        &[
            "",
            r#","mail":"a.b+c@d-e.example","uri":"urn:x","date":"2024-02-29","time":"2024-02-29T23:59:60Z""#,
            r#","i":9007199254740993,"n":1e-1,"b":false,"e":"b","o":"a","m":["a","b"],"t":[]"#,
            r#","i":-5.0,"unasked":1"#,
            r#","e":"\u0061""#,
        ],
    );
    refuses(
        |node| check_answer(Some(&form), node),
        frame,
        &[
            (r#","mail":"a@""#, "/content/mail must be an e-mail address"),
            (r#","uri":"x/y""#, "/content/uri must be an absolute URI"),
            (r#","date":"2023-02-29""#, "/content/date must be a date"),
            (r#","time":"2024-02-29 10:00:00""#, "/content/time must be a date and time"),
            (r#","i":9007199254740994"#, "/content/i must be at most 9007199254740993"),
            (r#","i":-6"#, "/content/i must be at least -5"),
            (r#","i":1.5"#, "/content/i must be an integer"),
            (r#","i":"1""#, "/content/i must be a number"),
            (r#","n":0.09"#, "/content/n must be at least 0.1"),
            (r#","b":"true""#, "/content/b must be true or false"),
            (r#","e":"A""#, "/content/e must be one of"),
            (r#","o":"A""#, "/content/o must be one of"),
            (r#","m":[]"#, "/content/m must have at least 1"),
            (r#","m":["a","a","b"]"#, "/content/m must have at most 2"),
            (r#","m":["c"]"#, "/content/m/0 must be one of"),
            (r#","m":"a""#, "/content/m must be an array"),
            (r#","t":["A"]"#, "/content/t/0 must be one of"),
        ],
    );
    // Lengths count characters, not bytes or UTF-16 units.
    let frame = r#"{"action":"accept","content":{"s":"@"}}"#;
    accepts(
        |node| check_answer(Some(&form), node),
        frame,
        &["äö", "😀😀", r"\ud83d\ude00\ud83d\ude00\ud83d\ude00"],
    );
    refuses(
        |node| check_answer(Some(&form), node),
        frame,
        &[
            ("ä", "/content/s must have at least 2 characters"),
            ("😀", "at least 2"),
            ("😀😀😀😀", "/content/s must have at most 3 characters"),
        ],
    );
    refuses(
        |node| check_answer(Some(&form), node),
        "@",
        &[
            (r#"{"action":"accept"}"#, "needs `content`"),
            (r#"{"action":"accept","content":{}}"#, "/content needs `s`"),
        ],
    );
    // ELIC-06: a refusal needs no content.
    accepts(|node| check_answer(Some(&form), node), r#"{"action":"@"}"#, &["decline", "cancel"]);
    let closed = schema.replacen('{', r#"{"additionalProperties":false,"#, 1);
    let closed = asked(InputKind::Elicit, Some(&closed));
    refuses(
        |node| check_answer(Some(&closed), node),
        "@",
        &[(r#"{"action":"accept","content":{"s":"ab","unasked":1}}"#, "/content/unasked was not asked for")],
    );
}

#[test]
fn hostile_names_make_short_messages() {
    let long = "x".repeat(5000);
    let deep = format!("{}5{}", r#"{"a\n/~":"#.repeat(100), "}".repeat(100));
    let content = format!(r#"{{"action":"accept","content":{{"{long}\u0000":{deep}}}}}"#);
    refuses(|node| check_answer(None, node), "@", &[(&content, "must be a string")]);
    let meta = format!(r#"{{"action":"accept","_meta":{{"{long}\n":1}}}}"#);
    refuses(|node| check_answer(None, node), "@", &[(&meta, "has a bad key")]);
    let required = format!(r#"{{"required":["{long}"],"properties":{{}}}}"#);
    let form = asked(InputKind::Elicit, Some(&required));
    refuses(
        |node| check_answer(Some(&form), node),
        "@",
        &[(r#"{"action":"accept","content":{}}"#, "needs `x")],
    );
}

#[test]
fn elic_03_formats() {
    type Format = fn(&str) -> bool;
    let table: [(Format, &[&str], &[&str]); 4] = [
        (
            format::is_email,
            &["a@b", "a.b+c@d-e.example", "\"a b\\\"@\"@c", "a@[127.0.0.1]", "a@[IPv6:::1]", "o'x!#@d.e"],
            &[
                "",
                "a",
                "@b",
                "a@",
                "a@b@c",
                "a b@c",
                ".a@b",
                "a.@b",
                "a..b@c",
                "a@-b",
                "a@b-",
                "a@b..c",
                "a@[1.2]",
                "\"@b",
                "\"a\"b\"@c",
                "a@b c",
                "a@b\n",
                "a@ü.example",
            ],
        ),
        (
            format::is_uri,
            &["https://a/b?c#d", "urn:x", "mailto:a@b", "file:///x", "http://[::1]:80/"],
            &["", "a", "/a", "//a", "https://a b", "https://ä", "1a:b", "https://a/%zz", "https://a/{b}"],
        ),
        (
            format::is_date,
            &["2024-02-29", "2000-02-29", "1999-12-31", "0000-01-01"],
            &[
                "",
                "2023-02-29",
                "1900-02-29",
                "2023-04-31",
                "2023-13-01",
                "2023-00-01",
                "2023-01-00",
                "2023-1-1",
                "23-01-01",
                "2023/01/01",
                "2023-01-01Z",
                " 2023-01-01",
                "2023-01-0１",
                "+202-01-01",
            ],
        ),
        (
            format::is_date_time,
            &[
                "2024-02-29T00:00:00Z",
                "2024-02-29t23:59:59.999999999z",
                "2024-02-29T12:00:00+14:00",
                "1998-12-31T23:59:60Z",
                "1998-12-31T15:59:60.5-08:00",
                "1999-01-01T00:59:60+01:00",
            ],
            &[
                "",
                "2024-02-29",
                "2024-02-29T00:00:00",
                "2024-02-29 00:00:00Z",
                "2024-02-29T24:00:00Z",
                "2024-02-29T00:60:00Z",
                "2024-02-29T00:00:61Z",
                "2024-02-29T12:00:60Z",
                "2024-02-29T00:00:00.Z",
                "2024-02-29T00:00:00+24:00",
                "2024-02-29T00:00:00+1:00",
                "2024-02-29T00:00:00+0100",
                "2024-02-30T00:00:00Z",
                "2024-02-29T00:00Z",
                "2024-02-29T00:00:00Zé",
                "2024-02-29T0é:00:00Z",
                "2024-02-29T23:59:60+01:00",
            ],
        ),
    ];
    for (check, right, wrong) in table {
        for text in right {
            assert!(check(text), "{text:?}");
        }
        for text in wrong {
            assert!(!check(text), "{text:?}");
        }
    }
}
