//! `/arenas/{arena}/bots/{slug}`: a bot.

mod manage;
mod private;

use maud::{Markup, html};

use crate::{
    model::{BotPage, BotState, Context, Opponent, VersionRow},
    parts::{
        arena_frame::{Tab, arena_page},
        avatar::avatar,
        badge, bot as names,
        chart::chart,
        faults as fault_list, link,
        match_list::match_list,
        number::{self, grouped, rating, tally},
        time::ago,
    },
};

/// Writes the page of a bot.
pub fn bot(context: &Context, model: &BotPage) -> Markup {
    let own = model.arena.own_bot.as_ref() == Some(&model.bot.slug);
    let tab = if own { Tab::OwnBot } else { Tab::None };
    let name = names::shown(&model.bot.name, "Bot");
    let main = html! {
        (head(model, &name, own))
        (state(model))
        @if let Some(private) = &model.own { (private::waiting(private)) }
        (figures(model))
        (milestones(model))
        section aria-labelledby="history" {
            h2 #history { "Rating over time" }
            (chart(&model.history))
        }
        (versions(context, model))
        div.columns {
            (latest(context, model))
            div {
                (opponents(model))
                (faults(model))
            }
        }
        @if let Some(private) = &model.own { (private::private(context, model, private)) }
        (manage::manage(context, model))
    };
    arena_page(context, &model.arena, tab, &name, main)
}

fn head(model: &BotPage, name: &str, own: bool) -> Markup {
    let bot = &model.bot;
    html! {
        div.profile {
            (avatar(&bot.slug))
            div {
                h1 {
                    bdi { (name) }
                    @if let Some(version) = bot.version { " " span.version { "v" (version) } }
                }
                p.facts {
                    @if bot.boss {
                        (badge::plain("boss")) span { "a bot of Agon, which plays as a milestone" }
                    } @else {
                        span { "by " (names::author(bot)) }
                    }
                    @if !model.language.is_empty() { span { (names::text(&model.language)) } }
                    (badge::bot(&model.state))
                    @if own { (badge::own("yours")) }
                }
            }
        }
        @if !model.about.is_empty() { p.paragraphs { (model.about) } }
    }
}

fn state(model: &BotPage) -> Markup {
    let (words, reason) = match &model.state {
        BotState::Plays => return html! {},
        BotState::NoVersion => ("This bot does not play.", "none of its versions is ready"),
        BotState::Paused(reason) => ("This bot is paused.", reason.as_str()),
        BotState::Disabled => ("This bot does not play.", "its author's account is disabled"),
        BotState::Disqualified(reason) => ("This bot is disqualified.", reason.as_str()),
    };
    html! {
        div.notice.warning {
            p { strong { (words) } @if !reason.is_empty() { " Reason: " (reason) } }
        }
    }
}

fn figures(model: &BotPage) -> Markup {
    html! {
        dl.figures {
            @if let Some((rank, of)) = model.rank {
                div { dt { "Rank" } dd { b { (grouped(rank)) } small { " of " (grouped(of)) } } }
            } @else if model.owed > 0 {
                div { dt { "Rank" } dd { small { (number::ranked_after(model.owed)) } } }
            }
            @if let Some(own) = &model.rating {
                div { dt { "Rating" } dd { (rating(own)) } }
            } @else if model.bot.version.is_some() {
                div { dt { "Rating" } dd { small { "not played yet" } } }
            }
            div { dt { "Matches" } dd { b { (grouped(model.matches)) } } }
            div {
                dt { "Won – tied – lost" }
                dd { b { (tally(model.tally)) } }
            }
        }
    }
}

fn milestones(model: &BotPage) -> Markup {
    html! {
        @if !model.bot.boss && !model.milestones.is_empty() {
            section aria-labelledby="milestones" {
                h2 #milestones { "Milestones" }
                ul.milestones {
                    @for one in &model.milestones {
                        li {
                            @let name = names::shown(&one.boss.name, "boss");
                            a href=(link::bot(&model.arena.slug, &one.boss.slug)) {
                                (badge::milestone(&name, one.reached))
                            }
                            @if !one.reached { span.unseen { " is not reached yet" } }
                        }
                    }
                }
                p.hint {
                    "A full star: this version is certainly stronger than that bot of Agon, so \
                     the lower end of its rating is above the rating of the other."
                }
            }
        }
    }
}

fn versions(context: &Context, model: &BotPage) -> Markup {
    html! {
        section aria-labelledby="versions" {
            h2 #versions { "Versions" }
            @if model.versions.is_empty() {
                p.empty { "There is none yet." }
            } @else {
                div.scroll {
                    table.versions {
                        thead {
                            tr {
                                th scope="col" { "Version" }
                                th scope="col" { "State" }
                                th scope="col" { "What changed" }
                                th.n scope="col" { "Rating" }
                                th.n.minor scope="col" { "Matches" }
                                th.n.minor scope="col" { "Handed in" }
                            }
                        }
                        tbody {
                            @for row in &model.versions { (version(context, model, row)) }
                        }
                    }
                }
            }
        }
    }
}

fn version(context: &Context, model: &BotPage, row: &VersionRow) -> Markup {
    html! {
        tr.active[row.active] {
            th scope="row" {
                a href=(link::version(&model.arena.slug, &model.bot.slug, row.number)) {
                    "v" (row.number)
                }
            }
            td {
                @if row.active && model.state == BotState::Plays {
                    (badge::own("plays"))
                } @else {
                    (badge::version(row.state))
                }
            }
            td.text {
                @if row.message.is_empty() {
                    span.faint { "–" }
                } @else {
                    (names::text(&row.message))
                }
                @if !row.language.is_empty() && row.language != model.language {
                    " " small { (names::text(&row.language)) }
                }
            }
            td.n {
                @if let Some(own) = &row.rating { (rating(own)) } @else { span.faint { "–" } }
            }
            td.n.minor { (grouped(row.matches)) }
            td.n.minor { (ago(context.now, row.at)) }
        }
    }
}

fn opponents(model: &BotPage) -> Markup {
    html! {
        section aria-labelledby="opponents" {
            h2 #opponents { "Opponents" }
            @if model.opponents.is_empty() {
                p.empty { "It has met nobody yet." }
            } @else {
                div.scroll {
                    table.opponents {
                        thead {
                            tr {
                                th scope="col" { "Opponent" }
                                th.n scope="col" { "Rating" }
                                th.n scope="col" title="Won – tied – lost" { "W – T – L" }
                                th.n scope="col" { "Score" }
                            }
                        }
                        tbody { @for other in &model.opponents { (opponent(model, other)) } }
                    }
                }
            }
        }
    }
}

fn opponent(model: &BotPage, other: &Opponent) -> Markup {
    let score = number::score(other.tally);
    html! {
        tr {
            th scope="row" { (names::bot(&model.arena.slug, &other.bot)) }
            td.n { (other.elo.map(number::elo).unwrap_or_default()) }
            td.n { (tally(other.tally)) }
            td.n { (score.map(|part| format!("{:.0} %", 100.0 * part)).unwrap_or_default()) }
        }
    }
}

fn faults(model: &BotPage) -> Markup {
    let all = format!(
        "{}?bot={}&faults=1",
        link::below(&model.arena.slug, "matches"),
        link::value(&model.bot.slug)
    );
    let among = match model.faults_among {
        1 => "the latest match".to_owned(),
        among => format!("the latest {} matches", grouped(among)),
    };
    html! {
        section aria-labelledby="faults" {
            h2 #faults { "Faults" }
            (fault_list::counts(&model.arena.slug, &model.faults))
            @if model.faults_among > 0 {
                p.hint {
                    "In " (among) " of this version. "
                    a href=(all) { "All matches with faults" }
                }
            }
        }
    }
}

fn latest(context: &Context, model: &BotPage) -> Markup {
    let all = format!(
        "{}?bot={}",
        link::below(&model.arena.slug, "matches"),
        link::value(&model.bot.slug)
    );
    html! {
        section aria-labelledby="latest" {
            h2 #latest { "Latest matches" }
            (match_list(context, &model.latest, Some(&model.bot.slug)))
            @if !model.latest.is_empty() { p { a href=(all) { "All matches of this bot" } } }
        }
    }
}
