//! Servers over HTTP: a bare one to compare with, and the engine's listener with a Rust host.

use crate::fixture::{self, Echo};
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{header, Request, Response};
use hyper_util::rt::TokioIo;
use mcpcore::http::{Access, HttpConfig, HttpListener, ListenerConfig, Origins};
use mcpcore::Caller;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{stdin, Read};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::net::TcpListener;

/// Bodies of a MiB of text fit.
const MAX_BODY: usize = 4 << 20;

/// The engine with the Rust host [`Echo`], 50 tools, on one thread. Prints its port, and serves until its input ends.
pub(crate) fn serve_engine() -> Result<(), String> {
    let server = fixture::server(50, Echo)?;
    let mut http = HttpConfig::default();
    http.origins = Some(Origins::Only(Vec::new()));
    http.access = Some(Access::Anyone(Caller::new("bench")));
    http.max_body_bytes = MAX_BODY;
    let listener = HttpListener::bind(&server, http, &ListenerConfig::new("127.0.0.1:0"))
        .map_err(|error| error.to_string())?;
    println!("{}", listener.port().unwrap_or_default());
    wait()
}

/// The least that a server on hyper can do: reads the body and answers constant bytes, `size` of them.
pub(crate) fn serve_bare(size: usize) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(|error| error.to_string())?;
    let listener = runtime
        .block_on(TcpListener::bind("127.0.0.1:0"))
        .map_err(|error| format!("no port is free: {error}"))?;
    println!("{}", listener.local_addr().map_err(|error| error.to_string())?.port());
    std::thread::spawn(move || runtime.block_on(accept(listener, Bytes::from(vec![b'x'; size]))));
    wait()
}

fn wait() -> Result<(), String> {
    stdin().read(&mut [0]).map(|_| ()).map_err(|error| error.to_string())
}

async fn accept(listener: TcpListener, answer: Bytes) {
    let builder = http1::Builder::new();
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let answer = answer.clone();
        let service = service_fn(move |request| respond(request, answer.clone()));
        tokio::spawn(builder.serve_connection(TokioIo::new(stream), service));
    }
}

async fn respond(request: Request<Incoming>, answer: Bytes) -> Result<Response<Whole>, hyper::Error> {
    let mut body = request.into_body();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        frame?;
    }
    let mut response = Response::new(Whole(Some(answer)));
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}

/// A body in one piece.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Bytes::len) as u64)
    }
}
