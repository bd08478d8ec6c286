//! The load driver: starts a stdio server, keeps up to 64 calls in flight and says what they cost the server.

use crate::fixture;
use std::fs::read_to_string;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Requests in flight at most.
const WINDOW: usize = 64;
/// So many are sent together once they are owed, so that pipes are filled alike whatever the server's pace.
const BATCH: usize = WINDOW / 2;
/// All ids have seven digits, so that all answers are equally long.
const FIRST_ID: u64 = 1_000_000;
const MOST_REQUESTS: u64 = 2_000_000;
/// Ticks in a second of `/proc/PID/stat`: a constant of the interface between Linux and its programs.
const TICKS: f64 = 100.0;

struct Session {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    next_id: u64,
    /// The length of an answer with its newline; the first one was read in full.
    answer_bytes: usize,
}

/// Runs `requests` calls, and prints `requests`, seconds that passed and CPU seconds of the server, with tabs between.
pub(crate) fn run(requests: u64, command: &str, arguments: &[&str]) -> Result<(), String> {
    if requests == 0 || requests > MOST_REQUESTS {
        return Err(format!("{requests} requests: between 1 and {MOST_REQUESTS} can be sent"));
    }
    let mut session = Session::open(command, arguments)?;
    session.load(requests / 10 + 1)?;
    let (start, before) = (Instant::now(), cpu_seconds(session.process.id())?);
    session.load(requests)?;
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds(session.process.id())? - before);
    println!("{requests}\t{seconds:.4}\t{cpu:.2}");
    session.close()
}

impl Session {
    fn open(command: &str, arguments: &[&str]) -> Result<Self, String> {
        let mut process = Command::new(command)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{command} does not start: {error}"))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("the server has no pipes".to_owned());
        };
        let mut session = Self { process, input, output, next_id: FIRST_ID, answer_bytes: 0 };
        let opening = session.exchange(&fixture::discover(FIRST_ID - 1))?;
        if opening.contains("\"error\"") {
            return Err(format!("{command} does not open: {opening}"));
        }
        let answer = session.exchange(&fixture::call(FIRST_ID))?;
        let id = format!("\"id\":{FIRST_ID}");
        if !answer.contains(&format!("\"{}\"", fixture::TEXT))
            || !answer.contains(&id)
            || answer.contains("\"error\"")
        {
            return Err(format!("{command} does not echo: {answer}"));
        }
        session.next_id += 1;
        session.answer_bytes = answer.len();
        Ok(session)
    }

    /// Sends one line, and reads one line, its newline included.
    fn exchange(&mut self, message: &str) -> Result<String, String> {
        writeln!(self.input, "{message}").map_err(|error| error.to_string())?;
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') {
            if self.output.read(&mut byte).map_err(|error| error.to_string())? == 0 {
                return Err("the server left".to_owned());
            }
            line.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn load(&mut self, requests: u64) -> Result<(), String> {
        let mut to_send = requests;
        let mut to_receive = requests;
        let mut free = WINDOW;
        let mut bytes = 0;
        let mut batch = Vec::new();
        let mut piece = vec![0; 64 << 10];
        while to_receive > 0 {
            let room = u64::try_from(free).unwrap_or(u64::MAX).min(to_send);
            if free >= BATCH && room > 0 {
                self.send(room, &mut batch)?;
                to_send -= room;
                free -= usize::try_from(room).unwrap_or(free);
            }
            let got = self.output.read(&mut piece).map_err(|error| error.to_string())?;
            if got == 0 {
                return Err(format!("the server left with {to_receive} answers owed"));
            }
            bytes += got;
            #[expect(
                clippy::naive_bytecount,
                reason = "the driver has a processor of its own, and time to spare"
            )]
            let lines = piece[..got].iter().filter(|byte| **byte == b'\n').count();
            free += lines;
            to_receive = to_receive.saturating_sub(u64::try_from(lines).unwrap_or(u64::MAX));
        }
        let expected = usize::try_from(requests).unwrap_or(usize::MAX).saturating_mul(self.answer_bytes);
        if bytes == expected {
            Ok(())
        } else {
            Err(format!("{bytes} bytes of answers instead of {expected}: some answer differs from the first"))
        }
    }

    fn send(&mut self, count: u64, batch: &mut Vec<u8>) -> Result<(), String> {
        batch.clear();
        for id in self.next_id..self.next_id + count {
            batch.extend_from_slice(fixture::call(id).as_bytes());
            batch.push(b'\n');
        }
        self.next_id += count;
        self.input.write_all(batch).map_err(|error| error.to_string())
    }

    fn close(self) -> Result<(), String> {
        let Self { mut process, input, output, .. } = self;
        drop(input);
        drop(output);
        process.wait().map(|_| ()).map_err(|error| error.to_string())
    }
}

/// User and system time of a process and its threads so far.
fn cpu_seconds(process: u32) -> Result<f64, String> {
    let path = format!("/proc/{process}/stat");
    let text = read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    // The second field is the program's name in parentheses and may hold blanks; utime and stime are 14 and 15.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u32 = fields.skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    Ok(f64::from(ticks) / TICKS)
}
