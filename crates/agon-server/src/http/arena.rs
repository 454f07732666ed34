//! The front page, and the pages of an arena: leaderboard, rules, matrix.

use agon_ladder_pages::{
    model::{
        Absentee, ArenaCard, BotRef, Front, Kit as KitModel, Language, Leaderboard, LeaderboardRow,
        LeaderboardTab, Matrix, Paging, Rules, Setting, Tally,
    },
    pages,
};
use agon_match::spec::SandboxLevel;
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
    accounts::name::word,
    app::App,
    board::{Board, BoardBot},
    ranking::Ranked,
    store::counts::AMONG,
};

/// Bots on a page of the leaderboard.
const PAGE: usize = 100;

/// Matches on the front page.
const LATEST: u32 = 12;

pub(super) async fn front(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    let mut model = Front::default();
    let mut watched = None;
    for arena in app.arenas() {
        let board = arena.board();
        let of = arena.get();
        let ranked = board.playing.iter().filter(|row| row.rank.is_some());
        let ranked: Vec<&BoardBot> = ranked.filter_map(|row| board.bots.get(&row.bot)).collect();
        // Bosses are the best ones for a long time, and no news.
        let authors = ranked.iter().copied().filter(|bot| bot.bot.owner.is_some());
        let mut leaders: Vec<&BoardBot> = authors.take(3).collect();
        if leaders.is_empty() {
            leaders = ranked.into_iter().take(3).collect();
        }
        model.arenas.push(ArenaCard {
            arena: views::head(&arena, &board, &visitor),
            about: match of.settings.about.as_str() {
                "" => of.settings.game.meta().summary.to_owned(),
                about => about.to_owned(),
            },
            leaders: leaders
                .iter()
                .filter_map(|bot| Some((bot.rank?, views::bot_ref(&board, bot))))
                .collect(),
        });
        for seated in app.store.latest_matches(arena.id(), i64::MAX as u64, LATEST).await? {
            let mut row = views::match_row(&of, &board, &seated);
            row.arena_title = of.title.clone();
            model.latest.push(row);
            let is_newer = watched.as_ref().is_none_or(|(_, at, _)| *at < seated.of.played);
            if seated.of.replay.is_some() && is_newer {
                watched = Some((of.slug.clone(), seated.of.played, seated.of.number));
            }
        }
    }
    model.latest.sort_by_key(|row| std::cmp::Reverse((row.at, row.number)));
    model.latest.truncate(LATEST as usize);
    let may_watch = visitor.person.is_some() || !app.limits().are_replays_for_members();
    let watched = watched.filter(|_| may_watch);
    model.watched = watched.map(|(arena, _, number)| (arena, number));
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
    let table = if is_published { &board.listed } else { &board.playing };
    let is_shown = |row: &&Ranked| board.bots.get(&row.bot).is_some_and(&fits);
    let rows: Vec<&Ranked> = table.iter().filter(is_shown).collect();
    let absent = board.absent.iter().filter_map(|id| board.bots.get(id));
    let absent: Vec<&BoardBot> = absent.filter(|bot| fits(bot) && !bot.bot.is_erased()).collect();
    // Those that do not play come behind the others.
    let pages = (rows.len() + absent.len()).div_ceil(PAGE).max(1);
    let page = query.page.unwrap_or(1).clamp(1, pages);
    let total = rows.len() as u64;
    let skipped = (page - 1) * PAGE;
    let on_page: Vec<&Ranked> = rows.iter().skip(skipped).take(PAGE).copied().collect();
    let absent = absent.iter().skip(skipped.saturating_sub(total as usize));
    let absent = absent.take(PAGE - on_page.len()).map(|bot| Absentee {
        bot: views::bot_ref(&board, bot),
        state: views::bot_state(bot),
        own: visitor.is(bot.bot.owner),
    });
    let trends = arena.trends().of(&app.store, &on_page).await?;
    let shown = on_page.iter().zip(trends).filter_map(|(ranked, trend)| {
        let (_, row) = row(&board, ranked, &visitor)?;
        Some(LeaderboardRow { trend: trend.to_vec(), ..row })
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
    let (played_final, season) = super::finals::related(&app, &arena.get()).await?;
    let model = Leaderboard {
        arena: views::head(&arena, &board, &visitor),
        tab,
        played_final,
        season,
        ranks: views::ranks(arena.settings().ranks()),
        as_of,
        rows: shown.collect(),
        absent: absent.collect(),
        search: query.q,
        paging: Paging { page: page as u64, pages: pages as u64, total, query: kept.join("&") },
    };
    Ok(html(pages::leaderboard(&visitor.context(), &model)))
}

/// Returns the row of a bot as a page shows it, without its trend.
pub(super) fn row<'a>(
    board: &'a Board,
    ranked: &Ranked,
    visitor: &Visitor,
) -> Option<(&'a BoardBot, LeaderboardRow)> {
    let (bot, version) = board.version(ranked.version)?;
    let [wins, ties, losses] = ranked.results;
    let row = LeaderboardRow {
        rank: ranked.rank,
        ranks: ranked.ranks,
        bot: views::named(bot, Some(version.number)),
        own: visitor.is(bot.bot.owner),
        rating: ranked.rating.as_ref().map(views::rating_of),
        owed: ranked.owed,
        matches: ranked.matches,
        tally: Tally { wins, ties, losses },
        faults: version.faults,
        language: version.language.clone(),
        trend: Vec::new(),
        stars: board.milestones(ranked.version).filter(|(_, is_reached)| *is_reached).count(),
    };
    Some((bot, row))
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
    let time_limit = format!("{} ms", views::time_of_answer(settings));
    let mut limits =
        vec![limit("time for an answer", time_limit, "CPU time; see the rules of the game")];
    if let Some(strikes) = settings.matches.time.strikes {
        let meaning = "timeouts in a row, after which the bot is out of the match";
        limits.push(limit("strikes", strikes.to_string(), meaning));
    }
    if let Some(memory) = settings.matches.sandbox.memory {
        limits.push(limit("memory", format!("{memory} MiB"), "of the bot with all its processes"));
    }
    if settings.matches.sandbox.level == SandboxLevel::Strict {
        let meaning = "matches are played only where bots can be confined fully";
        limits.push(limit("sandbox", "strict".to_owned(), meaning));
    }
    if let Some(turns) = settings.max_turns {
        let name = format!("{}s", views::turn_name(game));
        limits.push(limit(&name, turns.to_string(), "after which a match ends, if not before"));
    }
    let kits = kits(&app, &arena);
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
    let folder = visitor.person.as_ref().map_or("my-bot".to_owned(), |person| word(&person.shown));
    let kit_models = kits.iter().map(|kit| KitModel {
        language: kit.manifest.language.clone(),
        command: format!("agon new {game} {} {folder}", kit.id),
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
        ranks: views::ranks(settings.ranks()),
        per_day: settings.daily,
        finals: super::finals::of_page(&app, &of).await?,
        final_of: super::finals::season_of(&app, &of).await?,
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
    let left_out = board.playing.len().saturating_sub(AMONG) as u64;
    let model = Matrix { arena: views::head(&arena, &board, &visitor), bots, rows, left_out };
    Ok(html(pages::matrix(&visitor.context(), &model)))
}

/// Returns the best bots, and their results against each other.
pub(super) async fn best(
    app: &App,
    board: &Board,
) -> Shown<(Vec<BotRef>, Vec<Vec<Option<Tally>>>)> {
    let best: Vec<&Ranked> = board.playing.iter().take(AMONG).collect();
    let versions: Vec<i64> = best.iter().map(|ranked| ranked.version).collect();
    let mut rows = Vec::new();
    for &version in &versions {
        let pairs = app.store.pairs_among(version, &versions).await?;
        let tally = |[wins, ties, losses]: [u64; 3]| Tally { wins, ties, losses };
        rows.push(pairs.into_iter().map(|pair| pair.map(tally)).collect());
    }
    let bots = best.iter().filter_map(|ranked| board.bots.get(&ranked.bot));
    Ok((bots.map(|bot| views::bot_ref(board, bot)).collect(), rows))
}
