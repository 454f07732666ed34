//! `/arenas/{arena}/matches`: the list of matches.

use maud::{Markup, html};

use crate::{
    model::{BotRef, Context, Matches, Phase},
    parts::{
        arena_frame::{Tab, arena_page_with_events},
        bot, form, link,
        match_list::match_list,
        paging::paging,
    },
};

/// Writes the list of matches of an arena. Its first page follows the events of the leaderboard.
pub fn matches(context: &Context, model: &Matches) -> Markup {
    let filter = &model.filter;
    let own = filter.bot.as_ref().map(|bot| bot.slug.as_str());
    let is_filtered = filter.bot.is_some() || filter.with_faults;
    let main = html! {
        div.bar {
            h1 { "Matches" }
            (filters(model))
        }
        @if is_filtered { p { (which(model)) } }
        div #live {
            @if is_filtered && model.rows.is_empty() {
                p.empty { "There is no such match." }
            } @else {
                (match_list(context, &model.rows, own))
            }
            (paging(&model.paging, "Pages of the list"))
            (older(model))
        }
    };
    let newest = model.paging.page <= 1 && model.before.is_none();
    let is_followed = newest && model.arena.phase != Phase::Over;
    let events = is_followed.then(|| link::below(&model.arena.slug, "events"));
    arena_page_with_events(context, &model.arena, Tab::Matches, "Matches", events, main)
}

/// Writes the form that chooses matches.
fn filters(model: &Matches) -> Markup {
    let slug = |bot: &Option<BotRef>| bot.as_ref().map_or(String::new(), |bot| bot.slug.clone());
    let fields = [
        ("bot", "Only matches of this bot", "Bot", slug(&model.filter.bot)),
        ("against", "Only matches against this bot", "Against", slug(&model.filter.against)),
    ];
    html! {
        form.search method="get" action=(link::below(&model.arena.slug, "matches"))
            role="search" {
            @for (name, words, short, value) in fields {
                label.unseen for=(name) { (words) }
                input id=(name) name=(name) type="search" value=(form::raw(&value))
                    placeholder=(short) autocomplete="off";
            }
            div.check {
                input #faults type="checkbox" name="faults" value="1"
                    checked[model.filter.with_faults];
                label for="faults" { "With faults only" }
            }
            button type="submit" { "Filter" }
        }
    }
}

/// Says which matches the list has.
fn which(model: &Matches) -> Markup {
    let slug = &model.arena.slug;
    html! {
        "Only those "
        @if let Some(bot) = &model.filter.bot { "of " (bot::bot(slug, bot)) }
        @if let Some(other) = &model.filter.against { " against " (bot::bot(slug, other)) }
        @if model.filter.with_faults {
            @match model.filter.bot {
                Some(_) => { ", in which it committed a fault" },
                None => { "in which a bot committed a fault" },
            }
        }
        " · "
        a href=(link::below(slug, "matches")) { "Show all" }
    }
}

/// Writes links to the other pages of a list whose pages have no numbers.
fn older(model: &Matches) -> Markup {
    if model.older.is_none() && model.before.is_none() {
        return html! {};
    }
    html! {
        nav.paging aria-label="Pages of the list" {
            @if model.before.is_some() {
                a href={ "?" (model.paging.query) } { "← Newest" }
            }
            @if let Some(before) = model.older {
                a href={ "?" (model.paging.query) "&before=" (before) } rel="next" { "Older →" }
            }
        }
    }
}
