//! Sample bots and versions.

use agon_ladder_pages::model::{
    BotPage, BotState, Comparison, Cost, Examination, ExaminationStatus, FaultCount, HistoryPoint,
    Log, Milestone, Opponent, OwnBot, Rating, SourceFile, Stage, StageState, Tally, VersionPage,
    VersionRow, VersionState,
};

use super::{
    Sample,
    arena::{bot as bot_ref, head},
    before,
    games::{log, row},
};

/// The code of a bot.
pub(crate) const CODE: &str = "\"\"\"A player for cluster.\"\"\"\n\nimport agon\n\n\nclass \
                    Player(agon.Bot):\n    def decide(self, seen, turn):\n        if not \
                    seen[\"columns\"]:\n            return {\"action\": \"ROTATE\", \"cycles\": \
                    1}\n        column = self.random.choice(seen[\"columns\"])\n        return \
                    {\"action\": \"PLACE\", \"column\": column[\"column\"]}\n\n\nif __name__ == \
                    \"__main__\":\n    agon.run(Player, \"cluster\")\n";

fn rating(elo: f64, half: f64) -> Option<Rating> {
    Some(Rating { elo, low: Some(elo - half), high: Some(elo + half) })
}

fn version_row(sample: Sample, number: u32) -> VersionRow {
    let state = match number {
        8 => VersionState::Checking,
        7 => VersionState::Ready,
        5 => VersionState::Failed,
        _ => VersionState::Retired,
    };
    let messages = ["looks two moves ahead", "", "fixed the crash when the board is full"];
    VersionRow {
        number,
        state,
        active: number == 7,
        at: before(86_400 * u64::from(9 - number)),
        message: sample.text(messages[number as usize % 3]),
        language: sample.text(if number < 3 { "Python" } else { "Rust" }),
        rating: if number == 5 || number == 8 {
            None
        } else {
            rating(f64::from(number * 41), 14.0)
        },
        matches: u64::from(number) * 812,
    }
}

/// Returns the page of a bot as visitors see it.
pub(crate) fn bot(sample: Sample) -> BotPage {
    let mut own = bot_ref(sample, 2);
    own.version = Some(7);
    let point = |n: u64| HistoryPoint {
        at: before(86_400 * 8 - n * 86_400 * 8 / 200),
        elo: 40.0 + 1.2 * n as f64 + 18.0 * (n as f64 / 3.0).sin(),
        version: 1 + n as u32 / 29,
    };
    let opponent = |at: usize| Opponent {
        bot: bot_ref(sample, at),
        elo: Some(412.0 - 61.0 * at as f64),
        tally: Tally { wins: 30 + 7 * at as u64, ties: 4, losses: 90 - 5 * at as u64 },
    };
    BotPage {
        arena: head(sample),
        bot: own,
        language: sample.text("Rust"),
        about: sample.text("Monte Carlo with a small opening book."),
        state: BotState::Plays,
        rank: Some((3, 143)),
        owed: 0,
        rating: rating(290.0, 18.0),
        matches: 7_160,
        tally: Tally { wins: 4_012, ties: 37, losses: 3_111 },
        history: (0..200).map(point).collect(),
        versions: (1..=8).rev().map(|number| version_row(sample, number)).collect(),
        opponents: [0, 1, 3, 4, 5, 6, 7, 8].map(opponent).to_vec(),
        latest: (0..8).map(|at| row(sample, at, &[2, at + 3])).collect(),
        faults: vec![
            FaultCount {
                kind: sample.text("did not answer in time"),
                count: 12,
                example: Some(1_284_770),
            },
            FaultCount { kind: sample.text("broke the rules"), count: 1, example: None },
        ],
        faults_among: 20,
        milestones: [(10, true), (11, false)]
            .map(|(at, reached)| Milestone { boss: bot_ref(sample, at), reached })
            .to_vec(),
        own: None,
    }
}

/// Returns the same page as the author sees it.
pub(crate) fn own(sample: Sample) -> BotPage {
    let cost = |what: &str, slowest: u64| Cost {
        what: sample.text(what),
        decisions: 84_112,
        median: 12_300,
        slow: 61_000,
        slowest,
        limit: 100_000,
        memory: Some(88 << 20),
    };
    let comparison = |verdict: &str, running| Comparison {
        a: 7,
        b: 6,
        verdict: sample.text(verdict),
        tally: Tally { wins: 112, ties: 3, losses: 61 },
        difference: rating(48.0, 31.0),
        running,
        at: before(4_000),
    };
    let waiting = "Version 8 is being checked; version 7 plays meanwhile.";
    BotPage {
        own: Some(OwnBot {
            waiting: Some(sample.text(waiting)),
            costs: vec![cost("v7, today", 99_100), cost("v6, its last day", 71_000)],
            logs: vec![log(sample, "v7, the last match"), Log::default()],
            comparisons: vec![comparison("v7 is better", false), comparison("undecided", true)],
            can_change: true,
            can_activate: true,
            can_resume: true,
            can_hold: false,
            fixed: None,
        }),
        ..bot(sample)
    }
}

/// Returns a paused bot, as organisers see it.
pub(crate) fn paused(sample: Sample) -> BotPage {
    let reason = "It crashed in 5 matches in a row: exit status 101.";
    let mut page = BotPage { state: BotState::Paused(sample.text(reason)), ..own(sample) };
    page.own.iter_mut().for_each(|own| own.can_hold = true);
    page
}

fn examination(
    sample: Sample,
    number: u8,
    topic: &str,
    status: ExaminationStatus,
    found: &str,
    remedy: Option<&str>,
) -> Examination {
    Examination {
        number,
        topic: sample.text(topic),
        status,
        found: sample.text(found),
        output: if status == ExaminationStatus::Failed {
            sample.text("a.c:1: oh")
        } else {
            String::new()
        },
        remedy: remedy.map(|text| sample.text(text)),
    }
}

/// Returns the page of a version that failed.
pub(crate) fn version(sample: Sample) -> VersionPage {
    let stage = |name: &str, state, ms| Stage {
        name: sample.text(name),
        state,
        ms: Some(ms),
        note: String::new(),
    };
    let file = |path: &str, text: Option<&str>| SourceFile {
        path: sample.text(path),
        bytes: 1_234,
        text: text.map(|text| sample.text(text)),
    };
    VersionPage {
        arena: head(sample),
        bot: bot_ref(sample, 2),
        number: 5,
        state: VersionState::Failed,
        plays: false,
        live: false,
        reason: sample.text("It failed examination 6, time."),
        message: sample.text("looks two moves ahead"),
        at: before(400_000),
        way: sample.text("editor"),
        language: sample.text("Python 3.11"),
        digest: sample.text("3f9a77c1d2e4a0b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f506172839"),
        bytes: 3_482,
        rating: None,
        matches: 0,
        stages: vec![
            stage("unpack", StageState::Done, 12),
            stage("build", StageState::Skipped, 0),
            stage("check", StageState::Failed, 8_312),
        ],
        build: Some(log(sample, "Output of the build")),
        check: checks(sample),
        replay: "/arenas/autumn-2026/bots/bot-2/versions/5/replay.agon".to_owned(),
        sources: vec![file("bot.py", Some(CODE)), file("data/opening.bin", None)],
        can_activate: false,
    }
}

fn checks(sample: Sample) -> Vec<Examination> {
    use ExaminationStatus::{Failed, NotApplicable, Passed, Warning};
    let one = |number, topic, status, found, remedy| {
        examination(sample, number, topic, status, found, remedy)
    };
    vec![
        one(1, "opens", Passed, "a program, 3 files", None),
        one(2, "starts", Passed, "in 61 ms", None),
        one(3, "first answer", Passed, "after 88 ms; 1 s is allowed", None),
        one(4, "legal answers", Passed, "all 212 answers", None),
        one(
            5,
            "protocol",
            Warning,
            "2 lines before a question",
            Some("Print debug output to stderr, not to stdout."),
        ),
        one(
            6,
            "time",
            Failed,
            "median 84 ms, 99 % below 140 ms, slowest 212 ms; 100 ms are allowed",
            Some("Look at the clock while you search, and answer after 80 ms."),
        ),
        one(9, "same answers", NotApplicable, "not reached, because 6 failed", None),
    ]
}

/// Returns the page of a version that is being built.
pub(crate) fn building(sample: Sample) -> VersionPage {
    let stage = |name: &str, state, note: &str| Stage {
        name: sample.text(name),
        state,
        ms: (state != StageState::Waiting).then_some(2_100),
        note: sample.text(note),
    };
    VersionPage {
        number: 8,
        state: VersionState::Building,
        live: true,
        reason: String::new(),
        check: Vec::new(),
        replay: String::new(),
        stages: vec![
            stage("unpack", StageState::Done, "3 files"),
            stage("build", StageState::Running, "cargo build --release"),
            stage("check", StageState::Waiting, "2 others are before it"),
        ],
        can_activate: true,
        ..version(sample)
    }
}
