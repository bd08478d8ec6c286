//! The HTTP listener over real sockets, byte by byte where that matters.
#![cfg(feature = "http")]

#[path = "listener/closing.rs"]
mod closing;
#[path = "listener/hostile.rs"]
mod hostile;
#[path = "listener/http2.rs"]
mod http2;
#[path = "listener/limits.rs"]
mod limits;
#[path = "listener/messages.rs"]
mod messages;
#[path = "listener/sessions.rs"]
mod sessions;
#[path = "listener/sockets.rs"]
mod sockets;
#[path = "listener/stage.rs"]
mod stage;
