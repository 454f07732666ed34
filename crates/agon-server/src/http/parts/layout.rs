//! The frames of pages: of all, of an arena's, and of organisers'.

use agon_core::text::{escape, escape_lines};
use agon_ladder::api::{ArenaSummary, Role, ZonedTime};
use axum::response::Response;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::names::{shown, text};
use super::{badge, form, link, values, values::counted};
use crate::http::reply;
use crate::http::statics::{ICON, SCRIPT, STYLE};
use crate::http::visitor::{NoticeKind, Visitor};

/// What differs between the frames of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame<'a> {
    /// The title, without the name of the site.
    pub(crate) title: &'a str,
    /// The address of the stream that says when the page has changed.
    pub(crate) events: Option<String>,
    /// Whether the page needs little width, such as one with a single form.
    pub(crate) narrow: bool,
}

/// Writes a page with nothing special in its frame.
pub(crate) fn page(visitor: &Visitor, title: &str, main: Markup) -> Response {
    framed(visitor, &Frame { title, ..Frame::default() }, main)
}

/// Writes a page with a single form.
pub(crate) fn narrow_page(visitor: &Visitor, title: &str, main: Markup) -> Response {
    framed(visitor, &Frame { title, narrow: true, ..Frame::default() }, main)
}

/// Returns the name of the site.
pub(crate) fn site(visitor: &Visitor) -> &str {
    if visitor.site.is_empty() { "Agon" } else { &visitor.site }
}

/// Writes a page in its frame.
pub(crate) fn framed(visitor: &Visitor, frame: &Frame<'_>, main: Markup) -> Response {
    let now = values::now();
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="dark light";
                meta name="referrer" content="same-origin";
                title { (escape(frame.title)) " · " (escape(site(visitor))) }
                link rel="icon" href=(ICON.address()) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.address());
                script src=(SCRIPT.address()) defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href="/" {
                        img src=(ICON.address()) alt="" width="22" height="22";
                        span { (escape(site(visitor))) }
                    }
                    nav aria-label="Site" {
                        a href="/" { "Arenas" }
                        @if visitor.role() >= Role::Organiser {
                            a href="/admin/arenas" { "Organise" }
                        }
                        @if visitor.role() == Role::Administrator { a href="/admin" { "Server" } }
                    }
                    div.who {
                        @if visitor.is_signed_in() {
                            a.person href=(link::person(visitor.name())) {
                                bdi { (shown(visitor.name(), "you")) }
                            }
                            a href="/account" { "Account" }
                            (form::button(visitor, "/sign-out", "Sign out", ""))
                        } @else {
                            a.button href=(sign_in(visitor)) { "Sign in" }
                        }
                    }
                }
                main #main .narrow[frame.narrow] tabindex="-1" data-events=[&frame.events] {
                    (notice(visitor))
                    (main)
                }
                div #announce .unseen role="status" {}
                footer {
                    p {
                        "Agon, an arena for programming games. It is "
                        time datetime=(now.machine()) { (now) } "."
                    }
                }
            }
        }
    };
    // Hidden characters are shown once, in the whole page, so no text can be forgotten.
    reply::html(PreEscaped(escape_lines(&document.into_string()).into_owned()))
}

/// Returns the address to sign in and to come back.
pub(crate) fn sign_in(visitor: &Visitor) -> String {
    match visitor.path.as_str() {
        "" | "/" | "/sign-in" => "/sign-in".to_owned(),
        path => format!("/sign-in?next={}", link::value(path)),
    }
}

fn notice(visitor: &Visitor) -> Markup {
    let Some((kind, message)) = visitor.notice else { return html! {} };
    let (class, word, role) = match kind {
        NoticeKind::Done => ("notice done", "", "status"),
        NoticeKind::Problem => ("notice problem", "Not done. ", "alert"),
    };
    html! {
        div class=(class) role=(role) {
            p { @if !word.is_empty() { strong { (word) } } (message) }
        }
    }
}

/// What all pages of an arena show at their top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) arena: ArenaSummary,
    /// Minutes that the organiser's clocks are ahead of UTC.
    pub(crate) offset: i32,
    /// Whether the visitor can hand in now, if need be after signing in.
    pub(crate) can_hand_in: bool,
}

impl Head {
    /// Returns the deadline in the organiser's zone.
    pub(crate) fn deadline(&self) -> Option<ZonedTime> {
        self.arena.deadline.map(|at| ZonedTime { at, offset: self.offset })
    }

    /// Returns the address of a page of the arena.
    pub(crate) fn below(&self, page: &str) -> String {
        link::below(&self.arena.slug, page)
    }
}

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
    /// A page below none of the tabs.
    None,
}

/// Writes a page of an arena.
pub(crate) fn arena_page(
    visitor: &Visitor,
    head: &Head,
    tab: Tab,
    title: &str,
    main: Markup,
) -> Response {
    arena_page_with_events(visitor, head, tab, title, false, main)
}

/// Writes a page of an arena that perhaps follows the arena's events: on each, the script fetches
/// the page and replaces the element with the id `live`.
pub(crate) fn arena_page_with_events(
    visitor: &Visitor,
    head: &Head,
    tab: Tab,
    title: &str,
    is_live: bool,
    main: Markup,
) -> Response {
    let name = shown(&head.arena.title, "Arena");
    let title = match tab {
        Tab::Leaderboard => name.clone().into_owned(),
        _ => format!("{title} · {name}"),
    };
    let events = is_live.then(|| head.below("events"));
    let arena = &head.arena;
    let main = html! {
        div.arena-head {
            @if tab == Tab::Leaderboard {
                h1.arena-title { bdi { (name) } }
            } @else {
                p.arena-title { a href=(link::arena(&arena.slug)) { bdi { (name) } } }
            }
            p.facts #facts {
                (badge::phase(arena.phase))
                @if !arena.game.is_empty() { span { (text(&arena.game)) } }
                span { (counted(arena.bots, "bot", "bots")) }
                span { (counted(arena.matches, "match", "matches")) }
                (deadline(head))
            }
            (tabs(visitor, head, tab))
        }
        (main)
    };
    framed(visitor, &Frame { title: &title, events, narrow: false }, main)
}

/// Writes the deadline, and how much time is left.
pub(crate) fn deadline(head: &Head) -> Markup {
    let Some(deadline) = head.deadline() else { return html! {} };
    html! {
        span.deadline {
            "deadline " time datetime=(deadline.at.machine()) { (deadline) }
            @if let Some(left) = values::left(deadline.at) { " · " b { (left) } }
        }
    }
}

fn tabs(visitor: &Visitor, head: &Head, tab: Tab) -> Markup {
    let arena = &head.arena;
    let mut tabs = vec![
        (Some(Tab::Leaderboard), link::arena(&arena.slug), "Leaderboard"),
        (Some(Tab::Matches), head.below("matches"), "Matches"),
        (Some(Tab::Matrix), head.below("matrix"), "Head to head"),
        (Some(Tab::Rules), head.below("rules"), "Rules"),
    ];
    if let Some(bot) = &arena.own_bot {
        tabs.push((Some(Tab::OwnBot), link::bot(&arena.slug, bot), "My bot"));
    }
    if head.can_hand_in || tab == Tab::HandIn {
        tabs.push((Some(Tab::HandIn), head.below("hand-in"), "Hand in"));
    }
    if visitor.role() >= Role::Organiser {
        tabs.push((None, link::admin_arena(&arena.slug), "Settings"));
    }
    tab_links("Arena", tabs.into_iter().map(|(own, to, words)| (own == Some(tab), to, words)))
}

fn tab_links(
    label: &str,
    tabs: impl Iterator<Item = (bool, impl AsRef<str>, &'static str)>,
) -> Markup {
    html! {
        nav.tabs aria-label=(label) {
            @for (is_current, address, words) in tabs {
                a href=(address.as_ref()) aria-current=[is_current.then_some("page")] { (words) }
            }
        }
    }
}

/// Writes a page of organisers or administrators. `tab` is the address of its tab.
pub(crate) fn admin_page(visitor: &Visitor, tab: &str, title: &str, main: Markup) -> Response {
    let is_administrator = visitor.role() == Role::Administrator;
    let tabs = [
        ("/admin", "Server", is_administrator),
        ("/admin/arenas", "Arenas", true),
        ("/admin/people", "People", is_administrator),
        ("/admin/log", "Log", is_administrator),
    ];
    let tabs = tabs.into_iter().filter(|(.., is_shown)| *is_shown);
    let main = html! {
        div.arena-head {
            (tab_links("Administration", tabs.map(|(to, words, _)| (to == tab, to, words))))
        }
        (main)
    };
    page(visitor, title, main)
}
