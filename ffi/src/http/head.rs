//! Heads of requests and answers as text.

use crate::error::mcp_error;
use http::header::{HeaderName, HeaderValue};
use http::{request, response, HeaderMap, Method, Request, Uri};
use mcpcore_engine::http::PeerAddress;
use std::net::{IpAddr, SocketAddr};

/// The head of a request; `headers` are lines of `Name: value`, each ended by CR LF or LF.
pub(crate) fn request(method: &str, target: &[u8], headers: &[u8]) -> Result<request::Parts, mcp_error> {
    let fault = |what: &str| mcp_error::argument(&format!("{what}; answer the request with 400"));
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| fault("method is no HTTP method"))?;
    let target = Uri::try_from(target).map_err(|_| fault("target is no path and no URI"))?;
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.method = method;
    parts.uri = target;
    for (number, line) in (1..).zip(headers.split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            add_line(&mut parts.headers, line)
                .ok_or_else(|| fault(&format!("line {number} of headers is no \"Name: value\"")))?;
        }
    }
    Ok(parts)
}

/// Adds one header. A line that begins with white space would continue the one above (RFC 9112 forbids it): its name is
/// none.
fn add_line(headers: &mut HeaderMap, line: &[u8]) -> Option<()> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (name, value) = line.split_at_checked(colon)?;
    let name = HeaderName::from_bytes(name).ok()?;
    let value = HeaderValue::from_bytes(value.get(1..)?.trim_ascii()).ok()?;
    headers.try_append(name, value).ok().map(|_| ())
}

/// The headers of an answer as lines, and a NUL.
pub(crate) fn lines(parts: &response::Parts) -> Vec<u8> {
    let mut lines = Vec::with_capacity(256);
    for (name, value) in &parts.headers {
        lines.extend_from_slice(name.as_str().as_bytes());
        lines.extend_from_slice(b": ");
        lines.extend_from_slice(value.as_bytes());
        lines.extend_from_slice(b"\r\n");
    }
    lines.push(0);
    lines
}

/// What the host says about where a request comes from.
pub(crate) fn peer(text: &str) -> Result<PeerAddress, mcp_error> {
    if text.is_empty() {
        return Ok(PeerAddress::Unknown);
    }
    if text == "unix" {
        return Ok(PeerAddress::Unix { uid: None });
    }
    let uid = text.strip_prefix("unix:").and_then(|uid| uid.parse().ok());
    if uid.is_some() {
        return Ok(PeerAddress::Unix { uid });
    }
    let with_port = text.parse::<SocketAddr>();
    let address = with_port.or_else(|_| text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 0)));
    address.map(PeerAddress::Ip).map_err(|_| {
        mcp_error::argument(
            "peer takes an IP address, one with a port, \"unix\", \"unix:\" and a user id, or nothing",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault<T: std::fmt::Debug>(outcome: Result<T, mcp_error>) -> String {
        outcome.unwrap_err().message().to_owned()
    }

    #[test]
    fn a_head_is_read_from_text() {
        let headers = b"Host: a\r\nX: 1 \nx:\t2\r\nEmpty:\r\nBytes: \xe9\r\n\r\n";
        let parts = request("POST", b"/mcp?q=1", headers).unwrap();
        assert_eq!((parts.method, parts.uri.path()), (Method::POST, "/mcp"));
        let all: Vec<_> = parts.headers.get_all("x").iter().collect();
        assert_eq!(all, ["1", "2"]);
        assert_eq!(parts.headers["empty"], "");
        assert_eq!(parts.headers["bytes"].as_bytes(), b"\xe9");
        assert!(request("GET", b"http://host/mcp", b"").is_ok());
        assert!(request("OPTIONS", b"*", b"").is_ok());
    }

    #[test]
    fn what_is_no_head_is_refused_with_its_place() {
        assert_eq!(fault(request("A B", b"/", b"")), "method is no HTTP method; answer the request with 400");
        for target in [&b""[..], b"/a b", b"\xff"] {
            assert!(fault(request("GET", target, b"")).starts_with("target is"), "{target:?}");
        }
        for line in [&b"no colon"[..], b" folded: x", b": x", b"a b: x", b"a: \x01", b"a: b\rc", b"a: \0"] {
            let headers = [b"Host: a\r\n", line, b"\r\n"].concat();
            assert!(fault(request("GET", b"/", &headers)).starts_with("line 2 of headers"), "{line:?}");
        }
    }

    #[test]
    fn a_peer_is_the_same_there_and_back() {
        for text in ["", "unix", "unix:1000", "127.0.0.1:80", "[::1]:8080"] {
            assert_eq!(peer(text).unwrap().to_string(), text);
        }
        assert_eq!(peer("::1").unwrap().to_string(), "[::1]:0");
        for text in ["unix:x", "localhost", "127.0.0.1:", "1"] {
            assert!(fault(peer(text)).starts_with("peer takes"), "{text}");
        }
    }

    #[test]
    fn headers_of_an_answer_are_lines_with_a_nul_behind() {
        let (mut parts, ()) = http::Response::new(()).into_parts();
        parts.headers.append("x", HeaderValue::from_static("1"));
        parts.headers.append("x", HeaderValue::from_static("2"));
        assert_eq!(lines(&parts), b"x: 1\r\nx: 2\r\n\0");
    }
}
