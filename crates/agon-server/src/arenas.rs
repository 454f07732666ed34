//! Makes arenas, and the bosses that play in them. Keeps the boards of arenas up to date, and
//! publishes their tables.

use std::num::NonZero;
use std::time::{Duration, Instant};

use agon_games::{GameId, presets};
use agon_ladder::ledger::{Entry, Table};
use agon_match::spec::settings::TimeSettings;
use agon_match::spec::{Digest, MatchSettings};
use agon_rating::Skill;
use anyhow::{Context, Result};
use tokio::time::sleep;
use tracing::{error, warn};

use crate::play::{Order, Orders};
use crate::store::arenas::{Arena, ArenaSettings, Boss, Ranks, Season, Sources, boss_version};
use crate::store::versions::{PlayState, State, Version};
use crate::store::{Store, audit, counts, fresh_id, ledger, now};
use crate::{
    arena_handle::ArenaHandle, board::Board, database::Statement, finals::promise, shared::Shared,
    store::bots::Bot,
};

/// How many bosses a new arena has, if nobody chooses: the weakest, the strongest and between.
const BOSSES: usize = 4;

/// How many versions an author may hand in each day, if nobody says otherwise.
pub(crate) const DAILY: u32 = 40;

/// A bot is stopped after this many timeouts in a row: so one that hangs blocks nobody for long.
const STRIKES: u32 = 5;

/// Returns the settings of a game's preset, as JSON.
pub(crate) fn rules(game: GameId, preset: &str) -> Result<serde_json::Value> {
    Ok(game.kind().preset_rules(preset)?)
}

/// Returns the names of a game's presets.
pub(crate) fn preset_names(game: GameId) -> Vec<String> {
    game.kind().presets().iter().map(|preset| preset.name.to_owned()).collect()
}

/// Returns the names of a game's built-in bots, the weakest first.
pub(crate) fn boss_names(game: GameId) -> Vec<String> {
    game.kind().builtins().iter().map(|builtin| builtin.name.to_owned()).collect()
}

/// Returns built-in bots as bosses.
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
    let players = game.meta().min_players.max(2);
    let time = TimeSettings { strikes: NonZero::new(STRIKES), ..TimeSettings::default() };
    Arena {
        id: fresh_id(),
        slug: game.meta().id.to_owned(),
        title: capitalised(game.meta().name()),
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

/// How long a board is shown at least.
const LASTS: Duration = Duration::from_millis(300);

/// A board is not made more often than it takes this many times as long to make it.
const SHARE: u32 = 10;

/// Has an arena's pages kept up to date, and its matches played.
pub(crate) fn watch(shared: &Shared, orders: &Orders, arena: &ArenaHandle) {
    drop(tokio::spawn(keep(shared.clone(), arena.clone())));
    drop(tokio::spawn(publish(shared.clone(), arena.clone())));
    orders.send(Order::Refresh { arena: arena.id() });
}

/// Keeps the board of an arena up to date.
async fn keep(shared: Shared, arena: ArenaHandle) {
    loop {
        let began = Instant::now();
        match Board::read(&shared.store, &arena.get(), &arena.board()).await {
            Ok(board) => arena.show(board),
            Err(problem) => {
                error!("the board of an arena cannot be made: {problem}");
                shared.problems.note("board", &problem.to_string());
                sleep(Duration::from_secs(1)).await;
                continue;
            }
        }
        sleep(LASTS.max(began.elapsed() * SHARE)).await;
        tokio::select! {
            () = arena.changed.notified() => {}
            () = shared.ended() => return,
        }
    }
}

/// How long a published table stays at least.
const PUBLISHED: Duration = Duration::from_secs(10);

/// How long it stays at most if there are new results.
const PUBLISHED_MOST: Duration = Duration::from_secs(600);

/// Publishes the table of an arena again and again.
async fn publish(shared: Shared, arena: ArenaHandle) {
    loop {
        let began = Instant::now();
        if let Err(problem) = publish_once(&shared, &arena).await {
            error!("the table of an arena cannot be published: {problem:#}");
            shared.problems.note("published table", &format!("{problem:#}"));
        }
        let pause = (began.elapsed() * 50).clamp(PUBLISHED, PUBLISHED_MOST);
        tokio::select! {
            () = sleep(pause) => {}
            () = shared.ended() => return,
        }
    }
}

/// Publishes the table of an arena if there are new results.
pub(crate) async fn publish_once(shared: &Shared, arena: &ArenaHandle) -> Result<()> {
    let _alone = arena.publishing.lock().await;
    let matches = shared.store.totals(arena.id()).await?.matches;
    let last = shared.store.published_when(arena.id()).await?;
    if matches == last.map_or(0, |(matches, _)| matches) {
        return Ok(());
    }
    let (size, results) = shared.store.counted_results(arena.id()).await?;
    let id = arena.id().cast_unsigned();
    let table = tokio::task::spawn_blocking(move || Table::of(id, size, results)).await??;
    let body = table.text();
    let digest = Digest::of(body.as_bytes());
    let logged = ledger::append(&Entry::Table { arena: id, size, digest });
    let publish = counts::publish(arena.id(), matches, now(), body);
    shared.store.write(vec![logged, publish]).await?;
    arena.touch();
    Ok(())
}
