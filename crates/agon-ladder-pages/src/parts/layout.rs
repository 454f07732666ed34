//! The frame of all pages.

use agon_text::{escape, escape_lines};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{bot::shown, form, link};
use crate::{
    files::{ICON, SCRIPT, STYLE},
    model::{Context, NoticeKind, Role},
};

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
pub(crate) fn page(context: &Context, title: &str, main: Markup) -> Markup {
    framed(context, &Frame { title, ..Frame::default() }, main)
}

/// Writes a page with a single form.
pub(crate) fn narrow_page(context: &Context, title: &str, main: Markup) -> Markup {
    framed(context, &Frame { title, narrow: true, ..Frame::default() }, main)
}

/// Returns the name of the site.
pub(crate) fn site(context: &Context) -> &str {
    if context.site.is_empty() { "Agon" } else { &context.site }
}

/// Writes a page in its frame.
pub(crate) fn framed(context: &Context, frame: &Frame<'_>, main: Markup) -> Markup {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="dark light";
                meta name="referrer" content="same-origin";
                title { (escape(frame.title)) " · " (escape(site(context))) }
                link rel="icon" href=(ICON.address()) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.address());
                script src=(SCRIPT.address()) defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (top(context))
                main #main .narrow[frame.narrow] tabindex="-1" data-events=[&frame.events] {
                    (notice(context))
                    (main)
                }
                div #announce .unseen role="status" {}
                (bottom(context))
            }
        }
    };
    // Hidden characters are shown once, in the whole page, so no text can be forgotten.
    PreEscaped(escape_lines(&document.into_string()).into_owned())
}

fn top(context: &Context) -> Markup {
    let viewer = &context.viewer;
    html! {
        header.top {
            a.brand href="/" {
                img src=(ICON.address()) alt="" width="22" height="22";
                span { (escape(site(context))) }
            }
            nav aria-label="Site" {
                a href="/" { "Arenas" }
                @if viewer.is_organiser() { a href="/admin/arenas" { "Organise" } }
                @if viewer.role == Role::Administrator { a href="/admin" { "Server" } }
            }
            div.who {
                @if viewer.is_signed_in() {
                    a.person href=(link::person(&viewer.name)) {
                        bdi { (shown(&viewer.name, "you")) }
                    }
                    a href="/account" { "Account" }
                    (form::button(context, "/sign-out", "Sign out", ""))
                } @else {
                    a.button href=(sign_in(context)) { "Sign in" }
                }
            }
        }
    }
}

/// Returns the address to sign in and to come back.
pub(crate) fn sign_in(context: &Context) -> String {
    match context.path.as_str() {
        "" | "/" | "/sign-in" => "/sign-in".to_owned(),
        path => format!("/sign-in?next={}", link::value(path)),
    }
}

fn notice(context: &Context) -> Markup {
    let Some(notice) = &context.notice else { return html! {} };
    let (class, word, role) = match notice.kind {
        NoticeKind::Done => ("notice done", "", "status"),
        NoticeKind::Warning => ("notice warning", "Note. ", "status"),
        NoticeKind::Problem => ("notice problem", "Not done. ", "alert"),
    };
    html! {
        div class=(class) role=(role) {
            p { @if !word.is_empty() { strong { (word) } } (notice.text) }
        }
    }
}

fn bottom(context: &Context) -> Markup {
    html! {
        footer {
            p {
                "Agon, an arena for programming games. It is "
                time datetime=(context.now.machine()) { (context.now) } "."
            }
        }
    }
}
