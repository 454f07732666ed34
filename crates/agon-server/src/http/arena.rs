//! The front page, and the pages of an arena: leaderboard, rules, matrix.

use std::collections::BTreeMap;

use agon_ladder_pages::{
    model::{
        Absentee, ArenaCard, BotRef, Front, Kit as KitModel, Language, Leaderboard, LeaderboardRow,
        LeaderboardTab, Matrix, Paging, Rules, Setting, Tally,
    },
    pages,
};
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use serde::Deserialize;

use super::{
    entry::kits,
    reply::{Shown, html},
    views,
    visitor::{Visitor, time},
};
use crate::{
    app::App,
    board::{Board, BoardBot},
    rating,
};

/// Bots on a page of the leaderboard.
const PAGE: usize = 100;

/// Matches on the front page.
const LATEST: u32 = 12;

/// Bots in the matrix.
const MATRIX: usize = 30;

/// Ratings of a trend.
const TREND: u32 = 40;

pub(super) async fn front(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    let mut model = Front::default();
    for arena in app.arenas() {
        let board = arena.board();
        let of = arena.get();
        let leaders = board.playing.iter().take(3).filter_map(|id| board.bots.get(id));
        model.arenas.push(ArenaCard {
            arena: views::head(&arena, &board, &visitor),
            about: match of.settings.about.as_str() {
                "" => of.settings.game.meta().summary.to_owned(),
                about => about.to_owned(),
            },
            leaders: leaders.map(|bot| views::bot_ref(&board, bot)).collect(),
        });
        for seated in app.store.latest_matches(arena.id(), i64::MAX as u64, LATEST).await? {
            let mut row = views::match_row(&of, &board, &seated);
            row.arena_title = of.title.clone();
            model.latest.push(row);
        }
    }
    model.latest.sort_by_key(|row| std::cmp::Reverse((row.at, row.number)));
    model.latest.truncate(LATEST as usize);
    Ok(html(pages::front(&visitor.context(), &model)))
}

/// What a list is asked for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    #[serde(default)]
    tab: String,
    #[serde(default)]
    q: String,
    page: Option<usize>,
}

pub(super) async fn leaderboard(
    State(app): State<App>,
    Path(slug): Path<String>,
    Query(query): Query<ListQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let is_published = query.tab == "published";
    let search = query.q.trim().to_lowercase();
    let fits = |bot: &BoardBot| {
        search.is_empty()
            || bot.bot.name.to_lowercase().contains(&search)
            || bot.author.to_lowercase().contains(&search)
    };
    let mut rows = match is_published {
        true => published_rows(&board, &visitor),
        false => live_rows(&board, &visitor),
    };
    rows.retain(|(bot, _)| fits(bot));
    let pages = rows.len().div_ceil(PAGE).max(1);
    let page = query.page.unwrap_or(1).clamp(1, pages);
    let total = rows.len() as u64;
    let mut shown = Vec::new();
    for (bot, mut row) in rows.into_iter().skip((page - 1) * PAGE).take(PAGE) {
        if let Some(active) = bot.bot.active {
            let trend = app.store.last_ratings(active, TREND).await?;
            row.trend = trend.into_iter().rev().collect();
        }
        shown.push(row);
    }
    let absent = board.absent.iter().filter_map(|id| board.bots.get(id));
    let is_shown = |bot: &&BoardBot| fits(bot) && page == pages && !bot.bot.is_erased();
    let absent = absent.filter(is_shown).map(|bot| Absentee {
        bot: views::bot_ref(&board, bot),
        state: views::bot_state(bot),
        own: visitor.is(bot.bot.owner),
    });
    let tab = if is_published { LeaderboardTab::Published } else { LeaderboardTab::Live };
    let mut kept = Vec::new();
    if is_published {
        kept.push("tab=published".to_owned());
    }
    if !search.is_empty() {
        kept.push(format!("q={}", super::reply::escaped(&query.q)));
    }
    let as_of = match is_published {
        true => board.published.as_ref().map(|(made, _)| time(*made)),
        false => Some(time(board.made)),
    };
    let model = Leaderboard {
        arena: views::head(&arena, &board, &visitor),
        tab,
        as_of,
        rows: shown,
        absent: absent.collect(),
        search: query.q,
        paging: Paging { page: page as u64, pages: pages as u64, total, query: kept.join("&") },
    };
    Ok(html(pages::leaderboard(&visitor.context(), &model)))
}

pub(super) fn live_rows<'a>(
    board: &'a Board,
    visitor: &Visitor,
) -> Vec<(&'a BoardBot, LeaderboardRow)> {
    let playing = board.playing.iter().filter_map(|id| board.bots.get(id));
    let row = |bot: &'a BoardBot| {
        let version = board.versions.get(&bot.bot.active?)?;
        Some((
            bot,
            LeaderboardRow {
                rank: bot.rank?,
                ranks: None,
                bot: views::bot_ref(board, bot),
                own: visitor.is(bot.bot.owner),
                rating: views::live_rating(board, version.id),
                matches: version.matches,
                tally: views::tally(version),
                faults: version.faults,
                language: version.language.clone(),
                trend: Vec::new(),
            },
        ))
    };
    playing.filter_map(row).collect()
}

pub(super) fn published_rows<'a>(
    board: &'a Board,
    visitor: &Visitor,
) -> Vec<(&'a BoardBot, LeaderboardRow)> {
    let Some((_, table)) = &board.published else { return Vec::new() };
    // Ratings of versions that do not play any more are in the fit, but not in the table.
    let listed: Vec<_> = table
        .rows
        .iter()
        .filter_map(|row| {
            let id = row.version.0.cast_signed();
            let (bot, version) = board.version(id)?;
            let plays = bot.bot.active == Some(id) && bot.bot.stopped.is_none();
            plays.then_some((row, row.rating.as_ref()?, bot, version))
        })
        .collect();
    // The range of ranks among those that are listed: who is certainly better, who perhaps.
    let range = |found: &agon_ladder::PublishedRating| {
        let ranges = listed.iter().map(|(_, other, ..)| (other.rank_low, other.rank_high));
        let (mut low, mut high) = (1, 0);
        for (other_low, other_high) in ranges {
            low += u64::from(other_high < found.rank_low);
            high += u64::from(other_low <= found.rank_high);
        }
        (low, high)
    };
    let row = |(place, &(row, found, bot, version)): (usize, &(_, _, &'a BoardBot, _))| {
        let row: &agon_ladder::PublishedRow = row;
        let version: &crate::store::versions::Brief = version;
        let (low, high) = range(found);
        (
            bot,
            LeaderboardRow {
                rank: place as u64 + 1,
                ranks: (low < high).then_some((low, high)),
                bot: views::named(bot, version.number),
                own: visitor.is(bot.bot.owner),
                rating: views::rating_of(&rating::of_published(found)),
                matches: row.tally.matches,
                tally: Tally {
                    wins: row.tally.wins,
                    ties: row.tally.ties,
                    losses: row.tally.losses,
                },
                faults: version.faults,
                language: version.language.clone(),
                trend: Vec::new(),
            },
        )
    };
    listed.iter().enumerate().map(row).collect()
}

pub(super) async fn rules(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let of = arena.get();
    let settings = &of.settings;
    let game = settings.game;
    let values = views::settings(settings).into_iter();
    let values = values.map(|(name, value, meaning)| Setting { name, value, meaning });
    let limit = |name: &str, value: String, meaning: &str| Setting {
        name: name.to_owned(),
        value,
        meaning: meaning.to_owned(),
    };
    let time_limit = match settings.matches.time.limit {
        Some(ms) => format!("{ms} ms"),
        None => "the game's".to_owned(),
    };
    let mut limits =
        vec![limit("time for an answer", time_limit, "CPU time; see the rules of the game")];
    if let Some(strikes) = settings.matches.time.strikes {
        let meaning = "timeouts in a row, after which the bot is out of the match";
        limits.push(limit("strikes", strikes.to_string(), meaning));
    }
    if let Some(memory) = settings.matches.sandbox.memory {
        limits.push(limit("memory", format!("{memory} MiB"), "of the bot with all its processes"));
    }
    if let Some(turns) = settings.max_turns {
        let name = format!("{}s", views::turn_name(game));
        limits.push(limit(&name, turns.to_string(), "after which a match ends, if not before"));
    }
    let kits = kits(&arena);
    let languages = kits.iter().map(|kit| Language {
        name: kit.manifest.language.clone(),
        version: String::new(),
        note: kit
            .manifest
            .in_game(game)
            .build
            .map(|line| format!("built with `{line}`"))
            .unwrap_or_default(),
    });
    let kit_models = kits.iter().map(|kit| KitModel {
        language: kit.manifest.language.clone(),
        command: format!("agon new {game} {} my-bot", kit.id),
        download: String::new(),
    });
    let bosses = board.bots.values().filter(|bot| bot.bot.owner.is_none());
    let model = Rules {
        arena: views::head(&arena, &board, &visitor),
        about: settings.about.clone(),
        summary: game.meta().summary.to_owned(),
        game_rules: super::game::address(game),
        players: (settings.players as u32, settings.players as u32),
        settings: values.collect(),
        limits,
        languages: languages.collect(),
        begin: settings.season.begin.map(|begin| views::zoned(begin, &of)),
        freeze: settings.season.freeze.map(|freeze| views::zoned(freeze, &of)),
        sources: views::sources(settings.sources).to_owned(),
        per_day: settings.daily,
        bosses: bosses.map(|bot| views::bot_ref(&board, bot)).collect(),
        kits: kit_models.collect(),
    };
    Ok(html(pages::rules(&visitor.context(), &model)))
}

pub(super) async fn matrix(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let (bots, rows) = best(&app, &board).await?;
    let left_out = board.playing.len().saturating_sub(MATRIX) as u64;
    let model = Matrix { arena: views::head(&arena, &board, &visitor), bots, rows, left_out };
    Ok(html(pages::matrix(&visitor.context(), &model)))
}

/// Returns the best bots, and their results against each other.
pub(super) async fn best(
    app: &App,
    board: &Board,
) -> Shown<(Vec<BotRef>, Vec<Vec<Option<Tally>>>)> {
    let best: Vec<&BoardBot> =
        board.playing.iter().take(MATRIX).filter_map(|id| board.bots.get(id)).collect();
    let places: BTreeMap<i64, usize> =
        best.iter().enumerate().filter_map(|(place, bot)| Some((bot.bot.active?, place))).collect();
    let mut rows = vec![vec![None; best.len()]; best.len()];
    for (place, bot) in best.iter().enumerate() {
        let Some(active) = bot.bot.active else { continue };
        for (other, [wins, ties, losses]) in app.store.pairs_of(active).await? {
            if let Some(&other) = places.get(&other) {
                rows[place][other] = Some(Tally { wins, ties, losses });
            }
        }
    }
    Ok((best.iter().map(|bot| views::bot_ref(board, bot)).collect(), rows))
}
