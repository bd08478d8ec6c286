//! The load driver over HTTP: starts servers that print their ports, keeps a request in flight on each of some
//! connections to each, and says what they cost the servers.

use crate::fixture;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use std::fs::{read_dir, read_to_string};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ID: u64 = 1_000_000;
const MOST_CONNECTIONS: usize = 1024;
/// Enough for a median.
const TURNS: u64 = 60;
/// A server that says nothing for so long has failed.
const PATIENCE: u16 = 30_000;

/// Before this word's command the load is of a session, one of the newest revision that has them.
const IN_SESSION: &str = "session";
const SESSION_REVISION: &str = "2025-11-25";

/// The request of a case, and a text that its answer must hold.
fn request(case: &str, session: Option<&str>) -> Result<(String, &'static str), String> {
    if let Some(id) = session {
        let body = match case {
            "echo" => fixture::call_in_session(ID),
            _ => return Err(format!("no case of sessions is called {case}")),
        };
        let more = format!("MCP-Protocol-Version: {SESSION_REVISION}\r\nMcp-Session-Id: {id}\r\n");
        return Ok((post(&body, &more), fixture::TEXT));
    }
    let (method, name, body, expected) = match case {
        "echo" => ("tools/call", "echo", fixture::call(ID), fixture::TEXT),
        "list" => ("tools/list", "", fixture::list(ID), "tool_00000"),
        "large" => {
            let text =
                "The quick brown fox jumps over the lazy dog, again and again. ".repeat((1 << 20) / 62);
            let quoted = format!("\"{}\"", fixture::TEXT);
            ("tools/call", "echo", fixture::call(ID).replace(&quoted, &format!("\"{text}\"")), "again. \"")
        }
        _ => return Err(format!("no case is called {case}")),
    };
    let name = if name.is_empty() { String::new() } else { format!("Mcp-Name: {name}\r\n") };
    let more = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}");
    Ok((post(&body, &more), expected))
}

/// A whole request; `more` is header lines.
fn post(body: &str, more: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{more}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Loads each of the servers with `requests` of `case`, in turns of a few, so that what disturbs the machine for a while
/// disturbs all alike. Prints a line for each, with tabs between: requests a second, microseconds of CPU a request (the
/// median of the turns), the median and the 99th percentile of the answers' times in microseconds, the resident size
/// in KiB, and the bytes of an answer's body. The word `BYTES` in a command stands for those of the first server.
/// A command behind the word `session` is asked in a session.
pub(crate) fn run(case: &str, connections: usize, requests: u64, commands: &[&[&str]]) -> Result<(), String> {
    if !(1..=MOST_CONNECTIONS).contains(&connections) {
        return Err(format!("{connections} connections: between 1 and {MOST_CONNECTIONS} can be opened"));
    }
    let mut servers: Vec<Server> = Vec::new();
    for command in commands {
        let body = servers.first().map(|server| server.body.to_string());
        servers.push(Server::start(command, body.as_deref(), case, connections)?);
    }
    let turn = (requests / TURNS).max(1);
    for server in &mut servers {
        server.load.run(turn * TURNS / 10 + 1)?;
    }
    for _ in 0..TURNS {
        for server in &mut servers {
            server.turn(turn)?;
        }
    }
    servers.iter_mut().try_for_each(Server::report)
}

/// A server under load; it is killed at the end.
struct Server {
    process: Child,
    load: Load,
    /// The bytes of an answer's body.
    body: usize,
    seconds: f64,
    times: Vec<Duration>,
    /// Nanoseconds of CPU a request, of each turn.
    costs: Vec<u64>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    fn start(command: &[&str], body: Option<&str>, case: &str, connections: usize) -> Result<Self, String> {
        let in_session = command.first() == Some(&IN_SESSION);
        let word =
            |word: &&str| if *word == "BYTES" { body.unwrap_or("0").to_owned() } else { (*word).to_owned() };
        let mut words = command.iter().skip(usize::from(in_session)).map(word);
        let program = words.next().ok_or("a command is empty")?;
        let mut process = Command::new(&program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program} does not start: {error}"))?;
        match open(&mut process, case, in_session, connections) {
            Ok((load, body)) => {
                Ok(Self { process, load, body, seconds: 0.0, times: Vec::new(), costs: Vec::new() })
            }
            Err(error) => {
                let _ = process.kill();
                let _ = process.wait();
                Err(format!("{program}: {error}"))
            }
        }
    }

    fn turn(&mut self, requests: u64) -> Result<(), String> {
        let (start, before) = (Instant::now(), cpu_ns(self.process.id())?);
        self.times.extend(self.load.run(requests)?);
        self.seconds += start.elapsed().as_secs_f64();
        self.costs.push(cpu_ns(self.process.id())?.saturating_sub(before) / requests);
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    fn report(&mut self) -> Result<(), String> {
        self.times.sort_unstable();
        self.costs.sort_unstable();
        let at =
            |percent: usize| self.times.get(self.times.len() * percent / 100).map_or(0, Duration::as_micros);
        let rate = self.times.len() as f64 / self.seconds;
        let cost = self.costs.get(self.costs.len() / 2).copied().unwrap_or_default() as f64 / 1000.0;
        let resident = resident_kib(self.process.id())?;
        println!("{rate:.0}\t{cost:.3}\t{}\t{}\t{resident}\t{}", at(50), at(99), self.body);
        Ok(())
    }
}

/// Connections to a server that says its port, and the bytes of an answer's body.
fn open(
    process: &mut Child,
    case: &str,
    in_session: bool,
    connections: usize,
) -> Result<(Load, usize), String> {
    let mut line = String::new();
    let output = process.stdout.take().ok_or("the server has no output")?;
    BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
    let port: u16 = line.trim().parse().map_err(|_| format!("the server says no port: {line:?}"))?;
    let id = in_session.then(|| open_session(port)).transpose()?;
    let (request, expected) = request(case, id.as_deref())?;
    let (answer, body) = first_answer(port, request.as_bytes())?;
    // A bare server answers what it likes.
    let is_ours = answer.windows(9).any(|window| window == b"\"jsonrpc\"");
    let text = String::from_utf8_lossy(&answer);
    if is_ours && !(text.contains("\"result\"") && text.contains(expected)) {
        return Err(format!("the answer does not hold {expected}: {}", text.get(..400).unwrap_or(&text)));
    }
    Ok((Load::open(port, request.into_bytes(), answer.len(), connections)?, body))
}

/// The id of a new session.
fn open_session(port: u16) -> Result<String, String> {
    let (answer, _) = first_answer(port, post(&fixture::initialize(1, SESSION_REVISION), "").as_bytes())?;
    let text = String::from_utf8_lossy(&answer).into_owned();
    let line = text.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    let id = line.and_then(|line| line.split_once(": ")).map(|(_, id)| id.trim().to_owned());
    id.ok_or_else(|| format!("no session is opened: {text}"))
}

/// One answer as a whole, and the length of its body.
fn first_answer(port: u16, request: &[u8]) -> Result<(Vec<u8>, usize), String> {
    let mut socket = connect(port)?;
    socket.write_all(request).map_err(|error| error.to_string())?;
    let (mut answer, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let head = answer.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = head {
            let text = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).to_ascii_lowercase();
            if !text.starts_with("http/1.1 200") {
                return Err(format!("the server refuses: {}", String::from_utf8_lossy(&answer)));
            }
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("");
            let length: usize = length.parse().map_err(|_| format!("no length: {text}"))?;
            if answer.len() == end + 4 + length {
                return Ok((answer, length));
            }
        }
        match socket.read(&mut piece).map_err(|error| error.to_string())? {
            0 => return Err(format!("the server left: {}", String::from_utf8_lossy(&answer))),
            got => answer.extend_from_slice(piece.get(..got).unwrap_or_default()),
        }
    }
}

fn connect(port: u16) -> Result<TcpStream, String> {
    let socket = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
    socket.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(socket)
}

/// Requests in flight on some connections.
struct Load {
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

impl Load {
    fn open(port: u16, request: Vec<u8>, answer_bytes: usize, connections: usize) -> Result<Self, String> {
        let open = |_| {
            let socket = connect(port)?;
            socket.set_nonblocking(true).map_err(|error| error.to_string())?;
            Ok(Connection { socket, unsent: 0, owed: 0, since: Instant::now() })
        };
        let connections = (0..connections).map(open).collect::<Result<_, String>>()?;
        Ok(Self { request, answer_bytes, connections })
    }

    /// Sends so many requests, and returns how long each took.
    fn run(&mut self, requests: u64) -> Result<Vec<Duration>, String> {
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

/// Time on a processor of a process's threads so far.
fn cpu_ns(process: u32) -> Result<u64, String> {
    let path = format!("/proc/{process}/task");
    let threads = read_dir(&path).map_err(|error| format!("{path}: {error}"))?;
    let time = |thread: std::io::Result<std::fs::DirEntry>| {
        let text = read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    Ok(threads.filter_map(time).sum())
}

fn resident_kib(process: u32) -> Result<u64, String> {
    let path = format!("/proc/{process}/status");
    let text = read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().map_err(|_| format!("{path}: no resident size"))
}
