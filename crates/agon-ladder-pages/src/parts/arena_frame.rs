//! The frame of all pages of an arena: its title, its state and its tabs.

use maud::{Markup, html};

use super::{
    badge,
    bot::{shown, text},
    layout::{Frame, framed},
    link,
    number::counted,
    time,
};
use crate::model::{ArenaHead, Context};

/// A tab of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    /// The leaderboard, whose heading is the arena's title.
    Leaderboard,
    /// The list of matches, and each match.
    Matches,
    /// The matrix.
    Matrix,
    /// The rules.
    Rules,
    /// The viewer's own bot.
    OwnBot,
    /// The page to hand in, and trial matches.
    HandIn,
    /// The settings.
    Settings,
    /// A page below none of the tabs.
    None,
}

/// Writes a page of an arena.
pub(crate) fn arena_page(
    context: &Context,
    arena: &ArenaHead,
    tab: Tab,
    title: &str,
    main: Markup,
) -> Markup {
    arena_page_with_events(context, arena, tab, title, None, main)
}

/// Writes a page of an arena that follows a stream of events.
pub(crate) fn arena_page_with_events(
    context: &Context,
    arena: &ArenaHead,
    tab: Tab,
    title: &str,
    events: Option<String>,
    main: Markup,
) -> Markup {
    let name = shown(&arena.title, "Arena");
    let title = match tab {
        Tab::Leaderboard => name.clone().into_owned(),
        _ => format!("{title} · {name}"),
    };
    let frame = Frame { title: &title, events, narrow: false };
    framed(context, &frame, html! { (head(context, arena, tab)) (main) })
}

fn head(context: &Context, arena: &ArenaHead, tab: Tab) -> Markup {
    let title = shown(&arena.title, "Arena");
    html! {
        div.arena-head {
            @if tab == Tab::Leaderboard {
                h1.arena-title { bdi { (title) } }
            } @else {
                p.arena-title { a href=(link::arena(&arena.slug)) { bdi { (title) } } }
            }
            p.facts #facts {
                (badge::phase(arena.phase))
                @if !arena.game.is_empty() { span { (text(&arena.game)) } }
                span { (counted(arena.bots, "bot", "bots")) }
                span { (counted(arena.matches, "match", "matches")) }
                (deadline(context, arena))
            }
            (tabs(context, arena, tab))
        }
    }
}

/// Writes the deadline, and how much time is left.
pub(crate) fn deadline(context: &Context, arena: &ArenaHead) -> Markup {
    let Some(deadline) = arena.deadline else { return html! {} };
    html! {
        span.deadline {
            "deadline " time datetime=(deadline.at.machine()) { (deadline) }
            @if let Some(left) = time::left(context.now, deadline.at) { " · " b { (left) } }
        }
    }
}

fn tabs(context: &Context, arena: &ArenaHead, tab: Tab) -> Markup {
    let below = |page: &str| link::below(&arena.slug, page);
    let mut tabs = vec![
        (Tab::Leaderboard, link::arena(&arena.slug), "Leaderboard"),
        (Tab::Matches, below("matches"), "Matches"),
        (Tab::Matrix, below("matrix"), "Head to head"),
        (Tab::Rules, below("rules"), "Rules"),
    ];
    if let Some(bot) = &arena.own_bot {
        tabs.push((Tab::OwnBot, link::bot(&arena.slug, bot), "My bot"));
    }
    if arena.can_hand_in || tab == Tab::HandIn {
        tabs.push((Tab::HandIn, below("hand-in"), "Hand in"));
    }
    if context.viewer.is_organiser() {
        tabs.push((Tab::Settings, link::admin_arena(&arena.slug), "Settings"));
    }
    html! {
        nav.tabs aria-label="Arena" {
            @for (own, address, words) in tabs {
                a href=(address) aria-current=[(own == tab).then_some("page")] { (words) }
            }
        }
    }
}
