//! Makes arenas, and the bosses that play in them.

use std::num::NonZero;

use agon_games::{BuiltinBots, GameId, presets, with_game};
use agon_ladder::ledger::Entry;
use agon_match::spec::{MatchSettings, settings::TimeSettings};
use agon_rating::Skill;
use anyhow::{Context, Result};
use tracing::warn;

use crate::{
    database::Statement,
    finals::promise::promise,
    shared::Shared,
    store::{
        Store,
        arenas::{Arena, ArenaSettings, Boss, Ranks, Season, Sources, boss_version},
        audit,
        bots::Bot,
        fresh_id, ledger, now,
        versions::{PlayState, State, Version},
    },
};

/// How many bosses a new arena has, if nobody chooses: the weakest, the strongest and between.
const BOSSES: usize = 4;

/// How many versions an author may hand in each day, if nobody says otherwise.
pub(crate) const DAILY: u32 = 40;

/// A bot is stopped after this many timeouts in a row: so one that hangs blocks nobody for long.
const STRIKES: u32 = 5;

/// Returns the settings of a game's preset, as JSON.
///
/// # Errors
/// If there is no such preset.
pub(crate) fn rules(game: GameId, preset: &str) -> Result<serde_json::Value> {
    with_game!(game, G => {
        let rules = presets::rules::<G>(preset)?;
        Ok(serde_json::to_value(rules)?)
    })
}

/// Returns the names of a game's presets.
pub(crate) fn preset_names(game: GameId) -> Vec<String> {
    with_game!(game, G => presets::all::<G>().iter().map(|preset| preset.name.to_owned()).collect())
}

/// Returns the names of a game's built-in bots, the weakest first.
pub(crate) fn boss_names(game: GameId) -> Vec<String> {
    with_game!(game, G => G::BUILTINS.iter().map(|builtin| builtin.name.to_owned()).collect())
}

/// Returns built-in bots as bosses.
///
/// # Errors
/// If there is no such bot.
pub(crate) fn bosses(game: GameId, names: &[String]) -> Result<Vec<Boss>> {
    let boss = |name: &String| {
        let version = boss_version(game, name);
        let version = version.with_context(|| format!("{game} has no built-in bot `{name}`"))?;
        Ok(Boss { name: name.clone(), version })
    };
    names.iter().map(boss).collect()
}

/// Returns an arena as it is if nobody chooses anything.
pub(crate) fn first(game: GameId) -> Arena {
    let names = boss_names(game);
    let last = names.len() - 1;
    let mut chosen: Vec<String> = (0..BOSSES.min(names.len()))
        .map(|number| names[number * last / (BOSSES - 1).min(last).max(1)].clone())
        .collect();
    chosen.dedup();
    let players = with_game!(game, G => <G as agon_core::Game>::META.min_players.max(2));
    let time = TimeSettings { strikes: NonZero::new(STRIKES), ..TimeSettings::default() };
    Arena {
        id: fresh_id(),
        slug: game.meta().id.to_owned(),
        title: capitalised(game.meta().id),
        settings: ArenaSettings {
            game,
            about: String::new(),
            rules_version: game.meta().rules_version,
            preset: presets::DEFAULT.to_owned(),
            rules: rules(game, presets::DEFAULT).expect("every game has this preset"),
            players,
            max_turns: None,
            matches: MatchSettings { time, ..MatchSettings::default() },
            languages: Vec::new(),
            bosses: bosses(game, &chosen).expect("they are the game's own"),
            season: Season::default(),
            sources: Sources::Secret,
            ranks: Some(Ranks::default()),
            named: false,
            daily: DAILY,
            finals: None,
            final_of: None,
        },
        created: now(),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Chooses what decides the ranks of an arena of an earlier Agon, unless its tables stay as they
/// are.
pub(crate) async fn choose_ranks(store: &Store, arena: &mut Arena) {
    let settings = &mut arena.settings;
    let stays = settings.final_of.is_some() || settings.season.is_frozen(now());
    if settings.ranks.is_some() || stays {
        return;
    }
    settings.ranks = Some(Ranks::default());
    if let Err(error) = store.write(arena.update()).await {
        // The next start chooses the same; a full disk keeps nobody from reading.
        warn!("what decides ranks is not kept: {error}");
    }
}

/// Adds an arena with its bosses.
///
/// # Errors
/// If there is one with this name, or the database fails.
pub(crate) async fn make(shared: &Shared, arena: &Arena, by: Option<i64>) -> Result<()> {
    let mut statements = arena.insert();
    for boss in &arena.settings.bosses {
        statements.extend(boss_statements(arena, boss).1);
    }
    if arena.settings.finals.is_some() {
        statements.extend(promise(arena.id)?);
    }
    statements.push(audit::note(by, "arena.make", &arena.slug, arena.settings.game.meta().id));
    shared.store.write(statements).await?;
    shared.set_arena(arena.clone());
    Ok(())
}

/// Returns the statements that have a boss play, after the id of its version.
pub(crate) fn boss_statements(arena: &Arena, boss: &Boss) -> (i64, Vec<Statement>) {
    let (bot, version, created) = (fresh_id(), fresh_id(), now());
    let Skill { mu, sigma } = Skill::default();
    let added = Bot {
        id: bot,
        arena: arena.id,
        slug: format!("builtin-{}", boss.name),
        name: boss.name.clone(),
        active: Some(version),
        created,
        ..Bot::default()
    };
    let version = Version {
        id: version,
        bot,
        number: boss.version,
        state: State::Ready,
        run: boss.name.clone(),
        language: "built in".to_owned(),
        created,
        ready: Some(created),
        play: PlayState { mu, sigma, ..PlayState::default() },
        ..Version::default()
    };
    let entry = Entry::Boss {
        arena: arena.id.cast_unsigned(),
        bot: bot.cast_unsigned(),
        version: version.id.cast_unsigned(),
        name: boss.name.clone(),
        builtin: boss.version,
    };
    (version.id, vec![added.insert_anyway(), version.insert(), ledger::append(&entry)])
}
