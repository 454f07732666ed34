//! `pages`: how long pages and answers of the API take.

use std::time::{Duration, Instant};
use std::{path::PathBuf, thread};

use agon_core::{Purpose, Seed};
use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use serde_json::Value;

use crate::site::{Line, Times, memory, print};
use crate::support::{Client, Server, wait_for};

/// Asks a server for its pages, and measures how long each takes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Pages {
    /// The folder of a ladder: `generate` makes one.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// How often each page is asked for.
    #[arg(long, value_name = "N", default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests: u32,
    /// How many clients ask at the same time.
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) clients: u32,
    /// Print lines of JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Different pages of each kind that are asked for in turn.
const KINDS: usize = 50;

/// Pages of a kind.
struct Kind {
    what: &'static str,
    paths: Vec<String>,
}

/// Measures a ladder's pages; returns how many matches the server counts.
pub(crate) fn run(options: &Pages) -> Result<u64> {
    ensure!(options.data.is_dir(), "{} is no folder; generate one", options.data.display());
    let began = Instant::now();
    let server = Server::start(&options.data, &[]);
    let started = began.elapsed();
    let mut client = server.client();
    let arenas = json(&mut client, "/api/v1/arenas")?;
    let slug = arenas["items"][0]["slug"].as_str().context("there is no arena")?.to_owned();
    // The board is there.
    let arena = wait_for("the leaderboard", || {
        let arena = json(&mut client, &format!("/api/v1/arenas/{slug}")).ok()?;
        (arena["matches"].as_u64()? > 0).then_some(arena)
    });
    let shown = began.elapsed();
    let matches = arena["matches"].as_u64().unwrap_or(0);
    let kinds = kinds(&mut client, &slug, matches)?;
    if !options.json {
        println!(
            "{} bots, {matches} matches, {}; starts in {:.1} s, with a leaderboard in {:.1} s",
            arena["bots"],
            arena["phase"],
            started.as_secs_f64(),
            shown.as_secs_f64()
        );
    }
    let lines: Result<Vec<Line>> = kinds.iter().map(|kind| ask(&server, kind, options)).collect();
    print(&lines?, options.json);
    let mb = |name| memory(server.pid(), name).map_or(0.0, |bytes| bytes as f64 / 1e6);
    if !options.json {
        println!("memory: {:.0} MB, at most {:.0} MB", mb("VmRSS"), mb("VmHWM"));
    }
    ensure!(server.stop(), "the server does not end well");
    Ok(matches)
}

fn json(client: &mut Client, path: &str) -> Result<Value> {
    let reply = client.get(path);
    ensure!(reply.status == 200, "{path}: {}", reply.text());
    Ok(serde_json::from_slice(&reply.body)?)
}

/// Returns what is asked for: bots from all parts of the leaderboard, matches of all times.
fn kinds(client: &mut Client, slug: &str, matches: u64) -> Result<Vec<Kind>> {
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    let (page, api) = (format!("/arenas/{slug}"), format!("/api/v1/arenas/{slug}"));
    let first = json(client, &format!("{api}/leaderboard?limit=200"))?;
    let pages = first["total"].as_u64().context("a leaderboard has a total")?.div_ceil(100);
    let mut bots: Vec<String> = Vec::new();
    let mut cursor = first["next"].as_str().map(str::to_owned);
    let mut list = first.clone();
    // All parts, but not all rows.
    loop {
        let items = list["items"].as_array().into_iter().flatten();
        let slugs = items.filter_map(|row| row["bot"]["slug"].as_str());
        bots.extend(slugs.step_by(20).map(str::to_owned));
        let Some(next) = cursor.take() else { break };
        list = json(client, &format!("{api}/leaderboard?limit=200&cursor={next}"))?;
        cursor = list["next"].as_str().map(str::to_owned);
    }
    rng.shuffle(&mut bots);
    bots.truncate(KINDS);
    ensure!(!bots.is_empty(), "no bot plays in {slug}");
    let mut authors: Vec<String> = Vec::new();
    for bot in &bots {
        let text = client.get(&format!("{page}/bots/{bot}")).text();
        if let Some((_, rest)) = text.split_once("href=\"/people/") {
            authors.extend(rest.split('"').next().map(|name| format!("/people/{name}")));
        }
    }
    let numbers: Vec<u64> = (0..KINDS).map(|_| 1 + rng.below(matches)).collect();
    let of_bots = |before: &str, after: &str| -> Vec<String> {
        bots.iter().map(|bot| format!("{before}/bots/{bot}{after}")).collect()
    };
    let of_pages = |rest: &str| -> Vec<String> {
        let page_of = |at| 1 + (at * pages / KINDS as u64) % pages;
        (0..KINDS as u64).map(|at| format!("{page}?{rest}page={}", page_of(at))).collect()
    };
    let of_lists = || numbers.iter().map(|at| at / 50 + 1);
    let kind = |what, paths| Kind { what, paths };
    let kinds = vec![
        kind("front page", vec!["/".to_owned()]),
        kind("leaderboard", of_pages("")),
        kind("leaderboard, published", of_pages("tab=published&")),
        kind("leaderboard, search", bots.iter().map(|bot| format!("{page}?q={bot}")).collect()),
        kind("bot", of_bots(&page, "")),
        kind("author", authors),
        kind("match", numbers.iter().map(|at| format!("{page}/matches/{at}")).collect()),
        kind("matches", of_lists().map(|at| format!("{page}/matches?page={at}")).collect()),
        kind("matches of a bot", bots.iter().map(|b| format!("{page}/matches?bot={b}")).collect()),
        kind("matrix", vec![format!("{page}/matrix")]),
        kind("rules", vec![format!("{page}/rules")]),
        kind("API: leaderboard", vec![format!("{api}/leaderboard?limit=100")]),
        kind("API: bot", of_bots(&api, "")),
        kind("API: ratings of a bot", of_bots(&api, "/ratings")),
        kind("API: matches", vec![format!("{api}/matches?limit=100")]),
        kind("API: match", numbers.iter().map(|at| format!("{api}/matches/{at}")).collect()),
    ];
    Ok(kinds.into_iter().filter(|kind| !kind.paths.is_empty()).collect())
}

/// Asks for pages of a kind again and again.
fn ask(server: &Server, kind: &Kind, options: &Pages) -> Result<Line> {
    let each = options.requests.div_ceil(options.clients) as usize;
    let client = server.client();
    let one = |number: usize| -> Result<(Times, usize)> {
        let mut client = client.clone();
        let (mut times, mut largest) = (Times::default(), 0);
        for at in 0..each {
            let path = &kind.paths[(number * each + at) % kind.paths.len()];
            let (took, bytes) = timed(&mut client, path)?;
            times.add(took);
            largest = largest.max(bytes);
        }
        Ok((times, largest))
    };
    let (mut times, mut bytes) = (Times::default(), 0);
    thread::scope(|scope| -> Result<()> {
        let clients: Vec<_> = (0..options.clients as usize)
            .map(|number| {
                let one = &one;
                scope.spawn(move || one(number))
            })
            .collect();
        for client in clients {
            let (own, largest) = client.join().map_err(|_| anyhow!("a client failed"))??;
            times.extend(own);
            bytes = bytes.max(largest);
        }
        Ok(())
    })?;
    Ok(Line { what: kind.what.to_owned(), times, bytes: Some(bytes) })
}

fn timed(client: &mut Client, path: &str) -> Result<(Duration, usize)> {
    let began = Instant::now();
    let reply = client.try_get(path).with_context(|| path.to_owned())?;
    let took = began.elapsed();
    ensure!(reply.status == 200, "{path} has the status {}", reply.status);
    Ok((took, reply.body.len()))
}
