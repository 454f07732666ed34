//! `/arenas/{arena}`: the leaderboard.

use maud::{Markup, html};

use crate::{
    model::{
        Absentee, ArenaLink, BotState, Context, Leaderboard, LeaderboardRow, LeaderboardTab, Phase,
    },
    parts::{
        arena_frame::{Tab, arena_page_with_events},
        badge, bot, form, link,
        number::{grouped, ranked_after, rating, tally},
        paging::paging,
        sparkline::sparkline,
        time,
    },
};

/// Writes the leaderboard of an arena.
///
/// The live table follows `/arenas/{arena}/events`: on an event `table`, the script fetches the
/// page and replaces the element with the id `live`.
pub fn leaderboard(context: &Context, model: &Leaderboard) -> Markup {
    let live = model.tab == LeaderboardTab::Live && model.arena.phase != Phase::Over;
    let events = live.then(|| link::below(&model.arena.slug, "events"));
    let main = html! {
        div.bar {
            (tables(model))
            (search(model))
        }
        (related("Final", model.played_final.as_ref()))
        (related("Season", model.season.as_ref()))
        div #live { (table(context, model)) }
    };
    arena_page_with_events(context, &model.arena, Tab::Leaderboard, "", events, main)
}

/// Writes a link from a season to its final, or back.
fn related(what: &str, arena: Option<&ArenaLink>) -> Markup {
    html! {
        @if let Some(arena) = arena {
            p {
                (what) ": "
                a href=(link::arena(&arena.slug)) { (bot::shown(&arena.title, "the arena")) }
            }
        }
    }
}

fn tables(model: &Leaderboard) -> Markup {
    let address = link::arena(&model.arena.slug);
    let current = |tab| (model.tab == tab).then_some("page");
    let published = current(LeaderboardTab::Published);
    html! {
        nav.switch aria-label="Ratings" {
            a href=(address) aria-current=[current(LeaderboardTab::Live)] { "Live" }
            a href={ (address) "?tab=published" } aria-current=[published] { "Published" }
        }
    }
}

fn search(model: &Leaderboard) -> Markup {
    html! {
        form.search method="get" action=(link::arena(&model.arena.slug)) role="search" {
            @if model.tab == LeaderboardTab::Published { (form::hidden("tab", "published")) }
            label.unseen for="q" { "Find a bot or an author" }
            input #q name="q" type="search" value=(form::raw(&model.search))
                placeholder="Bot or author" autocomplete="off";
            button type="submit" { "Find" }
        }
    }
}

fn table(context: &Context, model: &Leaderboard) -> Markup {
    html! {
        (about(context, model))
        @if model.rows.is_empty() {
            (nobody(model))
        } @else {
            div.scroll {
                table.leaderboard {
                    caption.unseen { "Leaderboard" }
                    (head(model))
                    tbody { @for row in &model.rows { (line(model, row)) } }
                }
            }
        }
        (paging(&model.paging, "Pages of the leaderboard"))
        (absent(model))
    }
}

/// Says what the numbers are.
fn about(context: &Context, model: &Leaderboard) -> Markup {
    html! {
        p.note {
            @match model.tab {
                LeaderboardTab::Live if model.arena.phase == Phase::Over => {
                    "Ratings after the last match. "
                },
                LeaderboardTab::Live => {
                    "Provisional ratings, which change with each match. "
                },
                LeaderboardTab::Published => {
                    "Ratings that explain all matches at once, with the ranks that they allow. "
                },
            }
            @if let Some(at) = model.as_of {
                "Computed " (time::ago(context.now, at)) ". "
            }
            @if !model.ranks.is_empty() { (model.ranks) " " }
            a href={ (link::below(&model.arena.slug, "rules")) "#ranking" } {
                "How ranking works"
            }
            "."
        }
    }
}

fn nobody(model: &Leaderboard) -> Markup {
    html! {
        p.empty {
            @if !model.search.is_empty() {
                "No bot and no author has " b { (bot::text(&model.search)) } " in its name. "
                a href=(link::arena(&model.arena.slug)) { "Show all" } "."
            } @else if model.tab == LeaderboardTab::Published && !model.arena.published {
                "No ratings have been published yet. The live table has provisional ones."
            } @else if model.arena.phase == Phase::Planned {
                "This arena has not begun. Its rules and starter kits are there already."
            } @else {
                "No bot plays yet. Hand in the first one."
            }
        }
    }
}

fn head(model: &Leaderboard) -> Markup {
    html! {
        thead {
            tr {
                th.n scope="col" {
                    "Rank"
                    @if model.tab == LeaderboardTab::Published {
                        small title="The best and the worst rank that results allow" { " range" }
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
    }
}

fn line(model: &Leaderboard, row: &LeaderboardRow) -> Markup {
    html! {
        tr.own[row.own].boss[row.bot.boss] {
            td.n.rank {
                @if let Some(rank) = row.rank {
                    b { (grouped(rank)) }
                } @else {
                    span.faint { "–" }
                }
                @if let Some((best, worst)) = row.ranks.filter(|(best, worst)| best < worst) {
                    small { " " (grouped(best)) "–" (grouped(worst)) }
                }
            }
            th scope="row" {
                (bot::bot(&model.arena.slug, &row.bot))
                @if row.own { " " (badge::own("yours")) }
                @if row.stars > 0 && !row.bot.boss { " " (badge::stars(row.stars)) }
                @if row.owed > 0 { " " (badge::plain(&ranked_after(row.owed))) }
                // On narrow screens the author has no column.
                div.under { (bot::author(&row.bot)) }
            }
            td.minor { (bot::author(&row.bot)) }
            td.n {
                @if let Some(own) = &row.rating {
                    (rating(own))
                } @else {
                    span.faint { "not played yet" }
                }
            }
            td.n.less { (grouped(row.matches)) }
            td.n.extra { (tally(row.tally)) }
            td.n.minor {
                @if row.faults > 0 {
                    span.bad { (grouped(row.faults)) }
                } @else {
                    span.faint { "0" }
                }
            }
            td.extra { (bot::text(&row.language)) }
            td.extra { (sparkline(&row.trend)) }
        }
    }
}

fn absent(model: &Leaderboard) -> Markup {
    html! {
        @if !model.absent.is_empty() {
            section aria-labelledby="absent" {
                h2 #absent { "Not playing" }
                div.scroll {
                    table.absent {
                        thead {
                            tr {
                                th scope="col" { "Bot" }
                                th.minor scope="col" { "Author" }
                                th scope="col" { "State and reason" }
                            }
                        }
                        tbody { @for bot in &model.absent { (absentee(model, bot)) } }
                    }
                }
            }
        }
    }
}

fn absentee(model: &Leaderboard, absentee: &Absentee) -> Markup {
    let reason = match &absentee.state {
        BotState::Paused(reason) | BotState::Disqualified(reason) => reason.as_str(),
        BotState::Plays | BotState::NoVersion | BotState::Disabled => "",
    };
    html! {
        tr.own[absentee.own] {
            th scope="row" {
                (bot::bot(&model.arena.slug, &absentee.bot))
                @if absentee.own { " " (badge::own("yours")) }
            }
            td.minor { (bot::author(&absentee.bot)) }
            td.text { (badge::bot(&absentee.state)) " " (reason) }
        }
    }
}
