//! Requests to the client. A call that asks for input waits while its session puts the questions; then its next round
//! begins with the answers, as if the client had sent the call once more.

use super::super::peer::number;
use super::super::rounds::Rounds;
use super::super::tools::error_result;
use super::super::Prepared;
use super::Session;
use crate::call::{CallKind, State};
use crate::json::{push_compact, push_quoted, Document, Node};
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::{code, method};
use crate::protocol::{edition, Asked, Asks, InputKind, Revision};
use crate::server::Inner;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The questions of a session that wait for their answers.
#[derive(Default)]
pub(super) struct Questions {
    last: u64,
    open: HashMap<u64, (Arc<Inquiry>, usize)>,
}

/// What one call asks.
pub(crate) struct Inquiry {
    call: Arc<State>,
    session: Arc<Session>,
    asked: Vec<Asked>,
    /// What the host keeps for its next round.
    kept: Option<String>,
    /// When the client has had its time.
    pub(crate) due: Option<u64>,
    gathered: Mutex<Gathered>,
}

#[derive(Default)]
struct Gathered {
    /// The ids under which the client was asked, in the order of `asked`.
    ids: Vec<u64>,
    /// The client's responses, in that order.
    responses: Vec<Option<Document>>,
    left: usize,
}

impl Inquiry {
    /// What `call` asks of its session's client; none if it belongs to no session.
    pub(crate) fn new(call: &Arc<State>, asked: Vec<Asked>, kept: Option<&str>) -> Option<Self> {
        let request = &call.prepared().request;
        let session = Arc::clone(request.session.as_ref()?);
        let config = &request.server().config;
        let due = match config.input_timeout_ms {
            0 => None,
            timeout => Some(config.environment.monotonic_ms().saturating_add(timeout)),
        };
        let kept = kept.map(str::to_owned);
        Some(Self { call: Arc::clone(call), session, asked, kept, due, gathered: Mutex::default() })
    }

    pub(crate) fn call(&self) -> &Arc<State> {
        &self.call
    }

    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives each question its id and notes that answers are awaited. `requests` is what the host asked, in the order of
    /// `asked`. Returns the messages for the client.
    pub(crate) fn begin(self: &Arc<Self>, requests: Node<'_>) -> Vec<Vec<u8>> {
        let mut ids = Vec::new();
        {
            let mut questions = self.session.questions();
            for place in 0..self.asked.len() {
                questions.last += 1;
                ids.push(questions.last);
                let id = questions.last;
                questions.open.insert(id, (Arc::clone(self), place));
            }
        }
        let server = self.call.prepared().request.server();
        let questions = requests.members().zip(&self.asked).zip(&ids);
        let messages = questions
            .map(|(((_, request), asked), id)| message(server, *id, request, asked, self.session.revision()))
            .collect();
        *self.gathered() = Gathered { left: ids.len(), responses: ids.iter().map(|_| None).collect(), ids };
        messages
    }

    /// Nobody waits for the answers any more. Returns what tells the client so, for each that it still owes.
    pub(crate) fn forget(&self) -> Vec<Vec<u8>> {
        let ids = std::mem::take(&mut self.gathered().ids);
        let mut questions = self.session.questions();
        ids.into_iter().filter(|id| questions.open.remove(id).is_some()).map(cancellation).collect()
    }

    /// Takes one response; true when nothing more is waited for: all have come, or one question was refused.
    fn take(&self, place: usize, response: Document) -> bool {
        let mut gathered = self.gathered();
        if gathered.left == 0 {
            return false;
        }
        let refused = response.root().get("error").is_some();
        if let Some(slot) = gathered.responses.get_mut(place) {
            *slot = Some(response);
        }
        gathered.left = if refused { 0 } else { gathered.left - 1 };
        gathered.left == 0
    }

    /// What the next round of the call knows, or why there is none.
    fn conclude(&self) -> Result<Rounds, Outgoing> {
        let gathered = self.gathered();
        let responses = || gathered.responses.iter().flatten().map(Document::root);
        if let Some(error) = responses().find_map(|response| response.get("error")) {
            let said = error.get("message").and_then(Node::as_str).unwrap_or_default();
            let said: String = said.chars().filter(|letter| !letter.is_control()).take(MOST_SAID).collect();
            return Err(self.unanswered(&format!("The client did not answer: {said}")));
        }
        let results = responses().filter_map(|response| response.get("result"));
        let answers: Vec<_> = self.asked.iter().zip(results).collect();
        let rounds = self.call.rounds().next(self.kept.as_deref(), &answers);
        rounds.map_err(|error| self.call.refuse(&error))
    }

    /// Every answer is there: begins the next round of the call, or ends it. False if it was over.
    pub(crate) fn resume(&self) -> bool {
        let (outlet, exchange) = (self.call.outlet(), self.call.exchange());
        for cancellation in self.forget() {
            outlet.notify(exchange, cancellation);
        }
        match self.conclude() {
            Ok(rounds) => {
                let number = number(self.call.prepared().request.server());
                outlet.again(exchange, &Arc::new(State::later(&self.call, rounds, number)))
            }
            Err(refusal) => outlet.reply(exchange, refusal),
        }
    }

    /// What the call is answered if its questions are not: a tool tells the model, others fail.
    pub(crate) fn unanswered(&self, why: &str) -> Outgoing {
        let Prepared { request, kind, .. } = self.call.prepared();
        match kind {
            CallKind::Tool => error_result(request, why),
            CallKind::Resource | CallKind::Prompt | CallKind::Completion => {
                self.call.refuse(&ErrorBody::new(code::INTERNAL_ERROR, why.to_owned()))
            }
        }
    }
}

/// Characters of a client's own words that are repeated.
const MOST_SAID: usize = 120;

impl Session {
    /// Takes a response of the client. Gives the inquiry that is complete with it.
    ///
    /// # Errors
    /// Nothing was asked under that id.
    pub(crate) fn respond(&self, response: Document) -> Result<Option<Arc<Inquiry>>, ()> {
        let id = response.root().get("id").and_then(Node::as_i64).and_then(|id| u64::try_from(id).ok());
        let asked = id.and_then(|id| self.questions().open.remove(&id));
        let (inquiry, place) = asked.ok_or(())?;
        Ok(inquiry.take(place, response).then_some(inquiry))
    }
}

fn cancellation(id: u64) -> Vec<u8> {
    let method = method::CANCELLED;
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{\"requestId\":{id}}}}}").into_bytes()
}

/// One question as the client's revision knows it.
fn message(server: &Inner, id: u64, request: Node<'_>, asked: &Asked, revision: Revision) -> Vec<u8> {
    let name = match asked.kind {
        InputKind::Elicit | InputKind::ElicitUrl => method::ELICIT,
        InputKind::Sample => method::SAMPLE,
        InputKind::Roots => method::LIST_ROOTS,
    };
    let mut out = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{name}\"").into_bytes();
    if let Some(params) = request.get_present("params") {
        out.extend_from_slice(b",\"params\":");
        match asked.kind {
            InputKind::Elicit => edition::push_form_params(&mut out, params, revision),
            InputKind::ElicitUrl => push_url_params(&mut out, server, params, revision),
            InputKind::Sample => edition::push_sample_params(&mut out, params, revision),
            InputKind::Roots => push_compact(&mut out, params),
        }
    }
    out.push(b'}');
    out
}

fn push_url_params(out: &mut Vec<u8>, server: &Inner, params: Node<'_>, revision: Revision) {
    push_compact(out, params);
    if revision.asks() == Asks::NumberedUrl {
        let mut bytes = [0; 16];
        // An id that is not unique is still one that the client can show.
        let _ = server.config.environment.random(&mut bytes);
        // It was an object with members, or it would have been refused.
        out.pop();
        out.extend_from_slice(b",\"elicitationId\":");
        push_quoted(out, &format!("{:032x}", u128::from_le_bytes(bytes)));
        out.push(b'}');
    }
}
