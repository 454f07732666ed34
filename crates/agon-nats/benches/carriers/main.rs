//! Three ways to hand matches to workers, side by side: NATS JetStream, requests over HTTP, and a
//! table of PostgreSQL (`SKIP LOCKED`). What a task costs the server, how long one takes to an idle
//! worker, and what a thousand idle workers cost.
//!
//! The other two are built as favourably as we could: the HTTP server keeps all in memory and
//! checks nothing, PostgreSQL syncs nothing and has a table without a log. NATS keeps its stream in
//! memory, as Agon uses it.
//!
//! ```text
//! cargo bench -p agon-nats --bench carriers
//! cargo bench -p agon-nats --bench carriers -- --test    once, small
//! ```
#![allow(clippy::print_stdout, reason = "figures are its results")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

mod cpu;
mod http;
mod nats;
mod postgres;

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use tokio::{
    sync::Notify,
    task::LocalSet,
    time::{sleep, timeout},
};

use self::{cpu::cpu_of, http::Http, nats::Nats, postgres::Postgres};

/// The size of a task in bytes, about that of a match.
const BYTES: usize = 1_000;

/// Workers that take tasks.
const WORKERS: usize = 8;

/// A worker that found nothing asks again after this time, unless the carrier wakes it.
const POLL: Duration = Duration::from_secs(1);

/// How much is measured.
#[derive(Clone, Copy)]
struct Size {
    tasks: usize,
    latencies: usize,
    idle: usize,
    watched: Duration,
}

/// A way to hand out tasks.
trait Carrier {
    /// A worker's side of it.
    type Worker: Worker;

    /// The processes of the server.
    fn processes(&self) -> Vec<u32>;

    /// Hands tasks to the server, which keeps all of them.
    async fn publish(&self, tasks: usize);

    /// Connects a worker.
    async fn worker(&self) -> Self::Worker;
}

/// A worker's side of a carrier.
trait Worker {
    /// Takes tasks: those that are there, or the next one as soon as it hears of it. Empty if none
    /// came for a while.
    async fn take(&mut self, most: usize) -> Vec<u64>;

    /// Tells that tasks are over.
    async fn done(&mut self, tasks: &[u64]);
}

fn main() {
    if let Some(at) = std::env::args().position(|argument| argument == "--serve") {
        return http::serve(&std::env::args().nth(at + 1).unwrap());
    }
    let is_test = std::env::args().any(|argument| argument == "--test");
    let size = match is_test {
        true => Size { tasks: 500, latencies: 2, idle: 10, watched: Duration::from_secs(1) },
        false => {
            Size { tasks: 20_000, latencies: 40, idle: 1_000, watched: Duration::from_secs(20) }
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!(
        "{:<12} {:>12} {:>14} {:>14} {:>16} {:>12} {:>12} {:>14}",
        "carrier",
        "one each",
        "server CPU",
        "50 at a time",
        "server CPU",
        "to an idle",
        "worst",
        "1000 idle"
    );
    LocalSet::new().block_on(&runtime, async {
        row("NATS", &Nats::start().await, size).await;
        row("HTTP", &Http::start(), size).await;
        match Postgres::start().await {
            Some(postgres) => row("PostgreSQL", &postgres, size).await,
            None => println!("PostgreSQL is not installed here"),
        }
    });
}

async fn row<C: Carrier>(name: &str, carrier: &C, size: Size) {
    let (single, single_cpu) = throughput(carrier, size.tasks, 1).await;
    let (batches, batches_cpu) = throughput(carrier, size.tasks, 50).await;
    let mut latencies = latencies(carrier, size.latencies).await;
    latencies.sort_unstable();
    let idle = idle(carrier, size).await;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{name:<12} {single:>10.0}/s {single_cpu:>11.1} µs {batches:>12.0}/s \
         {batches_cpu:>13.1} µs {:>9.1} ms {:>9.1} ms {:>12.1} %",
        ms(latencies[latencies.len() / 2]),
        ms(*latencies.last().unwrap()),
        100.0 * idle,
    );
}

/// Returns how many tasks the workers do in a second, and what one costs the server in µs of CPU.
async fn throughput<C: Carrier>(carrier: &C, tasks: usize, batch: usize) -> (f64, f64) {
    let mut workers = Vec::new();
    for _ in 0..WORKERS {
        workers.push(carrier.worker().await);
    }
    let before = cpu_of(&carrier.processes());
    let began = Instant::now();
    carrier.publish(tasks).await;
    let (done, is_over) = (Cell::new(0), Notify::new());
    let all = workers.iter_mut().map(|worker| async {
        loop {
            let taken = worker.take(batch).await;
            if !taken.is_empty() {
                worker.done(&taken).await;
            }
            done.set(done.get() + taken.len());
            if done.get() >= tasks {
                is_over.notify_one();
            }
        }
    });
    // Those that find nothing more still wait.
    tokio::select! {
        _ = join_all(all) => unreachable!("workers never end"),
        () = is_over.notified() => {}
    }
    let took = began.elapsed().as_secs_f64();
    assert_eq!(done.get(), tasks, "each task is taken once");
    let cpu = cpu_of(&carrier.processes()).saturating_sub(before);
    (tasks as f64 / took, cpu.as_secs_f64() * 1e6 / tasks as f64)
}

/// Returns how long tasks take to workers that all wait.
async fn latencies<C: Carrier>(carrier: &C, count: usize) -> Vec<Duration> {
    let mut workers = Vec::new();
    for _ in 0..WORKERS {
        workers.push(carrier.worker().await);
    }
    let mut all = Vec::new();
    for number in 0..count {
        // They wait for some time already, and not all for the same.
        let pause = POLL + Duration::from_millis(37 * (number as u64 % 27));
        let (first, is_there) = (Cell::new(None), Notify::new());
        let waits = workers.iter_mut().map(|worker| async {
            loop {
                let taken = worker.take(1).await;
                if !taken.is_empty() {
                    if first.get().is_none() {
                        first.set(Some(Instant::now()));
                        is_there.notify_one();
                    }
                    worker.done(&taken).await;
                    return;
                }
            }
        });
        let publish = async {
            sleep(pause).await;
            let began = Instant::now();
            carrier.publish(1).await;
            is_there.notified().await;
            // The others end, too: a request that is given up would take a later task.
            carrier.publish(WORKERS - 1).await;
            began
        };
        let (_, began) = tokio::join!(join_all(waits), publish);
        all.push(first.get().unwrap().saturating_duration_since(began));
    }
    all
}

/// Returns how much of a core the server needs while many workers wait.
async fn idle<C: Carrier>(carrier: &C, size: Size) -> f64 {
    let mut workers = Vec::new();
    for _ in 0..size.idle {
        workers.push(carrier.worker().await);
    }
    let wait = workers.iter_mut().map(|worker| async {
        loop {
            let taken = worker.take(1).await;
            // One that was delivered again.
            if !taken.is_empty() {
                worker.done(&taken).await;
            }
        }
    });
    let wait = join_all(wait);
    let measure = async {
        // Until all wait.
        sleep(size.watched / 4).await;
        let (before, began) = (cpu_of(&carrier.processes()), Instant::now());
        sleep(size.watched).await;
        let cpu = cpu_of(&carrier.processes()).saturating_sub(before);
        cpu.as_secs_f64() / began.elapsed().as_secs_f64()
    };
    tokio::select! {
        _ = timeout(size.watched * 4, wait) => unreachable!("they wait"),
        share = measure => share,
    }
}
