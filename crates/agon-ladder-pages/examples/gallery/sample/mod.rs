//! Sample data for all pages: nothing, what is usual, and texts that try to do harm.

mod admin;
mod arena;
mod bots;
mod games;
mod hand_ins;
mod people;

use agon_ladder_pages::{
    model::{Context, Notice, NoticeKind, Role, Time, Viewer},
    pages,
};
use maud::Markup;

/// What is in the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Defaults.
    Empty,
    /// What is usual.
    Full,
    /// Texts that try to do harm, everywhere.
    Hostile,
}

impl Kind {
    /// Returns a name for files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Empty => "empty",
            Kind::Full => "full",
            Kind::Hostile => "hostile",
        }
    }
}

/// The time of all samples.
pub(crate) const NOW: u64 = 1_795_701_900;

/// Makes models of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) kind: Kind,
}

impl Sample {
    /// Returns a text, or one that tries to do harm.
    pub(crate) fn text(self, text: &str) -> String {
        if self.kind != Kind::Hostile {
            return text.to_owned();
        }
        // The number makes texts differ, as names of bots do.
        let number = text.len() * 31 + text.bytes().map(usize::from).sum::<usize>();
        match number % 4 {
            0 => format!("</textarea></title><script>alert({number})</script>\" onload='x' a=\""),
            1 => format!("\u{202e}evil\u{2066}\u{0}\u{1b}[2J\r\n{number}"),
            2 => format!("{number}{}", "W".repeat(300)),
            _ => format!("<img src=x onerror=alert(1)> &amp; {{}} ' {number} עברית"),
        }
    }

    /// Returns a model with data, or an empty one.
    fn of<T: Default>(self, make: impl FnOnce(Sample) -> T) -> T {
        if self.kind == Kind::Empty { T::default() } else { make(self) }
    }

    /// Returns what a page needs besides its model.
    pub(crate) fn context(self, role: Role, path: &str) -> Context {
        if self.kind == Kind::Empty {
            let csrf = "token".to_owned();
            return Context {
                viewer: Viewer { role, csrf, ..Viewer::default() },
                ..Context::default()
            };
        }
        let name = if role == Role::Visitor { String::new() } else { self.text("grace") };
        Context {
            site: self.text("Agon at Example University"),
            viewer: Viewer { name, role, csrf: self.text("3f9a77c1") },
            notice: None,
            path: path.to_owned(),
            now: Time(NOW),
        }
    }
}

/// Returns a time some seconds ago.
pub(crate) fn before(seconds: u64) -> Time {
    Time(NOW - seconds)
}

/// Returns all pages of a kind, with names for files.
pub(crate) fn pages(kind: Kind) -> Vec<(String, String)> {
    let sample = Sample { kind };
    let mut found = Vec::new();
    let mut add = |name: &str, page: Markup| found.push((name.to_owned(), page.into_string()));
    let visitor = sample.context(Role::Visitor, "/arenas/autumn?tab=live&page=2");
    let author = sample.context(Role::Author, "/");
    let organiser = sample.context(Role::Organiser, "/");
    let administrator = sample.context(Role::Administrator, "/admin");
    let mut told = author.clone();
    let text = sample.text("Version 8 of fox was handed in.");
    told.notice = Some(Notice { kind: NoticeKind::Done, text });

    add("front", pages::front(&visitor, &sample.of(games::front)));
    add("leaderboard", pages::leaderboard(&author, &sample.of(arena::live)));
    add("leaderboard-published", pages::leaderboard(&visitor, &sample.of(arena::published)));
    add("leaderboard-search", pages::leaderboard(&visitor, &sample.of(arena::nobody)));
    add("rules", pages::rules(&visitor, &sample.of(arena::rules)));
    add("game-rules", pages::game_rules(&visitor, &sample.of(arena::game_rules)));
    add("matches", pages::matches(&visitor, &sample.of(games::matches)));
    add("matches-of-bot", pages::matches(&author, &sample.of(games::matches_of_bot)));
    add("match", pages::match_page(&author, &sample.of(games::match_page)));
    add("match-organiser", pages::match_page(&organiser, &sample.of(games::annulled)));
    add("matrix", pages::matrix(&visitor, &sample.of(arena::matrix)));
    add("bot", pages::bot(&visitor, &sample.of(bots::bot)));
    add("bot-own", pages::bot(&told, &sample.of(bots::own)));
    add("bot-organiser", pages::bot(&organiser, &sample.of(bots::paused)));
    add("version", pages::version(&author, &sample.of(bots::version)));
    add("version-live", pages::version(&author, &sample.of(bots::building)));
    add("hand-in", pages::hand_in(&author, &sample.of(hand_ins::hand_in)));
    add("hand-in-first", pages::hand_in(&author, &sample.of(hand_ins::first_hand_in)));
    add("hand-in-visitor", pages::hand_in(&visitor, &sample.of(hand_ins::hand_in)));
    add("trial", pages::trial(&author, &sample.of(hand_ins::trial)));
    add("trial-live", pages::trial(&author, &sample.of(hand_ins::playing)));
    add("person", pages::person(&author, &sample.of(people::person)));
    add("sign-in", pages::sign_in(&visitor, &sample.of(people::sign_in)));
    add("join", pages::join(&visitor, &sample.of(people::join)));
    add("account", pages::account(&author, &sample.of(people::account)));
    add("reset", pages::reset(&visitor, &sample.of(people::reset)));
    add("admin-overview", pages::admin_overview(&administrator, &sample.of(admin::overview)));
    add("admin-people", pages::admin_people(&administrator, &sample.of(admin::people)));
    add("erase-person", pages::erase_person(&administrator, &sample.of(admin::erase)));
    add("admin-arenas", pages::admin_arenas(&organiser, &sample.of(admin::arenas)));
    add("arena-form", pages::arena_form(&organiser, &sample.of(admin::form)));
    add("arena-form-new", pages::arena_form(&organiser, &sample.of(admin::new_form)));
    add("audit-log", pages::audit_log(&administrator, &sample.of(admin::log)));
    let (title, advice) = (
        sample.text("This page does not exist"),
        sample.text("Check the address. The match may have been removed with its arena."),
    );
    add("error", pages::error_page(&visitor, 404, &title, &advice, Some("/account")));
    found
}
