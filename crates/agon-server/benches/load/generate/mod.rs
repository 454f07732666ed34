//! `generate`: a whole ladder's folder, as after a long season.
//!
//! The server makes the folder, and builds and checks one bot in Python. Then bots and matches are
//! written into its tables: the ladder's own code chooses who meets whom, and hidden strengths
//! decide who wins. The same seed gives the same bots and results; the ids of the arena and the
//! keys are the server's.
//!
//! There are no replays: pages of matches say so. The digests of 10 million different ones would
//! take 1.5 GB more in the table of matches.

mod base;
mod fill;
mod log;
mod world;

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{SyncSender, sync_channel},
    thread,
    time::Instant,
};

use agon_ladder::ledger::GROUP;
use anyhow::{Result, anyhow};
use clap::Args;

use self::{
    fill::{Block, Writer},
    world::World,
};

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
///
/// # Errors
/// If the server does not start, or the folder cannot be written.
pub(crate) fn run(options: &Generate) -> Result<()> {
    let began = Instant::now();
    let base = base::make(&options.data, &options.arena)?;
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
///
/// # Errors
/// If it cannot be read.
pub(crate) fn size(folder: &Path) -> Result<u64> {
    let mut all = 0;
    for entry in folder.read_dir()? {
        let entry = entry?;
        let about = entry.metadata()?;
        all += if about.is_dir() { size(&entry.path())? } else { about.len() };
    }
    Ok(all)
}
