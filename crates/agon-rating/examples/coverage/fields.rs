//! Simulated tournaments of bots with known strengths, for this example.

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{ELO_PER_NAT, Options, Record, table};

/// A kind of tournament.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) play: fn(Seed) -> Tournament,
    /// Whether rankings are drawn.
    pub(crate) ranks: bool,
    /// The most percent of the intervals that should hold.
    pub(crate) most: f64,
}

/// Matches, and the strengths of their players (natural logarithms of odds).
pub(crate) struct Tournament {
    pub(crate) strengths: Vec<f64>,
    pub(crate) records: Vec<Record>,
}

const fn field(name: &'static str, play: fn(Seed) -> Tournament) -> Field {
    Field { name, play, ranks: true, most: 97.0 }
}

/// All kinds.
pub(crate) const FIELDS: &[Field] = &[
    // Only eleven results are possible, so no interval comes closer to 95 %.
    Field { most: 98.5, ..field("two bots, 10 matches, equal", |seed| two(seed, 10, 0.0)) },
    field("two bots, 10 matches, 400 apart", |seed| two(seed, 10, 400.0)),
    field("two bots, 100 matches, 100 apart", |seed| two(seed, 100, 100.0)),
    field("even: 10 equal bots, 4 matches a pair", |seed| spread(seed, 10, 0.0, 4, 0.2)),
    field("usual: 10 bots, σ = 150, 10 matches a pair", |seed| spread(seed, 10, 150.0, 10, 0.2)),
    field("many ties: 10 bots, σ = 150, 20 matches a pair, 9 of 10 ties", |seed| {
        spread(seed, 10, 150.0, 20, 18.0)
    }),
    field("sparse: 200 bots, σ = 200, 10 matches each", sparse),
    field("separated: 8 bots, 200 apart, 10 matches a pair", separated),
    field("one far ahead: 8 bots, one +800, 20 matches each", lone),
    field("intransitive: 9 bots in circles, 10 matches a pair", circles),
    field("mirrored: 8 bots, 10 seeds a pair, alike on a seed", |seed| mirrored(seed, 1.5, 0.0)),
    field("mirrored: 8 bots, 10 seeds a pair, seats decide", |seed| mirrored(seed, 0.0, 2.0)),
    field("four a match: 12 bots, σ = 200, 20 matches each", four),
];

fn elo(points: f64) -> f64 {
    points / ELO_PER_NAT
}

fn stream(seed: Seed) -> Rng {
    seed.stream(Purpose::Sample, 99)
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Returns a nearly normal number: the sum of twelve uniform numbers.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}

/// Plays a match of two by Davidson's model; `lead` is the first one's lead in strength.
fn duel(rng: &mut Rng, one: usize, other: usize, lead: f64, ties: f64) -> Record {
    let root = libm::exp(lead / 2.0);
    let at = uniform(rng) * (root + ties + 1.0 / root);
    if at < root {
        Record::win(one, other)
    } else if at < root + ties {
        Record::tie(one, other)
    } else {
        Record::win(other, one)
    }
}

fn two(seed: Seed, matches: usize, apart: f64) -> Tournament {
    let mut rng = stream(seed);
    let records = (0..matches).map(|_| duel(&mut rng, 0, 1, elo(apart), 0.0)).collect();
    Tournament { strengths: vec![elo(apart), 0.0], records }
}

/// Plays every bot against every other.
fn round_robin(
    rng: &mut Rng,
    strengths: Vec<f64>,
    matches: usize,
    ties: f64,
    extra: impl Fn(usize, usize) -> f64,
) -> Tournament {
    let mut records = Vec::new();
    for one in 0..strengths.len() {
        for other in 0..one {
            let lead = strengths[one] - strengths[other] + extra(one, other);
            records.extend((0..matches).map(|_| duel(rng, one, other, lead, ties)));
        }
    }
    Tournament { strengths, records }
}

fn drawn(rng: &mut Rng, bots: usize, sigma: f64) -> Vec<f64> {
    (0..bots).map(|_| elo(sigma) * normal(rng)).collect()
}

fn spread(seed: Seed, bots: usize, sigma: f64, matches: usize, ties: f64) -> Tournament {
    let mut rng = stream(seed);
    let strengths = drawn(&mut rng, bots, sigma);
    round_robin(&mut rng, strengths, matches, ties, |_, _| 0.0)
}

fn sparse(seed: Seed) -> Tournament {
    let mut rng = stream(seed);
    let strengths = drawn(&mut rng, 200, 200.0);
    let mut records = Vec::new();
    for _ in 0..10 {
        let mut order: Vec<usize> = (0..200).collect();
        rng.shuffle(&mut order);
        for pair in order.chunks(2) {
            let lead = strengths[pair[0]] - strengths[pair[1]];
            records.push(duel(&mut rng, pair[0], pair[1], lead, 0.2));
        }
    }
    Tournament { strengths, records }
}

fn separated(seed: Seed) -> Tournament {
    let mut rng = stream(seed);
    let strengths = (0..8).map(|bot| elo(200.0 * f64::from(bot))).collect();
    round_robin(&mut rng, strengths, 10, 0.2, |_, _| 0.0)
}

fn lone(seed: Seed) -> Tournament {
    let mut rng = stream(seed);
    let mut strengths = vec![0.0; 8];
    strengths[3] = elo(800.0);
    round_robin(&mut rng, strengths, 3, 0.2, |_, _| 0.0)
}

/// Plays in three groups of three, within which each beats the next.
///
/// No ratings can show such odds; they cancel out.
fn circles(seed: Seed) -> Tournament {
    let mut rng = stream(seed);
    let strengths = (0..9).map(|bot| elo(100.0 * f64::from(bot / 3))).collect();
    let extra = |one: usize, other: usize| match (one / 3 == other / 3, (one + 3 - other) % 3) {
        (true, 1) => 1.5,
        (true, 2) => -1.5,
        _ => 0.0,
    };
    round_robin(&mut rng, strengths, 10, 0.2, extra)
}

/// Plays each seed twice with seats exchanged.
///
/// `luck` of a seed favours a bot in both matches, `seat` favours the bot in the first seat.
fn mirrored(seed: Seed, luck: f64, seat: f64) -> Tournament {
    let mut rng = stream(seed);
    let strengths = drawn(&mut rng, 8, 100.0);
    let mut records = Vec::new();
    let mut cluster = 0;
    for one in 0..8 {
        for other in 0..one {
            for _ in 0..10 {
                let lead = strengths[one] - strengths[other] + luck * normal(&mut rng);
                cluster += 1;
                for side in [seat, -seat] {
                    records.push(duel(&mut rng, one, other, lead + side, 0.2).clustered(cluster));
                }
            }
        }
    }
    let strengths = on_average(&strengths, luck, seat);
    Tournament { strengths, records }
}

/// Returns the strengths that endless mirrored matches lead to.
///
/// Luck and seats reduce the value of a lead. So these are the strengths in a table of all possible
/// results, weighted by their probabilities. They count so often that nothing else matters.
fn on_average(strengths: &[f64], luck: f64, seat: f64) -> Vec<f64> {
    const ENDLESS: f64 = 1e6;
    let mut records = Vec::new();
    for one in 0..strengths.len() {
        for other in 0..one {
            let lead = strengths[one] - strengths[other];
            let [win, tie, loss] = chances(lead, luck, seat, 0.2);
            records.push(Record::win(one, other).weighted(ENDLESS * win));
            records.push(Record::tie(one, other).weighted(ENDLESS * tie));
            records.push(Record::win(other, one).weighted(ENDLESS * loss));
        }
    }
    let options = Options { samples: 0, ..Options::default() };
    let table = table(&records, &options).expect("everybody can beat everybody");
    let strength = |player: usize| {
        table.row(player).expect("all players are in the table").elo / table.groups[0].elo_per_nat
    };
    (0..strengths.len()).map(strength).collect()
}

/// Returns the mean chances of a win, a tie and a loss over luck (normal) and both seats.
fn chances(lead: f64, luck: f64, seat: f64, ties: f64) -> [f64; 3] {
    let mut sums = [0.0; 3];
    let mut all = 0.0;
    for step in -40..=40i32 {
        let z = f64::from(step) / 10.0;
        let weight = libm::exp(-z * z / 2.0);
        for side in [seat, -seat] {
            let root = libm::exp((lead + luck * z + side) / 2.0);
            let sum = root + ties + 1.0 / root;
            let parts = [root / sum, ties / sum, 1.0 / root / sum];
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += weight * part);
            all += weight;
        }
    }
    sums.map(|sum| sum / all)
}

/// Plays matches of four without ties: first the best of all, then the best of the rest.
fn four(seed: Seed) -> Tournament {
    let mut rng = stream(seed);
    let strengths = drawn(&mut rng, 12, 200.0);
    let mut records = Vec::new();
    for _ in 0..20 {
        let mut order: Vec<usize> = (0..12).collect();
        rng.shuffle(&mut order);
        records.extend(order.chunks(4).map(|group| ranking(&mut rng, group, &strengths)));
    }
    Tournament { strengths, records }
}

fn ranking(rng: &mut Rng, group: &[usize], strengths: &[f64]) -> Record {
    let mut rest: Vec<usize> = (0..group.len()).collect();
    let mut places = vec![0; group.len()];
    for place in 1..=group.len() as u32 {
        let weight = |at: &usize| libm::exp(strengths[group[*at]]);
        let mut left = uniform(rng) * rest.iter().map(weight).sum::<f64>();
        let chosen = rest.iter().position(|at| {
            left -= weight(at);
            left < 0.0
        });
        places[rest.remove(chosen.unwrap_or(rest.len() - 1))] = place;
    }
    Record::new(group, &places)
}
