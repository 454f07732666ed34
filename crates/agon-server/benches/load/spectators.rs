//! `spectators`: how long events take to a thousand open pages, and what they cost the server.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rusqlite::Connection;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::{sleep, timeout_at};
use tokio::{net::TcpSocket, runtime::Builder, task::JoinSet};

use crate::site::{self, Line, Times, between, cpu, memory, now, print};

/// Has many pages of an arena open while matches are played.
#[derive(Args, Clone, Debug)]
pub(crate) struct Spectators {
    /// How many pages follow the table.
    #[arg(long, value_name = "N", default_value_t = 1_000,
        value_parser = clap::value_parser!(u32).range(1..=3_000))]
    pub(crate) viewers: u32,
    /// For how long they are open.
    #[arg(long, value_name = "SECONDS", default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) seconds: u64,
    /// Print lines of JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The game of the arena.
const GAME: &str = "cluster";

/// Clients of the API that hear of single matches, beside the pages.
const FOLLOWERS: u32 = 10;

/// Viewers of an address: the server takes a limited number of connections from each.
const EACH: u32 = 500;

/// An event: its name, its data, and when it came.
type Event = (String, String, i64);

/// Measures events; returns how many viewers heard of a new table.
pub(crate) fn run(options: &Spectators) -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let (server, mut root) =
        site::start(folder.path(), GAME, &["greedy", "random"], &["--pace", "0"])?;
    for name in ["ada", "bob"] {
        let mut author = server.author(&mut root, name);
        let path = site::hand_in(&mut author, GAME)?;
        site::until_ready(&mut author, &path)?;
    }
    let port = server.address.rsplit(':').next().and_then(|port| port.parse().ok());
    let port: u16 = port.context("the server has a port")?;
    let memory_before = memory(server.pid(), "VmRSS");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (tables, matches, used) = runtime.block_on(watch(options, port, server.pid()))?;
    let memory_after = memory(server.pid(), "VmRSS");
    let heard = tables.iter().filter(|events| !events.is_empty()).count();
    let mut from_table = Times::default();
    for (_, made, at) in tables.iter().flatten() {
        from_table.add(between(made.parse().context("the time of a table")?, *at));
    }
    let from_result = delays(&folder.path().join("agon.db"), &matches)?;
    ensure!(server.stop(), "the server does not end well");
    let line = |what: &str, times| Line { what: what.to_owned(), times, bytes: None };
    print(
        &[line("new table to page", from_table), line("result to API client", from_result)],
        options.json,
    );
    if let (false, Some(before), Some(after)) = (options.json, memory_before, memory_after) {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "{heard} of {} pages heard of a table; memory {:.0} MB before and {:.0} MB with them; \
             the server itself used {:.0} % of a core",
            options.viewers,
            mb(before),
            mb(after),
            100.0 * used
        );
    }
    Ok(heard)
}

/// Opens all streams, and reads them; returns the events of pages and of clients of the API, and
/// the share of a core that the server used.
async fn watch(
    options: &Spectators,
    port: u16,
    pid: u32,
) -> Result<(Vec<Vec<Event>>, Vec<Vec<Event>>, f64)> {
    let (page, api) = (format!("/arenas/{GAME}/events"), format!("/api/v1/arenas/{GAME}/events"));
    let mut open = JoinSet::new();
    let long = Duration::from_secs(options.seconds);
    for number in 0..options.viewers + FOLLOWERS {
        let is_page = number < options.viewers;
        let path = if is_page { page.clone() } else { api.clone() };
        let from = Ipv4Addr::new(127, 0, 0, 1 + (number / EACH) as u8);
        open.spawn(async move {
            let name = if is_page { "table" } else { "match" };
            anyhow::Ok((is_page, follow(from, port, &path, name, long).await?))
        });
        if number % 50 == 0 {
            // So that no queue of the system overflows.
            sleep(Duration::from_millis(5)).await;
        }
    }
    let (began, before) = (Instant::now(), cpu(pid));
    let (mut tables, mut matches) = (Vec::new(), Vec::new());
    while let Some(done) = open.join_next().await {
        let (is_page, events) = done??;
        if is_page { tables.push(events) } else { matches.push(events) }
    }
    let spent = cpu(pid).zip(before).map_or(Duration::ZERO, |(after, before)| after - before);
    Ok((tables, matches, spent.as_secs_f64() / began.elapsed().as_secs_f64()))
}

/// Follows a stream for some time; returns its events with a name.
async fn follow(
    from: Ipv4Addr,
    port: u16,
    path: &str,
    name: &str,
    long: Duration,
) -> Result<Vec<Event>> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((from, 0)))?;
    let mut stream = socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let status = lines.next_line().await?.unwrap_or_default();
    ensure!(status.contains(" 200 "), "{path}: {status}");
    let until = tokio::time::Instant::now() + long;
    let mut events = Vec::new();
    let mut is_wanted = false;
    while let Ok(line) = timeout_at(until, lines.next_line()).await {
        let line = line?.context("the server ended a stream")?;
        if let Some(event) = line.strip_prefix("event: ") {
            is_wanted = event == name;
        } else if let Some(data) = line.strip_prefix("data: ").filter(|_| is_wanted) {
            events.push((name.to_owned(), data.to_owned(), now()));
        }
    }
    Ok(events)
}

/// Returns how long after the end of a match its event came.
fn delays(database: &std::path::Path, streams: &[Vec<Event>]) -> Result<Times> {
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let mut statement =
        connection.prepare("SELECT number, played FROM matches WHERE played IS NOT NULL")?;
    let played: HashMap<u64, i64> = statement
        .query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut times = Times::default();
    for (_, data, at) in streams.iter().flatten() {
        let event: serde_json::Value = serde_json::from_str(data)?;
        let number = event["number"].as_u64().context("an event names its match")?;
        let over = played.get(&number).context("a match that is not in the database")?;
        times.add(between(*over, *at));
    }
    Ok(times)
}
