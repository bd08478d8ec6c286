//! Takes connections from the system and hands them to the threads, one after the other.

use super::address::{Bound, SocketFile};
use super::alarm::Alarm;
use super::transport::Socket;
use super::worker::Shared;
use crate::http::exchange::PeerAddress;
use crate::protocol::LogLevel;
use std::collections::VecDeque;
use std::future::{poll_fn, Future};
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{ready, Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::Notify;

/// How long nothing is accepted after the system could not: descriptors or memory have run out.
const BACK_OFF: Duration = Duration::from_millis(100);

/// The sockets of a listener.
pub(super) struct Acceptor {
    sockets: Vec<Listening>,
    /// Other threads.
    inboxes: Vec<Arc<Inbox>>,
    /// Whose turn it is: this thread's at 0.
    turn: usize,
}

enum Listening {
    Tcp(TcpListener),
    Unix(UnixListener, #[expect(dead_code, reason = "removes the file when the socket closes")] SocketFile),
}

impl Listening {
    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(Socket, PeerAddress)>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = ready!(listener.poll_accept(cx))?;
                // Without it, small answers wait for acknowledgements. It cannot fail on a socket that is open.
                let _ = stream.set_nodelay(true);
                Poll::Ready(Ok((Socket::Tcp(stream), PeerAddress::Ip(address))))
            }
            Self::Unix(listener, _) => {
                let (stream, _) = ready!(listener.poll_accept(cx))?;
                let uid = stream.peer_cred().ok().map(|credentials| credentials.uid());
                Poll::Ready(Ok((Socket::Unix(stream), PeerAddress::Unix { uid })))
            }
        }
    }
}

impl Acceptor {
    /// Call in the runtime of the thread that accepts.
    pub(super) fn new(bound: Vec<Bound>, inboxes: Vec<Arc<Inbox>>) -> io::Result<Self> {
        let sockets = bound.into_iter().map(|bound| match bound {
            Bound::Tcp(listener, _) => TcpListener::from_std(listener).map(Listening::Tcp),
            Bound::Unix(listener, file) => {
                UnixListener::from_std(listener).map(|listener| Listening::Unix(listener, file))
            }
        });
        Ok(Self { sockets: sockets.collect::<io::Result<_>>()?, inboxes, turn: 0 })
    }

    /// Accepts until the listener stops.
    pub(super) async fn run(mut self, shared: &Arc<Shared>) {
        let mut stop = shared.stop.watch();
        let mut is_failing = false;
        let mut alarm = Alarm::default();
        loop {
            let accepted = poll_fn(|cx| {
                if stop.poll(cx, &shared.stop) {
                    return Poll::Ready(None);
                }
                alarm.poll_sessions(cx, &shared.endpoint);
                ready!(shared.places.poll_free(cx));
                self.poll_accept(cx).map(Some)
            });
            match accepted.await {
                None => return,
                Some(Ok((socket, peer))) => {
                    is_failing = false;
                    shared.places.enter();
                    if self.hand_on(socket, peer, shared).is_err() {
                        shared.places.leave();
                    }
                }
                Some(Err(error)) if is_of_the_client(error.kind()) => {}
                Some(Err(error)) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        let text = format!("connections cannot be accepted for now: {error}");
                        shared.server.inner.log(LogLevel::Error, &text);
                    }
                    let mut timer = pin!(tokio::time::sleep(BACK_OFF));
                    let stopped = poll_fn(|cx| {
                        if stop.poll(cx, &shared.stop) {
                            return Poll::Ready(true);
                        }
                        timer.as_mut().poll(cx).map(|()| false)
                    });
                    if stopped.await {
                        return;
                    }
                }
            }
        }
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(Socket, PeerAddress)>> {
        for socket in &self.sockets {
            if let Poll::Ready(accepted) = socket.poll_accept(cx) {
                return Poll::Ready(accepted);
            }
        }
        Poll::Pending
    }

    fn hand_on(&mut self, socket: Socket, peer: PeerAddress, shared: &Arc<Shared>) -> io::Result<()> {
        let inbox = self.turn.checked_sub(1).and_then(|index| self.inboxes.get(index));
        self.turn = (self.turn + 1) % (self.inboxes.len() + 1);
        match inbox {
            Some(inbox) => inbox.put(Loose::new(socket)?, peer),
            None => shared.serve(socket, peer),
        }
        Ok(())
    }
}

/// Whether only the connection that was about to be accepted failed.
fn is_of_the_client(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(kind, ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// A socket on its way from one thread's runtime to another's.
enum Loose {
    Tcp(std::net::TcpStream),
    Unix(std::os::unix::net::UnixStream),
}

impl Loose {
    fn new(socket: Socket) -> io::Result<Self> {
        match socket {
            Socket::Tcp(stream) => stream.into_std().map(Self::Tcp),
            Socket::Unix(stream) => stream.into_std().map(Self::Unix),
        }
    }

    fn settle(self) -> io::Result<Socket> {
        match self {
            Self::Tcp(stream) => TcpStream::from_std(stream).map(Socket::Tcp),
            Self::Unix(stream) => UnixStream::from_std(stream).map(Socket::Unix),
        }
    }
}

/// Connections for a thread that does not accept.
#[derive(Default)]
pub(super) struct Inbox {
    queue: Mutex<VecDeque<(Loose, PeerAddress)>>,
    arrived: Notify,
}

impl Inbox {
    fn put(&self, socket: Loose, peer: PeerAddress) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back((socket, peer));
        self.arrived.notify_one();
    }

    fn take(&self) -> Option<(Loose, PeerAddress)> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Serves what arrives until the listener stops. What has been accepted by then is still taken in.
    pub(super) async fn run(&self, shared: &Arc<Shared>) {
        let mut stop = shared.stop.watch();
        loop {
            let mut arrived = pin!(self.arrived.notified());
            let stopped = poll_fn(|cx| {
                if stop.poll(cx, &shared.stop) {
                    return Poll::Ready(true);
                }
                arrived.as_mut().poll(cx).map(|()| false)
            })
            .await;
            while let Some((socket, peer)) = self.take() {
                match socket.settle() {
                    Ok(socket) => shared.serve(socket, peer),
                    Err(_) => shared.places.leave(),
                }
            }
            if stopped {
                return;
            }
        }
    }
}
