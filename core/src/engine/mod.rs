//! From a message to what is to be done with it, and from a host's answer to what goes back.
//!
//! `route` walks the ladder of refusals and yields a [`Step`]; the doors (`handle`, [`connection`]) carry it out. Nothing
//! here does I/O, starts a thread or waits.

mod answer;
pub(crate) mod begin;
mod catalogs;
mod completion;
pub(crate) mod connection;
mod discover;
mod governor;
pub(crate) mod handle;
mod hub;
mod input;
mod listen;
mod lists;
mod mirror;
mod outlet;
mod peer;
mod prompts;
mod resources;
mod rounds;
mod route;
mod session;
mod tools;

pub(crate) use answer::{parse_host, Answer};
pub(crate) use catalogs::Catalogs;
pub(crate) use governor::Governor;
pub(crate) use hub::{Event, Hub};
pub(crate) use input::{require_input, Input};
pub(crate) use listen::may_see;
pub(crate) use outlet::{Exchange, Outlet};
pub(crate) use peer::Peer;
pub(crate) use rounds::Rounds;
pub(crate) use route::{Arguments, Item, Prepared};
pub(crate) use session::Inquiry;
pub(crate) use tools::nothing;
#[cfg(feature = "http")]
pub(crate) use {
    hub::Listener,
    listen::Prepared as PreparedListen,
    mirror::{mismatch, Mirror},
    peer::number,
    route::{cancelled_id, route_mirrored, Step},
    session::{
        batch, refuse as refuse_session, serve as serve_session, unopened, Place, Served, Session, Stream,
    },
};
