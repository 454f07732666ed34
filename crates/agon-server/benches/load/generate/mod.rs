//! `generate`: a whole ladder's folder, as after a long season.
//!
//! The server makes the folder, and builds and checks one bot in Python. Then bots and matches are
//! written into its tables: the ladder's own code chooses who meets whom, and hidden strengths
//! decide who wins. The same seed gives the same bots and results; the ids of the arena and the
//! keys are the server's.
//!
//! There are no replays: pages of matches say so. The digests of 10 million different ones would
//! take 1.5 GB more in the table of matches.

mod fill;
mod world;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::{thread, time::Instant};

use agon_ladder::ledger::{Entry, GROUP, unpack};
use agon_match::spec::Digest;
use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use rusqlite::Connection;

use self::fill::{Block, Writer};
use self::world::World;
use crate::site;

/// Writes the folder of a ladder with many bots and matches.
#[derive(Args, Clone, Debug)]
pub(crate) struct Generate {
    /// The new folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// How many bots there are, with one to three versions each.
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(4..=100_000))]
    pub(crate) bots: u32,
    /// How many matches they have played.
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) matches: u64,
    /// The game that they play.
    #[arg(long, value_name = "GAME", default_value = "cluster")]
    pub(crate) arena: String,
    /// What decides all that is random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Blocks that wait for being written.
const WAITING: usize = 64;

/// Generates a folder, and says how long it took and how large it is.
pub(crate) fn run(options: &Generate) -> Result<()> {
    let began = Instant::now();
    let base = make(&options.data, &options.arena)?;
    let mut world = World::new(options.bots as usize, options.matches, options.seed);
    let mut writer = Writer::begin(base, &world, options.matches)?;
    let (sender, received) = sync_channel(WAITING);
    let world = thread::scope(|scope| {
        let played = scope.spawn(move || {
            play(&mut world, &sender)?;
            anyhow::Ok(world)
        });
        received.iter().try_for_each(|block| writer.write(&block))?;
        played.join().map_err(|_| anyhow!("the simulation ended early"))?
    })?;
    let versions = world.versions.len();
    eprintln!("{} s: all matches are written", began.elapsed().as_secs());
    writer.end(&world)?;
    let size = size(&options.data)?;
    println!(
        "{} bots with {versions} versions and {} matches in {:.0} s, {:.2} GB, without replays",
        options.bots,
        options.matches,
        began.elapsed().as_secs_f64(),
        size as f64 / 1e9
    );
    Ok(())
}

/// A folder that the server itself has made, with a bot in Python that it has built and checked:
/// all generated versions play that bot's files.
struct Base {
    connection: Connection,
    arena: i64,
    /// The digest of what its matches keep to.
    terms: Digest,
    version: Template,
}

/// What all versions have in common.
struct Template {
    source: String,
    built: String,
    run: String,
    language: String,
    report: Option<String>,
}

/// Starts and stops the server with a new folder, and empties its tables of bots and matches.
fn make(data: &Path, game: &str) -> Result<Base> {
    let is_new = !data.exists() || data.read_dir()?.next().is_none();
    ensure!(is_new, "{} is not empty; name a new folder", data.display());
    // No bosses: all bots are generated ones.
    let (server, mut root) = site::start(data, game, &[], &[])?;
    let page = format!("/admin/arenas/{game}");
    root.post(&format!("{page}/pause"), &page, &[]);
    let mut author = server.author(&mut root, "ada");
    let path = site::hand_in(&mut author, game)?;
    site::until_ready(&mut author, &path)?;
    ensure!(server.stop(), "the server does not end well");
    empty(&data.join("agon.db"))
}

fn empty(path: &Path) -> Result<Base> {
    let connection = Connection::open(path)?;
    // The file is not yet anybody's: after a crash, it is generated again.
    connection.execute_batch(
        "PRAGMA journal_mode = delete; PRAGMA journal_mode = off;
         PRAGMA locking_mode = exclusive; PRAGMA synchronous = off; PRAGMA foreign_keys = off;
         PRAGMA cache_size = -400000; PRAGMA temp_store = memory",
    )?;
    let arena = connection.query_row("SELECT id FROM arenas", [], |row| row.get(0))?;
    let terms = terms(&connection)?.context("the log does not name the arena's terms")?;
    let sql = "SELECT source, built, run, language, report FROM versions
        WHERE source IS NOT NULL";
    let version = connection.query_row(sql, [], |row| {
        Ok(Template {
            source: row.get(0)?,
            built: row.get(1)?,
            run: row.get(2)?,
            language: row.get(3)?,
            report: row.get(4)?,
        })
    })?;
    connection.execute_batch(
        "DELETE FROM versions; DELETE FROM bots; DELETE FROM people WHERE name = 'ada';
         DELETE FROM sessions; DELETE FROM matches; DELETE FROM seats; DELETE FROM counts;
         DELETE FROM pairs; DELETE FROM totals; DELETE FROM published;
         DELETE FROM log; DELETE FROM log_tiles;
         DELETE FROM checkpoints;",
    )?;
    Ok(Base { connection, arena, terms, version })
}

/// Returns the digest of the arena's last terms.
fn terms(connection: &Connection) -> Result<Option<Digest>> {
    let mut query = connection.prepare("SELECT entry FROM log ORDER BY number DESC")?;
    for packed in query.query_map([], |row| row.get::<_, Vec<u8>>(0))? {
        if let Entry::Arena { terms, .. } = Entry::parse(&unpack(&packed?)?)? {
            return Ok(Some(terms));
        }
    }
    Ok(None)
}

fn play(world: &mut World, sender: &SyncSender<Block>) -> Result<()> {
    let mut block = Block { entered: world.enter(), matches: Vec::new() };
    while let Some(fought) = world.fight()? {
        block.matches.push(fought);
        let entered = world.enter();
        if block.matches.len() == GROUP || !entered.is_empty() {
            let next = Block { entered, matches: Vec::new() };
            // Whoever writes says why it has ended.
            if sender.send(std::mem::replace(&mut block, next)).is_err() {
                return Ok(());
            }
        }
    }
    if !block.matches.is_empty() {
        let _ = sender.send(block);
    }
    Ok(())
}

/// Returns how large all files of a folder are.
pub(crate) fn size(folder: &Path) -> Result<u64> {
    let mut all = 0;
    for entry in folder.read_dir()? {
        let entry = entry?;
        let about = entry.metadata()?;
        all += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(all)
}
