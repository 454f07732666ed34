//! Finals: tournaments on the versions that play when a season is over.
//!
//! A final is played in an arena of its own, with copies of the versions: so it has all pages that
//! other arenas have, and a table of its own. [`agon_ladder::ledger::Draw`] says how its
//! seed is drawn.
//!
//! First a server promises a final with a secret ([`promise`]). After the season it fixes what the
//! seed is made of ([`close`]), computes the seed ([`hash`]), and makes the arena ([`open`]).

use std::{collections::BTreeMap, time::Duration};

use agon_ladder::ledger::{Draw, Entry, FinalEntrant, Inputs, LINKS, chain, from_hex, to_hex};
use agon_match::spec::Digest;
use agon_rating::Skill;
use anyhow::{Context, Result, bail, ensure};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;
use tracing::{error, info};

use crate::arenas::{self, boss_statements};
use crate::store::arenas::{Arena, ArenaSettings, Boss, FinalOf, FinalSettings, Season, Sources};
use crate::store::bots::Bot;
use crate::store::versions::{PlayState, State, Version};
use crate::store::{audit, bots, finals, fresh_id, ledger, now};
use crate::{
    arena_handle::ArenaHandle, board::Board, database::Statement, play::Orders, ranking::Ranked,
    shared::Shared,
};

/// How often the server looks whether a season is over.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// How long it waits after a failure.
const REST: Duration = Duration::from_secs(10);

/// How often a draw's hashes are written, in parts.
const KEPT_EVERY: usize = 4;

/// How far a final is.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// There is nothing to do yet.
    Waits,
    /// Something was done, and the next thing can be.
    Next,
    /// The final is played in its own arena: nothing is left to do here.
    Done,
}

/// Has the final of an arena drawn and played, once its season is over.
pub(crate) fn watch(shared: Shared, orders: Orders, arena: ArenaHandle) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let pause = match step(&shared, &orders, &arena).await {
                Ok(Step::Done) => return,
                Ok(Step::Next) => Duration::ZERO,
                Ok(Step::Waits) => LOOKS_EVERY,
                Err(problem) => {
                    error!("the final of an arena cannot be drawn: {problem:#}");
                    shared.problems.note("final", &format!("{problem:#}"));
                    REST
                }
            };
            tokio::select! {
                () = sleep(pause) => {}
                () = shared.ended() => return,
            }
        }
    })
}

async fn step(shared: &Shared, orders: &Orders, arena: &ArenaHandle) -> Result<Step> {
    let of = arena.get();
    let Some(settings) = of.settings.finals else { return Ok(Step::Waits) };
    let drawn = shared.store.final_draw(arena.id()).await?;
    let drawn = drawn.context("the secret of the final is missing")?;
    if drawn.played_in.is_some() {
        return Ok(Step::Done);
    }
    match drawn.draw {
        None => match of.settings.season.is_over(now()) && is_quiet(shared, arena).await? {
            true => close(shared, arena, &settings, drawn.secret).await,
            false => Ok(Step::Waits),
        },
        Some(draw) if draw.links.len() < LINKS => hash(shared, arena, draw).await,
        Some(draw) => open(shared, orders, arena, &draw).await,
    }
}

/// Computes the next parts of a draw's hashes.
async fn hash(shared: &Shared, arena: &ArenaHandle, mut draw: Draw) -> Result<Step> {
    let steps = draw.inputs.steps_of_part()?;
    while draw.links.len() < LINKS {
        for _ in 0..KEPT_EVERY.min(LINKS - draw.links.len()) {
            let last = match draw.links.last() {
                None => draw.inputs.start(),
                Some(last) => from_hex(last).context("the hashes of a final are damaged")?,
            };
            let next = spawn_blocking(move || chain(last, steps)).await?;
            draw.links.push(to_hex(&next));
            if shared.is_ending() {
                return Ok(Step::Waits);
            }
        }
        shared.store.write(vec![finals::keep_links(arena.id(), &draw.links)]).await?;
    }
    info!(arena = arena.get().slug, "the seed of a final is computed");
    Ok(Step::Next)
}

/// Hashes of each part of a draw that take about a minute in all, on a processor with instructions
/// for SHA-256 such as those made since 2019.
const MINUTE: u64 = 3_900_000;

/// Hashes of each part if no time was asked for.
const LEAST: u64 = 1_000;

/// How many minutes a draw takes, if nobody says otherwise.
pub(crate) const MINUTES: u64 = 10;

/// Returns how many hashes take so many minutes.
pub(crate) fn steps(minutes: u64) -> u64 {
    (minutes * MINUTE).max(LEAST) * LINKS as u64
}

/// Returns how many minutes so many hashes take.
pub(crate) fn minutes(steps: u64) -> u64 {
    steps / (MINUTE * LINKS as u64)
}

/// How many bots of authors a final has at most, if nobody says otherwise.
pub(crate) const MOST: u32 = 64;

/// Returns the statements with which a server promises a final.
pub(crate) fn promise(arena: i64) -> Result<Vec<Statement>> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).context("the system gives no random numbers")?;
    let entry = Entry::Pledge { arena: arena.cast_unsigned(), pledge: Digest::of(&secret) };
    Ok(vec![finals::promise(arena, &to_hex(&secret)), ledger::append(&entry)])
}

/// Returns whether all versions that were in time have come, and are built and checked.
async fn is_quiet(shared: &Shared, arena: &ArenaHandle) -> Result<bool> {
    let freeze = arena.settings().season.freeze.unwrap_or(i64::MAX);
    if shared.uploads.has_begun_by(freeze) {
        return Ok(false);
    }
    Ok(shared.store.unfinished(arena.id()).await? == 0)
}

/// Fixes the versions of a final.
async fn close(
    shared: &Shared,
    arena: &ArenaHandle,
    settings: &FinalSettings,
    secret: String,
) -> Result<Step> {
    // No nonce is added meanwhile.
    let _draw = shared.drawing.lock().await;
    let of = arena.get();
    // The board that pages show may be older, or empty after a start.
    let board = Board::read(&shared.store, &of, &arena.board()).await?;
    let bots = shared.store.bots(arena.id()).await?;
    let active = best(&board.playing, bots, settings.most as usize);
    let mut versions = shared.store.ready_versions(arena.id()).await?;
    versions.retain(|version| version.state == State::Ready && active.contains(&version.id));
    versions.sort_by_key(|version| version.id);
    if let Some(why) = of.settings.outdated() {
        bail!("the final of {} cannot be played: {why}", of.slug);
    }
    let players = of.settings.players;
    ensure!(
        versions.len() >= players,
        "the final of {} needs {players} bots, but {} can play; let another bot play, or take \
         the final out of the arena's settings",
        of.slug,
        versions.len()
    );
    let mut entrants = Vec::new();
    for version in versions {
        let nonce = shared.store.nonce(version.id).await?.and_then(|(_, nonce)| nonce);
        let (version, source) = (version.id.cast_unsigned(), version.source);
        entrants.push(FinalEntrant { version, source, nonce });
    }
    let arena = arena.id();
    let FinalSettings { games, steps, .. } = *settings;
    let inputs = Inputs { arena: arena.cast_unsigned(), secret, steps, players, games, entrants };
    // Whatever the seed will be, the number of matches is the same.
    inputs.matches(agon_core::Seed(0))?;
    let entry = Entry::Closed { arena: inputs.arena, inputs: inputs.digest() };
    let note = audit::note(None, "final.closed", &of.slug, "");
    let statements = vec![finals::close(arena, &inputs), ledger::append(&entry), note];
    shared.store.write(statements).await?;
    info!(arena = of.slug, bots = inputs.entrants.len(), "the versions of a final are fixed");
    Ok(Step::Next)
}

/// Returns the active versions of the best bots of authors, in order of the table, and of all
/// bosses. Those with a rank come first. Who has not played takes only a place that is left.
fn best(table: &[Ranked], mut bots: Vec<Bot>, most: usize) -> Vec<i64> {
    // Equal ones share a rank: none of them is before another.
    let place = |(at, row): (usize, &Ranked)| match row.rank {
        Some(rank) => (row.bot, (rank, 0)),
        None => (row.bot, (u64::MAX, at)),
    };
    let places: BTreeMap<i64, (u64, usize)> = table.iter().enumerate().map(place).collect();
    let place = |bot: &Bot| places.get(&bot.id).copied().unwrap_or((u64::MAX, usize::MAX));
    bots.retain(|bot| bot.stopped.is_none() && bot.active.is_some());
    bots.sort_by_key(|bot| (bot.owner.is_none(), place(bot), bot.id));
    let authors = bots.iter().filter(|bot| bot.owner.is_some()).take(most);
    let bosses = bots.iter().filter(|bot| bot.owner.is_none());
    authors.chain(bosses).filter_map(|bot| bot.active).collect()
}

/// Makes the arena of a final.
async fn open(shared: &Shared, orders: &Orders, season: &ArenaHandle, draw: &Draw) -> Result<Step> {
    let seed = draw.seed()?;
    let of = season.get();
    let arena = arena(shared, &of, draw.inputs.matches(seed)?.len() as u64);
    let drawn = Entry::Drawn {
        arena: of.id.cast_unsigned(),
        into: arena.id.cast_unsigned(),
        links: draw.digest(),
        seed: seed.to_string(),
    };
    let mut statements = vec![ledger::append(&drawn)];
    statements.extend(arena.insert());
    let mut versions = Vec::new();
    // Nobody is erased meanwhile.
    let _named = shared.erasing.read().await;
    let bots = shared.store.bots(of.id).await?;
    let known = shared.store.ready_versions(of.id).await?;
    for entrant in &draw.inputs.entrants {
        let id = entrant.version.cast_signed();
        let version = known.iter().find(|version| version.id == id);
        let version = version.context("a version of the final is missing")?;
        let bot = bots.iter().find(|bot| bot.id == version.bot);
        let bot = bot.context("a bot of the final is missing")?;
        versions.push(enter(&arena, bot, version, entrant.source, &mut statements));
    }
    statements.push(finals::drawn(of.id, arena.id, &versions));
    statements.push(audit::note(None, "final.drawn", &arena.slug, &seed.to_string()));
    shared.store.write(statements).await?;
    info!(arena = arena.slug, "a final begins");
    let id = arena.id;
    shared.set_arena(arena);
    if let Some(handle) = shared.arena_of(id) {
        arenas::watch(shared, orders, &handle);
    }
    season.touch();
    Ok(Step::Done)
}

/// Returns the arena of a final: as that of the season, but nobody hands in.
fn arena(shared: &Shared, of: &Arena, matches: u64) -> Arena {
    let base = format!("{}-final", of.slug);
    let free = |slug: &String| shared.arena(slug).is_none();
    let slug = std::iter::once(base.clone())
        .chain((2..).map(|number| format!("{base}-{number}")))
        .find(free)
        .unwrap_or(base);
    let season = Season {
        begin: None,
        deadline: Some(of.settings.season.deadline.unwrap_or_else(now)),
        freeze: None,
        is_paused: false,
        offset: of.settings.season.offset,
    };
    let sources = match of.settings.sources {
        Sources::Secret => Sources::Secret,
        // The season is over.
        Sources::After | Sources::Open => Sources::Open,
    };
    let settings = ArenaSettings {
        season,
        sources,
        about: String::new(),
        // All play the same matches.
        ranks: None,
        finals: None,
        final_of: Some(FinalOf { season: of.id, matches }),
        ..of.settings.clone()
    };
    let title = format!("{}: final", agon_core::text::name::cut(&of.title, 73));
    Arena { id: fresh_id(), slug, title, settings, created: now() }
}

/// Enters a copy of a version, and returns its id.
///
/// The author may be erased since the draw: then the copy is erased too, and its matches cannot be
/// played. The log has it all the same.
fn enter(
    arena: &Arena,
    bot: &Bot,
    version: &Version,
    source: Option<Digest>,
    statements: &mut Vec<Statement>,
) -> i64 {
    let Some(source) = source else {
        let boss = Boss { name: version.run.clone(), version: version.number };
        let (id, added) = boss_statements(arena, &boss);
        statements.extend(added);
        return id;
    };
    let skill = Skill::default();
    let id = fresh_id();
    let mean_us = version.play.mean_us;
    let play = PlayState { mu: skill.mu, sigma: skill.sigma, mean_us, ..PlayState::default() };
    let stopped = bot.stopped.clone().filter(|_| bot.is_erased());
    let bot = Bot { id: fresh_id(), arena: arena.id, active: Some(id), stopped, ..bot.clone() };
    let copy = Version { id, bot: bot.id, report: None, play, ..version.clone() };
    let handed_in = Entry::HandIn {
        arena: arena.id.cast_unsigned(),
        bot: bot.id.cast_unsigned(),
        version: id.cast_unsigned(),
        number: version.number,
        source,
        nonce: None,
    };
    statements.extend([bot.insert_anyway(), copy.insert()]);
    if let Some(stopped) = &bot.stopped {
        statements.push(bots::set_stopped(bot.id, Some(stopped)));
    }
    statements.push(ledger::append(&handed_in));
    if let Some(built) = version.built {
        statements.push(ledger::append(&Entry::Ready { version: id.cast_unsigned(), built }));
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::bots::{Stopped, StoppedBy};
    use crate::{ranking, store::arenas::Ranks, store::versions::Brief};

    /// A bot's version has the bot's id, and the bot its owner's.
    fn bot(id: i64) -> Bot {
        Bot { id, arena: 1, owner: (id > 1).then_some(id), active: Some(id), ..Bot::default() }
    }

    #[test]
    fn who_has_not_played_takes_only_a_place_that_is_left() {
        // A boss; three that have a rank; one that owes matches; one that never played.
        let played = [(1, 99), (2, 99), (3, 99), (4, 99), (5, 3), (6, 0)];
        let brief = |(id, matches)| {
            let play = PlayState { matches, ..PlayState::default() };
            Brief { id, bot: id, play, ..Brief::default() }
        };
        let briefs = played.map(brief);
        let rating = |id: i64| {
            let elo = 1_400.0 + 100.0 * id as f64;
            (id, agon_ladder::api::Rating { elo, low: Some(elo - 50.0), high: None })
        };
        let table = ranking::live(briefs.iter(), &(1..6).map(rating).collect(), Ranks::default());
        let best = |most| best(&table, (1..=6).map(bot).collect(), most);
        assert_eq!(best(2), [4, 3, 1]);
        assert_eq!(best(4), [4, 3, 2, 5, 1]);
        assert_eq!(best(64), [4, 3, 2, 5, 6, 1]);
        let paused = |mut bot: Bot| {
            let stopped = Stopped { by: StoppedBy::Author, why: String::new(), at: 0 };
            bot.stopped = (bot.id == 4).then_some(stopped);
            bot
        };
        let bots = (1..=6).map(bot).map(paused).collect();
        assert_eq!(super::best(&table, bots, 2), [3, 2, 1]);
    }
}
