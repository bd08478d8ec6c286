//! A short run of every fuzz target with a fixed seed, so that `cargo test` has one too.

use super::*;

/// Texts that the targets are about, to be changed here and there.
const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{},"cursor":"x"}}"#,
    r#"{"text":"\\ud83d\\ude00","n":-3.0e0,"t":[null,[[],[[]]]]}"#,
    r#"{"k":{"action":"accept","content":{"n":5}}}"#,
    "x://{a}{/b}{?c,d}\nx://1%2F2/3?d=&c=%41",
    "f://{+path}{#end}\nf://a/../b#c",
    "mem://a",
    "AQpncmVldA",
    r#"{"action":"accept","content":{"n":5}}"#,
    r#"{"elicitation":{"form":{},"url":null},"sampling":{"tools":{}}}"#,
    r#""debug""#,
    "=?base64?SGVsbG8=?=",
    " -42.0e1\t",
    "POST /mcp\nContent-Type: application/json\nmcp-name:echo\norigin: http://localhost\n\n\"name\":\"echo\"",
    "GET /.well-known/oauth-protected-resource\nAuthorization: x\n\n\"notifications\":{\"toolsListChanged\":true}",
    "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{}\n\r\nGET * HTTP/1.0\r\n\r\n",
    "POST / HTTP/1.1\r\nhost:b\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\n{}\r\n0\r\nX: y\r\n\r\n\r\n",
    "OPTIONS /mcp\nOrigin: http://localhost\nAccess-Control-Request-Method: POST\nContent-Length: 9\n\n{}",
];

/// Small, fast and the same everywhere (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

fn changed(random: &mut Random) -> Vec<u8> {
    const BYTES: &[u8] = b"{}[]\",:\\0123456789eE+-.truefalsn u\x00\xff/%?&#=";
    let mut text = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..random.below(6) {
        let at = random.below(text.len() + 1);
        match random.below(4) {
            0 => text.insert(at, BYTES[random.below(BYTES.len())]),
            1 => text.truncate(at),
            2 => text.splice(at.., SEEDS[random.below(SEEDS.len())].bytes()).for_each(drop),
            _ if at < text.len() => text[at] = BYTES[random.below(BYTES.len())],
            _ => {}
        }
    }
    text
}

#[test]
fn every_target_survives_a_short_run() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for turn in 0..3_000 {
        let data = changed(&mut random);
        for target in [message, cursor, template, state, handle, session] {
            target(&data);
        }
        // These take longer.
        #[cfg(feature = "http")]
        if turn % 4 == 0 {
            for target in [headers, events, exchange, requests] {
                target(&data);
            }
        }
    }
}
