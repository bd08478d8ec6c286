//! What calls cost: in process, over stdio and HTTP, and the load drivers for any server. `tests/bench/run.py` runs it.

mod client;
mod drive;
mod fixture;
mod http;
mod load;
mod measure;
mod process;
mod stdio;

use std::env::args;
use std::process::ExitCode;

const USAGE: &str = "usage: calls time\n\
                     \x20      calls count CASE TIMES      (under callgrind, toggled at `operation`)\n\
                     \x20      calls cases\n\
                     \x20      calls catalog TOOLS\n\
                     \x20      calls serve loop|floor|engine|http\n\
                     \x20      calls serve bare-http BYTES\n\
                     \x20      calls drive REQUESTS COMMAND [ARGUMENT …]\n\
                     \x20      calls load echo|list|large CONNECTIONS -- REQUESTS [session] COMMAND [ARGUMENT …] [-- …] …\n\
                     \x20      calls start TIMES -- COMMAND [ARGUMENT …] [-- COMMAND …] …";

fn main() -> ExitCode {
    let words: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        // What `cargo bench` says.
        ["time" | "--bench"] => measure::time(),
        ["count", case, times] => times
            .parse()
            .map_err(|error| format!("{times}: {error}"))
            .and_then(|times| measure::count(case, times)),
        ["cases"] => {
            measure::names().for_each(|name| println!("{name}"));
            Ok(())
        }
        ["catalog", tools] => tools
            .parse()
            .map_err(|error| format!("{tools}: {error}"))
            .map(|tools| println!("{}", fixture::catalog(tools))),
        ["serve", "loop"] => stdio::serve_lines(stdio::say_again),
        ["serve", "floor"] => stdio::serve_lines(stdio::parse_and_answer),
        ["serve", "engine"] => stdio::serve_engine(),
        ["serve", "http"] => http::serve_engine(),
        ["serve", "bare-http", size] => {
            size.parse().map_err(|error| format!("{size}: {error}")).and_then(http::serve_bare)
        }
        ["load", case, connections, "--", commands @ ..] => connections
            .parse()
            .map_err(|error| format!("{connections}: {error}"))
            .and_then(|connections| load::run(case, connections, &split(commands))),
        ["start", times, "--", commands @ ..] => times
            .parse()
            .map_err(|error| format!("{times}: {error}"))
            .and_then(|times| load::start(times, &split(commands))),
        ["drive", requests, command, arguments @ ..] => requests
            .parse()
            .map_err(|error| format!("{requests}: {error}"))
            .and_then(|requests| drive::run(requests, command, arguments)),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("calls: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn split<'a, 'w>(words: &'a [&'w str]) -> Vec<&'a [&'w str]> {
    words.split(|word| *word == "--").collect()
}
