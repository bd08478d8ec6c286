//! Samplings that a host asks a client for.

use super::super::{accepts, refuses};
use super::question;

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
