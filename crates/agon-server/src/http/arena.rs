//! The front page, and the pages of an arena: leaderboard and matrix. Pages hear of new tables.

use std::collections::{BTreeMap, BTreeSet};
use std::{convert::Infallible, time::Duration};

use agon_ladder::api::{
    ArenaSummary, BotRef, LeaderboardRow, LopsidedPair, MatchSummary, Matrix, Phase, Tally,
};
use agon_ladder::{Lopsided, Meeting, VersionId, guide::ranks, lopsided};
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use tokio::time::{Instant, sleep_until};

use super::parts::layout::{Frame, arena_page_with_events};
use super::parts::lists::{all_matches, bad_count, paging};
use super::parts::values::{ranked_after, score};
use super::{finals, matches::ALL, parts::chart::sparkline, prelude::*};
use crate::ranking::Ranked;
use crate::store::{Store, counts::AMONG, match_filter::MatchFilter};

/// Bots on a page of the leaderboard.
const PAGE: usize = 100;

/// Matches on the front page.
const LATEST: u32 = 12;

pub(super) async fn front(Get { app, visitor, .. }: Get) -> Page {
    let mut cards = Vec::new();
    let mut latest: Vec<(ArenaSummary, MatchSummary)> = Vec::new();
    let mut watched = None;
    for arena in app.arenas() {
        let (board, of) = (arena.board(), arena.get());
        let head = views::head(&arena, &board, &visitor);
        let all = MatchFilter::default();
        for seated in app.store.matches(arena.id(), &all, ALL, LATEST).await? {
            latest.push((head.arena.clone(), views::match_summary(&board, &seated)));
            let is_newer = watched.as_ref().is_none_or(|(_, at, _, _)| *at < seated.of.played);
            if seated.of.replay.is_some() && is_newer {
                let number = seated.of.number;
                watched = Some((of.slug.clone(), seated.of.played, number, of.settings.game));
            }
        }
        cards.push(card(&of, &head, &leaders(&board)));
    }
    let when = |of: &MatchSummary| of.played.unwrap_or(of.planned);
    latest.sort_by_key(|(_, of)| std::cmp::Reverse((when(of), of.number)));
    latest.truncate(LATEST as usize);
    let latest: Vec<_> = latest.iter().map(|(arena, of)| (arena, of)).collect();
    let may_watch = visitor.person.is_some() || !app.limits.are_replays_for_members();
    let main = html! {
        div.hero {
            h1 { (layout::site(&visitor)) }
            p.lead {
                "Write a bot, hand it in, and watch it climb. Here bots play each other day and \
                 night, and every match can be watched and checked."
            }
            @if !visitor.is_signed_in() {
                p {
                    a.button.primary href=(layout::sign_in(&visitor)) { "Sign in to hand in a bot" }
                }
            }
        }
        // Both change while the page is open, and the viewer between them goes on.
        div #live {
            (section("arenas", "Arenas", html! {
                @if cards.is_empty() {
                    p.empty {
                        "There is no arena yet. "
                        @if visitor.role() >= Role::Organiser {
                            a href="/admin/arenas/new" { "Set up the first one" } "."
                        } @else {
                            "An organiser will set one up."
                        }
                    }
                }
                ul.cards { @for card in &cards { (card) } }
            }))
        }
        @if let Some((arena, _, number, game)) = watched.filter(|_| may_watch) {
            section aria-labelledby="watched" {
                h2 #watched { a href=(link::match_page(&arena, number)) { "Just played" } }
                @let replay = link::replay(&arena, number);
                (viewer(&format!("Viewer: match {number}"), game, &replay, None))
            }
        }
        div #facts { (section("latest", "Latest matches", all_matches(&latest))) }
    };
    let frame = Frame { title: "Arenas", events: Some("/events".to_owned()), narrow: false };
    Ok(layout::framed(&visitor, &frame, main))
}

/// Returns the best bots, each with its rank.
fn leaders(board: &Board) -> Vec<(u64, BotRef)> {
    let ranked = board.playing.iter().filter(|row| row.rank.is_some());
    let ranked: Vec<&BoardBot> = ranked.filter_map(|row| board.bots.get(&row.bot)).collect();
    // Bosses are the best ones for a long time, and no news.
    let authors = ranked.iter().copied().filter(|bot| bot.bot.owner.is_some());
    let mut leaders: Vec<&BoardBot> = authors.take(3).collect();
    if leaders.is_empty() {
        leaders = ranked.into_iter().take(3).collect();
    }
    let named = leaders.into_iter();
    named.filter_map(|bot| Some((bot.rank?, views::bot_ref(board, bot)))).collect()
}

fn card(of: &Arena, head: &Head, leaders: &[(u64, BotRef)]) -> Markup {
    let arena = &head.arena;
    let about = match of.settings.about.as_str() {
        "" => of.settings.game.meta().summary,
        about => about,
    };
    html! {
        li.card {
            h3 {
                a href=(link::arena(&arena.slug)) {
                    bdi { (names::shown(&arena.title, "Arena")) }
                }
            }
            p.facts { (badge::phase(arena.phase)) span { (names::text(&arena.game)) } }
            @if !about.is_empty() { p { (about) } }
            @if !leaders.is_empty() {
                ol.leaders aria-label="The best bots" {
                    @for (place, (rank, leader)) in (1..).zip(leaders) {
                        li {
                            (names::bot(&arena.slug, leader))
                            // Bosses, which are not listed here, may be better.
                            @if place != *rank { span.version { "rank\u{a0}" (rank) } }
                        }
                    }
                }
            }
            p.facts.foot {
                span { (counted(arena.bots, "bot", "bots")) }
                span { (counted(arena.matches, "match", "matches")) }
                (layout::deadline(head))
            }
        }
    }
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

/// A row of the table on the page.
struct Row {
    of: LeaderboardRow,
    /// Its last ratings, oldest first.
    trend: Vec<f64>,
    /// How many bosses are certainly weaker.
    stars: usize,
}

pub(super) async fn leaderboard(get: Get<String, ListQuery>) -> Page {
    let Get { app, path: slug, query, visitor } = get;
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let is_published = query.tab == "published";
    let search = query.q.trim().to_lowercase();
    let fits = |bot: &BoardBot| {
        search.is_empty()
            || bot.bot.name.to_lowercase().contains(&search)
            || bot.author.to_lowercase().contains(&search)
    };
    let ranked = if is_published { &board.listed } else { &board.playing };
    let is_shown = |row: &&Ranked| board.bots.get(&row.bot).is_some_and(&fits);
    let ranked: Vec<&Ranked> = ranked.iter().filter(is_shown).collect();
    let absent = board.absent.iter().filter_map(|id| board.bots.get(id));
    let absent: Vec<&BoardBot> = absent.filter(|bot| fits(bot) && !bot.bot.is_erased()).collect();
    // Those that do not play come behind the others.
    let pages = (ranked.len() + absent.len()).div_ceil(PAGE).max(1);
    let page = query.page.unwrap_or(1).clamp(1, pages);
    let skipped = (page - 1) * PAGE;
    let on_page: Vec<&Ranked> = ranked.iter().skip(skipped).take(PAGE).copied().collect();
    let absent: Vec<&BoardBot> = absent
        .into_iter()
        .skip(skipped.saturating_sub(ranked.len()))
        .take(PAGE - on_page.len())
        .collect();
    let trends = arena.trends.of(&app.store, &on_page).await?;
    let rows = on_page.iter().zip(trends).filter_map(|(ranked, trend)| {
        let stars = board.milestones(ranked.version).filter(|(_, is_reached)| *is_reached).count();
        Some(Row { of: views::row(&board, ranked, &visitor)?, trend: trend.to_vec(), stars })
    });
    let rows: Vec<Row> = rows.collect();
    let mut kept = Vec::new();
    kept.extend(is_published.then(|| "tab=published".to_owned()));
    kept.extend((!search.is_empty()).then(|| format!("q={}", link::value(&query.q))));
    let kept_parameters = kept.join("&");
    let as_of = match is_published {
        true => board.published.as_ref().map(|(made, _)| time(*made)),
        false => Some(time(board.made)),
    };
    let (played_final, season) = finals::related(&app, &arena.get()).await?;
    let head = views::head(&arena, &board, &visitor);
    let is_over = head.arena.phase == Phase::Over;
    let address = link::arena(&slug);
    let current = |is_it: bool| is_it.then_some("page");
    let main = html! {
        div.bar {
            nav.switch aria-label="Ratings" {
                a href=(address) aria-current=[current(!is_published)] { "Live" }
                a href={ (address) "?tab=published" } aria-current=[current(is_published)] {
                    "Published"
                }
            }
            @let kept = html! { @if is_published { (form::hidden("tab", "published")) } };
            @let label = "Find a bot or an author";
            (form::search(&address, label, "Bot or author", &query.q, kept))
        }
        @for (what, other) in [("Final", &played_final), ("Season", &season)] {
            @if let Some(other) = other { p { (what) ": " (finals::to(other)) } }
        }
        div #live {
            p.note {
                @match is_published {
                    true => {
                        "Ratings that explain all matches at once, with the ranks that they allow. "
                    }
                    false if is_over => { "Ratings after the last match. " }
                    false => { "Provisional ratings, which change with each match. " }
                }
                @if let Some(at) = as_of { "Computed " (ago(at)) ". " }
                (ranks(arena.settings().ranks())) " "
                a href={ (head.below("rules")) "#ranking" } { "How ranking works" }
                "."
            }
            @if rows.is_empty() {
                p.empty {
                    @if !query.q.is_empty() {
                        "No bot and no author has " b { (names::text(&query.q)) } " in its name. "
                        a href=(address) { "Show all" } "."
                    } @else if is_published && !head.arena.published {
                        "No ratings have been published yet. The live table has provisional ones."
                    } @else if head.arena.phase == Phase::Planned {
                        "This arena has not begun. Its rules and starter kits are there already."
                    } @else {
                        "No bot plays yet. Hand in the first one."
                    }
                }
            } @else {
                (leaders_table(&slug, &rows, is_published))
            }
            (paging(page as u64, pages as u64, &kept_parameters, "Pages of the leaderboard"))
            @if !absent.is_empty() {
                (section("absent", "Not playing", absent_table(&slug, &board, &absent, &visitor)))
            }
        }
    };
    let is_live = !is_published && !is_over;
    Ok(arena_page_with_events(&visitor, &head, Tab::Leaderboard, "", is_live, main))
}

fn leaders_table(arena: &str, rows: &[Row], is_published: bool) -> Markup {
    html! {
        div.scroll {
            table.leaderboard {
                caption.unseen { "Leaderboard" }
                thead {
                    tr {
                        th.n scope="col" {
                            "Rank"
                            @if is_published {
                                small title="The best and the worst rank that results allow" {
                                    " range"
                                }
                            }
                        }
                        th scope="col" { "Bot" }
                        th.minor scope="col" { "Author" }
                        th.n scope="col" title="In Elo points, with half of the 95 % interval" {
                            "Rating"
                        }
                        th.n.less scope="col" { "Matches" }
                        th.n.extra scope="col" title="Won – tied – lost" { "W – T – L" }
                        th.n.minor scope="col" { "Faults" }
                        th.extra scope="col" { "Language" }
                        th.extra scope="col" { "Trend" }
                    }
                }
                tbody {
                    @for Row { of, trend, stars } in rows {
                        tr.own[of.own].boss[of.bot.boss] {
                            td.n.rank {
                                @if let Some(rank) = of.rank { b { (grouped(rank)) } } @else {
                                    span.faint { "–" }
                                }
                                @let ranks = of.ranks.filter(|ranks| ranks.best < ranks.worst);
                                @if let Some(ranks) = ranks {
                                    small { " " (grouped(ranks.best)) "–" (grouped(ranks.worst)) }
                                }
                            }
                            th scope="row" {
                                (names::bot(arena, &of.bot))
                                @if of.own { " " (badge::own("yours")) }
                                @if *stars > 0 && !of.bot.boss { " " (badge::stars(*stars)) }
                                @if of.owed > 0 { " " (badge::plain(&ranked_after(of.owed))) }
                                // On narrow screens the author has no column.
                                div.under { (names::author(&of.bot)) }
                            }
                            td.minor { (names::author(&of.bot)) }
                            td.n {
                                @if let Some(own) = &of.rating { (rating(own)) } @else {
                                    span.faint { "not played yet" }
                                }
                            }
                            td.n.less { (grouped(of.matches)) }
                            td.n.extra { (tally(of.tally)) }
                            td.n.minor { (bad_count(of.faults)) }
                            td.extra { (names::text(&of.language)) }
                            td.extra { (sparkline(trend)) }
                        }
                    }
                }
            }
        }
    }
}

fn absent_table(arena: &str, board: &Board, absent: &[&BoardBot], visitor: &Visitor) -> Markup {
    let rows = html! {
        @for absentee in absent {
            @let bot = views::bot_ref(board, absentee);
            @let (state, reason) = views::bot_state(absentee);
            @let badge = badge::bot(state, reason.as_deref());
            @let own = visitor.is(absentee.bot.owner);
            tr.own[own] {
                th scope="row" {
                    (names::bot(arena, &bot))
                    @if own { " " (badge::own("yours")) }
                }
                td.minor { (names::author(&bot)) }
                td.text { (badge) " " (badge::told(reason.as_deref())) }
            }
        }
    };
    table("absent", &[("", "Bot"), ("minor", "Author"), ("", "State and reason")], rows)
}

pub(super) async fn matrix(Get { app, path: slug, visitor, .. }: Get<String>) -> Page {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let matrix = matrix_of(&app, &board).await?;
    let main = html! {
        h1 { "Head to head" }
        @if matrix.bots.len() < 2 {
            p.empty { "There are too few bots for a comparison." }
        } @else {
            p.note {
                "What the bot of the row scored against the one of the column, in per cent: wins, \
                 and half the ties. Empty: they did not meet. Columns have the numbers of the \
                 rows. A number leads to the matches of the two."
            }
            (matrix_table(&slug, &matrix))
            @if matrix.left_out > 0 {
                p.note {
                    "The best " (matrix.bots.len()) " by rating; "
                    (counted(matrix.left_out, "bot is", "bots are")) " left out."
                }
            }
            p.legend {
                "lost "
                @for step in 0..=10 { span class={ "h" (step) } { (step * 10) } }
                " won"
            }
        }
    };
    let head = views::head(&arena, &board, &visitor);
    Ok(arena_page(&visitor, &head, Tab::Matrix, "Head to head", main))
}

fn matrix_table(arena: &str, Matrix { bots, rows, .. }: &Matrix) -> Markup {
    let words = |one: &BotRef, other: &BotRef, tally: Tally| {
        format!(
            "{} against {}: {} won, {} tied, {} lost",
            names::title(one),
            names::title(other),
            grouped(tally.wins),
            grouped(tally.ties),
            grouped(tally.losses)
        )
    };
    // From 0 (never) over 5 (half) to 10 (always).
    let shade = |score: f64| format!("h{:.0}", 10.0 * score.clamp(0.0, 1.0));
    html! {
        div.scroll {
            table.matrix {
                caption.unseen { "Scores in per cent, of the row against the column" }
                thead {
                    tr {
                        th scope="col" { "Bot" }
                        @for (at, other) in bots.iter().enumerate() {
                            th scope="col" title=(names::title(other)) {
                                (at + 1) span.unseen { " " (names::title(other)) }
                            }
                        }
                    }
                }
                tbody {
                    @for (at, (one, tallies)) in bots.iter().zip(rows).enumerate() {
                        tr {
                            th scope="row" { small { (at + 1) } (names::bot(arena, one)) }
                            @for (column, (other, tally)) in bots.iter().zip(tallies).enumerate() {
                                @let scored = tally.and_then(|it| Some((it, score(it)?)));
                                @if column == at { td.self { span.unseen { "itself" } } }
                                @else if let Some((tally, score)) = scored {
                                    td class=(shade(score)) title=(words(one, other, tally)) {
                                        a href=(link::between(arena, one, other)) {
                                            (format!("{:.0}", 100.0 * score))
                                        }
                                    }
                                } @else { td { span.unseen { "none" } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the results of the best bots against each other.
pub(super) async fn matrix_of(app: &App, board: &Board) -> Shown<Matrix> {
    let best: Vec<&Ranked> = board.playing.iter().take(AMONG).collect();
    let versions: Vec<i64> = best.iter().map(|ranked| ranked.version).collect();
    let mut rows = Vec::new();
    for &version in &versions {
        let pairs = app.store.pairs_among(version, &versions).await?;
        rows.push(pairs.into_iter().map(|pair| pair.map(Tally::from)).collect());
    }
    let bots = best.iter().filter_map(|ranked| board.bots.get(&ranked.bot));
    let bots: Vec<BotRef> = bots.map(|bot| views::bot_ref(board, bot)).collect();
    Ok(Matrix { left_out: board.playing.len().saturating_sub(bots.len()) as u64, bots, rows })
}

/// So many bots that play are compared, those that are best, and as many that do not play.
const COMPARED: usize = 200;

/// So many versions of each are compared, the newest ones.
const VERSIONS: usize = 10;

/// Returns the pairs of authors' bots of which one gets much less against the other than all other
/// results say, the most unlikely ones first. Who no longer plays, or with other versions, is among
/// them, too.
pub(super) async fn lopsided_pairs(store: &Store, arena: &ArenaHandle) -> Shown<Vec<LopsidedPair>> {
    let board = arena.board();
    let best = board.playing.iter().take(COMPARED).map(|ranked| ranked.bot);
    let among: BTreeSet<i64> = best.chain(board.absent.iter().copied().take(COMPARED)).collect();
    let mut newest: BTreeMap<i64, BTreeMap<u32, i64>> = BTreeMap::new();
    for version in board.versions.values().filter(|version| among.contains(&version.bot)) {
        let versions = newest.entry(version.bot).or_default();
        versions.insert(version.number, version.id);
        if versions.len() > VERSIONS {
            versions.pop_first();
        }
    }
    let of = |(&bot, versions): (&i64, &BTreeMap<u32, i64>)| {
        versions.values().map(|&version| (version, bot)).collect::<Vec<_>>()
    };
    let bots: BTreeMap<i64, i64> = newest.iter().flat_map(of).collect();
    let mut meetings = Vec::new();
    let add = |one: i64, other: i64, results| {
        let both = [one, other].map(|id| bots.get(&id).copied());
        let [Some(a), Some(b)] = both else { return };
        let versions = [one, other].map(|id| VersionId(id.cast_unsigned()));
        let bots = [a, b].map(i64::cast_unsigned);
        // Results of a bot against itself do not count.
        meetings.extend((a != b).then_some(Meeting { versions, bots, results }));
    };
    store.met(arena.id(), add).await?;
    let found = blocking(move || lopsided(&meetings)).await?.map_err(anyhow::Error::from)?;
    let pair = |found: Lopsided| {
        let (loser, winner) = (found.loser.cast_signed(), found.winner.cast_signed());
        // A boss agrees with nobody.
        let is_authors = |bot: i64| board.bots.get(&bot).is_some_and(|bot| bot.bot.owner.is_some());
        if !is_authors(loser) || !is_authors(winner) {
            return None;
        }
        let bot = |id: i64| Some(views::bot_ref(&board, board.bots.get(&id)?));
        Some(LopsidedPair {
            loser: bot(loser)?,
            winner: bot(winner)?,
            tally: found.results.into(),
            expected: found.expected,
            chance: found.chance,
        })
    };
    Ok(found.into_iter().filter_map(pair).collect())
}

/// How often a page hears of a new table at most.
const AT_MOST_EVERY: Duration = Duration::from_secs(1);

/// How often the front page looks for something new.
const SITE_EVERY: Duration = Duration::from_secs(2);

/// How often a stream says that it lives.
const ALIVE: Duration = Duration::from_secs(15);

/// Tells the front page when something has changed in any arena.
pub(super) async fn of_site(State(app): State<App>) -> Response {
    let made = |app: &App| app.arenas().iter().map(|arena| arena.board().made).max();
    let seen = made(&app);
    let place = app.metrics.stream();
    let stream = stream::unfold((app, place, seen), move |(app, place, seen)| async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(SITE_EVERY) => {}
                () = app.ended() => return None,
            }
            let now = made(&app);
            if now != seen {
                let event = Event::default().event("table").data(now.unwrap_or(0).to_string());
                return Some((Ok::<Event, Infallible>(event), (app, place, now)));
            }
        }
    });
    let alive = KeepAlive::new().interval(ALIVE);
    Sse::new(stream).keep_alive(alive).into_response()
}

pub(super) async fn events(State(app): State<App>, Path(slug): Path<String>) -> Page {
    let arena = views::arena(&app, &slug)?;
    let board = arena.boards.subscribe();
    let begin = Instant::now();
    let place = (arena, app.metrics.stream());
    let stream =
        stream::unfold((app, place, board, begin), |(app, place, mut board, at)| async move {
            sleep_until(at).await;
            tokio::select! {
                changed = board.changed() => changed.ok()?,
                // The page connects again when the server is back.
                () = app.ended() => return None,
            }
            let made = board.borrow_and_update().made;
            let event = Event::default().event("table").data(made.to_string());
            let next = Instant::now() + AT_MOST_EVERY;
            Some((Ok::<Event, Infallible>(event), (app, place, board, next)))
        });
    let alive = KeepAlive::new().interval(ALIVE);
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}
