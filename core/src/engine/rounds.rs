//! Multi round trips: what the sealed `requestState` carries, and what a retry brings back.
//!
//! The state carries everything that a later round needs, so that any process with the key can go on: the number of
//! the round, what the host kept, all answers so far, and what was asked (with the form's schema itself: a digest
//! could not check an answer).

use super::route::Request;
use crate::json::{push_compact, push_quoted, quote, Document, Node};
use crate::jsonrpc::{cut, ErrorBody};
use crate::protocol::wire::code;
use crate::protocol::{check_answer, Asked, InputKind, LogLevel};
use crate::server::Inner;
use crate::state::{digest_arguments, Binding, SealFault};

/// The rounds of a call before this one.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// 0 in the first round.
    pub(crate) number: u32,
    /// What the host kept.
    pub(crate) host_state: Option<String>,
    /// All answers so far, an object; `None` where there are none.
    pub(crate) answers: Option<Box<Document>>,
}

/// What a state is good for.
pub(crate) struct Target<'a> {
    pub(crate) method: &'a str,
    /// The tool's or prompt's name, or the uri.
    pub(crate) name: &'a str,
    pub(crate) arguments: Option<Node<'a>>,
}

impl Target<'_> {
    fn bind<R>(&self, request: &Request, with: impl FnOnce(&Binding<'_>) -> R) -> R {
        let arguments = self.arguments.unwrap_or_else(|| super::tools::nothing().root());
        with(&Binding {
            principal: request.caller().principal(),
            method: self.method,
            target: self.name,
            arguments: digest_arguments(arguments),
        })
    }
}

fn invalid(why: impl Into<std::borrow::Cow<'static, str>>) -> ErrorBody {
    ErrorBody::new(code::INVALID_PARAMS, why)
}

impl Rounds {
    /// Reads `requestState` and `inputResponses` of a request.
    ///
    /// # Errors
    /// -32602 for a state that does not open here, and for answers that are not what was asked.
    pub(crate) fn open(request: &Request, target: &Target<'_>) -> Result<Self, ErrorBody> {
        // A session's client is asked while its call waits; it never brings the call again.
        if request.session.is_some() {
            return Ok(Self::default());
        }
        let (mut state, mut responses) = (None, None);
        let mut members = request.params().members();
        while let Some((name, value)) = members.next_nodes() {
            match &*name.name() {
                _ if value.is_null() => {}
                b"requestState" => state = Some(value),
                b"inputResponses" => responses = Some(value),
                _ => {}
            }
        }
        if state.is_none() && responses.is_none() {
            return Ok(Self::default());
        }
        let payload = match state {
            None => None,
            Some(state) => {
                let sealed =
                    state.as_str().ok_or_else(|| invalid("params.requestState must be a string."))?;
                let limit = request.server().config.max_state_bytes.saturating_mul(2);
                if sealed.len() > limit {
                    return Err(invalid("params.requestState is not one of this server's."));
                }
                let opened = target.bind(request, |binding| request.server().sealer.open(binding, &sealed));
                Some(read_payload(opened.map_err(|fault| refuse(request.server(), fault))?)?)
            }
        };
        Self::merge(payload.as_ref(), responses)
    }

    fn merge(payload: Option<&Document>, responses: Option<Node<'_>>) -> Result<Self, ErrorBody> {
        if responses.is_some_and(|responses| !responses.is_object()) {
            return Err(invalid("params.inputResponses must be an object."));
        }
        let kept = payload.map(Document::root);
        let asked = kept.and_then(|kept| kept.get("q"));
        let mut answers = b"{".to_vec();
        for (key, answer) in responses.into_iter().flat_map(Node::members) {
            // What was never asked is ignored, as far as the state tells.
            let question = match asked {
                None => None,
                Some(asked) => match asked.get(&key) {
                    Some(question) => Some(read_asked(&key, question)),
                    None => continue,
                },
            };
            check_answer(question.as_ref(), answer)
                .map_err(|why| invalid(format!("inputResponses \"{}\": {why}", cut(&key, 64))))?;
            push_member(&mut answers, &key, answer);
        }
        for (key, answer) in kept.and_then(|kept| kept.get("a")).into_iter().flat_map(Node::members) {
            if responses.is_none_or(|responses| responses.get(&key).is_none()) {
                push_member(&mut answers, &key, answer);
            }
        }
        answers.push(b'}');
        let round = kept.and_then(|kept| kept.get("r")?.as_i64()).unwrap_or(0);
        Ok(Self {
            number: u32::try_from(round).unwrap_or(0).saturating_add(1),
            host_state: kept.and_then(|kept| Some(kept.get("s")?.as_str()?.into_owned())),
            answers: (answers.len() > 2).then(|| Document::parse(answers).ok().map(Box::new)).flatten(),
        })
    }

    /// The next round of a call whose client answered these questions one by one.
    ///
    /// # Errors
    /// -32602 for an answer that is not what was asked.
    pub(crate) fn next(&self, kept: Option<&str>, answers: &[(&Asked, Node<'_>)]) -> Result<Self, ErrorBody> {
        let mut all = b"{".to_vec();
        for (asked, answer) in answers {
            check_answer(Some(asked), *answer)
                .map_err(|why| invalid(format!("The answer to \"{}\": {why}", cut(&asked.key, 64))))?;
            push_member(&mut all, &asked.key, *answer);
        }
        let before = self.answers.as_deref().map(Document::root);
        for (key, answer) in before.into_iter().flat_map(Node::members) {
            if answers.iter().all(|(asked, _)| asked.key != *key) {
                push_member(&mut all, &key, answer);
            }
        }
        all.push(b'}');
        Ok(Self {
            number: self.number.saturating_add(1),
            host_state: kept.map(str::to_owned),
            answers: (all.len() > 2).then(|| Document::parse(all).ok()).flatten().map(Box::new),
        })
    }

    /// Seals what the next round needs; `None` where it needs nothing.
    ///
    /// # Errors
    /// What the host's author should know.
    pub(crate) fn seal(
        &self,
        request: &Request,
        target: &Target<'_>,
        asked: &[Asked],
        host_state: Option<&str>,
    ) -> Result<Option<String>, String> {
        let Some(payload) = self.payload(request, asked, host_state)? else { return Ok(None) };
        let config = &request.server().config;
        let expires = config.environment.unix_ms().saturating_add(config.state_ttl_ms);
        target.bind(request, |binding| request.server().sealer.seal(binding, expires, &payload)).map(Some)
    }

    /// What the next round needs; `None` where it needs nothing.
    ///
    /// # Errors
    /// It is over the limit, which holds in every era, so that a host that keeps too much fails in each.
    pub(crate) fn payload(
        &self,
        request: &Request,
        asked: &[Asked],
        host_state: Option<&str>,
    ) -> Result<Option<Vec<u8>>, String> {
        if host_state.is_none() && self.answers.is_none() && asked.iter().all(|one| one.schema.is_none()) {
            return Ok(None);
        }
        let mut payload = format!("{{\"r\":{}", self.number).into_bytes();
        if let Some(state) = host_state {
            payload.extend_from_slice(b",\"s\":");
            push_quoted(&mut payload, state);
        }
        if let Some(answers) = &self.answers {
            payload.extend_from_slice(b",\"a\":");
            payload.extend_from_slice(answers.text().as_bytes());
        }
        payload.extend_from_slice(b",\"q\":{");
        for (n, one) in asked.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            let kind = match one.kind {
                InputKind::Elicit => "form",
                InputKind::ElicitUrl => "url",
                InputKind::Sample => "sample",
                InputKind::Roots => "roots",
            };
            payload.extend_from_slice(format!("{comma}{}:{{\"k\":\"{kind}\"", quote(&one.key)).as_bytes());
            if let Some(schema) = &one.schema {
                payload.extend_from_slice(b",\"s\":");
                payload.extend_from_slice(schema.as_bytes());
            }
            payload.push(b'}');
        }
        payload.extend_from_slice(b"}}");
        let most = request.server().config.max_state_bytes;
        if payload.len() > most {
            return Err(format!(
                "the state of this round takes {} bytes, over max_state_bytes {most}",
                payload.len()
            ));
        }
        Ok(Some(payload))
    }
}

fn push_member(out: &mut Vec<u8>, key: &str, value: Node<'_>) {
    if out.len() > 1 {
        out.push(b',');
    }
    push_quoted(out, key);
    out.push(b':');
    push_compact(out, value);
}

fn read_payload(bytes: Vec<u8>) -> Result<Document, ErrorBody> {
    // Sealed by this server's key, so it is JSON unless another version of it wrote something else.
    Document::parse(bytes).map_err(|_| invalid("params.requestState is of another version of this server."))
}

fn read_asked(key: &str, question: Node<'_>) -> Asked {
    let kind = question.get("k").and_then(Node::as_str);
    let kind = match kind.as_deref() {
        Some("url") => InputKind::ElicitUrl,
        Some("sample") => InputKind::Sample,
        Some("roots") => InputKind::Roots,
        Some(_) | None => InputKind::Elicit,
    };
    let schema = question.get("s").map(|schema| schema.raw().to_owned());
    Asked { key: key.to_owned(), kind, schema, secret_field: None }
}

/// What the client is told of a state that does not open; the operator is told too, since a key may be missing.
fn refuse(server: &Inner, fault: SealFault) -> ErrorBody {
    server.log(LogLevel::Notice, fault.message());
    invalid(fault.message())
}
