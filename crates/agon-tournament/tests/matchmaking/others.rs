//! Matchmakers that only serve as a comparison for the adaptive one.

use agon_core::{Rng, Seed};
use agon_rating::Skills;
use agon_tournament::{Entrant, Games, History, Pairing, format::*};

/// A round robin that starts again when it is over.
#[derive(Debug)]
pub struct Turns {
    groups: Vec<Vec<Entrant>>,
    at: usize,
}

impl Turns {
    pub fn new(bots: usize, size: usize, games: Games, seed: u64) -> Turns {
        let groups = RoundRobin::groups(bots, size, None, games, Seed(seed)).rounds().concat();
        Turns { groups, at: 0 }
    }
}

impl Matchmaker for Turns {
    fn group(&mut self, _: &Field<'_>, _: &mut Rng) -> Vec<Entrant> {
        self.at += 1;
        self.groups[(self.at - 1) % self.groups.len()].clone()
    }
}

fn learn(history: &History, entrants: usize) -> Skills {
    let mut skills = Skills::new(entrants);
    history
        .records()
        .iter()
        .for_each(|record| skills.update(record).expect("ladders make whole records"));
    skills
}

/// The one with the fewest matches, with those of the nearest ratings.
#[derive(Debug, Default)]
pub struct Nearest(Vec<f64>);

impl Matchmaker for Nearest {
    fn start(&mut self, history: &History, entrants: usize) {
        self.0 = learn(history, entrants).all().iter().map(|skill| skill.mu).collect();
    }

    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        let mut group = Entrant::all(self.0.len());
        rng.shuffle(&mut group);
        let fewest = |entrant: &Entrant| field.calls[entrant.index()];
        let first = group.iter().copied().min_by_key(fewest).expect("there are entrants");
        let apart = |entrant: &Entrant| (self.0[entrant.index()] - self.0[first.index()]).abs();
        group.sort_by(|a, b| (*a != first).cmp(&(*b != first)).then(apart(a).total_cmp(&apart(b))));
        group.truncate(field.size);
        group
    }
}

/// The two whose next match reveals most about their own order: [`Skills::information`]. Within a
/// wave its expected result is learned as a tie.
#[derive(Debug)]
pub struct OwnOrder(Skills);

impl Default for OwnOrder {
    fn default() -> OwnOrder {
        OwnOrder(Skills::new(0))
    }
}

impl Matchmaker for OwnOrder {
    fn start(&mut self, history: &History, entrants: usize) {
        self.0 = learn(history, entrants);
    }

    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        let mut order: Vec<usize> = (0..field.calls.len()).collect();
        rng.shuffle(&mut order);
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for (at, &one) in order.iter().enumerate() {
            for &other in &order[..at] {
                let bits = self.0.information(&[one, other]).expect("both are there");
                if bits > best.0 {
                    best = (bits, vec![one, other]);
                }
            }
        }
        best.1.into_iter().map(Entrant::from_index).collect()
    }

    fn called(&mut self, pairing: &Pairing) {
        // Means stay, variances fall.
        let players: Vec<usize> = pairing.entrants.iter().map(|entrant| entrant.index()).collect();
        let before = self.0.all().to_vec();
        for _ in 0..pairing.count {
            let places = vec![1; players.len()];
            self.0.update(&agon_rating::Record::new(&players, &places)).expect("both are there");
        }
        let after = self.0.all().iter().zip(before);
        self.0 = Skills::from_skills(
            after.map(|(now, was)| agon_rating::Skill { mu: was.mu, ..*now }).collect(),
        );
    }
}
