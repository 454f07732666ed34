//! `uploads`: how long an author waits from the upload to the first rated result.

use std::{path::Path, thread, time::Duration};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rusqlite::Connection;
use serde_json::Value;

use crate::site::{self, Line, Times, between, now, print};
use crate::support::{Client, wait_for};

/// Hands in the bot in Python of the starter kit again and again, one after the other.
#[derive(Args, Clone, Debug)]
pub(crate) struct Uploads {
    /// How many versions are handed in.
    #[arg(long, value_name = "N", default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(1..=5_000))]
    pub(crate) uploads: u32,
    /// How many authors take turns.
    #[arg(long, value_name = "N", default_value_t = 4,
        value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) authors: u32,
    /// Print lines of JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The game of the arena.
const GAME: &str = "cluster";

/// How often the table is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// The parts of the time, in order.
const PARTS: [&str; 6] = [
    "upload to result in the table",
    "… upload, wait for a builder",
    "… build and check",
    "… wait for the first match",
    "… first match",
    "… until the table has it",
];

/// When a version had come how far.
struct Steps {
    sent: i64,
    /// When it was ready, and how long building and checking took.
    ready: i64,
    built_ms: i64,
    /// When its first match was over, and how long that took.
    played: i64,
    match_ms: i64,
    seen: i64,
}

/// Measures uploads; returns how many.
pub(crate) fn run(options: &Uploads) -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let (server, mut root) = site::start(folder.path(), GAME, &["greedy", "random"], &[])?;
    let names: Vec<String> = (1..=options.authors).map(|at| format!("author-{at}")).collect();
    let mut authors: Vec<Client> =
        names.iter().map(|name| server.author(&mut root, name)).collect();
    let mut times = PARTS.map(|_| Times::default());
    // A match of the slow bots with which an arena begins may still be played: the first upload
    // waits for it, and does not count.
    let mut first = server.author(&mut root, "first");
    upload(folder.path(), &mut first, "first", 1)?;
    for number in 0..options.uploads as usize {
        let at = number % authors.len();
        let version = number / authors.len() + 1;
        let steps = upload(folder.path(), &mut authors[at], &names[at], version as u64)?;
        let begun = steps.played - steps.match_ms;
        let parts = [
            between(steps.sent, steps.seen),
            between(steps.sent + steps.built_ms, steps.ready),
            between(0, steps.built_ms),
            between(steps.ready, begun),
            between(0, steps.match_ms),
            between(steps.played, steps.seen),
        ];
        times.iter_mut().zip(parts).for_each(|(times, part)| times.add(part));
    }
    ensure!(server.stop(), "the server does not end well");
    let count = times[0].count();
    let line = |(what, times): (&str, Times)| Line { what: what.to_owned(), times, bytes: None };
    let lines: Vec<Line> = PARTS.into_iter().zip(times).map(line).collect();
    print(&lines, options.json);
    Ok(count)
}

/// Hands in a version, and waits until the table has its first result.
fn upload(data: &Path, author: &mut Client, slug: &str, version: u64) -> Result<Steps> {
    let sent = now();
    let path = site::hand_in(author, GAME)?;
    let mut visitor = author.clone();
    wait_for("a result in the table", || {
        let reply = visitor.get(&format!("/api/v1/arenas/{GAME}/leaderboard?limit=200"));
        let table: Value = serde_json::from_slice(&reply.body).ok()?;
        let is_there = |row: &Value| {
            row["bot"]["slug"] == slug
                && row["bot"]["version"] == version
                && row["matches"].as_u64() > Some(0)
        };
        let found = table["items"].as_array()?.iter().any(is_there);
        if !found {
            thread::sleep(LOOK);
        }
        found.then_some(())
    });
    let seen = now();
    site::until_ready(author, &path)?;
    let connection = Connection::open(data.join("agon.db"))?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let sql = "SELECT versions.id, ready, report FROM versions
        JOIN bots ON bots.id = versions.bot WHERE slug = ?1 AND number = ?2";
    let (id, ready, report): (i64, i64, String) = connection
        .query_row(sql, (slug, version as i64), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .context("the version")?;
    let report: Value = serde_json::from_str(&report)?;
    let sql = "SELECT played, ms FROM matches JOIN seats
            ON seats.arena = matches.arena AND seats.number = matches.number
        WHERE version = ?1 AND state = 'played' ORDER BY played LIMIT 1";
    let (played, match_ms) =
        connection.query_row(sql, [id], |row| Ok((row.get(0)?, row.get(1)?))).context("a match")?;
    let built_ms = report["ms"].as_i64().context("a report says how long it took")?;
    Ok(Steps { sent, ready, built_ms, played, match_ms, seen })
}
