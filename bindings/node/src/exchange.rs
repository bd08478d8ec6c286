//! Requests that came to a web server of the host's own.

use crate::engine::Engine;
use crate::error::{closed, invalid, Result};
use crate::inbox::{bytes, text, whole, Event, Field, Inbox};
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use mcpcore_engine::http::{Exchange, Part, PeerAddress};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// An exchange and what wakes the thread for it.
pub(crate) struct Open {
    exchange: Exchange,
    bell: Arc<Bell>,
    waker: Waker,
}

struct Bell {
    place: AtomicU32,
    /// Whether JavaScript waits for a part.
    awaited: AtomicBool,
    inbox: Arc<Inbox>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        if self.awaited.swap(false, Ordering::AcqRel) {
            self.inbox.push(Event::Part { exchange: self.place.load(Ordering::Acquire) });
        }
    }
}

/// Header lines of JavaScript have a character a byte.
fn header_value(text: &str) -> Option<HeaderValue> {
    if text.is_ascii() {
        return HeaderValue::from_str(text).ok();
    }
    let bytes: Option<Vec<u8>> = text.chars().map(|letter| u8::try_from(u32::from(letter)).ok()).collect();
    HeaderValue::from_bytes(&bytes?).ok()
}

/// Names and values in turn, a line each: one text is quicker to take over than many.
fn headers(lines: &str) -> Result<HeaderMap> {
    let mut map = HeaderMap::with_capacity(16);
    let mut lines = lines.split('\n');
    while let Some((name, value)) = lines.next().filter(|name| !name.is_empty()).zip(lines.next()) {
        let read = HeaderName::from_bytes(name.as_bytes()).ok().zip(header_value(value));
        let (name, value) = read.ok_or_else(|| invalid(format!("the header {name:?} is none")))?;
        map.append(name, value);
    }
    Ok(map)
}

fn peer(address: Option<&str>, port: Option<u32>) -> PeerAddress {
    let ip = address.and_then(|address| address.parse::<IpAddr>().ok());
    let port = port.and_then(|port| u16::try_from(port).ok());
    ip.map_or(PeerAddress::Unknown, |ip| PeerAddress::Ip(SocketAddr::new(ip, port.unwrap_or(0))))
}

fn part(row: &mut Vec<Field>, part: Part) {
    match part {
        Part::WantBody { most } => row.extend([whole(0), whole(u32::try_from(most).unwrap_or(u32::MAX))]),
        Part::Head { parts } => {
            let lines = u32::try_from(parts.headers.len()).unwrap_or(u32::MAX);
            row.extend([whole(1), whole(u32::from(parts.status.as_u16())), whole(lines)]);
            for (name, value) in &parts.headers {
                row.push(text(name.as_str().to_owned()));
                row.push(text(value.as_bytes().iter().map(|byte| char::from(*byte)).collect()));
            }
        }
        Part::Data { bytes: data, last } => {
            row.extend([whole(2), whole(u32::from(last)), bytes(Some(data))]);
        }
        // The end, and whatever is to come.
        _ => row.push(whole(3)),
    }
}

impl Open {
    /// Every part that is there. At the end of the row: whether the exchange is over.
    fn pull(&self) -> (Vec<Field>, bool) {
        let mut row = Vec::new();
        loop {
            self.bell.awaited.store(true, Ordering::Release);
            match self.exchange.poll(&mut Context::from_waker(&self.waker)) {
                Poll::Pending => return (row, false),
                Poll::Ready(next) => {
                    self.bell.awaited.store(false, Ordering::Release);
                    let over = matches!(next, Part::End | Part::Data { last: true, .. });
                    part(&mut row, next);
                    if over {
                        return (row, over);
                    }
                }
            }
        }
    }
}

#[napi]
impl Engine {
    /// Begins an exchange. Its number, then the parts that are there.
    #[napi]
    pub fn begin_exchange(
        &self,
        endpoint: u32,
        method: String,
        url: String,
        header_lines: String,
        address: Option<String>,
        port: Option<u32>,
    ) -> Result<Vec<Field>> {
        let mut request = Request::builder()
            .method(method.as_str())
            .uri(url.as_str())
            .body(())
            .map_err(|error| invalid(format!("this is no request of HTTP: {error}")))?;
        *request.headers_mut() = headers(&header_lines)?;
        let (head, ()) = request.into_parts();
        let exchange = {
            let endpoints = self.endpoints.borrow();
            let endpoint = endpoints.get(endpoint).ok_or_else(|| closed("there is no such endpoint"))?;
            endpoint.clone()
        }
        .begin(head, peer(address.as_deref(), port));
        let bell = Arc::new(Bell {
            place: AtomicU32::new(0),
            awaited: AtomicBool::new(false),
            inbox: Arc::clone(&self.bridge.inbox),
        });
        let waker = Waker::from(Arc::clone(&bell));
        let place = self.exchanges.borrow_mut().put(Open { exchange, bell: Arc::clone(&bell), waker });
        bell.place.store(place, Ordering::Release);
        let mut row = vec![whole(place)];
        row.extend(self.pull(place));
        Ok(row)
    }

    /// The parts that are there. An exchange that is over is gone.
    #[napi]
    pub fn pull(&self, place: u32) -> Vec<Field> {
        let (row, over) = match self.exchanges.borrow().get(place) {
            Some(open) => open.pull(),
            None => return Vec::new(),
        };
        if over {
            self.hang_up(place);
        }
        row
    }

    /// Takes bytes of a body.
    #[napi]
    pub fn push_body(&self, place: u32, chunk: Buffer) {
        if let Some(open) = self.exchanges.borrow().get(place) {
            open.exchange.body(&chunk);
        }
    }

    /// A body is complete, with its last bytes. The parts that are there then.
    #[napi]
    pub fn end_body(&self, place: u32, chunk: Option<Buffer>) -> Vec<Field> {
        if let Some(open) = self.exchanges.borrow().get(place) {
            if let Some(chunk) = chunk {
                open.exchange.body(&chunk);
            }
            open.exchange.end_body();
        }
        self.pull(place)
    }

    /// The client of an exchange is gone, or it is over.
    #[napi]
    pub fn hang_up(&self, place: u32) {
        let open = self.exchanges.borrow_mut().take(place);
        drop(open);
    }

    /// Does what is due for every exchange and for the sessions of endpoints. Milliseconds until the latter have something
    /// to do again.
    #[napi]
    pub fn tick_exchanges(&self) -> Option<f64> {
        for open in self.exchanges.borrow().iter() {
            open.exchange.tick();
        }
        let endpoints = self.endpoints.borrow();
        let next = endpoints.iter().filter_map(|endpoint| {
            endpoint.tick();
            endpoint.next_deadline()
        });
        next.min().map(|due| due.as_secs_f64() * 1000.0)
    }
}
