use super::{Dispatcher, Job, Place};
use crate::call::Call;
use crate::catalog::Builder;
use crate::config::Dispatch;
use crate::error::{Error, ErrorKind};
use crate::host::{CancelReason, Host};
use crate::protocol::LogLevel;
use std::collections::HashSet;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const MODES: [Dispatch; 3] = [Dispatch::Inline, Dispatch::Pool, Dispatch::Pump];

/// Tells what it was told, and where.
struct Recorder(Mutex<Sender<(String, ThreadId)>>);

impl Recorder {
    fn new() -> (Arc<Self>, Receiver<(String, ThreadId)>) {
        let (sender, told) = channel();
        (Arc::new(Self(Mutex::new(sender))), told)
    }

    fn tell(&self, text: String) {
        let _ = self.0.lock().unwrap().send((text, thread::current().id()));
    }
}

impl Host for Recorder {
    fn catalog(&self, _: &str, _: &mut Builder) -> Result<(), Error> {
        Ok(())
    }

    fn call(&self, _: Call) {}

    fn cancelled(&self, number: u64, reason: CancelReason) {
        self.tell(format!("{number} {reason}"));
    }

    fn log(&self, level: LogLevel, text: &str) {
        self.tell(format!("{level} {text}"));
    }

    fn event(&self, json: &str) {
        assert_ne!(json, "panic", "an event\nthat panics");
        self.tell(json.to_owned());
    }
}

fn dispatcher(mode: Dispatch, threads: usize) -> (Arc<Dispatcher>, Receiver<(String, ThreadId)>) {
    let (host, told) = Recorder::new();
    (Arc::new(Dispatcher::new(mode, threads, host)), told)
}

fn run(dispatcher: &Dispatcher, work: impl FnOnce() + Send + 'static) {
    dispatcher.run(Job::Run("catalog", Box::new(work))).unwrap();
}

/// Blocks `count` workers until the barrier is met once more.
fn occupy(dispatcher: &Dispatcher, count: usize) -> Arc<Barrier> {
    let barrier = Arc::new(Barrier::new(count + 1));
    for _ in 0..count {
        let barrier = Arc::clone(&barrier);
        run(dispatcher, move || {
            barrier.wait();
            barrier.wait();
        });
    }
    barrier.wait();
    barrier
}

/// Decision 36, N-03: each mode runs its jobs where it says.
#[test]
fn jobs_run_where_the_mode_says() {
    let here = thread::current().id();
    for mode in MODES {
        let (dispatcher, told) = dispatcher(mode, 1);
        let (sender, ran) = channel();
        run(&dispatcher, move || sender.send(thread::current().id()).unwrap());
        dispatcher.run(Job::Cancel { number: 7, reason: CancelReason::Client }).unwrap();
        dispatcher.run(Job::Log { level: LogLevel::Info, text: "hello".into() }).unwrap();
        dispatcher.run(Job::Event("{}".into())).unwrap();
        if mode == Dispatch::Pump {
            assert!(ran.try_recv().is_err() && told.try_recv().is_err(), "nothing runs before it is pumped");
            assert_eq!(dispatcher.pump(LONG), 4);
        }
        assert_eq!(ran.recv_timeout(LONG).unwrap() == here, mode != Dispatch::Pool);
        let told: Vec<_> = told.try_iter().collect();
        let expected = ["7 cancelled by the client", "info hello", "{}"];
        assert_eq!(told, expected.map(|text| (text.to_owned(), here)));
    }
}

/// R014, decision 39: a cancellation reaches the host while every worker is blocked, and blocked workers do not hold up
/// the thread that brings jobs.
#[test]
fn blocked_workers_hold_up_nobody_else() {
    let (dispatcher, told) = dispatcher(Dispatch::Pool, 2);
    let barrier = occupy(&dispatcher, 2);
    let (sender, ran) = channel();
    run(&dispatcher, move || sender.send(()).unwrap());
    dispatcher.run(Job::Cancel { number: 1, reason: CancelReason::Closed }).unwrap();
    assert_eq!(told.try_recv().unwrap().0, "1 the connection closed");
    assert!(ran.try_recv().is_err(), "the pool is bounded");
    barrier.wait();
    ran.recv_timeout(LONG).unwrap();
}

/// One wake-up for a burst, and still as many workers at work as there may be.
#[test]
fn a_burst_uses_the_whole_pool_and_no_more() {
    let (dispatcher, _told) = dispatcher(Dispatch::Pool, 3);
    for _ in 0..50 {
        // Passes only if three run at once.
        occupy(&dispatcher, 3).wait();
    }
    let (sender, ran) = channel();
    for number in 0..3000 {
        let sender = sender.clone();
        run(&dispatcher, move || {
            sender.send((number, thread::current().id())).unwrap();
        });
    }
    drop(sender);
    let mut seen: Vec<(i32, ThreadId)> = ran.iter().collect();
    assert!(seen.iter().map(|(_, thread)| *thread).collect::<HashSet<_>>().len() <= 3);
    seen.sort_unstable_by_key(|(number, _)| *number);
    assert!(seen.iter().map(|(number, _)| *number).eq(0..3000));
}

/// R100: a panic ends its job only, and the log says which in one line.
#[test]
fn a_panic_ends_one_job() {
    for mode in MODES {
        let (dispatcher, told) = dispatcher(mode, 1);
        run(&dispatcher, || panic!("first\nsecond {}", "x".repeat(500)));
        run(&dispatcher, || std::panic::panic_any(5));
        dispatcher.run(Job::Event("panic".into())).unwrap();
        let (sender, ran) = channel();
        run(&dispatcher, move || sender.send(()).unwrap());
        dispatcher.pump(LONG);
        ran.recv_timeout(LONG).unwrap();
        let lines: Vec<String> = told.try_iter().map(|(line, _)| line).collect();
        for start in [
            "catalog callback panicked: first second",
            "catalog callback panicked: (no text)",
            "event callback",
        ] {
            assert!(lines.iter().any(|line| line.contains(start)), "{mode:?}: {start} in {lines:?}");
        }
        assert!(lines
            .iter()
            .all(|line| line.starts_with("error ") && !line.contains('\n') && line.len() < 200));
    }
}

/// R097: order is kept, `max` ends the pump, and at least one job runs.
#[test]
fn the_pump_keeps_order_and_time() {
    let (dispatcher, _told) = dispatcher(Dispatch::Pump, 0);
    assert_eq!(dispatcher.pump(Duration::ZERO), 0);
    let (sender, ran) = channel();
    for number in 0..5 {
        let (sender, inner) = (sender.clone(), Arc::clone(&dispatcher));
        run(&dispatcher, move || {
            assert!(inner.in_worker());
            sender.send(number).unwrap();
        });
    }
    assert!(!dispatcher.in_worker());
    assert_eq!(dispatcher.pump(Duration::ZERO), 1);
    assert_eq!(dispatcher.pump(LONG), 4);
    assert!(ran.try_iter().eq(0..5));
    assert!(!dispatcher.in_worker());
}

/// N-03: the descriptor is readable exactly while there is work, from before it was first asked for.
#[cfg(unix)]
#[test]
fn the_pump_descriptor_is_readable_while_work_waits() {
    use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
    let (pumped, _told) = dispatcher(Dispatch::Pump, 0);
    run(&pumped, || {});
    let readable = || {
        let mut fds = [PollFd::new(pumped.pump_fd().unwrap(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).unwrap() == 1
    };
    assert!(readable());
    for count in 1..4 {
        assert_eq!(pumped.pump(Duration::ZERO), 1);
        assert!(!readable());
        for _ in 0..count {
            run(&pumped, || {});
        }
        assert!(readable());
        for _ in 1..count {
            pumped.pump(Duration::ZERO);
            assert!(readable());
        }
    }
    for mode in [Dispatch::Inline, Dispatch::Pool] {
        let (other, _told) = dispatcher(mode, 0);
        assert_eq!(other.pump_fd().unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn a_worker_knows_whose_it_is() {
    let (one, _told) = dispatcher(Dispatch::Pool, 1);
    let (two, _told) = dispatcher(Dispatch::Pump, 1);
    let (sender, ran) = channel();
    let (inner_one, inner_two) = (Arc::clone(&one), Arc::clone(&two));
    run(&one, move || {
        let before = (inner_one.in_worker(), inner_two.in_worker());
        let (nested_one, nested_two) = (Arc::clone(&inner_one), Arc::clone(&inner_two));
        run(&inner_two, move || {
            sender.send((before, nested_one.in_worker(), nested_two.in_worker())).unwrap();
        });
        inner_two.pump(LONG);
    });
    assert_eq!(ran.recv_timeout(LONG).unwrap(), ((true, false), true, true));
    assert!(!one.in_worker());
}

/// The last reference may go while callbacks run, in one of them even: no hang, no self-join, and idle threads are gone
/// when it returns.
#[test]
fn dropping_waits_for_no_callback() {
    let (blocked, _told) = dispatcher(Dispatch::Pool, 2);
    let barrier = occupy(&blocked, 1);
    let (never, waiting) = channel::<()>();
    let more = occupy(&blocked, 1);
    run(&blocked, move || drop(never));
    let started = Instant::now();
    drop(blocked);
    assert!(started.elapsed() < LONG);
    assert!(waiting.recv().is_err(), "what waited was dropped");
    barrier.wait();
    more.wait();

    let (last, _told) = dispatcher(Dispatch::Pool, 1);
    let (sender, ran) = channel();
    let (give, take) = channel::<Arc<Dispatcher>>();
    run(&last, move || {
        let inner = take.recv().unwrap();
        assert_eq!(Arc::strong_count(&inner), 1);
        drop(inner);
        sender.send(()).unwrap();
    });
    give.send(last).unwrap();
    ran.recv_timeout(LONG).unwrap();

    let host = Recorder::new().0;
    let idle = Dispatcher::new(Dispatch::Pool, 4, Arc::clone(&host) as Arc<dyn Host>);
    occupy(&idle, 4).wait();
    let Place::Pool(pool) = &idle.place else { panic!("not a pool") };
    while pool.idle() < 4 {
        thread::yield_now();
    }
    drop(idle);
    assert_eq!(Arc::strong_count(&host), 1, "no thread holds the host any more");
}

#[test]
fn stopping_waits_for_callbacks_at_most_so_long() {
    let (dispatcher, _told) = dispatcher(Dispatch::Pool, 1);
    let barrier = occupy(&dispatcher, 1);
    assert!(!dispatcher.stop(Duration::from_millis(10)));
    barrier.wait();
    assert!(dispatcher.stop(LONG));
    let (sender, ran) = channel();
    let inner = Arc::clone(&dispatcher);
    run(&dispatcher, move || sender.send(inner.stop(LONG)).unwrap());
    assert!(ran.recv_timeout(LONG).unwrap(), "the callback that stops does not wait for itself");
}

/// Decision 36: what the host is owed still runs when a pumped server is freed.
#[test]
fn freeing_a_pumped_server_tells_what_waits() {
    let (dispatcher, told) = dispatcher(Dispatch::Pump, 0);
    let (never, waiting) = channel::<()>();
    run(&dispatcher, move || drop(never));
    dispatcher.run(Job::Cancel { number: 3, reason: CancelReason::Stopped }).unwrap();
    drop(dispatcher);
    assert_eq!(told.try_recv().unwrap(), ("3 the server was stopped".to_owned(), thread::current().id()));
    assert!(waiting.recv().is_err());
}

/// R099: see also `core/tests`; here the same as a forked process sees it.
#[test]
fn another_process_is_refused() {
    let error = super::Process(std::process::id() + 1).check().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(super::Process::current().check().is_ok());
}
