//! Where what an exchange says goes.

use super::hub::Listener;
use super::session::Inquiry;
use crate::call::State;
use crate::caller::Caller;
use crate::jsonrpc::{IdKey, Outgoing};
use crate::server::Inner;
use std::borrow::Cow;
use std::sync::Arc;

/// One inbound request being served, as its door knows it.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// The request's id by value.
    pub(crate) key: IdKey,
    /// Unique in the server: tells a request from a later one with the same id.
    pub(crate) number: u64,
}

/// A door's side of the exchanges it holds. All methods may be called from any thread; none calls the host, but to log, and
/// [`Outlet::again`]. A door without sessions never asks.
pub(crate) trait Outlet: Send + Sync {
    /// Whose door it is.
    fn server(&self) -> &Arc<Inner>;

    /// Who is behind it.
    fn caller(&self) -> &Arc<Caller>;

    /// Sends a notification that belongs to the exchange. False once the exchange is over.
    fn notify(&self, exchange: &Exchange, message: Vec<u8>) -> bool;

    /// Sends the response and ends the exchange. False if it was over: cancelled, timed out, closed.
    fn reply(&self, exchange: &Exchange, message: Outgoing) -> bool;

    /// Keeps the exchange open while the client is asked, and sends it the questions. False if the exchange was over.
    /// The door gives the client's responses to the session, and ends the inquiry when its time is over.
    fn ask(&self, exchange: &Exchange, inquiry: &Arc<Inquiry>, questions: Vec<Vec<u8>>) -> bool {
        let _ = (exchange, inquiry, questions);
        false
    }

    /// Begins the next round of the exchange: `call` takes its place, and is handed to the host when there is room.
    /// False if the exchange was over.
    fn again(&self, exchange: &Exchange, call: &Arc<State>) -> bool {
        let _ = (exchange, call);
        false
    }

    /// Ends the stream of the exchange before its response, which the client can have later; see
    /// [`crate::Call::close_stream`].
    fn close_stream(&self, exchange: &Exchange, retry_ms: u64) {
        let _ = (exchange, retry_ms);
    }

    /// A call that was handed to the host has come back, answered or not.
    fn released(&self) {}

    /// A listener of this outlet has something to say; see [`Listener::take`].
    fn wake(&self, listener: &Arc<Listener>) {
        let _ = listener;
    }

    /// The caller of a listener of this outlet lost the right to it: it ends without its result.
    fn evict(&self, listener: &Arc<Listener>) {
        let _ = listener;
    }

    /// A header of the request that calls may see, where the door has any.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has headers"))]
    fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let _ = name;
        None
    }
}
