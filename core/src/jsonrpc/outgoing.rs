//! What goes back.

use crate::json::{push_quoted, spare};
use std::borrow::Cow;

/// What a refusal is about, for doors that answer with statuses and challenges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum About {
    /// Nothing that the code does not say.
    #[default]
    Code,
    /// The request's `_meta`.
    Meta,
    /// Scopes that the caller lacks, separated by spaces.
    Scopes(Box<str>),
    /// There is no room for the request now.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "other doors let requests wait"))]
    Busy,
}

/// The `error` member of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) code: i32,
    pub(crate) message: Cow<'static, str>,
    /// JSON text.
    pub(crate) data: Option<String>,
    pub(crate) about: About,
}

impl ErrorBody {
    pub(crate) fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, about: About::Code }
    }

    pub(crate) fn about(mut self, about: About) -> Self {
        self.about = about;
        self
    }

    pub(crate) fn with_data(mut self, json: String) -> Self {
        self.data = Some(json);
        self
    }
}

/// One whole response, ready for the wire: compact, on one line, without a newline.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) text: Vec<u8>,
    /// The error's code, for doors that map codes to statuses.
    pub(crate) code: Option<i32>,
    /// The error's message, for those who say it in another way.
    pub(crate) message: Cow<'static, str>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "other doors have no statuses"))]
    pub(crate) about: About,
}

impl Outgoing {
    /// Keeps the buffer of a response that was sent.
    pub(crate) fn recycle(self) {
        spare::keep(self.text);
    }

    /// A result whose text is appended by `write`; `hint` is about how long it will be.
    pub(crate) fn result(id: &str, hint: usize, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut text = spare::take(hint + id.len() + 41);
        text.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        text.extend_from_slice(id.as_bytes());
        text.extend_from_slice(b",\"result\":");
        write(&mut text);
        text.push(b'}');
        Self { text, code: None, message: "".into(), about: About::Code }
    }

    /// Several responses as one array.
    #[cfg(feature = "http")]
    pub(crate) fn batch(responses: &[Vec<u8>]) -> Self {
        let text = [b"[", &*responses.join(&b','), b"]"].concat();
        Self { text, code: None, message: "".into(), about: About::Code }
    }

    /// The same error with this `id` where it has none.
    pub(crate) fn with_id(mut self, id: &str) -> Self {
        const HEAD: &[u8] = b"{\"jsonrpc\":\"2.0\",\"error\"";
        if self.text.starts_with(HEAD) {
            let place = HEAD.len() - b"\"error\"".len();
            self.text.splice(place..place, format!("\"id\":{id},").into_bytes());
        }
        self
    }

    /// An error; `id` is left out where none could be read.
    pub(crate) fn error(id: Option<&str>, error: &ErrorBody) -> Self {
        let mut text =
            Vec::with_capacity(96 + error.message.len() + error.data.as_ref().map_or(0, String::len));
        text.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
        if let Some(id) = id {
            text.extend_from_slice(b",\"id\":");
            text.extend_from_slice(id.as_bytes());
        }
        text.extend_from_slice(b",\"error\":{\"code\":");
        text.extend_from_slice(error.code.to_string().as_bytes());
        text.extend_from_slice(b",\"message\":");
        push_quoted(&mut text, &error.message);
        if let Some(data) = &error.data {
            text.extend_from_slice(b",\"data\":");
            text.extend_from_slice(data.as_bytes());
        }
        text.extend_from_slice(b"}}");
        Self { text, code: Some(error.code), message: error.message.clone(), about: error.about.clone() }
    }
}
