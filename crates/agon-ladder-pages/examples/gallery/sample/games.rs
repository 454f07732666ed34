//! Sample matches, and the front page.

use agon_ladder_pages::model::{
    ArenaCard, Fault, FaultCount, Front, Log, MatchFilter, MatchLink, MatchPage, MatchRow,
    MatchSeat, MatchState, Matches, Paging, Phase, ReplayState, Seat,
};

use super::{
    Sample,
    arena::{bot, head, other},
    before,
};

/// Returns a match of a list, with the bots of some numbers.
pub(crate) fn row(sample: Sample, at: usize, bots: &[usize]) -> MatchRow {
    let tied = at % 5 == 4;
    let seat = |(place, &number): (usize, &usize)| Seat {
        bot: bot(sample, number),
        place: if tied { 1 } else { 1 + (place as u32 + at as u32) % bots.len() as u32 },
        faults: u64::from(at % 4 == 1 && place == 0) * 3,
    };
    let state = match at % 9 {
        6 => MatchState::Void(sample.text("The machine stood still.")),
        7 => MatchState::Annulled(sample.text("The rules had an error.")),
        _ => MatchState::Played,
    };
    MatchRow {
        arena: head(sample).slug,
        arena_title: String::new(),
        number: 1_284_771 - at as u64,
        at: before(3 + 47 * at as u64),
        state,
        turns: 80 + 13 * at as u64 % 40,
        seats: bots.iter().enumerate().map(seat).collect(),
    }
}

/// Returns the front page.
pub(crate) fn front(sample: Sample) -> Front {
    let about = "The ladder of the course Algorithms II. The three best bots get a book.";
    let card = |arena, leaders: &[usize]| ArenaCard {
        arena,
        about: sample.text(about),
        leaders: leaders.iter().map(|&at| (1 + at as u64, bot(sample, at))).collect(),
    };
    let with_title = |mut row: MatchRow| {
        row.arena_title = head(sample).title;
        row
    };
    Front {
        welcome: String::new(),
        arenas: vec![
            card(head(sample), &[0, 1, 2]),
            card(other(sample, "Four in a maze", "amoebas", Phase::Frozen), &[6, 5, 9]),
            card(other(sample, "Spring ladder", "rezzo", Phase::Planned), &[]),
            card(other(sample, "Practice", "cellhack", Phase::Paused), &[3]),
            card(other(sample, "Spring 2025", "binfection", Phase::Over), &[4, 7, 11]),
        ],
        watched: Some((head(sample).slug, 1_284_771)),
        latest: (0..8)
            .map(|at| {
                let four = [at, at + 1, at + 2, at + 3];
                with_title(row(sample, at, if at == 3 { &four } else { &four[..2] }))
            })
            .collect(),
    }
}

/// Returns the list of matches.
pub(crate) fn matches(sample: Sample) -> Matches {
    Matches {
        arena: head(sample),
        rows: (0..20).map(|at| row(sample, at, &[at, at + 3])).collect(),
        filter: MatchFilter::default(),
        before: None,
        older: None,
        paging: Paging { page: 3, pages: 12_848, total: 1_284_771, query: String::new() },
    }
}

/// Returns the list of matches of a bot.
pub(crate) fn matches_of_bot(sample: Sample) -> Matches {
    let mut list = matches(sample);
    list.rows = (0..12).map(|at| row(sample, at, &[2, at + 3])).collect();
    list.filter.bot = Some(bot(sample, 2));
    list.filter.against = Some(bot(sample, 3));
    list.filter.with_faults = true;
    list.paging = Paging { query: "bot=x&against=y&faults=1".to_owned(), ..Paging::default() };
    (list.before, list.older) = (Some(900), Some(700));
    list
}

/// Returns a bot of a match.
pub(crate) fn seat(sample: Sample, at: usize, place: u32, own: bool) -> MatchSeat {
    MatchSeat {
        bot: bot(sample, at),
        place,
        score: sample.text(&(70 - 9 * place).to_string()),
        faults: vec![FaultCount {
            kind: sample.text("did not answer in time"),
            count: 2,
            example: None,
        }]
        .into_iter()
        .filter(|_| own)
        .collect(),
        thinking: Some(1_834_000 / u64::from(place)),
        slowest: Some(98_200),
        change: Some(7.4 - 5.0 * f64::from(place)),
        own,
    }
}

/// Returns faults of the second bot.
pub(crate) fn faults(sample: Sample) -> Vec<Fault> {
    vec![
        Fault {
            turn: 31,
            seat: 1,
            kind: sample.text("did not answer in time"),
            detail: sample.text("100 ms were allowed"),
            evidence: String::new(),
        },
        Fault {
            turn: 58,
            seat: 1,
            kind: sample.text("ended by itself"),
            detail: sample.text("exit status 1"),
            evidence: sample.text(
                "Traceback (most recent call last):\n  File \"bot.py\", line 41, in <module>\n    \
                 main()\nIndexError: list index out of range\n",
            ),
        },
    ]
}

/// Returns output of a bot.
pub(crate) fn log(sample: Sample, title: &str) -> Log {
    let line = |n: usize| format!("turn {n}: depth {} score {}\n", 4 + n % 5, n * 37 % 91);
    let text: String = (1..60).map(line).collect();
    Log {
        title: sample.text(title),
        text: sample.text(&text),
        cut: 23_112,
        number: Some(1_284_770),
    }
}

/// Returns the page of a match with the viewer's own bot.
pub(crate) fn match_page(sample: Sample) -> MatchPage {
    MatchPage {
        arena: head(sample),
        number: 1_284_770,
        state: MatchState::Played,
        at: before(70),
        seed: sample.text("0x3f9a77c1d2e4"),
        machine: Some((sample.text("lab-3"), 120)),
        turns: 112,
        ms: 4_310,
        turn: Some(31),
        seats: vec![seat(sample, 0, 1, false), seat(sample, 2, 2, true)],
        faults: faults(sample),
        more_faults: 12,
        replay: ReplayState::There,
        proof: Some((2_569_533, "/log/proofs/1/1284770.txt".to_owned())),
        base: sample.text("https://agon.example"),
        logs: vec![log(sample, "nightshade v3")],
        related: vec![MatchLink {
            number: 1_284_900,
            words: sample.text("played again as check: same states"),
        }],
        neighbours: (Some(1_284_769), Some(1_284_771)),
    }
}

/// Returns the page of an annulled match of four bots.
pub(crate) fn annulled(sample: Sample) -> MatchPage {
    MatchPage {
        state: MatchState::Annulled(sample.text("The rules had an error.")),
        seats: (0..4).map(|at| seat(sample, at, 1 + at as u32 / 2, false)).collect(),
        logs: Vec::new(),
        replay: ReplayState::Removed {
            at: before(86_400),
            digest: sample.text(&"5c".repeat(32)),
            is_erased: true,
        },
        faults: Vec::new(),
        ..match_page(sample)
    }
}
