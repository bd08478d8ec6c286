//! The stdio door from outside: a client at the other end of sockets, pipes and a process.
#![cfg(unix)]

use mcpcore::json::{Document, Node};
use mcpcore::{
    Call, CancelReason, CatalogBuilder, Config, Dispatch, ErrorKind, Host, LogLevel, Result, Server,
};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const CATALOG: &str = r#"{"tools":[
    {"name":"echo","inputSchema":{"type":"object"}},
    {"name":"later","inputSchema":{"type":"object"}},
    {"name":"block","inputSchema":{"type":"object"}},
    {"name":"hold","inputSchema":{"type":"object"}},
    {"name":"noisy","inputSchema":{"type":"object"}}]}"#;

/// `echo` answers its `text` at once, `later` from another thread, `noisy` after stray prints; `block` does so when it
/// is let go, `hold` never.
struct Tools {
    started: Mutex<Sender<u64>>,
    cancelled: Mutex<Sender<(u64, CancelReason)>>,
    held: Mutex<Vec<Call>>,
    go: Mutex<Receiver<()>>,
}

impl Host for Tools {
    fn catalog(&self, _: &str, _: &mut CatalogBuilder) -> Result<()> {
        Ok(())
    }

    fn call(&self, call: Call) {
        let _ = self.started.lock().unwrap().send(call.number());
        let text = call.argument_node().get("text").and_then(Node::as_str).unwrap_or_default().into_owned();
        match call.name() {
            "echo" => call.complete_text(&text).unwrap(),
            "later" => {
                thread::spawn(move || call.complete_text(&text));
            }
            "block" => {
                let _ = self.go.lock().unwrap().recv();
                let _ = call.complete_text(&text);
            }
            "hold" => self.held.lock().unwrap().push(call),
            _ => {
                let mut out = std::io::stdout();
                out.write_all(b"stray print\n").unwrap();
                out.flush().unwrap();
                Command::new("sh").args(["-c", "cat; echo stray child"]).status().unwrap();
                call.complete_text(&text).unwrap();
            }
        }
    }

    fn cancelled(&self, number: u64, reason: CancelReason) {
        let _ = self.cancelled.lock().unwrap().send((number, reason));
    }

    fn log(&self, _: LogLevel, _: &str) {}
}

/// A door at work and the client's side of it.
struct Door {
    server: Server,
    tools: Arc<Tools>,
    /// `None` once the client has closed it.
    input: Option<File>,
    output: Option<BufReader<File>>,
    serving: JoinHandle<Result<()>>,
    started: Receiver<u64>,
    cancelled: Receiver<(u64, CancelReason)>,
    go: Sender<()>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Pipes,
    Socket,
}

const WAYS: [Way; 2] = [Way::Pipes, Way::Socket];

fn pipe() -> (OwnedFd, OwnedFd) {
    nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC).unwrap()
}

impl Door {
    fn open(way: Way, configure: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::new("test", "1");
        config.catalog = Some(CATALOG.to_owned());
        configure(&mut config);
        let (started_at, started) = channel();
        let (cancelled_at, cancelled) = channel();
        let (go, goes) = channel();
        let tools = Arc::new(Tools {
            started: Mutex::new(started_at),
            cancelled: Mutex::new(cancelled_at),
            held: Mutex::default(),
            go: Mutex::new(goes),
        });
        let server = Server::new(config, tools.clone()).unwrap();
        let (read, write, input, output): (OwnedFd, OwnedFd, OwnedFd, OwnedFd) = match way {
            Way::Pipes => {
                let ((read, input), (output, write)) = (pipe(), pipe());
                (read, write, input, output)
            }
            Way::Socket => {
                let (ours, theirs) = UnixStream::pair().unwrap();
                let (again, copy) = (ours.try_clone().unwrap(), theirs.try_clone().unwrap());
                (theirs.into(), copy.into(), ours.into(), again.into())
            }
        };
        let shared = server.clone();
        let serving = thread::spawn(move || mcpcore::serve_fd(&shared, read.as_fd(), write.as_fd()));
        let (input, output) = (Some(input.into()), Some(BufReader::new(output.into())));
        Self { server, tools, input, output, serving, started, cancelled, go }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn call(&mut self, id: usize, tool: &str, text: &str) {
        self.send(request(id, tool, text).as_bytes());
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the output ended: {line:?}");
        line
    }

    /// The id of the next answer, and the text in it.
    fn answer(&mut self) -> (i64, String) {
        let line = self.line();
        let document = Document::parse(line.trim_end().into()).unwrap();
        let root = document.root();
        let text = root.pointer("/result/content/0/text").and_then(Node::as_str).unwrap_or_default();
        (root.get("id").and_then(Node::as_i64).unwrap_or(-1), text.into_owned())
    }

    /// The client ends its side of the input.
    fn end_input(&mut self) {
        let input = self.input.take().unwrap();
        let _ = nix::sys::socket::shutdown(
            std::os::fd::AsRawFd::as_raw_fd(&input),
            nix::sys::socket::Shutdown::Write,
        );
    }

    /// What the door returned, which it does soon.
    fn close(self) -> Result<()> {
        let started = Instant::now();
        while !self.serving.is_finished() {
            assert!(started.elapsed() < LONG, "the door does not end");
            thread::sleep(Duration::from_millis(1));
        }
        self.serving.join().unwrap()
    }
}

fn request(id: usize, tool: &str, text: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\
         \"arguments\":{{\"text\":\"{text}\"}},{META}}}}}\n"
    )
}

fn cancel(id: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}\n"
    )
}

/// R001, R004, R006, R015, STDIO-13, STDIO-14, STDIO-15, B-84, B-86, B-87: odd lines and bad lines do not end the stream.
#[test]
fn the_stream_lives_on() {
    let bad = ["{oops\n", "Content-Length: 5\r\n", "\u{1}\n", "[]\n"];
    let odd = ["\n", "\r\n", "  \n", ""];
    for way in WAYS {
        let mut door = Door::open(way, |_| {});
        door.send(b"\xEF\xBB\xBF");
        for (round, (bad, odd)) in bad.iter().zip(odd).enumerate() {
            door.send(bad.as_bytes());
            let refusal = door.line();
            assert!(
                refusal.contains("\"error\":{\"code\":-32") && !refusal.contains("\"id\""),
                "{bad:?}: {refusal}"
            );
            door.send(odd.as_bytes());
            door.send(request(round, "echo", "fine").replace('\n', "\r\n").as_bytes());
            assert_eq!(door.answer(), (i64::try_from(round).unwrap(), "fine".to_owned()));
        }
        door.send(b"\xff\xfe\n");
        assert!(door.line().contains("-32700"));
        for byte in request(9, "echo", "é😀").as_bytes() {
            door.send(&[*byte]);
        }
        assert_eq!(door.answer(), (9, "é😀".to_owned()));
        door.send(request(10, "echo", "last").trim_end().as_bytes());
        door.end_input();
        assert_eq!(door.answer(), (10, "last".to_owned()), "a last line needs no newline");
        door.close().unwrap();
    }
}

/// R004, R005, B-85: long lines are whole, and one over the limit costs itself only.
#[test]
fn long_lines_are_whole_up_to_the_limit() {
    for way in WAYS {
        let mut door = Door::open(way, |config| config.max_message_bytes = 6 << 20);
        for (id, length) in [4095, 4096, 65_535, 65_536, 65_537, 5 << 20].into_iter().enumerate() {
            let text = "x".repeat(length);
            let sent = request(id, "echo", &text);
            let mut input = door.input.as_ref().unwrap().try_clone().unwrap();
            let sender = thread::spawn(move || input.write_all(sent.as_bytes()).unwrap());
            assert!(door.answer() == (i64::try_from(id).unwrap(), text), "{length} bytes");
            sender.join().unwrap();
        }
        for _ in 0..7 {
            door.send(&vec![b' '; 1 << 20]);
        }
        assert!(door.line().contains("-32600"), "said while the line is read");
        door.send(b"\n");
        door.call(7, "echo", "fine");
        assert_eq!(door.answer().0, 7);
        drop(door.input.take());
        drop(door.output.take());
        door.close().unwrap();
    }
}

/// R014, CANCEL-01, CANCEL-03, STDIO-08: blocked callbacks hold up neither other calls nor a cancellation, and nothing
/// is said for a cancelled call.
#[test]
fn blocked_calls_hold_up_nobody() {
    for way in WAYS {
        let mut door = Door::open(way, |config| config.pool_threads = 2);
        door.call(1, "block", "first");
        let number = door.started.recv_timeout(LONG).unwrap();
        for id in 2..20 {
            door.call(id, "echo", "quick");
            assert_eq!(door.answer().0, i64::try_from(id).unwrap());
        }
        // With every thread of the pool blocked, cancelling still works.
        door.call(20, "block", "second");
        for _ in 2..=20 {
            door.started.recv_timeout(LONG).unwrap();
        }
        door.send(cancel(1).as_bytes());
        assert_eq!(door.cancelled.recv_timeout(LONG).unwrap(), (number, CancelReason::Client));
        door.go.send(()).unwrap();
        door.go.send(()).unwrap();
        assert_eq!(door.answer(), (20, "second".to_owned()), "and nothing for 1");
        door.call(21, "echo", "fence");
        assert_eq!(door.answer().0, 21);
        door.end_input();
        door.close().unwrap();
    }
}

/// Answers of the pool, of other threads and of the pump reach the wire, all of them.
#[test]
fn every_mode_answers() {
    for (way, mode) in WAYS
        .into_iter()
        .flat_map(|way| [Dispatch::Inline, Dispatch::Pool, Dispatch::Pump].map(|mode| (way, mode)))
    {
        let mut door = Door::open(way, |config| config.dispatch = mode);
        for id in 0..100 {
            door.call(id, ["echo", "later"][id % 2], &format!("text {id}"));
        }
        let mut started = 0;
        while mode == Dispatch::Pump && started < 100 {
            let fd = door.server.pump_fd().unwrap();
            let mut fds = [nix::poll::PollFd::new(fd, nix::poll::PollFlags::POLLIN)];
            assert_eq!(nix::poll::poll(&mut fds, 20_000u16), Ok(1));
            door.server.pump(Duration::ZERO).unwrap();
            started += door.started.try_iter().count();
        }
        let mut seen: Vec<(i64, String)> = (0..100).map(|_| door.answer()).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq((0..100).map(|id| (id, format!("text {id}")))), "{way:?} {mode:?}");
        door.end_input();
        door.close().unwrap();
    }
}

/// STDIO-09, R011, decision 37: at the end of input owed answers are waited for, within bounds; subscriptions are not.
#[test]
fn the_end_of_input_ends_the_door() {
    for way in WAYS {
        let mut empty = Door::open(way, |_| {});
        empty.end_input();
        empty.close().unwrap();

        let mut owing = Door::open(way, |_| {});
        owing.send(
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"subscriptions/listen\",\"params\":{{\
                 \"notifications\":{{\"toolsListChanged\":true}},{META}}}}}\n"
            )
            .as_bytes(),
        );
        owing.call(1, "block", "owed");
        owing.started.recv_timeout(LONG).unwrap();
        owing.end_input();
        thread::sleep(Duration::from_millis(50));
        owing.go.send(()).unwrap();
        while owing.answer() != (1, "owed".to_owned()) {}
        let mut rest = String::new();
        owing.output.take().unwrap().read_to_string(&mut rest).unwrap();
        owing.close().unwrap();

        let mut never = Door::open(way, |config| config.drain_ms = 50);
        never.call(1, "hold", "");
        let number = never.started.recv_timeout(LONG).unwrap();
        never.end_input();
        assert_eq!(never.cancelled.recv_timeout(LONG).unwrap(), (number, CancelReason::Closed));
        let mut rest = Vec::new();
        never.output.take().unwrap().read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"", "the wire is closed though the host still holds the call");
        let late = never.tools.held.lock().unwrap().pop().unwrap().complete_text("late");
        assert_eq!(late.unwrap_err().kind(), ErrorKind::Gone);
        never.close().unwrap();
    }
}

/// No answer is lost between the last one and the end of the door.
#[test]
fn the_last_answer_is_not_lost() {
    for round in 0..300 {
        let mut door = Door::open(WAYS[round % 2], |_| {});
        for id in 0..4 {
            door.call(id, ["echo", "later"][(round / 2) % 2], "x");
        }
        door.end_input();
        for _ in 0..4 {
            door.answer();
        }
        door.close().unwrap();
    }
}

/// R012: a reader that went away ends the door, whether it is idle, writes, or owes; with an error, and soon.
#[test]
fn a_closed_output_ends_the_door() {
    for way in WAYS {
        for activity in ["idle", "echo", "hold", "later"] {
            let mut door = Door::open(way, |_| {});
            door.call(1, "echo", "fine");
            door.answer();
            door.started.recv().unwrap();
            if activity != "idle" {
                door.call(2, activity, "lost");
                door.started.recv_timeout(LONG).unwrap();
            }
            // A socket has gone away only when both of its directions have.
            drop(door.output.take());
            if way == Way::Socket {
                drop(door.input.take());
            }
            let outcome = door.close();
            if way == Way::Pipes || activity == "hold" {
                assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Io, "{way:?} {activity}");
            }
        }
    }
}

/// A stopped server ends its doors, idle or not, and leaves the descriptors to their owner, flags and all.
#[test]
fn stopping_the_server_ends_its_doors() {
    for way in WAYS {
        let mut idle = Door::open(way, |_| {});
        idle.call(1, "echo", "it is open");
        idle.answer();
        idle.server.stop(Duration::ZERO).unwrap();
        idle.close().unwrap();

        let mut busy = Door::open(way, |_| {});
        busy.call(1, "hold", "");
        let number = busy.started.recv_timeout(LONG).unwrap();
        assert_eq!(busy.server.stop(Duration::ZERO).unwrap_err().kind(), ErrorKind::Timeout);
        assert_eq!(busy.cancelled.recv_timeout(LONG).unwrap(), (number, CancelReason::Stopped));
        busy.close().unwrap();

        let mut ending = Door::open(way, |_| {});
        ending.call(1, "block", "in time");
        ending.started.recv_timeout(LONG).unwrap();
        ending.go.send(()).unwrap();
        ending.server.stop(LONG).unwrap();
        assert_eq!(ending.answer().1, "in time");
        let late = mcpcore::serve_fd(&ending.server, std::io::stdin().as_fd(), std::io::stdin().as_fd());
        assert_eq!(late.unwrap_err().kind(), ErrorKind::Closed);
        ending.close().unwrap();
    }
    let mut config = Config::new("test", "1");
    config.catalog = Some("{}".to_owned());
    let server = Server::new(config, Door::open(Way::Pipes, |_| {}).tools).unwrap();
    let ((read, _input), (output, write)) = (pipe(), pipe());
    let stopper = server.clone();
    let stopping = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        stopper.stop(Duration::ZERO).unwrap();
    });
    // The server may have stopped before the door was open.
    let _ = mcpcore::serve_fd(&server, read.as_fd(), write.as_fd());
    stopping.join().unwrap();
    let flags = nix::fcntl::fcntl(&write, nix::fcntl::FcntlArg::F_GETFL).unwrap();
    assert_eq!(flags & nix::libc::O_NONBLOCK, 0);
    nix::unistd::write(&write, b"still ours").unwrap();
    assert_eq!(nix::unistd::read(&output, &mut [0; 20]).unwrap(), 10);
}

/// Design section 6: a client that reads slowly loses nothing; meanwhile calls wait, and cancellations are read.
#[test]
fn a_slow_client_loses_nothing() {
    for (way, mode) in WAYS.into_iter().flat_map(|way| [(way, Dispatch::Inline), (way, Dispatch::Pool)]) {
        let mut door = Door::open(way, |config| config.dispatch = mode);
        door.call(0, "hold", "");
        let number = door.started.recv_timeout(LONG).unwrap();
        let text = "x".repeat(100_000);
        for id in 1..=100 {
            door.call(id, ["echo", "later"][id % 2], &text);
        }
        door.send(cancel(0).as_bytes());
        assert_eq!(door.cancelled.recv_timeout(LONG).unwrap(), (number, CancelReason::Client));
        assert!(door.started.try_iter().count() < 90, "{way:?} {mode:?}: calls wait for the client");
        door.end_input();
        let mut seen: Vec<i64> = (1..=100)
            .map(|_| {
                let (id, answer) = door.answer();
                assert!(answer == text, "{id}");
                id
            })
            .collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(1..=100));
        door.close().unwrap();
    }
}

const SERVED: &str = "MCPCORE_TEST_SERVED";

/// Not a test of its own: the process that the tests below start.
#[test]
fn served_process() {
    if std::env::var_os(SERVED).is_none() {
        return;
    }
    let spare = Door::open(Way::Pipes, |_| {});
    mcpcore::serve_stdio(&spare.server).unwrap_or_else(|error| eprintln!("ended: {:?}", error.kind()));
    let again = mcpcore::serve_stdio(&spare.server).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Closed);
}

fn served() -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "served_process", "--nocapture"])
        .env(SERVED, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// STDIO-03, R009, R105: what callbacks and their children print stays off the wire, which lives on.
#[test]
fn a_noisy_process_keeps_the_wire_clean() {
    let mut child = served();
    let mut input = child.stdin.take().unwrap();
    for (id, tool) in ["noisy", "echo", "noisy", "echo"].into_iter().enumerate() {
        input.write_all(request(id, tool, "fine").as_bytes()).unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let (wire, stray) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    // In front stands what the test harness said before the door was open.
    let messages: Vec<&str> = wire.lines().skip_while(|line| !line.starts_with('{')).collect();
    assert_eq!(messages.len(), 4, "{wire}");
    assert!(messages.iter().all(|line| line.contains("\"text\":\"fine\"")), "{wire}");
    assert_eq!(
        (stray.matches("stray print").count(), stray.matches("stray child").count()),
        (2, 2),
        "{stray}"
    );
}

/// R012: waiting for a client that says nothing, or that reads nothing, takes no processor time; once it is gone, the
/// process ends by itself.
#[test]
fn waiting_costs_no_processor_time() {
    for size in [0, 1 << 20] {
        let mut child = served();
        let mut input = child.stdin.take().unwrap();
        input.write_all(request(1, "echo", &"x".repeat(size)).as_bytes()).unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = Vec::new();
        while !line.ends_with(b"{\"jsonrpc") {
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        // The work is over when a tenth of a second costs nothing; a loop that spins never is.
        let started = Instant::now();
        let mut before = ticks(child.id());
        loop {
            thread::sleep(Duration::from_millis(100));
            let now = ticks(child.id());
            if now == before {
                break;
            }
            before = now;
            assert!(started.elapsed() < LONG, "{size}: it never comes to rest");
        }
        drop(output);
        let error = child.wait_with_output().unwrap();
        assert!(error.status.success(), "{error:?}");
        assert!(String::from_utf8(error.stderr).unwrap().contains("ended: Io"), "{size}");
        drop(input);
    }
}

/// Processor time of a process, in ticks.
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// R011: a process without input ends at once.
#[test]
fn a_process_without_input_ends() {
    let mut child = served();
    drop(child.stdin.take());
    assert!(child.wait_with_output().unwrap().status.success());
}
