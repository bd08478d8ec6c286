//! One stdio-like peer.

use crate::callback::{mcp_destroy_fn, mcp_output_fn, Callback, UserData};
use crate::caller::mcp_caller;
use crate::error::mcp_error;
use crate::fork::Native;
use crate::guard::{guard, shield};
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::text::{bytes, cleared, long_span, millis, present};
use mcpcore_engine::{Connection, Output};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What the library remembers for one stdio-like peer (a pipe, a socket, a WebSocket), of any protocol revision. You
/// bring its bytes, a callback takes what goes back.
///
/// A host without threads looks at mcp_connection_next_deadline and calls mcp_connection_tick then.
///
/// Functions: mcp_connection_new, mcp_connection_free, mcp_connection_receive, mcp_connection_end_input,
/// mcp_connection_wants_input, mcp_connection_owed, mcp_connection_set_backlog, mcp_connection_next_deadline, mcp_connection_tick,
/// mcp_connection_close, mcp_connection_is_closed.
///
/// Since: 0.1.
pub struct mcp_connection {
    connection: Native<Connection>,
    backlog: Arc<AtomicUsize>,
}

impl mcp_connection {
    fn open(&self) -> Result<&Connection, mcp_error> {
        self.connection.get("connection")
    }
}

impl Drop for mcp_connection {
    fn drop(&mut self) {
        // In a child of a fork the peer belongs to the parent.
        if let Ok(connection) = self.open() {
            connection.close();
        }
    }
}

type OutputFn = unsafe extern "C" fn(*mut c_void, *const c_char, usize);

/// The engine's end of the output callback.
struct Sink {
    output: Callback<OutputFn>,
    backlog: Arc<AtomicUsize>,
}

impl Output for Sink {
    fn write(&self, messages: &[u8]) {
        // SAFETY: the host registered the function with this data; the messages outlive the callback.
        unsafe { (self.output.function)(self.output.data(), messages.as_ptr().cast(), messages.len()) };
    }

    fn backlog(&self) -> usize {
        self.backlog.load(Ordering::Relaxed)
    }
}

/// Opens a connection for a caller.
///
/// Ownership: `destroy` runs once, also when this fails; else when the connection is freed and its last call consumed.
/// *out is yours. Free with mcp_connection_free.
/// Threads: any.
/// Errors: MCP_STATUS_CLOSED if the server was stopped.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_new(
    server: Option<&mcp_server>,
    caller: Option<&mcp_caller>,
    output: mcp_output_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
    out: Option<&mut MaybeUninit<*mut mcp_connection>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(error, || {
        let out = cleared(out, "out")?;
        let handle = present(server, "server")?;
        let server = handle.running()?;
        let caller = Arc::clone(present(caller, "caller")?.sound()?);
        let backlog = Arc::new(AtomicUsize::new(0));
        let sink =
            Sink { output: Callback::new(output, user_data, "output")?, backlog: Arc::clone(&backlog) };
        let connection = Connection::new(server, caller, Box::new(sink))?;
        let connection = Native::new(connection, handle.birth());
        out.write(Box::into_raw(Box::new(mcp_connection { connection, backlog })));
        Ok(())
    })
}

/// Frees a connection; NULL does nothing. It closes at once: calls are cancelled, nothing is sent any more. The output
/// callback may still be running on another thread; destroy says when that is over.
///
/// Threads: one at a time. Not inside a callback that runs inside a function of this connection.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_free(connection: Option<Box<mcp_connection>>) {
    shield((), || drop(connection));
}

/// Takes the next bytes from the peer, split anywhere, and serves the messages that they complete.
///
/// With MCP_DISPATCH_INLINE callbacks run before this returns.
///
/// Threads: one at a time for this function; the other functions of the connection may run meanwhile.
/// Errors: MCP_STATUS_CLOSED. What is wrong with a message is answered to the peer.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_connection_receive(
    connection: Option<&mcp_connection>,
    bytes: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let connection = present(connection, "connection")?.open()?;
        Ok(connection.receive(self::bytes(bytes, len, "bytes")?)?)
    })
}

/// Says that no more bytes will come: a last line without its newline is served, subscriptions end. Answers still go
/// out.
///
/// Threads: one at a time, with mcp_connection_receive.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_end_input(
    connection: Option<&mcp_connection>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        present(connection, "connection")?.open()?.end_input();
        Ok(())
    })
}

/// Whether to go on reading from the peer. False while calls that wait their turn take more memory than is good, until
/// some of them were started; false for NULL and once closed.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_wants_input(connection: Option<&mcp_connection>) -> bool {
    shield(false, || {
        let open = connection.and_then(|connection| connection.open().ok());
        open.is_some_and(|connection| !connection.is_closed() && connection.wants_input())
    })
}

/// How many calls of the connection were not answered yet, cancelled ones left out.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_owed(connection: Option<&mcp_connection>) -> usize {
    shield(0, || connection.and_then(|connection| connection.open().ok()).map_or(0, Connection::owed))
}

/// Says how many bytes the output callback took and you could not write yet. While they are many, no further call is
/// started. Without this the library takes it that everything is written at once.
///
/// Threads: any; also inside the output callback.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_set_backlog(
    connection: Option<&mcp_connection>,
    bytes: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let connection = present(connection, "connection")?;
        let open = connection.open()?;
        if connection.backlog.swap(bytes, Ordering::Relaxed) > bytes {
            open.resume();
        }
        Ok(())
    })
}

/// How long until mcp_connection_tick has something to do, in milliseconds; -1 for nothing. Ask again after each message
/// that came in or went out.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_next_deadline(connection: Option<&mcp_connection>) -> i64 {
    shield(-1, || {
        millis(connection.and_then(|connection| connection.open().ok()).and_then(Connection::next_deadline))
    })
}

/// Ends calls and subscriptions whose time is over.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_tick(
    connection: Option<&mcp_connection>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        present(connection, "connection")?.open()?.tick();
        Ok(())
    })
}

/// Closes a connection: ends its input, waits at most drain_ms (-1: without limit, 0: not at all) for owed answers,
/// cancels the rest. Nothing is sent afterwards.
///
/// Threads: one at a time, with mcp_connection_receive.
/// Errors: MCP_STATUS_TIMEOUT if calls had to be cancelled.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_close(
    connection: Option<&mcp_connection>,
    drain_ms: i64,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let connection = present(connection, "connection")?.open()?;
        let drain = long_span(drain_ms, "drain_ms")?;
        connection.end_input();
        let drained = connection.drain(drain);
        connection.close();
        if drained {
            return Ok(());
        }
        Err(mcp_error::new(mcp_status::MCP_STATUS_TIMEOUT, "calls without an answer were cancelled at close"))
    })
}

/// Whether the connection was closed, or its server stopped with nothing owed. True for NULL.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_connection_is_closed(connection: Option<&mcp_connection>) -> bool {
    shield(true, || {
        connection.and_then(|connection| connection.open().ok()).is_none_or(Connection::is_closed)
    })
}
