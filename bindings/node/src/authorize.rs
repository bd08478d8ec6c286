//! Who may use an endpoint: asked of JavaScript, answered later.

use crate::caller::{self, CallerInit};
use crate::engine::Engine;
use crate::error::Result;
use crate::inbox::{Event, Inbox};
use mcpcore_engine::http::{Authorization, Authorizer, Refusal};
use napi_derive::napi;
use std::sync::Arc;

/// Hands every question to JavaScript, under the number of the function that answers it.
pub(crate) struct Asking {
    pub(crate) asker: u32,
    pub(crate) inbox: Arc<Inbox>,
}

impl Authorizer for Asking {
    fn authorize(&self, question: Authorization) {
        self.inbox.push(Event::Authorize { asker: self.asker, question });
    }
}

/// Why a request is kept out, and what its client is told in the `WWW-Authenticate` challenge.
#[napi(object)]
pub struct RefusalInit {
    /// 401: who asks is not known. 403: who asks is known and may not.
    #[napi(ts_type = "401 | 403")]
    pub status: u32,
    /// Scopes that would do, separated by spaces.
    pub scope: Option<String>,
    /// The error code of RFC 6750, `invalid_token` for example; absent where the request brought no token.
    pub error: Option<String>,
    /// For people, told to the client.
    pub description: Option<String>,
    /// For the log only.
    pub reason: Option<String>,
}

#[napi]
impl Engine {
    /// A header of a question.
    #[napi]
    pub fn question_header(&self, place: u32, name: String) -> Option<String> {
        self.questions.borrow().get(place)?.header(&name).map(std::borrow::Cow::into_owned)
    }

    /// Lets a request in.
    #[napi]
    pub fn allow(&self, place: u32, caller: CallerInit) -> Result<()> {
        let caller = caller::read(Some(caller))?;
        let question = self.questions.borrow_mut().take(place);
        if let Some(question) = question {
            question.allow(Arc::unwrap_or_clone(caller));
        }
        Ok(())
    }

    /// Keeps a request out.
    #[napi]
    pub fn refuse(&self, place: u32, given: RefusalInit) {
        let question = self.questions.borrow_mut().take(place);
        let mut refusal = Refusal::unauthorized();
        refusal.status = u16::try_from(given.status).unwrap_or_default();
        refusal.scope = given.scope;
        refusal.error = given.error;
        refusal.description = given.description;
        refusal.reason = given.reason;
        if let Some(question) = question {
            question.refuse(&refusal);
        }
    }

    /// Lets go of a question unanswered: the client gets 500.
    #[napi]
    pub fn forget_question(&self, place: u32) {
        let question = self.questions.borrow_mut().take(place);
        drop(question);
    }
}
