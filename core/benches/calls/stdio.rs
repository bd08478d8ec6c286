//! Servers on standard input and output: two bare ones to compare with, and the engine with a Rust host.

use crate::fixture::{self, Echo, Envelope};
use std::io::{stdin, stdout, BufRead, BufReader, BufWriter, Write};

/// Lines of 64 requests fit.
const BUFFER_BYTES: usize = 64 << 10;

/// Reads lines and writes what `answer` makes of each. What was written is flushed before it waits for more.
pub(crate) fn serve_lines(answer: fn(&[u8], &mut Vec<u8>)) -> Result<(), String> {
    let mut input = BufReader::with_capacity(BUFFER_BYTES, stdin().lock());
    let mut output = BufWriter::with_capacity(BUFFER_BYTES, stdout().lock());
    let (mut line, mut response) = (Vec::new(), Vec::new());
    loop {
        if input.buffer().is_empty() {
            output.flush().map_err(|error| error.to_string())?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(|error| error.to_string())? == 0 {
            return Ok(());
        }
        response.clear();
        answer(&line, &mut response);
        output.write_all(&response).map_err(|error| error.to_string())?;
    }
}

/// The limit: nothing is done at all.
pub(crate) fn say_again(line: &[u8], response: &mut Vec<u8>) {
    response.extend_from_slice(line);
}

/// The floor: the bare parse of each line, and a constant answer with the line's id.
pub(crate) fn parse_and_answer(line: &[u8], response: &mut Vec<u8>) {
    if let Ok(envelope) = serde_json::from_slice::<Envelope>(line) {
        response.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        response.extend_from_slice(envelope.id.get().as_bytes());
        response
            .extend_from_slice(br#","result":{"resultType":"complete","content":[{"type":"text","text":""#);
        response.extend_from_slice(fixture::TEXT.as_bytes());
        response.extend_from_slice(b"\"}]}}\n");
    }
}

/// The engine with the Rust host [`Echo`], 50 tools.
pub(crate) fn serve_engine() -> Result<(), String> {
    mcpcore::serve_stdio(&fixture::server(50, Echo)?).map_err(|error| error.to_string())
}
