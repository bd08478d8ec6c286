//! The load driver over HTTP: keeps a request in flight on each of some connections to each of some servers, and says
//! what they cost the servers; and how long servers take from their start to their first answer.

use crate::fixture;
use crate::process::Process;
use crate::session::{Answer, Session};
use std::time::{Duration, Instant};

const ID: u64 = 1_000_000;
const MOST_CONNECTIONS: usize = 1024;
/// Enough for a median.
const TURNS: u64 = 60;
/// A server that can be sent few requests has fewer turns, so that each fills its connections so many times.
const FILLINGS: u64 = 3;

/// What is asked of a server on any port.
struct Question {
    method: &'static str,
    /// The header `Mcp-Name` as a line, or nothing.
    name: &'static str,
    body: String,
    /// A text that its answer must hold.
    expected: &'static str,
}

impl Question {
    fn of(case: &str) -> Result<Self, String> {
        let call = |body, expected| Self { method: "tools/call", name: "Mcp-Name: echo\r\n", body, expected };
        match case {
            "echo" => Ok(call(fixture::call(ID), fixture::TEXT)),
            "list" => {
                let body = fixture::list(ID);
                Ok(Self { method: "tools/list", name: "", body, expected: "tool_00000" })
            }
            "large" => {
                let line = "The quick brown fox jumps over the lazy dog, again and again. ";
                let (short, long) = (format!("\"{}\"", fixture::TEXT), line.repeat((1 << 20) / line.len()));
                Ok(call(fixture::call(ID).replace(&short, &format!("\"{long}\"")), "again. \""))
            }
            _ => Err(format!("no case is called {case}")),
        }
    }

    /// The request to a server on that port.
    fn request(&self, port: u16) -> Vec<u8> {
        let Self { method, name, body, .. } = self;
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: {method}\r\n{name}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        request.into_bytes()
    }
}

/// Loads each of the servers, in turns of a few requests, so that what disturbs the machine for a while disturbs all
/// alike. A command is the number of its requests and the words that start it. Prints a line for each, with tabs
/// between: requests a second, microseconds of CPU a request (the lower quartile of the turns, since a disturbance only
/// ever adds), the median and the 99th percentile of the answers' times in microseconds, the resident size in KiB, and
/// the bytes of an answer's body; or `-` and why this server cannot be loaded. The word `BYTES` in a command stands for
/// the bytes of the first server's answer, `PORT` for a port that is free: a server that is not told one prints the one
/// it took.
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
    session: Session,
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
        let mut process = Process::start(words, body)?;
        let port = process.port()?;
        let request = question.request(port);
        let answer = Answer::first(port, &request)?;
        answer.check(question.expected)?;
        let filled = requests / (FILLINGS * connections as u64);
        let turns = filled.clamp(1, TURNS);
        let mut session = Session::open(port, request, answer.bytes.len(), connections)?;
        session.load(requests / 10 + 1)?;
        let (body, requests) = (answer.body, (requests / turns).max(1));
        Ok(Self { process, session, body, turns, requests, seconds: 0.0, times: vec![], costs: vec![] })
    }

    /// Takes its share of all turns, evenly.
    fn take_part(&mut self, turn: u64) -> Result<(), String> {
        if turn * self.turns / TURNS == (turn + 1) * self.turns / TURNS {
            return Ok(());
        }
        let (start, before) = (Instant::now(), self.process.cpu_ns()?);
        self.times.extend(self.session.load(self.requests)?);
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
        let cost = self.costs.get(self.costs.len() / 4).copied().unwrap_or_default() as f64 / 1000.0;
        let resident = self.process.resident_kib()?;
        Ok(format!("{rate:.0}\t{cost:.3}\t{}\t{}\t{resident}\t{}", at(50), at(99), self.body))
    }
}
