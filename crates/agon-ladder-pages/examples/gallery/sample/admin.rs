//! Sample data of the server and its arenas, for organisers and administrators.

use agon_ladder_pages::model::{
    AdminArena, AdminArenas, AdminPeople, AdminPerson, ArenaForm, ArenaValues, AuditEntry,
    AuditLog, BotRef, Choice, ErasePerson, ErrorLine, Extension, FieldError, GameChoice,
    Invitation, Lopsided, Overview, Paging, PersonResult, Phase, QueueLine, RankedBy, ResetLink,
    Role, Sources, Tally, Time, Upload, ZonedTime,
};

use super::{
    NOW, Sample,
    arena::{head, other},
    before,
};

/// Returns the overview.
pub(crate) fn overview(sample: Sample) -> Overview {
    let queue =
        |name: &str, waiting, oldest| QueueLine { name: sample.text(name), waiting, oldest };
    let error = |place: &str, text: &str, count| ErrorLine {
        at: before(400 * count),
        place: sample.text(place),
        text: sample.text(text),
        count,
    };
    Overview {
        version: sample.text("0.1.0"),
        since: before(5 * 86_400),
        queue: vec![
            queue("builds", 2, Some(14)),
            queue("trial matches", 0, None),
            queue("matches of autumn-2026", 12, Some(3)),
        ],
        slots: 4,
        playing: 2,
        workers: Some(sample.text("nats://192.168.1.5:4222")),
        per_hour: 2_412,
        disk_used: 71 << 30,
        disk_free: 129 << 20,
        disk_least: Some(64 << 20),
        disk: vec![(sample.text("replays"), 68 << 30), (sample.text("database"), 3 << 30)],
        errors: vec![
            error("build of mole v2", "The disk was full for 3 s; the build was repeated.", 1),
            error("match 1284312 of autumn-2026", "Void: the machine stood still for 2.1 s.", 4),
        ],
    }
}

/// Returns the list of people.
pub(crate) fn people(sample: Sample) -> AdminPeople {
    let person = |name: &str, role, disabled: bool| AdminPerson {
        name: sample.text(&name.to_lowercase()),
        shown: sample.text(if disabled { "player-1a2b3c4d" } else { name }),
        role,
        bots: 2,
        since: before(90 * 86_400),
        seen: (!disabled).then(|| before(4_000)),
        disabled,
    };
    let invitation = |code: &str, note: &str| Invitation {
        code: sample.text(code),
        address: sample.text(&format!("https://agon.example/join/{code}")),
        role: Role::Author,
        note: sample.text(note),
        left: 25,
        until: Some(Time(NOW + 14 * 86_400)),
    };
    let result = |name: &str, words: &str, address: &str| PersonResult {
        name: sample.text(name),
        words: sample.text(words),
        address: if address.is_empty() { String::new() } else { sample.text(address) },
    };
    AdminPeople {
        people: vec![
            person("ada", Role::Administrator, false),
            person("grace", Role::Organiser, false),
            person("Jörg Müller", Role::Author, false),
            person("mallory", Role::Author, true),
        ],
        search: String::new(),
        paging: Paging { page: 1, pages: 3, total: 143, query: String::new() },
        invitations: vec![
            invitation("k3v-9qa", "class A"),
            Invitation { address: String::new(), ..invitation("p0s-1xx", "guests") },
        ],
        are_private: true,
        reset: Some(ResetLink {
            name: sample.text("grace"),
            address: sample.text("https://agon.example/reset/z8k-q2m-vv1"),
            until: Some(Time(NOW + 86_400)),
        }),
        upload: Some(Upload {
            error: None,
            people: vec![
                result("Edsger", "new", "https://agon.example/join/aaa-bbb"),
                result("ada", "exists already", ""),
            ],
        }),
    }
}

/// Returns the page on which somebody is erased.
pub(crate) fn erase(sample: Sample) -> ErasePerson {
    let error = Some(sample.text("This is not the name. Nothing was changed."));
    ErasePerson { name: sample.text("mallory"), bots: 2, error }
}

/// Returns the list of arenas.
pub(crate) fn arenas(sample: Sample) -> AdminArenas {
    let line = |arena| AdminArena { arena, authors: 131, waiting: 2, since_start: 2_412 };
    AdminArenas {
        arenas: vec![
            line(head(sample)),
            line(other(sample, "Four in a maze", "amoebas", Phase::Frozen)),
            line(other(sample, "Spring 2025", "binfection", Phase::Over)),
        ],
    }
}

fn choice(sample: Sample, id: &str, on: bool) -> Choice {
    Choice { id: sample.text(id), label: sample.text(id), on }
}

fn game(sample: Sample, id: &str, presets: &[&str]) -> GameChoice {
    let presets = presets.iter().map(|preset| sample.text(preset)).collect();
    let about = sample.text("a sentence about it");
    GameChoice { id: sample.text(id), about, presets }
}

/// Returns the form of an arena with matches.
pub(crate) fn form(sample: Sample) -> ArenaForm {
    ArenaForm {
        arena: Some(head(sample)),
        errors: Vec::new(),
        game_is_fixed: true,
        ..new_form(sample)
    }
}

/// Returns the form of a new arena, with mistakes.
pub(crate) fn new_form(sample: Sample) -> ArenaForm {
    let error =
        |field: &str, text: &str| FieldError { field: field.to_owned(), text: sample.text(text) };
    let zoned = |days: u64| Some(ZonedTime { at: Time(NOW + days * 86_400), offset: 60 });
    let languages = ["Python 3.11", "Rust 1.95", "C", "C++", "C#", "Java 17", "Go", "TypeScript"];
    ArenaForm {
        arena: None,
        values: ArenaValues {
            slug: sample.text("autumn-2026"),
            title: sample.text("Autumn ladder 2026"),
            about: sample.text("The ladder of the course.\nThe best three get a book."),
            game: sample.text("cluster"),
            preset: sample.text("default"),
            settings: sample.text("columns = 9\nrows = 9"),
            players: sample.text("2"),
            time_ms: sample.text("100"),
            memory_mib: sample.text("512"),
            is_strict: false,
            is_named: true,
            begin: zoned(0),
            deadline: zoned(17),
            freeze: zoned(15),
            sources: Sources::After,
            per_day: sample.text("10"),
            ranked_by: RankedBy::Rating,
            ranked_after: sample.text("50"),
            final_games: sample.text("4"),
            final_most: sample.text("32"),
            final_minutes: sample.text("10"),
        },
        errors: vec![
            error("slug", "Another arena has this address. Choose another one."),
            error("freeze", "The freeze is after the deadline."),
        ],
        games: vec![
            game(sample, "amoebas", &["default", "small"]),
            game(sample, "cluster", &["default", "large", "duel"]),
            game(sample, "rezzo", &["default"]),
        ],
        languages: languages.map(|id| choice(sample, id, id != "Java 17")).to_vec(),
        bosses: ["looker", "greedy", "random"].map(|id| vec![choice(sample, id, true)]).to_vec(),
        game_is_fixed: false,
        extensions: vec![Extension {
            name: sample.text("grace"),
            shown: sample.text("Grace"),
            until: ZonedTime { at: Time(NOW + 20 * 86_400), offset: 60 },
        }],
        alike: vec![["Fox", "F\u{43e}x"].map(|name| bot(sample, name)).to_vec()],
        lopsided: vec![Lopsided {
            loser: bot(sample, "Fox"),
            winner: bot(sample, "Mole"),
            tally: Tally { wins: 0, ties: 1, losses: 20 },
            expected: 11.34,
        }],
    }
}

fn bot(sample: Sample, name: &str) -> BotRef {
    BotRef { slug: "fox".to_owned(), name: sample.text(name), ..BotRef::default() }
}

/// Returns the audit log.
pub(crate) fn log(sample: Sample) -> AuditLog {
    let entry = |seconds, who: &str, action: &str, subject: &str, detail: &str| AuditEntry {
        at: before(seconds),
        who: if who.is_empty() { String::new() } else { sample.text(who) },
        address: if who.is_empty() { String::new() } else { sample.text("192.0.2.17") },
        action: sample.text(action),
        subject: sample.text(subject),
        detail: sample.text(detail),
    };
    AuditLog {
        entries: vec![
            entry(60, "grace", "bot.disqualify", "bot-26", "It is a copy of another bot."),
            entry(300, "", "ratings.publish", "autumn-2026", "1 284 771 matches"),
            entry(9_000, "ada", "arena.change", "autumn-2026", "deadline: 2026-12-13 23:59 +01:00"),
            entry(90_000, "ada", "person.role", "grace", "organiser"),
        ],
        search: sample.text("a"),
        paging: Paging { page: 2, pages: 4, total: 389, query: "q=a".to_owned() },
    }
}
