//! The framing of an event stream (HTML standard, section 9.2).

/// A comment, which clients pass over: it shows proxies and clients that the stream lives.
pub(crate) const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

/// The event that carries one message. It names its type, which is also the default, because some clients look for
/// the name; it has an id only where the stream can be resumed.
pub(crate) fn event(id: Option<&str>, message: &[u8]) -> Vec<u8> {
    const HEAD: &[u8] = b"event: message\n";
    const DATA: &[u8] = b"data: ";
    let mut out =
        Vec::with_capacity(HEAD.len() + DATA.len() + message.len() + 2 + id.map_or(0, |id| id.len() + 5));
    out.extend_from_slice(HEAD);
    if let Some(id) = id {
        push_id(&mut out, id);
    }
    out.extend_from_slice(DATA);
    let body = out.len();
    out.extend_from_slice(message);
    // A line break would cut the event in two. In JSON it can only stand between tokens, where a space does as well.
    if let Some(body) = out.get_mut(body..) {
        for byte in body.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    out.extend_from_slice(b"\n\n");
    out
}

fn push_id(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(b"id: ");
    out.extend_from_slice(id.as_bytes());
    out.push(b'\n');
}

/// An event without a message, which gives the client an id to come back with, and after how many ms (0: not said).
pub(crate) fn prime(id: Option<&str>, retry: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(id) = id {
        push_id(&mut out, id);
    }
    if retry > 0 {
        out.extend_from_slice(format!("retry: {retry}\n").as_bytes());
    }
    out.extend_from_slice(b"data: \n\n");
    out
}

/// Tells the client to come back after so many ms. No event, since it has no data.
pub(crate) fn retry(ms: u64) -> Vec<u8> {
    format!("retry: {ms}\n\n").into_bytes()
}

/// The first event of HTTP+SSE (2024-11-05): where messages are posted to.
pub(crate) fn endpoint(uri: &str) -> Vec<u8> {
    format!("event: endpoint\ndata: {uri}\n\n").into_bytes()
}

#[cfg(test)]
mod tests {
    //! HTTP-14, HTTP-15, HTTP-21.

    use super::*;

    /// The events of a stream, by the standard's algorithm: type and data of each.
    fn read(stream: &[u8]) -> Vec<(String, String)> {
        let text = std::str::from_utf8(stream).unwrap();
        let (mut events, mut kind, mut data) = (Vec::new(), String::new(), Vec::new());
        for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
            match line.split_once(':') {
                _ if line.is_empty() => {
                    if !data.is_empty() {
                        events.push((std::mem::take(&mut kind), data.join("\n")));
                        data.clear();
                    }
                }
                Some(("", _)) => {}
                Some(("event", value)) => kind = value.strip_prefix(' ').unwrap_or(value).to_owned(),
                Some(("data", value)) => data.push(value.strip_prefix(' ').unwrap_or(value).to_owned()),
                _ => panic!("unexpected line {line:?}"),
            }
        }
        events
    }

    #[test]
    fn http_21_a_message_is_one_event() {
        for message in ["{}", "{\"a\":\"\\n: \\r\u{2028}\u{1f600}\"}", "{\"data: \":\"event: x\"}", " {}"] {
            assert_eq!(read(&event(None, message.as_bytes())), [("message".to_owned(), message.to_owned())]);
        }
    }

    #[test]
    fn http_21_a_line_break_between_tokens_cannot_end_the_event() {
        let shown = read(&event(None, b"{\r\n\"a\":\n\n1}\r"));
        assert_eq!(shown, [("message".to_owned(), "{  \"a\":  1} ".to_owned())]);
    }

    #[test]
    fn http_14_a_keep_alive_is_no_event() {
        let stream = [&event(None, b"1")[..], KEEP_ALIVE, &event(None, b"2")].concat();
        let data: Vec<_> = read(&stream).into_iter().map(|(_, data)| data).collect();
        assert_eq!(data, ["1", "2"]);
        assert!(KEEP_ALIVE.starts_with(b":") && KEEP_ALIVE.ends_with(b"\n\n"));
    }
}
