//! What a browser must be told so that a page of an allowed origin may ask and read (Fetch standard, section 3.2).
//!
//! Nothing here decides who is allowed: [`super::origin::Rule`] did before. Credentials are never allowed: tokens come
//! in a header that the page sets itself, and cookies do not count.

use super::media::is_token;
use http::header::{
    HeaderMap, HeaderValue, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::Method;

/// What a client of the protocol sends and a page may not send unasked.
const HEADERS: &str =
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, \
                       mcp-session-id";
/// What a client of the protocol reads and a page does not see unasked.
const EXPOSED: HeaderValue = HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate, Retry-After");
/// What the longest answer may hold; a browser asks for a handful.
const LONGEST: usize = 4096;
/// In seconds; browsers cut it to what they find right (two hours at most).
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// Whether the request is a browser's question before the real one.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The headers of a preflight's answer, which has status 204 and no body. `methods` is the list that the resource
/// serves. Header names are allowed as they are asked for, since which `Mcp-Param-*` there are and which the host's
/// own authorization reads is not known here; what is not a name is left out.
pub(crate) fn preflight(request: &HeaderMap, methods: &'static str, response: &mut HeaderMap) {
    allow_origin(request, response);
    response.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    response.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(request));
    response.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    let vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    response.insert(VARY, HeaderValue::from_static(vary));
}

/// Adds to any other response, refusals included, what lets a page of an allowed origin read it.
pub(crate) fn apply(request: &HeaderMap, response: &mut HeaderMap) {
    if allow_origin(request, response) {
        response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        response.append(VARY, HeaderValue::from_static("Origin"));
    }
}

fn allow_origin(request: &HeaderMap, response: &mut HeaderMap) -> bool {
    let origin = request.get(ORIGIN);
    if let Some(origin) = origin {
        response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    }
    origin.is_some()
}

fn allowed_headers(request: &HeaderMap) -> HeaderValue {
    let mut list = HEADERS.to_owned();
    let asked =
        request.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|value| value.to_str().ok());
    for name in asked.flat_map(|value| value.split(',')).map(|name| name.trim_matches([' ', '\t'])) {
        let fits = list.len() + name.len() + 2 <= LONGEST;
        if fits && is_name(name) && !list.split(", ").any(|listed| listed.eq_ignore_ascii_case(name)) {
            list.push_str(", ");
            list.push_str(name);
        }
    }
    HeaderValue::try_from(list).unwrap_or(HeaderValue::from_static(HEADERS))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_token)
}

#[cfg(test)]
mod tests {
    //! R046.

    use super::*;

    const PAGE: &str = "https://app.example.com";

    fn request(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn answered(asked: &[&str]) -> HeaderMap {
        let mut headers = request(&[(ORIGIN, PAGE), (ACCESS_CONTROL_REQUEST_METHOD, "POST")]);
        for value in asked {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            headers.append(ACCESS_CONTROL_REQUEST_HEADERS, value);
        }
        let mut response = HeaderMap::new();
        preflight(&headers, "POST", &mut response);
        response
    }

    fn names(response: &HeaderMap) -> Vec<&str> {
        response[ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap().split(", ").collect()
    }

    #[test]
    fn r046_a_preflight_lists_what_was_asked() {
        let response = answered(&[
            "authorization,content-type,mcp-protocol-version,mcp-method",
            "mcp-name , mcp-param-region,x-api-key",
        ]);
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], PAGE);
        assert_eq!(response[ACCESS_CONTROL_ALLOW_METHODS], "POST");
        for name in [
            "authorization",
            "content-type",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "mcp-param-region",
            "x-api-key",
        ] {
            assert_eq!(names(&response).iter().filter(|&&listed| listed == name).count(), 1, "{name}");
        }
        assert!(response[VARY].to_str().unwrap().starts_with("Origin"));
    }

    #[test]
    fn r046_credentials_and_wildcards_are_never_allowed() {
        let mut plain = HeaderMap::new();
        apply(&request(&[(ORIGIN, PAGE)]), &mut plain);
        for response in [answered(&["*"]), plain] {
            assert!(!response.contains_key(http::header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
            assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], PAGE);
        }
    }

    #[test]
    fn r046_what_is_no_header_name_is_left_out() {
        let hostile = ["a b", "x: y", "\u{f6}", "\"q\"", "", ",,", "MCP-Name, mcp-name"];
        assert_eq!(names(&answered(&hostile)), names(&answered(&[])));
    }

    #[test]
    fn r046_the_answer_is_bounded() {
        let many: Vec<String> = (0..10_000).map(|number| format!("mcp-param-{number}")).collect();
        assert!(answered(&[&many.join(",")])[ACCESS_CONTROL_ALLOW_HEADERS].len() <= LONGEST);
    }

    #[test]
    fn r046_a_response_is_readable_and_varies() {
        let mut response = HeaderMap::new();
        apply(&request(&[(ORIGIN, "http://localhost:6274")]), &mut response);
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], "http://localhost:6274");
        assert_eq!(response[VARY], "Origin");
        let exposed = response[ACCESS_CONTROL_EXPOSE_HEADERS].to_str().unwrap();
        assert!(exposed.contains("WWW-Authenticate") && exposed.contains("Mcp-Session-Id"));
    }

    #[test]
    fn r046_without_an_origin_nothing_is_added() {
        let mut response = HeaderMap::new();
        apply(&HeaderMap::new(), &mut response);
        assert!(response.is_empty());
    }

    #[test]
    fn r046_a_preflight_is_known_by_its_three_signs() {
        let full = request(&[(ORIGIN, PAGE), (ACCESS_CONTROL_REQUEST_METHOD, "POST")]);
        assert!(is_preflight(&Method::OPTIONS, &full));
        assert!(!is_preflight(&Method::POST, &full));
        assert!(!is_preflight(&Method::OPTIONS, &request(&[(ORIGIN, PAGE)])));
        assert!(!is_preflight(&Method::OPTIONS, &request(&[(ACCESS_CONTROL_REQUEST_METHOD, "POST")])));
    }
}
