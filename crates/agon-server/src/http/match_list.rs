//! Lists of matches of an arena, with filters.

use agon_ladder::api::{BotRef, MatchSummary, Phase};
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    parts::{
        form,
        layout::{Head, Tab, arena_page_with_events},
        link, lists, names,
    },
    reply::{Shown, failure, not_found},
    views,
    visitor::Visitor,
};
use crate::{
    app::App,
    board::{Board, BoardBot},
    store::{
        match_filter::{Against, MatchFilter},
        matches::SeatedMatch,
    },
};

/// Matches on a page of a list.
const PAGE: u64 = 50;

/// What the list is asked for. All fields come from a form, so they may be empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListQuery {
    /// A bot: its name, or its name in addresses.
    bot: String,
    /// Another one that it met.
    against: String,
    /// Anything: only matches with faults.
    faults: String,
    page: Option<u64>,
    /// The number of the match before which the page of a list with filters begins.
    before: Option<u64>,
}

/// The matches of a page.
struct Found {
    rows: Vec<SeatedMatch>,
    /// The page and the number of pages of a list that has numbered ones.
    page: (u64, u64),
    /// The number of the last match on the page, if there are more.
    older: Option<u64>,
}

pub(super) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    Query(query): Query<ListQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let mut bots = Vec::new();
    for name in [query.bot.trim(), query.against.trim()].into_iter().filter(|name| !name.is_empty())
    {
        bots.push(find(&board, name)?);
    }
    let (bot, against) = (bots.first().copied(), bots.get(1).copied());
    if let (Some(bot), Some(against)) = (bot, against)
        && bot.bot.id == against.bot.id
    {
        let advice = "Choose two bots. No bot plays against itself.";
        return Err(failure(400, "These are two names of one bot", advice));
    }
    let with_faults = !query.faults.is_empty();
    let mut kept = Vec::new();
    for (name, bot) in [("bot", bot), ("against", against)] {
        kept.extend(bot.map(|bot| format!("{name}={}", link::value(&bot.bot.slug))));
    }
    kept.extend(with_faults.then(|| "faults=1".to_owned()));
    let kept = kept.join("&");
    let is_cut = bot.is_some() || with_faults;
    let found = match is_cut {
        true => {
            let filter = MatchFilter {
                against: against.map(|bot| Against::Bot(bot.bot.id)),
                with_faults,
                ..MatchFilter::default()
            };
            filtered(&app, arena.id(), bot, filter, query.before).await?
        }
        false => numbered(&app, arena.id(), query.page).await?,
    };
    let head = views::head(&arena, &board, &visitor);
    let filter = Filter {
        bot: bot.map(|bot| views::bot_ref(&board, bot)),
        against: against.map(|bot| views::bot_ref(&board, bot)),
        with_faults,
    };
    let rows: Vec<MatchSummary> =
        found.rows.iter().map(|seated| views::match_summary(&board, seated)).collect();
    let before = query.before.filter(|_| is_cut);
    let own = filter.bot.as_ref().map(|bot| bot.slug.as_str());
    let (page, pages) = found.page;
    let main = html! {
        div.bar {
            h1 { "Matches" }
            (filters(&head, &filter))
        }
        @if is_cut { p { (which(&head, &filter)) } }
        div #live {
            @if is_cut && rows.is_empty() {
                p.empty { "There is no such match." }
            } @else {
                (lists::matches(&head.arena, &rows, own))
            }
            (lists::paging(page, pages, &kept, "Pages of the list"))
            @if found.older.is_some() || before.is_some() {
                nav.paging aria-label="Pages of the list" {
                    @if before.is_some() { a href={ "?" (kept) } { "← Newest" } }
                    @if let Some(older) = found.older {
                        a href={ "?" (kept) "&before=" (older) } rel="next" { "Older →" }
                    }
                }
            }
        }
    };
    let is_newest = page <= 1 && before.is_none();
    let is_live = is_newest && head.arena.phase != Phase::Over;
    Ok(arena_page_with_events(&visitor, &head, Tab::Matches, "Matches", is_live, main))
}

/// Which matches a list has.
struct Filter {
    /// Only those of this bot.
    bot: Option<BotRef>,
    /// Of these, only those against this bot.
    against: Option<BotRef>,
    /// Only those in which the bot committed a fault; without one, anybody.
    with_faults: bool,
}

/// Writes the form that chooses matches.
fn filters(head: &Head, filter: &Filter) -> Markup {
    let slug = |bot: &Option<BotRef>| bot.as_ref().map_or(String::new(), |bot| bot.slug.clone());
    let fields = [
        ("bot", "Only matches of this bot", "Bot", slug(&filter.bot)),
        ("against", "Only matches against this bot", "Against", slug(&filter.against)),
    ];
    html! {
        form.search method="get" action=(head.below("matches")) role="search" {
            @for (name, words, short, value) in fields {
                label.unseen for=(name) { (words) }
                input id=(name) name=(name) type="search" value=(form::raw(&value))
                    placeholder=(short) autocomplete="off";
            }
            (form::check("faults", "checkbox", ("faults", "1"), filter.with_faults, html! {
                "With faults only"
            }))
            button type="submit" { "Filter" }
        }
    }
}

/// Says which matches the list has.
fn which(head: &Head, filter: &Filter) -> Markup {
    let slug = &head.arena.slug;
    html! {
        "Only those "
        @if let Some(bot) = &filter.bot { "of " (names::bot(slug, bot)) }
        @if let Some(other) = &filter.against { " against " (names::bot(slug, other)) }
        @if filter.with_faults {
            @match filter.bot {
                Some(_) => { ", in which it committed a fault" },
                None => { "in which a bot committed a fault" },
            }
        }
        " · "
        a href=(head.below("matches")) { "Show all" }
    }
}

/// Finds a bot by its name in addresses, or by its name.
fn find<'a>(board: &'a Board, name: &str) -> Shown<&'a BoardBot> {
    let wanted = name.to_lowercase();
    let mut all = board.bots.values();
    let found = board.bot(name).or_else(|| all.find(|bot| bot.bot.name.to_lowercase() == wanted));
    found.ok_or_else(|| not_found("bot"))
}

/// Returns a page of all matches: their number is known.
async fn numbered(app: &App, arena: i64, page: Option<u64>) -> Shown<Found> {
    let total = app.store.last_match(arena).await?;
    let pages = total.div_ceil(PAGE);
    let page = page.unwrap_or(1).clamp(1, pages.clamp(1, 1_000_000));
    let before = (total + 1).saturating_sub((page - 1) * PAGE);
    let rows = app.store.latest_matches(arena, before, PAGE as u32).await?;
    Ok(Found { rows, page: (page, pages), older: None })
}

/// Returns a page of those that fit, of all versions of a bot. Nobody counts them: that would take
/// long.
async fn filtered(
    app: &App,
    arena: i64,
    bot: Option<&BoardBot>,
    filter: MatchFilter,
    before: Option<u64>,
) -> Shown<Found> {
    const ALL: u64 = i64::MAX as u64;
    let before = before.unwrap_or(ALL).min(ALL);
    let most = PAGE as u32 + 1;
    let mut numbers = match bot {
        Some(bot) => {
            let versions = app.store.versions(bot.bot.id).await?;
            let played = versions.iter().filter(|version| version.play.matches > 0);
            let played: Vec<i64> = played.map(|version| version.id).collect();
            app.store.match_numbers_of(arena, &played, filter, before, most).await?
        }
        None => app.store.match_numbers(arena, filter, before, most).await?,
    };
    let is_more = numbers.len() > PAGE as usize;
    numbers.truncate(PAGE as usize);
    let rows = app.store.seated_matches(arena, &numbers).await?;
    let older = numbers.last().copied().filter(|_| is_more);
    Ok(Found { rows, page: (0, 0), older })
}
