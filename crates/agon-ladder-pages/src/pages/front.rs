//! `/`: arenas, and matches just played.

use maud::{Markup, html};

use crate::{
    model::{ArenaCard, Context, Front},
    parts::{
        arena_frame::deadline,
        badge, bot,
        layout::{self, Frame},
        link,
        match_list::match_list,
        number::counted,
        viewer::viewer,
    },
};

/// What the front page says if the organisers say nothing.
const WELCOME: &str = "Write a bot, hand it in, and watch it climb. Here bots play each other day \
                       and night, and every match can be watched and checked.";

/// Writes the front page.
pub fn front(context: &Context, model: &Front) -> Markup {
    let main = html! {
        div.hero {
            h1 { (layout::site(context)) }
            @if model.welcome.is_empty() {
                p.lead { (WELCOME) }
            } @else {
                p.lead.paragraphs { (model.welcome) }
            }
            @if !context.viewer.is_signed_in() {
                p {
                    a.button.primary href=(layout::sign_in(context)) { "Sign in to hand in a bot" }
                }
            }
        }
        // Both change while the page is open, and the viewer between them goes on.
        div #live { (arenas(context, model)) }
        @if let Some((arena, number)) = &model.watched { (watched(arena, *number)) }
        div #facts {
            section aria-labelledby="latest" {
                h2 #latest { "Latest matches" }
                (match_list(context, &model.latest, None))
            }
        }
    };
    let frame = Frame { title: "Arenas", events: Some("/events".to_owned()), ..Frame::default() };
    layout::framed(context, &frame, main)
}

/// Writes a match that plays by itself.
fn watched(arena: &str, number: u64) -> Markup {
    html! {
        section aria-labelledby="watched" {
            h2 #watched { a href=(link::match_page(arena, number)) { "Just played" } }
            (viewer(&format!("Viewer: match {number}"), &link::replay(arena, number), None))
        }
    }
}

fn arenas(context: &Context, model: &Front) -> Markup {
    html! {
        section aria-labelledby="arenas" {
            h2 #arenas { "Arenas" }
            @if model.arenas.is_empty() {
                p.empty {
                    "There is no arena yet. "
                    @if context.viewer.is_organiser() {
                        a href="/admin/arenas/new" { "Set up the first one" } "."
                    } @else {
                        "An organiser will set one up."
                    }
                }
            }
            ul.cards { @for arena in &model.arenas { (card(context, arena)) } }
        }
    }
}

fn card(context: &Context, card: &ArenaCard) -> Markup {
    let arena = &card.arena;
    let title = bot::shown(&arena.title, "Arena");
    html! {
        li.card {
            h3 { a href=(link::arena(&arena.slug)) { bdi { (title) } } }
            p.facts { (badge::phase(arena.phase)) span { (bot::text(&arena.game)) } }
            @if !card.about.is_empty() { p { (card.about) } }
            @if !card.leaders.is_empty() {
                ol.leaders aria-label="The best bots" {
                    @for (place, (rank, leader)) in (1..).zip(card.leaders.iter().take(3)) {
                        li {
                            (bot::bot(&arena.slug, leader))
                            // Bosses, which are not listed here, may be better.
                            @if place != *rank { span.version { "rank\u{a0}" (rank) } }
                        }
                    }
                }
            }
            p.facts.foot {
                span { (counted(arena.bots, "bot", "bots")) }
                span { (counted(arena.matches, "match", "matches")) }
                (deadline(context, arena))
            }
        }
    }
}
