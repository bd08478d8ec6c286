//! One HTTP request on the host's web server.

mod turn;

use crate::callback::{mcp_destroy_fn, Callback, UserData};
use crate::error::mcp_error;
use crate::fork::Native;
use crate::guard::{guard, shield};
use crate::http::callback::{mcp_http_data_fn, mcp_http_head_fn, mcp_http_want_body_fn};
use crate::http::endpoint::mcp_endpoint;
use crate::http::head;
use crate::status::mcp_status;
use crate::text::{bytes, cleared, millis, optional_text, present, word};
use mcpcore_engine::http::{Exchange, Part};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use turn::Turn;

/// One HTTP request on your web server. You bring its head, then its body when it is wanted; callbacks take the answer.
///
/// The callbacks run on whatever thread has something to say: inside mcp_http_begin, mcp_http_body and mcp_http_tick, and
/// on the threads that finish calls and authorizations; one at a time, in order, under no lock. A host without threads
/// looks at mcp_http_next_deadline and calls mcp_http_tick then.
///
/// Functions: mcp_http_begin, mcp_http_body, mcp_http_pause, mcp_http_next_deadline, mcp_http_tick, mcp_http_free.
///
/// Since: 0.1.
pub struct mcp_http_exchange {
    inner: Native<Arc<Inner>>,
}

impl mcp_http_exchange {
    fn open(&self) -> Result<&Arc<Inner>, mcp_error> {
        self.inner.get("exchange")
    }
}

impl Drop for mcp_http_exchange {
    fn drop(&mut self) {
        // In a child of a fork the request belongs to the parent.
        if let Ok(inner) = self.open() {
            inner.turn.end();
        }
    }
}

type WantBodyFn = unsafe extern "C" fn(*mut c_void, u64);
type HeadFn = unsafe extern "C" fn(*mut c_void, i32, *const c_char, usize);
type DataFn = unsafe extern "C" fn(*mut c_void, *const c_char, usize, bool);

#[derive(Clone, Copy)]
struct Functions {
    want_body: WantBodyFn,
    head: HeadFn,
    data: DataFn,
}

/// Shared with whoever has something to say. It ends with the handle, or with the callback that runs then.
struct Inner {
    exchange: Exchange,
    turn: Turn,
    waker: Waker,
    /// Behind the exchange in the order of dropping: destroy comes last.
    callbacks: Callback<Functions>,
}

/// Wakes an exchange that is still there.
struct Bell(Weak<Inner>);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(inner) = self.0.upgrade() {
            shield((), || inner.pull());
        }
    }
}

impl Inner {
    /// Hands over what the exchange has, unless somebody does it already or the host paused.
    fn pull(&self) {
        let mut go_on = self.turn.begin();
        while go_on {
            go_on = match self.exchange.poll(&mut Context::from_waker(&self.waker)) {
                Poll::Pending => self.turn.pend(),
                Poll::Ready(part) => {
                    let last = self.deliver(part);
                    self.turn.go_on(last)
                }
            };
        }
    }

    /// Calls the host back; true behind the last part.
    fn deliver(&self, part: Part) -> bool {
        let Functions { want_body, head, data } = self.callbacks.function;
        let user_data = self.callbacks.data();
        match part {
            Part::WantBody { most } => {
                // SAFETY: the host gave the function with this data.
                unsafe { want_body(user_data, u64::try_from(most).unwrap_or(u64::MAX)) };
                false
            }
            Part::Head { parts } => {
                let lines = head::lines(&parts);
                let status = i32::from(parts.status.as_u16());
                // SAFETY: as above; the text outlives the callback, and its length leaves out the NUL.
                unsafe { head(user_data, status, lines.as_ptr().cast(), lines.len() - 1) };
                false
            }
            Part::Data { bytes, last } => {
                // SAFETY: as above; the bytes outlive the callback.
                unsafe { data(user_data, bytes.as_ptr().cast(), bytes.len(), last) };
                last
            }
            Part::End => {
                // SAFETY: as above.
                unsafe { data(user_data, c"".as_ptr(), 0, true) };
                true
            }
            // A kind of part that this layer does not know has nothing for the host.
            _ => false,
        }
    }
}

/// Begins to serve a request. Callbacks may run before this returns.
///
/// `target` is what stands in the request line, with its query. `headers` are all header lines, "Name: value" each, ended
/// by CR LF or LF. `peer` is where the request comes from, in one of the forms of mcp_auth_peer (the port may be
/// missing), or NULL.
///
/// Ownership: *out is yours, and set before the first callback. Free with mcp_http_free. `destroy` runs once, also when
/// this fails; else after the last callback, when the exchange is freed.
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for what is no HTTP; answer the request with 400 then.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_http_begin(
    endpoint: Option<&mcp_endpoint>,
    method: *const c_char,
    target: *const c_char,
    target_len: usize,
    headers: *const c_char,
    headers_len: usize,
    peer: *const c_char,
    want_body: mcp_http_want_body_fn,
    head: mcp_http_head_fn,
    data: mcp_http_data_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
    out: Option<&mut MaybeUninit<*mut mcp_http_exchange>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(error, || {
        let out = cleared(out, "out")?;
        let handle = present(endpoint, "endpoint")?;
        let endpoint = handle.running()?;
        let want_body = present(want_body, "want_body")?;
        let (head, data) = (present(head, "head")?, present(data, "data")?);
        let callbacks = Callback::new(Some(Functions { want_body, head, data }), user_data, "head")?;
        let method = word(method, "method")?;
        let target = bytes(target, target_len, "target")?;
        let request = head::request(method, target, bytes(headers, headers_len, "headers")?)?;
        let peer = head::peer(optional_text(peer, usize::MAX, "peer")?.unwrap_or_default())?;
        let exchange = endpoint.begin(request, peer);
        let inner = Arc::new_cyclic(|this| Inner {
            exchange,
            turn: Turn::default(),
            waker: Waker::from(Arc::new(Bell(Weak::clone(this)))),
            callbacks,
        });
        let own = Native::new(Arc::clone(&inner), handle.birth());
        out.write(Box::into_raw(Box::new(mcp_http_exchange { inner: own })));
        inner.pull();
        Ok(())
    })
}

/// Hands over bytes of the body, split anywhere, after mcp_http_want_body_fn; `last` ends it. At any other time they are
/// ignored.
///
/// With MCP_DISPATCH_INLINE the call runs before this returns.
///
/// Threads: one at a time for this function; the other functions of the exchange may run meanwhile. Also inside the
/// callbacks of the exchange.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_http_body(
    exchange: Option<&mcp_http_exchange>,
    data: *const c_char,
    len: usize,
    last: bool,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let inner = Arc::clone(present(exchange, "exchange")?.open()?);
        let data = bytes(data, len, "data")?;
        if !data.is_empty() {
            inner.exchange.body(data);
        }
        if last {
            inner.exchange.end_body();
        }
        Ok(())
    })
}

/// Says that your socket is full (true) or takes more (false). While paused no callback begins; what the server has to
/// say waits, within MCP_HTTP_OPTION_STREAM_QUEUE_BYTES.
///
/// Threads: any; also inside the callbacks of the exchange.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_pause(
    exchange: Option<&mcp_http_exchange>,
    paused: bool,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let inner = Arc::clone(present(exchange, "exchange")?.open()?);
        if inner.turn.pause(paused) {
            inner.pull();
        }
        Ok(())
    })
}

/// How long until mcp_http_tick has something to do, in milliseconds; -1 for nothing.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_next_deadline(exchange: Option<&mcp_http_exchange>) -> i64 {
    shield(-1, || {
        let open = exchange.and_then(|exchange| exchange.open().ok());
        millis(open.and_then(|inner| inner.exchange.next_deadline()))
    })
}

/// Does what is due: ends what took too long, keeps quiet streams alive.
///
/// Threads: any; also inside the callbacks of the exchange.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_tick(
    exchange: Option<&mcp_http_exchange>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        Arc::clone(present(exchange, "exchange")?.open()?).exchange.tick();
        Ok(())
    })
}

/// Frees an exchange; NULL does nothing. Before its last data the client is gone: its call is cancelled. No callback begins
/// any more; one may still be running on another thread, and destroy says when that is over.
///
/// Threads: one at a time. Also inside the callbacks of the exchange.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_free(exchange: Option<Box<mcp_http_exchange>>) {
    shield((), || drop(exchange));
}
