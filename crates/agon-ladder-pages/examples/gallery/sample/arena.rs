//! Sample arenas, leaderboards and rules.

use agon_ladder_pages::model::{
    Absentee, ArenaHead, ArenaLink, BotRef, BotState, Final, FinalOf, FinalState, GameRules, Kit,
    Language, Leaderboard, LeaderboardRow, LeaderboardTab, Matrix, Paging, Phase, Rating, Rules,
    Setting, Tally, Time, ZonedTime,
};

use super::{NOW, Sample, before};

/// Names, authors and languages of sample bots; a boss has no author.
pub(crate) const BOTS: [(&str, &str, &str); 14] = [
    ("fox", "ada", "Rust"),
    ("Deep Pellet", "linus", "C++"),
    ("nightshade", "grace", "Python"),
    ("looker", "", "built in"),
    ("Überflieger", "Jörg Müller", "Java"),
    ("夜の猫", "haruki", "Rust"),
    ("the-very-long-name-that-somebody-chose-to-see-what-happens", "edsger", "Go"),
    ("mole", "barbara", "C#"),
    ("greedy", "", "built in"),
    ("Zoë's bot", "zoe", "TypeScript"),
    ("kite", "donald", "C"),
    ("glass cannon", "margaret", "Clojure"),
    ("snail", "ken", "Python"),
    ("random", "", "built in"),
];

/// Returns a sample bot.
pub(crate) fn bot(sample: Sample, at: usize) -> BotRef {
    let (name, author, _) = BOTS[at % BOTS.len()];
    BotRef {
        slug: sample.text(&format!("bot-{at}")),
        name: sample.text(name),
        version: (!author.is_empty()).then_some(1 + (at as u32 * 7) % 12),
        author: (!author.is_empty()).then(|| sample.text(author)),
        boss: author.is_empty(),
    }
}

/// What decides ranks.
const RANKS: &str = "Ranks follow the lower end of the 95 % interval of ratings.";

/// Returns the arena of most samples.
pub(crate) fn head(sample: Sample) -> ArenaHead {
    ArenaHead {
        slug: sample.text("autumn-2026"),
        title: sample.text("Autumn ladder 2026"),
        game: sample.text("cluster"),
        phase: Phase::Open,
        deadline: Some(ZonedTime { at: Time(NOW + 17 * 86_400), offset: 60 }),
        bots: 143,
        matches: 1_284_771,
        own_bot: Some(bot(sample, 2).slug),
        can_hand_in: true,
        published: true,
    }
}

/// Returns another arena in a phase.
pub(crate) fn other(sample: Sample, title: &str, game: &str, phase: Phase) -> ArenaHead {
    let slug = sample.text(&title.to_lowercase().replace(' ', "-"));
    let (title, game) = (sample.text(title), sample.text(game));
    ArenaHead { slug, title, game, phase, bots: 12, matches: 4_312, ..ArenaHead::default() }
}

fn row(sample: Sample, at: usize) -> LeaderboardRow {
    let elo = 412.0 - 61.0 * at as f64;
    let half = 12.0 + 3.0 * at as f64;
    let low = (at != 13).then_some(elo - half);
    let rating = Rating { elo, low, high: Some(elo + half) };
    let wave = |n: usize| elo - 60.0 + 2.5 * n as f64 + 14.0 * ((n * (at + 3)) as f64).sin();
    LeaderboardRow {
        rank: (at < 13).then_some(at as u64 + 1),
        ranks: None,
        bot: bot(sample, at),
        own: at == 2,
        rating: (at < 13).then_some(rating),
        owed: if at < 13 { 0 } else { 10 },
        matches: 21_480 / (at as u64 + 1),
        tally: Tally { wins: 9_000 / (at as u64 + 1), ties: 37, losses: 400 * (at as u64 + 1) },
        faults: [0, 0, 3, 0, 12, 0, 1_240][at % 7],
        language: sample.text(BOTS[at % BOTS.len()].2),
        trend: if BOTS[at % BOTS.len()].1.is_empty() {
            vec![]
        } else {
            (0..32).map(wave).collect()
        },
        stars: [4, 4, 3, 2, 0][at.min(4)],
    }
}

/// Returns the live leaderboard.
pub(crate) fn live(sample: Sample) -> Leaderboard {
    let reason = "It crashed in 5 matches in a row: ModuleNotFoundError: No module named 'numpy'.";
    Leaderboard {
        arena: head(sample),
        played_final: None,
        season: None,
        tab: LeaderboardTab::Live,
        ranks: RANKS.to_owned(),
        as_of: Some(before(4)),
        rows: (0..14).map(|at| row(sample, at)).collect(),
        absent: vec![
            Absentee {
                bot: bot(sample, 25),
                state: BotState::Paused(sample.text(reason)),
                own: false,
            },
            Absentee {
                bot: bot(sample, 26),
                state: BotState::Disqualified(sample.text("It is a copy of another bot.")),
                own: false,
            },
            Absentee { bot: bot(sample, 24), state: BotState::NoVersion, own: true },
        ],
        search: String::new(),
        paging: Paging { page: 1, pages: 2, total: 143, query: String::new() },
    }
}

/// Returns the published leaderboard.
pub(crate) fn published(sample: Sample) -> Leaderboard {
    let mut board = live(sample);
    board.tab = LeaderboardTab::Published;
    board.as_of = Some(before(5_000));
    for row in &mut board.rows {
        row.ranks = row.rank.map(|rank| (rank - rank / 3, rank + rank / 2));
    }
    board.paging = Paging { page: 6, pages: 20, total: 1_943, query: "tab=published".to_owned() };
    board.absent.clear();
    board
}

/// Returns a search that found nobody.
pub(crate) fn nobody(sample: Sample) -> Leaderboard {
    Leaderboard { arena: head(sample), search: sample.text("wolf"), ..Leaderboard::default() }
}

fn setting(sample: Sample, name: &str, value: &str, meaning: &str) -> Setting {
    let (name, value, meaning) = (sample.text(name), sample.text(value), sample.text(meaning));
    Setting { name, value, meaning }
}

fn language(sample: Sample, name: &str, version: &str, note: &str) -> Language {
    let (name, version, note) = (sample.text(name), sample.text(version), sample.text(note));
    Language { name, version, note }
}

/// Returns the rules.
pub(crate) fn rules(sample: Sample) -> Rules {
    let kit = |language: &str| Kit {
        language: sample.text(language),
        command: sample.text(&format!("agon new my-bot --game cluster --language {language}")),
        download: format!("/kits/cluster/{language}.tar.gz"),
    };
    Rules {
        arena: head(sample),
        about: sample.text(
            "The ladder of the course Algorithms II. The three best bots get a book.\n\nTeams of \
             two are welcome: use one account.",
        ),
        summary: sample.text("Four in a row on a hexagonal board whose gravity can be turned."),
        game_rules: "/games/cluster".to_owned(),
        players: (2, 2),
        settings: vec![
            setting(sample, "columns", "9", "Columns of the board."),
            setting(sample, "rows", "9", "Rows of the board."),
            setting(sample, "colors", "4", "Colours of pellets, of which each player owns two."),
        ],
        limits: vec![
            setting(sample, "time", "100 ms", "For each decision, after 1 s for the first one."),
            setting(sample, "memory", "512 MiB", "For all processes of the bot."),
            setting(sample, "size", "8 MiB", "Of all files that are handed in."),
        ],
        languages: vec![
            language(sample, "Python", "3.11.2", "with NumPy"),
            language(sample, "Rust", "1.95", "crates cannot be downloaded"),
            language(sample, "C++", "clang 16", ""),
            language(sample, "Java", "17", ""),
        ],
        begin: Some(ZonedTime { at: before(30 * 86_400), offset: 60 }),
        freeze: Some(ZonedTime { at: Time(NOW + 15 * 86_400), offset: 60 }),
        sources: sample.text("Everybody can read the sources after the end."),
        ranks: RANKS.to_owned(),
        per_day: 10,
        finals: Some(Final {
            state: FinalState::Drawing(37),
            games: 4,
            most: 32,
            minutes: 10,
            pledge: sample.text(&"5e".repeat(32)),
        }),
        final_of: Some(FinalOf {
            season: ArenaLink {
                slug: sample.text("spring-2026"),
                title: sample.text("Spring ladder 2026"),
            },
            matches: 1_980,
            seed: sample.text("8106317432059861235"),
            minutes: 10,
        }),
        bosses: [3, 8, 13].map(|at| bot(sample, at)).to_vec(),
        kits: ["python", "rust", "cpp"].map(kit).to_vec(),
    }
}

/// Returns the rules of a game.
pub(crate) fn game_rules(sample: Sample) -> GameRules {
    let contents = "<p>Two players drop pellets.</p>\n<h2>Board</h2>\n<pre><code>  3 North\n\
                    </code></pre>\n";
    GameRules { game: sample.text("cluster"), contents: contents.to_owned() }
}

/// Returns the matrix.
pub(crate) fn matrix(sample: Sample) -> Matrix {
    let cell = |row: usize, column: usize| {
        let gap = column as i64 - row as i64;
        let tally = Tally {
            wins: (50 + 4 * gap).max(0) as u64,
            ties: 3,
            losses: (50 - 4 * gap).max(0) as u64,
        };
        (row != column && (row * column) % 17 != 5).then_some(tally)
    };
    Matrix {
        arena: head(sample),
        bots: (0..30).map(|at| bot(sample, at)).collect(),
        rows: (0..30).map(|row| (0..30).map(|column| cell(row, column)).collect()).collect(),
        left_out: 113,
    }
}
