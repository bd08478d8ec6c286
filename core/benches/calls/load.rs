//! The load driver over HTTP: keeps a request in flight on each of some connections to each of some servers, and says
//! what they cost the servers; and how long servers take from their start to their first answer.

use crate::client::{Answer, Client};
use crate::fixture;
use crate::process::Process;
use std::time::{Duration, Instant};

const ID: u64 = 1_000_000;
const MOST_CONNECTIONS: usize = 1024;
/// Enough for a median.
const TURNS: u64 = 60;
/// A server that can be sent few requests has fewer turns, so that each fills its connections so many times.
const FILLINGS: u64 = 3;

/// Before a command this word has the load be of a session, of the newest revision that has them.
const IN_SESSION: &str = "session";
const SESSION_REVISION: &str = "2025-11-25";

/// What is asked of a server on any port.
struct Question {
    /// The protocol's own headers, as lines.
    headers: String,
    body: String,
    /// A text that its answer must hold.
    expected: &'static str,
}

impl Question {
    fn of(case: &str) -> Result<Self, String> {
        let modern = |method: &str, name: &str, body, expected| Self {
            headers: format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}"),
            body,
            expected,
        };
        let call = |body, expected| modern("tools/call", "Mcp-Name: echo\r\n", body, expected);
        match case {
            "echo" => Ok(call(fixture::call(ID), fixture::TEXT)),
            "list" => Ok(modern("tools/list", "", fixture::list(ID), "tool_00000")),
            "large" => {
                let line = "The quick brown fox jumps over the lazy dog, again and again. ";
                let (short, long) = (format!("\"{}\"", fixture::TEXT), line.repeat((1 << 20) / line.len()));
                Ok(call(fixture::call(ID).replace(&short, &format!("\"{long}\"")), "again. \""))
            }
            _ => Err(format!("no case is called {case}")),
        }
    }

    /// The echo in a session that is opened for it.
    fn in_session(port: u16) -> Result<Self, String> {
        let opening = Self {
            headers: String::new(),
            body: fixture::initialize(1, SESSION_REVISION),
            expected: SESSION_REVISION,
        };
        let answer = Answer::first(port, &opening.request(port))?;
        answer.check(opening.expected)?;
        let text = String::from_utf8_lossy(&answer.bytes);
        let line = text.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
        let id = line.and_then(|line| line.split_once(": ")).map(|(_, id)| id.trim());
        let id = id.ok_or_else(|| format!("no session is opened: {text}"))?;
        Ok(Self {
            headers: format!("MCP-Protocol-Version: {SESSION_REVISION}\r\nMcp-Session-Id: {id}\r\n"),
            body: fixture::call_in_session(ID),
            expected: fixture::TEXT,
        })
    }

    /// The request to a server on that port.
    fn request(&self, port: u16) -> Vec<u8> {
        let Self { headers, body, .. } = self;
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        request.into_bytes()
    }
}

/// Loads each of the servers, in turns of a few requests, so that what disturbs the machine for a while disturbs all
/// alike. A command is the number of its requests and the words that start it; between them `session`, whose load is the
/// echo in a session, whatever the case. Prints a line for each, with tabs
/// between: requests a second, microseconds of CPU a request (the median of the turns), the median and the 99th
/// percentile of the answers' times in microseconds, the resident size in KiB, and the bytes of an answer's body; or `-`
/// and why this server cannot be loaded. The word `BYTES` in a command stands for the bytes of the first server's answer,
/// `PORT` for a port that is free: a server that is not told one prints the one it took.
pub(crate) fn run(case: &str, connections: usize, commands: &[&[&str]]) -> Result<(), String> {
    if !(1..=MOST_CONNECTIONS).contains(&connections) {
        return Err(format!("{connections} connections: between 1 and {MOST_CONNECTIONS} can be opened"));
    }
    let question = Question::of(case)?;
    let mut body = 0;
    let mut servers = Vec::new();
    for command in commands {
        let server = Server::start(command, body, &question, connections);
        if servers.is_empty() {
            body = server.as_ref().map_or(0, |server| server.body);
        }
        servers.push(server);
    }
    for turn in 0..TURNS {
        for server in &mut servers {
            let failed = server.as_mut().ok().and_then(|server| server.take_part(turn).err());
            if let Some(error) = failed {
                *server = Err(error);
            }
        }
    }
    for server in &mut servers {
        match server {
            Ok(server) => println!("{}", server.report()?),
            Err(reason) => println!("-\t{}", reason.replace(['\n', '\r', '\t'], " ")),
        }
    }
    Ok(())
}

/// Starts each of the servers so many times, in turns, and prints for each, with tabs between: the median of the
/// microseconds from its start to its first answer, and the bytes of that answer's body.
pub(crate) fn start(times: usize, commands: &[&[&str]]) -> Result<(), String> {
    let question = Question::of("echo")?;
    let mut found = vec![(Vec::new(), 0); commands.len()];
    for _ in 0..times {
        let first = found.first().map_or(0, |(_, body)| *body);
        for (command, (durations, body)) in commands.iter().zip(&mut found) {
            let since = Instant::now();
            let mut process = Process::start(command, first)?;
            let port = process.port()?;
            let answer = Answer::first(port, &question.request(port))?;
            durations.push(since.elapsed());
            answer.check(question.expected)?;
            *body = answer.body;
        }
    }
    for (durations, body) in &mut found {
        durations.sort_unstable();
        let median = durations.get(durations.len() / 2).map_or(0, Duration::as_micros);
        println!("{median}\t{body}");
    }
    Ok(())
}

/// A server under load.
struct Server {
    process: Process,
    client: Client,
    /// The bytes of an answer's body.
    body: usize,
    turns: u64,
    /// Requests of a turn.
    requests: u64,
    seconds: f64,
    times: Vec<Duration>,
    /// Nanoseconds of CPU a request, of each turn.
    costs: Vec<u64>,
}

impl Server {
    fn start(command: &[&str], body: usize, question: &Question, connections: usize) -> Result<Self, String> {
        let [requests, words @ ..] = command else { return Err("a command is empty".to_owned()) };
        let requests: u64 = requests.parse().map_err(|error| format!("{requests} requests: {error}"))?;
        let (in_session, words) = match words {
            [IN_SESSION, words @ ..] => (true, words),
            words => (false, words),
        };
        let mut process = Process::start(words, body)?;
        let port = process.port()?;
        let of_session = in_session.then(|| Question::in_session(port)).transpose()?;
        let question = of_session.as_ref().unwrap_or(question);
        let request = question.request(port);
        let answer = Answer::first(port, &request)?;
        answer.check(question.expected)?;
        let filled = requests / (FILLINGS * connections as u64);
        let turns = filled.clamp(1, TURNS);
        let mut client = Client::open(port, request, answer.bytes.len(), connections)?;
        client.load(requests / 10 + 1)?;
        let (body, requests) = (answer.body, (requests / turns).max(1));
        Ok(Self { process, client, body, turns, requests, seconds: 0.0, times: vec![], costs: vec![] })
    }

    /// Takes its share of all turns, evenly.
    fn take_part(&mut self, turn: u64) -> Result<(), String> {
        if turn * self.turns / TURNS == (turn + 1) * self.turns / TURNS {
            return Ok(());
        }
        let (start, before) = (Instant::now(), self.process.cpu_ns()?);
        self.times.extend(self.client.load(self.requests)?);
        self.seconds += start.elapsed().as_secs_f64();
        self.costs.push(self.process.cpu_ns()?.saturating_sub(before) / self.requests);
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    fn report(&mut self) -> Result<String, String> {
        self.times.sort_unstable();
        self.costs.sort_unstable();
        let at =
            |percent: usize| self.times.get(self.times.len() * percent / 100).map_or(0, Duration::as_micros);
        let rate = self.times.len() as f64 / self.seconds;
        let cost = self.costs.get(self.costs.len() / 2).copied().unwrap_or_default() as f64 / 1000.0;
        let resident = self.process.resident_kib()?;
        Ok(format!("{rate:.0}\t{cost:.3}\t{}\t{}\t{resident}\t{}", at(50), at(99), self.body))
    }
}
