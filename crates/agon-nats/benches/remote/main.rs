//! What other machines cost: the programs `agon` and `agon worker` with a NATS server, all on this
//! machine, beside the same tournament in one process.
//!
//! ```text
//! cargo build --release -p agon -p agon-nats -p agon-sandbox
//! cargo bench -p agon-nats --bench remote
//! cargo bench -p agon-nats --bench remote -- idle      only idle workers
//! cargo bench -p agon-nats --bench remote -- --test    once, small
//! ```
#![allow(clippy::print_stdout, reason = "figures are its results")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

#[path = "../carriers/cpu.rs"]
mod cpu;
mod idle;
mod programs;

use std::time::{Duration, Instant};

use self::programs::{Programs, Run, Server, Worker, seconds_of_day};

/// Slots of the worker, and matches at a time of the local pool.
const SLOTS: &str = "2";

/// Paired runs, of which the median is shown.
const PAIRS: usize = 5;

fn main() {
    let has = |word: &str| std::env::args().any(|argument| argument == word);
    let is_test = has("--test");
    let (pairs, part) = if is_test { (1, 50) } else { (PAIRS, 1) };
    let programs = Programs::new();
    let server = Server::plain();
    if has("idle") {
        return idle::measure(&programs, &server, 1_000);
    }
    let built_in = plan("\"builtin:random\", \"builtin:greedy\"", 3, 20_000 / part);
    let c = plan("\"bot/blocker\", \"other=bot/blocker\"", 5, 1_000 / part);
    for (way, server) in [("plain", &server), ("TLS", &Server::secured(&programs))] {
        let worker = Worker::start(&programs, server, &["--slots", SLOTS]);
        worker.wait_until_ready();
        for (name, plan) in [("built-in bots", &built_in), ("confined programs in C", &c)] {
            paired((name, way), &programs, server, plan, pairs);
        }
    }
    let worker = Worker::start(&programs, &server, &["--slots", SLOTS, "-vv"]);
    worker.wait_until_ready();
    first_step(&programs, &server, &worker, if is_test { 2 } else { 20 });
    drop(worker);
    first_match(&programs, &server, if is_test { 1 } else { 7 });
    idle::measure(&programs, &server, if is_test { 20 } else { 1_000 });
}

/// Returns a plan of matches of cluster.
fn plan(bots: &str, side: u32, matches: u32) -> String {
    format!(
        "game = \"cluster\"\nseed = 7\nmatches = {matches}\nbots = [{bots}]\n\n[settings]\n\
         side = {side}\n\n[format]\nkind = \"round-robin\"\n"
    )
}

/// Plays a tournament with and without the server, in turn.
fn paired(
    (name, way): (&str, &str),
    programs: &Programs,
    server: &Server,
    plan: &str,
    pairs: usize,
) {
    programs.write("plan.toml", plan);
    let mut ratios = Vec::new();
    let (mut local_rates, mut rates, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..pairs {
        let out = |place: &str| format!("{name}, {way}, {place}, {pair}");
        let here = [&out("here"), "--replays", "none", "-j", SLOTS];
        let Run { rate: local, .. } = programs.tournament(&here.map(str::to_owned));
        let Run { rate, cpu_each } = programs.tournament(&server.run(&out("there")));
        ratios.push(rate / local);
        local_rates.push(local);
        rates.push(rate);
        cpu.push(cpu_each.as_secs_f64() * 1e6);
    }
    println!(
        "{name}, {way}: {:.0} matches/s through the server, {:.0} in one process: {:.0} % (median \
         of {pairs} pairs); {:.0} µs of CPU time a match for the coordinator",
        median(rates),
        median(local_rates),
        100.0 * median(ratios),
        median(cpu),
    );
}

/// From the moment in which a match is published to the one in which the worker has it.
fn first_step(programs: &Programs, server: &Server, worker: &Worker, count: usize) {
    programs.write("plan.toml", &plan("\"bot/blocker\", \"other=bot/blocker\"", 5, 2));
    let mut all = Vec::new();
    for number in 0..count {
        let out = format!("one-{number}");
        let said = programs.verbose_tournament(&server.run(&out));
        let published = moment(&said, "publishes a batch");
        // The worker says it when it gives the match to a slot, whose bots start at once.
        let played = moment(&worker.said(), "plays a match");
        all.push(played - published);
    }
    all.sort_by(f64::total_cmp);
    println!(
        "from the plan to the first step, with an idle worker: {:.1} ms (median), {:.1} ms (worst \
         of {count})",
        1e3 * all[all.len() / 2],
        1e3 * all.last().unwrap()
    );
}

/// Returns when a line was written last, in seconds of the day.
fn moment(said: &str, what: &str) -> f64 {
    let line = said.lines().rev().find(|line| line.contains(what));
    seconds_of_day(line.unwrap_or_else(|| panic!("`{what}` is not in {said}")))
}

/// From the start of a worker to its first match, which waits already.
fn first_match(programs: &Programs, server: &Server, count: usize) {
    programs.write("plan.toml", &plan("\"builtin:random\", \"builtin:greedy\"", 3, 2));
    let mut all = Vec::new();
    for number in 0..count {
        let out = format!("wait-{number}");
        let run = programs.start(&server.run(&out));
        // It waits for a worker.
        std::thread::sleep(Duration::from_secs(2));
        let began = Instant::now();
        let worker = Worker::start(programs, server, &["--slots", SLOTS, "-vv"]);
        while !worker.said().contains("plays a match") {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", worker.said());
            std::thread::sleep(Duration::from_millis(1));
        }
        all.push(began.elapsed().as_secs_f64());
        run.finish();
    }
    println!(
        "a worker's first match begins {:.2} s after its start (median of {count})",
        median(all)
    );
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
