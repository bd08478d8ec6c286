//! Endpoints and listeners.

use crate::authorize::Asking;
use crate::caller::{self, CallerInit};
use crate::engine::Engine;
use crate::error::{closed, invalid, thrown, Result};
use crate::settings::{switch, Reader};
use crate::store::Store;
use mcpcore_engine::http::{
    Access, Endpoint, HttpConfig, HttpListener, ListenerConfig, Origins, SessionStore, Sessions,
};
use napi_derive::napi;
use std::sync::Arc;
use std::time::Duration;

/// Settings of an HTTP endpoint. Every one has a default; numbers that may be "none" take 0 for it.
#[napi(object)]
#[derive(Default)]
pub struct HttpSettings {
    /// The path of the endpoint. Default `/mcp`; where it is mounted in a web server of your own, every path.
    pub path: Option<String>,
    /// Names that the `Host` header may have. Without any it is not checked, but a listener on a loopback address
    /// requires loopback names.
    pub hosts: Option<Vec<String>>,
    /// The longest body, in bytes. Default 1 MiB.
    pub max_body_bytes: Option<f64>,
    /// How long a body may take to arrive, in ms; 0: for ever. Default 15 000.
    pub body_timeout_ms: Option<f64>,
    /// Bytes of all bodies that were received and are not answered yet. Default 64 MiB.
    pub byte_budget: Option<f64>,
    /// Calls in flight. Default 1024.
    pub max_calls: Option<f64>,
    /// Open subscriptions; 0: none are served. Default 1024.
    pub max_streams: Option<f64>,
    /// The longest life of a subscription, in ms; 0: no end (the default).
    pub max_stream_ms: Option<f64>,
    /// What may wait to be sent on one stream, in bytes. Default 1 MiB.
    pub stream_queue_bytes: Option<f64>,
    /// After so much silence an SSE stream gets a comment, and a call becomes an SSE stream, in ms; 0: never. Default
    /// 15 000.
    pub keep_alive_ms: Option<f64>,
    /// How often `authorize` is asked again about an open subscription, in ms; 0: never (the default).
    pub reauthorize_ms: Option<f64>,
    /// Whether `authorize` is asked again before a subscription is told something. Default false.
    pub reauthorize_on_delivery: Option<bool>,
    /// The protected resource metadata of RFC 9728: an object with `resource`.
    #[napi(ts_type = "{ resource: string; [member: string]: unknown }")]
    pub resource_metadata: Option<String>,
    /// The realm that challenges name.
    pub realm: Option<String>,
    /// Request headers that calls may see as `call.header(name)`.
    pub call_headers: Option<Vec<String>>,
    /// What becomes of `initialize`, with which clients of revisions before 2026-07-28 begin: it opens a session (the
    /// default), or it is answered and nothing is kept, for hosts that run in many places or only while they answer.
    #[napi(ts_type = "'kept' | 'stateless'")]
    pub sessions: Option<String>,
    /// Sessions at once; one more ends that whose client has been away for longest. Default 10 000.
    pub max_sessions: Option<f64>,
    /// How long a session is kept whose client sends nothing and has no stream open, in ms; 0: for ever. Default 30
    /// minutes.
    pub session_idle_ms: Option<f64>,
    /// What is kept of each session's streams, so that a client that was cut off can have it again, in bytes; 0: streams
    /// cannot be resumed. Default 256 KiB.
    pub session_replay_bytes: Option<f64>,
    /// After how long a client comes back to a stream that ended before it was complete, in ms; 0: it is not told.
    /// Default 1000.
    pub retry_ms: Option<f64>,
    /// The path of the HTTP+SSE transport of 2024-11-05; without one it is not served.
    pub sse_path: Option<String>,
}

/// What the JavaScript side makes of `authorize` and `allowedOrigins`.
#[napi(object)]
#[derive(Default)]
pub struct Admission {
    /// Which pages may use the endpoint; none: every one.
    pub origins: Option<Vec<String>>,
    /// Who everyone is; none: JavaScript is asked.
    pub anyone: Option<CallerInit>,
    /// The number of the function that is asked.
    pub asker: u32,
    /// The number of the store of sessions; none: sessions are in memory alone.
    pub keeper: Option<u32>,
}

/// Settings of a listener's sockets.
#[napi(object)]
#[derive(Default)]
pub struct SocketSettings {
    /// Threads that serve; a connection stays on one. Default 1.
    pub threads: Option<f64>,
    /// Open connections; more wait. Default 4096.
    pub max_connections: Option<f64>,
    /// How long the head of a request may take, in ms; 0: for ever. Default 10 000.
    pub header_timeout_ms: Option<f64>,
    /// How long a connection may be without a request, in ms; 0: for ever. Default 60 000.
    pub idle_ms: Option<f64>,
}

/// Where a listener listens.
#[napi(object)]
pub struct Listening {
    /// Its number.
    pub listener: u32,
    /// The port of its first address that has one.
    pub port: Option<u32>,
    /// Every address, with the ports that were chosen.
    pub addresses: Vec<String>,
}

impl Engine {
    fn http_config(&self, given: HttpSettings, admission: Admission, mounted: bool) -> Result<HttpConfig> {
        let mut config = HttpConfig::default();
        let mut reader = Reader::default();
        config.path = given.path.unwrap_or_else(|| if mounted { String::new() } else { config.path });
        config.hosts = given.hosts.unwrap_or_default();
        reader.bytes("maxBodyBytes", given.max_body_bytes, &mut config.max_body_bytes);
        reader.time("bodyTimeoutMs", given.body_timeout_ms, 0.0, &mut config.body_timeout_ms);
        reader.bytes("byteBudget", given.byte_budget, &mut config.byte_budget);
        reader.count("maxCalls", given.max_calls, 1.0, &mut config.max_calls);
        reader.count("maxStreams", given.max_streams, 0.0, &mut config.max_streams);
        reader.time("maxStreamMs", given.max_stream_ms, 0.0, &mut config.max_stream_ms);
        reader.bytes("streamQueueBytes", given.stream_queue_bytes, &mut config.stream_queue_bytes);
        reader.time("keepAliveMs", given.keep_alive_ms, 0.0, &mut config.keep_alive_ms);
        reader.count("maxSessions", given.max_sessions, 1.0, &mut config.max_sessions);
        reader.time("sessionIdleMs", given.session_idle_ms, 0.0, &mut config.session_idle_ms);
        reader.count("sessionReplayBytes", given.session_replay_bytes, 0.0, &mut config.session_replay_bytes);
        reader.time("retryMs", given.retry_ms, 0.0, &mut config.retry_ms);
        reader.time("reauthorizeMs", given.reauthorize_ms, 0.0, &mut config.reauthorize_ms);
        switch(given.reauthorize_on_delivery, &mut config.reauthorize_on_delivery);
        reader.end()?;
        config.sessions = sessions(given.sessions.as_deref())?;
        config.sse_path = given.sse_path;
        let store = |keeper| Arc::new(Store::new(keeper, &self.bridge.inbox)) as Arc<dyn SessionStore>;
        config.session_store = admission.keeper.map(store);
        config.resource_metadata = given.resource_metadata;
        config.realm = given.realm;
        config.call_headers = given.call_headers.unwrap_or_default();
        config.origins = Some(admission.origins.map_or(Origins::Any, Origins::Only));
        config.access = Some(if let Some(anyone) = admission.anyone {
            Access::Anyone(Arc::unwrap_or_clone(caller::read(Some(anyone))?))
        } else {
            let inbox = Arc::clone(&self.bridge.inbox);
            Access::Ask(Arc::new(Asking { asker: admission.asker, inbox }))
        });
        Ok(config)
    }
}

fn sessions(word: Option<&str>) -> Result<Sessions> {
    match word {
        None | Some("kept") => Ok(Sessions::Kept),
        Some("stateless") => Ok(Sessions::Stateless),
        Some(other) => Err(invalid(format!("sessions: must be kept or stateless, not {other:?}"))),
    }
}

#[napi]
impl Engine {
    /// Makes an endpoint for a web server of the host's own.
    #[napi]
    pub fn mount(&self, settings: HttpSettings, admission: Admission) -> Result<u32> {
        let config = self.http_config(settings, admission, true)?;
        let endpoint = Endpoint::new(&self.server, config).map_err(|error| thrown(&error))?;
        Ok(self.endpoints.borrow_mut().put(endpoint))
    }

    /// Listens on sockets of its own.
    #[napi]
    pub fn listen(
        &self,
        addresses: Vec<String>,
        sockets: SocketSettings,
        settings: HttpSettings,
        admission: Admission,
    ) -> Result<Listening> {
        let mut config = ListenerConfig::new("");
        let mut reader = Reader::default();
        config.addresses = addresses;
        reader.count("threads", sockets.threads, 1.0, &mut config.threads);
        reader.count("maxConnections", sockets.max_connections, 1.0, &mut config.max_connections);
        reader.time("headerTimeoutMs", sockets.header_timeout_ms, 0.0, &mut config.header_timeout_ms);
        reader.time("idleMs", sockets.idle_ms, 0.0, &mut config.idle_ms);
        reader.end()?;
        let http = self.http_config(settings, admission, false)?;
        let listener = HttpListener::bind(&self.server, http, &config).map_err(|error| thrown(&error))?;
        let (port, addresses) = (listener.port().map(u32::from), listener.addresses().to_vec());
        let listener = self.listeners.borrow_mut().put(Arc::new(listener));
        Ok(Listening { listener, port, addresses })
    }

    /// Ends a listener; requests in flight have `timeout_ms` to be answered.
    #[napi]
    pub fn stop_listening(&self, ticket: u32, listener: u32, timeout_ms: f64) -> Result<()> {
        let timeout = Duration::try_from_secs_f64(timeout_ms / 1000.0)
            .map_err(|_| invalid("timeoutMs: must be a time of 0 or more"))?;
        let found = self.listeners.borrow_mut().take(listener);
        let found = found.ok_or_else(|| closed("the listener was closed"))?;
        self.aside(ticket, "mcpcore-stop", move || found.stop(timeout))
    }
}
