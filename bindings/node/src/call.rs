//! What JavaScript reads of a call.

use crate::caller;
use crate::engine::Engine;
use mcpcore_engine::json::quote;
use mcpcore_engine::Call;
use napi_derive::napi;

/// What can be read of a call; `lib/call.js` has the same numbers.
const META: u32 = 0;
const ANSWERS: u32 = 1;
const STATE: u32 = 2;
const TEMPLATE: u32 = 3;
const VARIABLES: u32 = 4;
const CALLER: u32 = 5;
const REVISION: u32 = 6;

#[napi]
impl Engine {
    /// A part of a call as text; none where the call is over or has none.
    #[napi]
    pub fn call_text(&self, place: u32, part: u32) -> Option<String> {
        let calls = self.shelf.borrow();
        let call = calls.get(place)?;
        match part {
            META => Some(call.meta().to_owned()),
            ANSWERS => Some(call.answers().to_owned()),
            STATE => call.state().map(str::to_owned),
            TEMPLATE => call.template().map(str::to_owned),
            VARIABLES => Some(variables(call)),
            CALLER => Some(caller::write(call.caller())),
            REVISION => Some(call.revision().as_str().to_owned()),
            _ => None,
        }
    }

    /// Which round of a call this is; 0 is the first.
    #[napi]
    pub fn call_round(&self, place: u32) -> u32 {
        self.shelf.borrow().get(place).map_or(0, Call::round)
    }

    /// A header of the HTTP request that brought a call, where the endpoint's settings name it.
    #[napi]
    pub fn call_header(&self, place: u32, name: String) -> Option<String> {
        self.shelf.borrow().get(place)?.header(&name).map(std::borrow::Cow::into_owned)
    }

    /// Whether the client declared a capability.
    #[napi]
    pub fn client_supports(&self, place: u32, capability: String) -> bool {
        self.shelf.borrow().get(place).is_some_and(|call| call.client_supports(&capability))
    }
}

fn variables(call: &Call) -> String {
    let mut out = String::from("{");
    for (name, value) in call.variables() {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&quote(name));
        out.push(':');
        out.push_str(&quote(value));
    }
    out.push('}');
    out
}
