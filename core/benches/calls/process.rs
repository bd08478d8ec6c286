//! A server that was started to be measured, and what it uses.

use std::fs::{read_dir, read_to_string};
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that does not listen after so long has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a port is tried.
const PAUSE: Duration = Duration::from_millis(5);

/// A process; it is killed at the end.
pub(crate) struct Process {
    child: Child,
    /// The port that it was told.
    told: Option<u16>,
}

impl Process {
    /// `BYTES` among the words stands for `bytes`, `PORT` for a port that is free.
    pub(crate) fn start(words: &[&str], bytes: usize) -> Result<Self, String> {
        let told = if words.contains(&"PORT") { Some(free_port()?) } else { None };
        let mut words = words.iter().map(|word| match (*word, told) {
            ("BYTES", _) => bytes.to_string(),
            ("PORT", Some(port)) => port.to_string(),
            (word, _) => word.to_owned(),
        });
        let program = words.next().ok_or("a command is empty")?;
        let child = Command::new(&program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program} does not start: {error}"))?;
        Ok(Self { child, told })
    }

    /// The port, once it listens there.
    pub(crate) fn port(&mut self) -> Result<u16, String> {
        if let Some(port) = self.told {
            let since = Instant::now();
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                if since.elapsed() > PATIENCE {
                    return Err(format!("the server does not listen on port {port}"));
                }
                std::thread::sleep(PAUSE);
            }
            return Ok(port);
        }
        let mut line = String::new();
        let output = self.child.stdout.take().ok_or("the server has no output")?;
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        line.trim().parse().map_err(|_| format!("the server says no port: {line:?}"))
    }

    /// Time on a processor of its threads so far.
    pub(crate) fn cpu_ns(&self) -> Result<u64, String> {
        let path = format!("/proc/{}/task", self.child.id());
        let threads = read_dir(&path).map_err(|error| format!("{path}: {error}"))?;
        let time = |thread: std::io::Result<std::fs::DirEntry>| {
            let text = read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        Ok(threads.filter_map(time).sum())
    }

    pub(crate) fn resident_kib(&self) -> Result<u64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let text = read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().map_err(|_| format!("{path}: no resident size"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> Result<u16, String> {
    let taken = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    taken.map(|address| address.port()).map_err(|error| format!("no port is free: {error}"))
}
