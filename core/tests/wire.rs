//! The wire corpus against the engine, in process: tests/wire/README.md. `MCP_WIRE=name` runs the files whose name
//! contains it.

mod fixture;
mod scenario;

use fixture::Everything;
use mcpcore::json::Document;
use mcpcore::{Caller, Connection, Dispatch, Output, Server};
use scenario::{expand, pair, universal, Expected, Scenario, Values};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(15);

/// What the server has said.
#[derive(Default)]
struct Heard {
    messages: Mutex<Vec<String>>,
    news: Condvar,
}

struct Ear(Arc<Heard>);

impl Output for Ear {
    fn write(&self, messages: &[u8]) {
        assert_eq!(messages.last(), Some(&b'\n'), "a message without its newline");
        let text = std::str::from_utf8(messages).expect("UTF-8");
        self.0.messages.lock().unwrap().extend(text.lines().map(str::to_owned));
        self.0.news.notify_all();
    }
}

/// One server with one connection.
struct Peer {
    server: Server,
    host: Arc<Everything>,
    connection: Connection,
    heard: Arc<Heard>,
    over: Arc<AtomicBool>,
    pump: Option<JoinHandle<()>>,
}

impl Peer {
    fn start(flags: &[String], document: Option<String>, dispatch: Dispatch) -> Result<Self, String> {
        let (server, host) =
            Everything::start(flags, document, dispatch).map_err(|error| error.message().to_owned())?;
        let heard = Arc::new(Heard::default());
        let output = Box::new(Ear(Arc::clone(&heard)));
        let connection = Connection::new(&server, Arc::new(Caller::local()), output)
            .map_err(|e| e.message().to_owned())?;
        let over = Arc::new(AtomicBool::new(false));
        let pump = (dispatch == Dispatch::Pump).then(|| {
            let (server, over) = (server.clone(), Arc::clone(&over));
            std::thread::spawn(move || {
                while !over.load(Ordering::SeqCst) {
                    if server.pump(Duration::from_millis(10)).unwrap_or(0) == 0 {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            })
        });
        Ok(Self { server, host, connection, heard, over, pump })
    }

    /// Waits until `done` says so; the connection's clock runs on meanwhile.
    fn wait(&self, what: &str, done: impl Fn(&[String]) -> bool) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        let mut messages = self.heard.messages.lock().unwrap();
        while !done(&messages) {
            if Instant::now() >= end {
                return Err(format!("waited in vain for {what}"));
            }
            messages = self.heard.news.wait_timeout(messages, Duration::from_millis(5)).unwrap().0;
            drop(messages);
            self.connection.tick();
            messages = self.heard.messages.lock().unwrap();
        }
        Ok(())
    }

    /// Ends the input, waits for what is owed, and gives what was heard and logged.
    fn finish(mut self) -> Result<(Vec<String>, String), String> {
        self.connection.end_input();
        // Not `owed`: an answer that was given is not yet heard while its thread is on the way to the output.
        if !self.connection.drain(PATIENCE) {
            return Err("answers are owed for ever".to_owned());
        }
        self.connection.close();
        let _ = self.server.stop(Duration::ZERO);
        self.over.store(true, Ordering::SeqCst);
        if let Some(pump) = self.pump.take() {
            pump.join().expect("the pump ends");
        }
        let messages = std::mem::take(&mut *self.heard.messages.lock().unwrap());
        Ok((messages, self.host.log_text()))
    }
}

/// Whether a message ends the wait for the request with this id.
fn answers(message: &str, id: &str) -> bool {
    let Ok(document) = Document::parse_host(message.as_bytes().to_vec()) else {
        return false;
    };
    let root = document.root();
    let given = match root.get("method") {
        None => root.get("id"),
        Some(method) if method.is_str("notifications/subscriptions/acknowledged") => {
            root.pointer("/params/_meta/io.modelcontextprotocol~1subscriptionId")
        }
        Some(_) => None,
    };
    given.is_some_and(|given| same(given.raw(), id))
}

fn same(one: &str, other: &str) -> bool {
    let text = |raw: &str| {
        let document = Document::parse_host(raw.as_bytes().to_vec()).ok()?;
        let text = document.root().as_str()?.into_owned();
        Some(text)
    };
    one == other || matches!((text(one), text(other)), (Some(a), Some(b)) if a == b)
}

/// The id of a request, if it is one that is answered under it.
fn identify(line: &str) -> Option<String> {
    let document = Document::parse_host(line.as_bytes().to_vec()).ok()?;
    let root = document.root();
    let id = root.get("id")?;
    let is_id = id.is_string() || id.as_number().is_some();
    (document.duplicate().is_none() && root.get("method").is_some() && is_id).then(|| id.raw().to_owned())
}

fn damage(json: &str, how: &str) -> String {
    let document = Document::parse_host(json.as_bytes().to_vec()).expect("JSON");
    let Some(text) = document.root().as_str().filter(|_| !how.is_empty()) else {
        return json.to_owned();
    };
    let mut letters: Vec<char> = text.chars().collect();
    match how.split_once('=') {
        None if how == "flip" => {
            let middle = letters.len() / 2;
            letters[middle] = if letters[middle] == 'A' { 'B' } else { 'A' };
        }
        None if how == "cut" => {
            letters.pop();
        }
        Some(("append", more)) => letters.extend(more.chars()),
        _ => panic!("#let knows no {how}"),
    }
    mcpcore::json::quote(&letters.into_iter().collect::<String>())
}

/// One scenario being run.
struct Run<'s> {
    scenario: &'s Scenario,
    document: Option<String>,
    dispatch: Dispatch,
    peer: Peer,
    split: usize,
    values: Values,
    before: Vec<String>,
    log: String,
}

impl Run<'_> {
    fn send(&self, bytes: &[u8]) -> Result<(), String> {
        let step = if self.split == 0 { bytes.len().max(1) } else { self.split };
        for piece in bytes.chunks(step) {
            self.peer.connection.receive(piece).map_err(|error| error.message().to_owned())?;
        }
        Ok(())
    }

    fn step(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "#wait" => self.peer.wait(rest, |heard| heard.iter().any(|message| answers(message, rest)))?,
            "#lines" => {
                let count = rest.parse::<usize>().expect("a count").saturating_sub(self.before.len());
                self.peer.wait(line, |heard| heard.len() >= count)?;
            }
            "#sleep" => {
                let end = Instant::now() + Duration::from_millis(rest.parse().expect("ms"));
                let _ = self.peer.wait(line, |_| Instant::now() >= end);
            }
            "#bytes" => self.send(&unhex(rest))?,
            "#text" => self.send(expand(rest, &self.values).as_bytes())?,
            "#split" => self.split = rest.parse().expect("a count"),
            "#let" => self.take(rest)?,
            "#restart" => {
                let next = Peer::start(&self.scenario.flags, self.document.clone(), self.dispatch)?;
                let (messages, log) = std::mem::replace(&mut self.peer, next).finish()?;
                self.before.extend(messages);
                self.log.push_str(&log);
            }
            "#eof" => self.peer.connection.end_input(),
            _ if word.starts_with('#') => panic!("no such directive: {line}"),
            _ => self.request(line)?,
        }
        Ok(())
    }

    fn request(&mut self, line: &str) -> Result<(), String> {
        let later = line.strip_prefix("& ");
        let text = expand(later.unwrap_or(line), &self.values);
        self.send(format!("{text}\n").as_bytes())?;
        match identify(&text) {
            Some(id) if later.is_none() => self.peer.wait(&format!("the answer to {id}"), |heard| {
                heard.iter().any(|message| answers(message, &id))
            }),
            _ => Ok(()),
        }
    }

    fn take(&mut self, rest: &str) -> Result<(), String> {
        let words: Vec<&str> = rest.split(' ').collect();
        let (name, id, pointer, how) =
            (words[0], words[1], words[2], words.get(3).copied().unwrap_or_default());
        let heard = self.peer.heard.messages.lock().unwrap();
        let all: Vec<&String> = self.before.iter().chain(heard.iter()).collect();
        let message =
            all.iter().rev().find(|message| answers(message, id)).ok_or(format!("nothing answered {id}"))?;
        let document = Document::parse_host(message.as_bytes().to_vec()).expect("JSON");
        let found =
            document.root().pointer(pointer).ok_or(format!("there is no {pointer} in the answer to {id}"))?;
        self.values.insert(name.to_owned(), damage(found.raw(), how));
        Ok(())
    }
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

fn refused(
    scenario: &Scenario,
    document: Option<String>,
    dispatch: Dispatch,
    wanted: &[String],
) -> Vec<String> {
    match Peer::start(&scenario.flags, document, dispatch) {
        Ok(peer) => {
            let _ = peer.finish();
            vec!["the server was made".to_owned()]
        }
        Err(text) => wanted
            .iter()
            .filter(|want| !text.contains(*want))
            .map(|want| format!("{want:?} is not in: {text}"))
            .collect(),
    }
}

/// Runs one file; gives what is wrong.
fn run(scenario: &Scenario, dispatch: Dispatch) -> Vec<String> {
    let document = scenario.section("catalog").map(|lines| expand(&lines.join("\n"), &Values::new()));
    if let Some(wanted) = scenario.section("refused") {
        return refused(scenario, document, dispatch, wanted);
    }
    let peer = match Peer::start(&scenario.flags, document.clone(), dispatch) {
        Ok(peer) => peer,
        Err(text) => return vec![format!("the server was refused: {text}")],
    };
    let (values, before) = (Values::new(), Vec::new());
    let mut run = Run { scenario, document, dispatch, peer, split: 0, values, before, log: String::new() };
    let mut faults = Vec::new();
    for line in scenario.section("client").unwrap_or_default() {
        if let Err(fault) = run.step(line) {
            faults.push(fault);
            break;
        }
    }
    match run.peer.finish() {
        Ok((messages, log)) => {
            run.before.extend(messages);
            run.log.push_str(&log);
        }
        Err(fault) => faults.push(fault),
    }
    faults.extend(
        run.before
            .iter()
            .filter_map(|message| Some(format!("{}: {message}", universal(message, scenario.session)?))),
    );
    let expected = Expected::read(scenario.section("server").expect("a server section"));
    faults.extend(pair(&expected, &run.before, &run.values));
    let wanted = scenario.section("stderr").unwrap_or_default().iter();
    faults.extend(
        wanted.filter(|want| !run.log.contains(*want)).map(|want| format!("{want:?} is not in: {}", run.log)),
    );
    faults
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/wire");
    let only = std::env::var("MCP_WIRE").unwrap_or_default();
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "txtar"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(&only)))
        .collect();
    found.sort();
    found
}

fn run_all(dispatch: Dispatch, name: &str) {
    let files = files();
    assert!(!files.is_empty(), "no file of the corpus");
    let faults = Mutex::new(Vec::new());
    let next = Mutex::new(files.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| loop {
                let Some(path) = next.lock().unwrap().next() else {
                    return;
                };
                let scenario = Scenario::read(&path);
                if scenario.is_for(name) {
                    let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    let found =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&scenario, dispatch)));
                    let found = found.unwrap_or_else(|_| vec!["a panic".to_owned()]);
                    faults
                        .lock()
                        .unwrap()
                        .extend(found.into_iter().map(|fault| format!("{title}: {fault:.1200}")));
                }
            });
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn corpus_holds_on_the_pool() {
    run_all(Dispatch::Pool, "pool");
}

/// BASE-28: the same rules over a transport of our own, a channel.
#[test]
fn corpus_holds_inline() {
    run_all(Dispatch::Inline, "inline");
}

#[test]
fn corpus_holds_when_pumped() {
    run_all(Dispatch::Pump, "pump");
}
