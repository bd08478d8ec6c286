//! A client: connections to a server over HTTP, with a request in flight on each.

use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// A server that says nothing for so long has failed.
const PATIENCE: u16 = 30_000;

/// One answer as a whole.
pub(crate) struct Answer {
    /// All of it, as it came.
    pub(crate) bytes: Vec<u8>,
    /// Bytes of its body, chunks and all.
    pub(crate) body: usize,
}

impl Answer {
    /// The first answer of a server that was not asked anything yet.
    pub(crate) fn first(port: u16, request: &[u8]) -> Result<Self, String> {
        let mut socket = connect(port)?;
        let patience = Some(Duration::from_millis(PATIENCE.into()));
        socket.set_read_timeout(patience).map_err(|error| error.to_string())?;
        socket.write_all(request).map_err(|error| error.to_string())?;
        let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
        loop {
            if let Some(body) = whole(&bytes)? {
                return Ok(Self { bytes, body });
            }
            match socket.read(&mut piece).map_err(|error| error.to_string())? {
                0 => return Err(format!("the server left: {}", String::from_utf8_lossy(&bytes))),
                got => bytes.extend_from_slice(piece.get(..got).unwrap_or_default()),
            }
        }
    }

    /// A result that holds `expected`. A bare server answers what it likes.
    pub(crate) fn check(&self, expected: &str) -> Result<(), String> {
        let text = String::from_utf8_lossy(&self.bytes);
        if text.contains("\"jsonrpc\"") && !(text.contains("\"result\"") && text.contains(expected)) {
            return Err(format!("the answer does not hold {expected}: {}", text.get(..400).unwrap_or(&text)));
        }
        Ok(())
    }
}

/// The length of the body if these bytes are all of an answer.
fn whole(bytes: &[u8]) -> Result<Option<usize>, String> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).to_ascii_lowercase();
    let body = bytes.get(end + 4..).unwrap_or_default();
    if !head.starts_with("http/1.1 200") {
        return Err(format!("the server refuses: {}", String::from_utf8_lossy(bytes)));
    }
    let is_whole = if head.contains("\r\ntransfer-encoding: chunked") {
        body.ends_with(b"\r\n0\r\n\r\n")
    } else {
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or_default();
        body.len() == length.parse::<usize>().map_err(|_| format!("no length: {head}"))?
    };
    Ok(is_whole.then_some(body.len()))
}

fn connect(port: u16) -> Result<TcpStream, String> {
    let socket = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
    socket.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(socket)
}

/// The connections, and what is sent on them.
pub(crate) struct Client {
    request: Vec<u8>,
    /// Bytes of an answer, its head included; all answers are equally long.
    answer_bytes: usize,
    connections: Vec<Connection>,
}

struct Connection {
    socket: TcpStream,
    /// Bytes of the request that are not sent yet.
    unsent: usize,
    /// Bytes of the answer that are owed; 0: no request is in flight.
    owed: usize,
    since: Instant,
}

impl Client {
    pub(crate) fn open(
        port: u16,
        request: Vec<u8>,
        answer_bytes: usize,
        connections: usize,
    ) -> Result<Self, String> {
        let open = |_| {
            let socket = connect(port)?;
            socket.set_nonblocking(true).map_err(|error| error.to_string())?;
            Ok(Connection { socket, unsent: 0, owed: 0, since: Instant::now() })
        };
        let connections = (0..connections).map(open).collect::<Result<_, String>>()?;
        Ok(Self { request, answer_bytes, connections })
    }

    /// Sends so many requests, and returns how long each took.
    pub(crate) fn load(&mut self, requests: u64) -> Result<Vec<Duration>, String> {
        let (mut to_send, mut to_receive) = (requests, requests);
        let mut times = Vec::with_capacity(usize::try_from(requests).unwrap_or_default());
        let mut piece = vec![0; 256 << 10];
        for connection in &mut self.connections {
            if to_send > 0 {
                to_send -= 1;
                connection.begin(&self.request, self.answer_bytes)?;
            }
        }
        while to_receive > 0 {
            let ready = self.wait()?;
            for (connection, flags) in self.connections.iter_mut().zip(ready) {
                if flags.contains(PollFlags::POLLOUT) {
                    connection.write(&self.request)?;
                }
                if flags.contains(PollFlags::POLLIN) && connection.read(&mut piece)? {
                    times.push(connection.since.elapsed());
                    to_receive -= 1;
                    if to_send > 0 {
                        to_send -= 1;
                        connection.begin(&self.request, self.answer_bytes)?;
                    }
                }
            }
        }
        Ok(times)
    }

    fn wait(&self) -> Result<Vec<PollFlags>, String> {
        let interest = |connection: &Connection| {
            let write = if connection.unsent > 0 { PollFlags::POLLOUT } else { PollFlags::empty() };
            PollFlags::POLLIN | write
        };
        let mut places: Vec<PollFd> = self
            .connections
            .iter()
            .map(|connection| PollFd::new(connection.socket.as_fd(), interest(connection)))
            .collect();
        match poll(&mut places, PollTimeout::from(PATIENCE)).map_err(|error| error.to_string())? {
            0 => Err("the server says nothing any more".to_owned()),
            _ => Ok(places.iter().map(|place| place.revents().unwrap_or(PollFlags::empty())).collect()),
        }
    }
}

impl Connection {
    fn begin(&mut self, request: &[u8], answer_bytes: usize) -> Result<(), String> {
        self.since = Instant::now();
        (self.unsent, self.owed) = (request.len(), answer_bytes);
        self.write(request)
    }

    fn write(&mut self, request: &[u8]) -> Result<(), String> {
        while self.unsent > 0 {
            let rest = request.get(request.len() - self.unsent..).unwrap_or_default();
            match self.socket.write(rest) {
                Ok(sent) => self.unsent -= sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    /// True: the answer is complete.
    fn read(&mut self, piece: &mut [u8]) -> Result<bool, String> {
        match self.socket.read(piece) {
            Ok(0) => Err("the server closed a connection".to_owned()),
            Ok(got) if got > self.owed => Err("some answer differs from the first".to_owned()),
            Ok(got) => {
                self.owed -= got;
                Ok(self.owed == 0)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }
}
