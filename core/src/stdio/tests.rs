use super::guard;
use super::output::{Outlet, FEW};
use super::port::Port;
use crate::dispatch::{sigpipe, Bell};
use crate::engine::connection::Output;
use crate::error::ErrorKind;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::pipe2;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const LONG_POLL: u16 = 20_000;

/// A pipe that the processes which other tests start do not inherit.
fn pipe() -> (OwnedFd, OwnedFd) {
    pipe2(nix::fcntl::OFlag::O_CLOEXEC).unwrap()
}

/// Ways out with their readers.
fn ways() -> Vec<(&'static str, Port, File)> {
    let (read, write) = pipe();
    let (slow_read, slow_write) = pipe();
    let (one, two) = UnixStream::pair().unwrap();
    let (three, four) = UnixStream::pair().unwrap();
    three.set_nonblocking(true).unwrap();
    let file = |fd: OwnedFd| File::from(fd);
    vec![
        ("pipe", Port::open(write.as_fd()).unwrap(), file(read)),
        ("paced pipe", Port::Paced(slow_write), file(slow_read)),
        ("socket", Port::open(one.as_fd()).unwrap(), file(two.into())),
        ("non-blocking socket", Port::open(three.as_fd()).unwrap(), file(four.into())),
    ]
}

fn outlet(port: Port) -> (Outlet, Arc<Bell>) {
    let bell = Arc::new(Bell::new().unwrap());
    (Outlet::with(port, Bell::new().unwrap(), Arc::clone(&bell)), bell)
}

fn rings(bell: &Bell, timeout: u16) -> bool {
    poll(&mut [PollFd::new(bell.as_fd(), PollFlags::POLLIN)], PollTimeout::from(timeout)).unwrap() == 1
}

/// Messages of all sizes up to 1 MiB that say what they are, 6 MiB in all.
fn messages() -> Vec<Vec<u8>> {
    let sizes = [1, 10, 511, 512, 513, 4095, 4096, 4097, 65_535, 65_536, 65_537, 1 << 20];
    (0..60u8).map(|number| vec![number; sizes[usize::from(number) % sizes.len()]]).collect()
}

fn as_library<T>(library: bool, work: impl FnOnce() -> T) -> T {
    let _blocked = library.then(|| sigpipe::Blocked::new().unwrap());
    work()
}

#[test]
fn a_pipe_is_opened_anew_rather_than_paced() {
    let ports: Vec<bool> = ways().iter().map(|(_, port, _)| matches!(port, Port::Paced(_))).collect();
    assert_eq!(ports, [!cfg!(target_os = "linux"), true, false, false]);
    let (_read, write) = pipe();
    let _port = Port::open(write.as_fd()).unwrap();
    let flags = nix::fcntl::fcntl(&write, nix::fcntl::FcntlArg::F_GETFL).unwrap();
    assert_eq!(flags & nix::libc::O_NONBLOCK, 0, "the caller's open file keeps its flags");
}

/// A reader that reads at once gets everything, at once and in order, without a second thread.
#[test]
fn what_fits_is_written_by_the_thread_that_has_it() {
    for (name, port, mut reader) in ways() {
        let (outlet, _bell) = outlet(port);
        let mut read = vec![0; 16_000];
        for round in 0..20u8 {
            as_library(true, || outlet.write(&[round; 16_000]));
            assert_eq!(outlet.backlog(), 0, "{name}");
            reader.read_exact(&mut read).unwrap();
            assert_eq!(read, [round; 16_000], "{name}");
        }
        assert!(!outlet.has_writer(), "{name}");
    }
}

/// Design section 6: a slow reader loses nothing and holds up nobody; R012: nor does it cost a spinning processor.
#[test]
fn a_slow_reader_gets_everything_in_order() {
    for library in [true, false] {
        for (name, port, mut reader) in ways() {
            let (outlet, bell) = outlet(port);
            let started = Instant::now();
            as_library(library, || {
                for message in messages() {
                    outlet.write(&message);
                }
            });
            assert!(started.elapsed() < LONG, "{name}: writing waits for no reader");
            let all = messages().concat();
            assert!(outlet.backlog() > all.len() / 2, "{name}: {}", outlet.backlog());
            assert!(!outlet.flush(Duration::from_millis(1)), "{name}");
            // While the descriptor took everything, the backlog may have come and gone.
            outlet.take_eased();
            bell.clear();
            let mut read = vec![0; all.len()];
            let (start, rest) = read.split_at_mut(1000);
            reader.read_exact(start).unwrap();
            reader.read_exact(rest).unwrap();
            assert!(read == all, "{name}");
            assert!(outlet.flush(LONG), "{name}");
            assert!(rings(&bell, LONG_POLL) && outlet.take_eased(), "{name}: told that it eased");
            // Once the backlog is gone, the short way is taken again, in order.
            as_library(library, || outlet.write(b"next"));
            let mut next = [0; 4];
            reader.read_exact(&mut next).unwrap();
            assert_eq!(&next, b"next", "{name}");
            outlet.close();
            assert_eq!(reader.read(&mut next).unwrap(), 0, "{name}: closed at both ends");
        }
    }
}

#[test]
fn small_backlogs_do_not_call_the_reader() {
    let (_, port, mut reader) = ways().remove(0);
    let (outlet, bell) = outlet(port);
    for _ in 0..50 {
        outlet.write(&[0; FEW / 4]);
        assert!(outlet.flush(LONG));
        reader.read_exact(&mut [0; FEW / 4]).unwrap();
    }
    assert!(!rings(&bell, 0) && !outlet.take_eased());
}

/// R012, decision 38: a reader that is gone is an error that the door is told of, never a signal left to the host.
#[test]
fn a_closed_reader_is_an_error_and_no_signal() {
    for library in [true, false] {
        for (name, port, reader) in ways() {
            thread::spawn(move || {
                // As a host that has the signal blocked for itself, so that one left over would show.
                SigSet::from(Signal::SIGPIPE).thread_block().unwrap();
                let (outlet, bell) = outlet(port);
                drop(reader);
                as_library(library, || outlet.write(b"lost"));
                assert!(rings(&bell, LONG_POLL), "{name}: the door is called");
                assert!(outlet.is_closed() && outlet.backlog() == 0, "{name}");
                assert_eq!(outlet.take_fault().unwrap().kind(), std::io::ErrorKind::BrokenPipe, "{name}");
                outlet.write(b"dropped");
                assert!(outlet.take_fault().is_none() && !outlet.flush(LONG), "{name}");
                outlet.close();
                assert!(!sigpipe::is_pending(), "{name}: a signal is left");
            })
            .join()
            .unwrap();
        }
    }
}

/// The writer is called away from a reader that never reads, and from one that goes away meanwhile.
#[test]
fn the_writer_ends_whatever_the_reader_does() {
    for (name, port, reader) in ways() {
        let (outlet, _bell) = outlet(port);
        outlet.write(&vec![0; 1 << 20]);
        assert!(outlet.has_writer(), "{name}");
        outlet.close();
        assert!(outlet.take_fault().is_none(), "{name}");
        drop(reader);
    }
    for (name, port, mut reader) in ways() {
        let (outlet, bell) = outlet(port);
        outlet.write(&vec![0; 1 << 20]);
        reader.read_exact(&mut [0; 10]).unwrap();
        drop(reader);
        assert!(!outlet.flush(LONG), "{name}");
        assert!(rings(&bell, LONG_POLL) && outlet.take_fault().is_some(), "{name}");
        outlet.close();
    }
}

#[test]
fn the_signal_mask_is_left_as_it_was() {
    thread::spawn(|| {
        for blocked in [false, true] {
            let only = SigSet::from(Signal::SIGPIPE);
            if blocked { only.thread_block() } else { only.thread_unblock() }.unwrap();
            let guard = sigpipe::Blocked::new().unwrap();
            assert!(sigpipe::is_blocked() && SigSet::thread_get_mask().unwrap().contains(Signal::SIGPIPE));
            drop(guard);
            assert!(!sigpipe::is_blocked());
            assert_eq!(SigSet::thread_get_mask().unwrap().contains(Signal::SIGPIPE), blocked);
        }
    })
    .join()
    .unwrap();
}

const CHILD: &str = "MCPCORE_TEST_GUARD";

/// Not a test of its own: the process that the tests below start.
#[test]
fn guarded_process() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let wire = guard::take().unwrap();
    assert_eq!(guard::take().unwrap_err().kind(), ErrorKind::Closed);
    std::io::stdout().write_all(b"stray print\n").unwrap();
    std::io::stdout().flush().unwrap();
    let script = "cat; echo stray child; ls -l /proc/self/fd | sed 's/^/fd /'";
    assert!(Command::new("sh").args(["-c", script]).status().unwrap().success());
    for fd in [&wire.input, &wire.output] {
        let number = std::os::fd::AsRawFd::as_raw_fd(fd);
        assert!(number > 2);
        eprintln!("wire is {}", std::fs::read_link(format!("/proc/self/fd/{number}")).unwrap().display());
    }
    let mut line = [0; 5];
    File::from(wire.input).read_exact(&mut line).unwrap();
    File::from(wire.output).write_all(&[b"wire ", &line[..], b"\n"].concat()).unwrap();
}

fn guarded(redirect: &str) -> (String, String) {
    let script = format!("exec \"$0\" --exact stdio::tests::guarded_process --nocapture {redirect}");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"hello").unwrap();
    // Kept open: the child process's `cat` must end all the same.
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert!(output.status.success(), "{output:?}");
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// STDIO-03, R008, R105, N-23, X-07: stray output goes to standard error, children read nothing and inherit no wire.
#[test]
fn stray_output_and_children_do_not_touch_the_wire() {
    let (wire, stray) = guarded("");
    assert!(wire.contains("wire hello\n") && !wire.contains("stray"), "{wire}");
    assert!(stray.contains("stray print\n") && stray.contains("stray child\n"), "{stray}");
    let children: Vec<&str> = stray.lines().filter(|line| line.starts_with("fd ")).collect();
    assert!(children.iter().any(|line| line.contains(" 0 -> /dev/null")), "{stray}");
    let ends: Vec<&str> = stray.lines().filter_map(|line| line.strip_prefix("wire is ")).collect();
    assert_eq!(ends.len(), 2, "{stray}");
    for end in ends {
        assert!(
            end.starts_with("pipe:") && !children.iter().any(|line| line.contains(end)),
            "{end} in {children:?}"
        );
    }
}

/// Decision 37: where standard error is the wire itself or closed, stray output goes nowhere.
#[test]
fn stray_output_goes_nowhere_if_standard_error_is_no_place() {
    for redirect in ["2>&1", "2>&-"] {
        let (wire, stray) = guarded(redirect);
        assert!(wire.contains("wire hello\n") && !wire.contains("stray"), "{redirect}: {wire}");
        assert!(!stray.contains("stray"), "{redirect}: {stray}");
    }
}
