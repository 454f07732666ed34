//! Makes the arena in which a final is played, once its seed is known.

use agon_ladder::ledger::{Draw, Entry};
use agon_match::spec::Digest;
use agon_rating::Skill;
use anyhow::{Context, Result};
use tracing::info;

use super::Step;
use crate::{
    arena_handle::ArenaHandle,
    arenas::boss_statements,
    database::Statement,
    keeper,
    play::Orders,
    shared::Shared,
    store::{
        arenas::{Arena, ArenaSettings, Boss, FinalOf, Season, Sources},
        audit,
        bots::{self, Bot},
        finals, fresh_id, ledger, now,
        versions::{PlayState, Version},
    },
};

/// Makes the arena of a final.
///
/// # Errors
/// If the draw is damaged, or the database fails.
pub(super) async fn open(
    shared: &Shared,
    orders: &Orders,
    season: &ArenaHandle,
    draw: &Draw,
) -> Result<Step> {
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
        keeper::watch(shared, orders, &handle);
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
    let (skill, id) = (Skill::default(), fresh_id());
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
