//! Sample people and accounts.

use agon_ladder_pages::model::{
    Account, BotState, Join, Person, PersonBot, Phase, Rating, Reset, Role, Session, SignIn, Time,
    Token,
};

use super::{
    NOW, Sample,
    arena::{bot, head, other},
    before,
};

/// Returns the page of a person.
pub(crate) fn person(sample: Sample) -> Person {
    let one = |arena, at: usize, state| PersonBot {
        arena,
        bot: bot(sample, at),
        state,
        rank: Some((at as u64 + 1, 143)),
        rating: Some(Rating { elo: 290.0, low: Some(272.0), high: Some(308.0) }),
        matches: 7_160,
        language: sample.text("Rust"),
    };
    Person {
        name: sample.text("grace"),
        role: Role::Organiser,
        since: before(90 * 86_400),
        bots: vec![
            one(head(sample), 2, BotState::Plays),
            one(
                other(sample, "Practice", "cellhack", Phase::Paused),
                5,
                BotState::Paused(sample.text("It crashed.")),
            ),
        ],
    }
}

/// Returns the page to sign in, after a mistake.
pub(crate) fn sign_in(sample: Sample) -> SignIn {
    SignIn {
        name: sample.text("grace"),
        error: Some(sample.text("Name or password is wrong.")),
        next: sample.text("/arenas/autumn-2026/hand-in"),
    }
}

/// Returns the page behind an invitation.
pub(crate) fn join(sample: Sample) -> Join {
    Join {
        code: sample.text("k3v-9qa-t7d"),
        by: sample.text("ada"),
        role: Role::Author,
        until: Some(Time(NOW + 14 * 86_400)),
        name: sample.text("grace"),
        name_is_fixed: true,
        error: None,
    }
}

/// Returns the page to choose a new password.
pub(crate) fn reset(sample: Sample) -> Reset {
    let error = Some(sample.text("The password is too short: use 8 characters or more."));
    let (code, name) = (sample.text("k3v-9qa-t7d"), sample.text("grace"));
    Reset { code, name, is_first: false, error }
}

/// Returns the page of an account.
pub(crate) fn account(sample: Sample) -> Account {
    let session = |program: &str, current| Session {
        id: sample.text(program),
        program: sample.text(program),
        since: before(9 * 86_400),
        seen: before(if current { 2 } else { 40_000 }),
        current,
    };
    let token = |label: &str, scopes: &str, by_password| Token {
        id: "17".to_owned(),
        label: sample.text(label),
        scopes: scopes.to_owned(),
        by_password,
        seen: by_password.then(|| before(120)),
        until: before(0),
    };
    Account {
        name: sample.text("grace.hopper"),
        sessions: vec![
            session("Firefox on Linux", true),
            session("Safari on iPhone", false),
            session("agon", false),
        ],
        tokens: vec![
            token("laptop", "read, submit", true),
            token("class server", "read, submit, manage", false),
        ],
        new_token: Some("agon_0123456789012345678901234567890123456789".to_owned()),
        error: None,
    }
}
