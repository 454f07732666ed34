//! Tournaments with results drawn from known strengths.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)] // Each test binary uses its own part.

use std::path::Path;

use agon_contest::report::{Links, Page, Report, ReportOptions};
use agon_contest::{Match, Outcome, Plan, Record, Schedule, journal::SeatFault};
use agon_core::{FaultKind, Purpose, Rng, Seed};
use serde_json::Value;

/// Names with unusual contents; numbers follow.
const NAMES: [&str; 16] = [
    "ada",
    "borg",
    "cassius-the-second",
    "dora",
    "erdős",
    "felix",
    "grace",
    "hal",
    "iris",
    "jules",
    "kurt",
    "lovelace",
    "moss",
    "noether",
    "odin",
    "pascal",
];

/// Makes a plan of `bots` bots with names.
///
/// `more` are lines at its top, and `format` is its `[format]`.
pub fn plan(bots: usize, more: &str, format: &str) -> Plan {
    let name = |at: usize| match NAMES.get(at) {
        Some(name) => (*name).to_owned(),
        None => format!("{}-{}", NAMES[at % NAMES.len()], 1 + at / NAMES.len()),
    };
    let list: Vec<String> = (0..bots).map(|at| format!("\"{0}=./bots/{0}\"", name(at))).collect();
    let game = if more.contains("game =") { "" } else { "game = \"cluster\"\n" };
    let text =
        format!("{game}seed = 7\n{more}\nbots = [{}]\n[format]\n{format}\n", list.join(", "));
    Plan::parse(&text, Path::new("cup.toml")).unwrap_or_else(|error| panic!("{error}"))
}

/// The rules for drawing results.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// The Elo points between the best and the worst bot.
    pub span: f64,
    /// The advantage of the first seat in Elo points.
    pub seat: f64,
    /// The Elo points in a point of the score: the more, the more ties.
    pub grain: f64,
    /// Whether some bots commit faults.
    pub faults: bool,
}

pub const WORLD: World = World { span: 700.0, seat: 25.0, grain: 40.0, faults: true };

/// Returns the strength of a bot, which does not depend on the order of the plan.
pub fn strength(world: &World, bots: usize, bot: usize) -> f64 {
    let place = (bot * 7 + 3) % bots;
    world.span * (0.5 - place as f64 / (bots.max(2) - 1) as f64)
}

/// A tournament with its results.
pub struct Cup {
    pub plan: Plan,
    pub schedule: Schedule,
    pub records: Vec<Record>,
}

impl Cup {
    /// Plays a whole tournament of `plan`, with results drawn by the rules of [`WORLD`].
    pub fn new(plan: Plan) -> Cup {
        Cup::played(plan, usize::MAX, &WORLD)
    }

    /// Plays up to `limit` matches, with results drawn by the rules of `world`.
    pub fn played(plan: Plan, limit: usize, world: &World) -> Cup {
        Cup::with(plan, limit, |plan, game| record(plan, game, world))
    }

    /// Plays up to `limit` matches with these results.
    pub fn with(plan: Plan, limit: usize, record: impl Fn(&Plan, &Match) -> Record) -> Cup {
        let mut schedule = plan.schedule();
        let mut records = Vec::new();
        while !schedule.is_finished() && records.len() < limit {
            let mut wave = schedule.missing();
            // Matches end in nearly this order.
            let mut rng = Seed::plain(records.len() as u64).stream(Purpose::Order, 5);
            wave.chunks_mut(8).for_each(|part| rng.shuffle(part));
            for game in wave.into_iter().take(limit - records.len()) {
                let record = record(&plan, &game);
                schedule.record(record.id, record.outcome()).unwrap();
                records.push(record);
            }
        }
        Cup { plan, schedule, records }
    }

    pub fn report(&self) -> Report<'_> {
        let options = ReportOptions::default();
        Report::new(&self.plan, &self.schedule, &self.records, &options).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.report().json()).unwrap()
    }

    pub fn page(&self) -> Page {
        self.report().html(&links())
    }
}

/// Links from a page to replays beside it.
pub fn links() -> Links {
    Links { replays: Some("replays/".into()), ..Links::default() }
}

/// Draws a number between 0 and 1, without the ends.
fn part(rng: &mut Rng) -> f64 {
    (rng.between(0, 999_999) as f64 + 0.5) / 1e6
}

fn record(plan: &Plan, game: &Match, world: &World) -> Record {
    let mut rng =
        Seed::plain(game.seed.number() ^ u64::from(game.id.number)).stream(Purpose::Script, 1);
    let bots = plan.bots.len();
    let scores: Vec<i64> = (game.seats.iter().enumerate())
        .map(|(seat, entrant)| {
            // Differences of such noise are logistic, as in Elo's formula.
            let noise = -(-part(&mut rng).ln()).ln() * 400.0 / 10f64.ln();
            let elo = strength(world, bots, entrant.index())
                + noise
                + if seat == 0 { world.seat } else { 0.0 };
            ((elo + 1600.0) / world.grain).round() as i64
        })
        .collect();
    let places = scores
        .iter()
        .map(|own| 1 + scores.iter().filter(|other| *other > own).count() as u32)
        .collect();
    let mut faults = Vec::new();
    for entrant in &game.seats {
        let kinds = [
            (FaultKind::Timeout, "no answer within 100 ms, asked in turn 37"),
            (FaultKind::Illegal, "{\"move\":[9,9]}: the board has 5 columns <&>"),
            (FaultKind::Crash, "exit status 1: Traceback (most recent call last): IndexError"),
        ];
        let (kind, text) = kinds[entrant.index() % kinds.len()];
        let often = [0, 0, 12, 0, 3, 0, 0, 1][entrant.index() % 8];
        let fault = world.faults && rng.between(0, 99) < often;
        let count = 1 + rng.between(0, 4) as u64;
        faults.push(if fault { vec![SeatFault::new(kind, count, text)] } else { Vec::new() });
    }
    Record {
        key: "0".repeat(64),
        faults,
        void: u32::from(world.faults && rng.between(0, 299) == 0),
        ms: 80 + rng.between(0, 900) as u64,
        replay: Some(format!("{}.agon", game.id)),
        ..Record::new(game, plan.names(game), Outcome::new(places, scores))
    }
}
