//! [`Amoebas`]: the state of a match and its `Game` implementation. It asks class by class, round
//! by round.

use std::sync::Arc;

use agon_core::{
    Blob, Decision, Fold, Game, Meta, Outcome, Player, PlayerStanding, Progress, Purpose, Rng,
    Seed, SetupError, Standing, error::Problems,
};

use super::torus::{Dir, Torus};
use super::turn::{Schedule, Turn};
use super::{
    Amoeba, Answer, Baggage, Command, MAX_PLAYERS, Population, Position, Rules, View, board::Board,
    helpers,
};

/// A game of amoebas.
///
/// # Equality
/// Two games are equal if rules, seed, round and the contents of all cells are; everything else
/// follows from these.
#[derive(Clone, Debug)]
pub struct Amoebas {
    pub(super) setup: Arc<Setup>,
    pub(super) board: Board,
    round: u32,
    schedule: Schedule,
    decisions: Vec<Decision>,
}

/// What never changes during a match.
#[derive(Debug)]
pub(super) struct Setup {
    rules: Rules,
    seed: Seed,
    pub(super) torus: Torus,
}

impl PartialEq for Amoebas {
    fn eq(&self, other: &Amoebas) -> bool {
        let Setup { rules, seed, .. } = &*self.setup;
        self.round == other.round
            && *seed == other.setup.seed
            && *rules == other.setup.rules
            && self.board == other.board
    }
}

impl Eq for Amoebas {}

impl Amoebas {
    /// How many amoebas each species has, and their energy.
    pub fn population(&self) -> &Population {
        &self.board.population
    }

    /// Rounds that are over.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Fuel of all cells, row by row.
    pub fn fuel(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.board.cells().iter().map(|content| content.fuel())
    }

    /// The species on each cell, row by row.
    pub fn occupants(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        self.board.cells().iter().map(|content| content.species())
    }

    /// The decision that the amoeba on `cell` still has to make in this round; `None` if there is
    /// none.
    pub fn waiting(&self, cell: u32) -> Option<Decision> {
        let content = self.board.cells().get(cell as usize).filter(|content| content.waits())?;
        Some(Decision::new(Player::from_index(content.species()?), cell))
    }

    /// Lets one amoeba act before all others that wait, whether it is its class's turn or not.
    ///
    /// Answering a batch one by one, in any order, leads to the same state as answering it at once.
    /// Other orders are legal by the rules although the arena never plays them. This lets
    /// recordings of other implementations be replayed.
    ///
    /// # Panics
    /// If the amoeba does not wait for its turn, see [`Amoebas::waiting`].
    pub fn answer_one(&mut self, decision: Decision, answer: &Answer) {
        assert_eq!(self.waiting(decision.unit), Some(decision), "an amoeba that has not acted");
        self.act(decision, answer);
        let mut decisions = std::mem::take(&mut self.decisions);
        decisions.retain(|&open| self.waiting(open.unit) == Some(open));
        self.decisions = decisions;
        if self.decisions.is_empty() {
            self.next_batch();
        }
    }

    fn begin(setup: Setup, board: Board, round: u32) -> Amoebas {
        let schedule = Schedule::new(&setup.torus, setup.seed, round);
        let mut game =
            Amoebas { setup: Arc::new(setup), board, round, schedule, decisions: Vec::new() };
        if !game.has_ended() {
            game.next_batch();
        }
        game
    }

    fn act(&mut self, decision: Decision, answer: &Answer) {
        let Setup { rules, torus, .. } = &*self.setup;
        Turn { rules, torus, board: &mut self.board }.act(decision.unit as usize, answer);
    }

    /// Finds the next amoebas to ask, and ends the round if all have acted.
    fn next_batch(&mut self) {
        let Setup { rules, seed, torus } = &*self.setup;
        if self.schedule.next_batch(torus, &self.board, &mut self.decisions) {
            return;
        }
        self.board.add_sunlight(rules.sun_energy, rules.max_cell_energy);
        self.round += 1;
        if !self.has_ended() {
            self.schedule.begin_round(torus, *seed, self.round);
            self.schedule.next_batch(torus, &self.board, &mut self.decisions);
        }
    }

    fn has_ended(&self) -> bool {
        self.round >= self.setup.rules.rounds || self.population().is_extinct()
    }

    fn outcome(&self, winners: Vec<Player>) -> Outcome {
        let rounds = self.round;
        if self.population().is_extinct() {
            return Outcome::new(winners, format!("no amoeba is left after {rounds} rounds"));
        }
        Outcome::new(winners, format!("most energy after {rounds} rounds"))
    }
}

impl Game for Amoebas {
    const META: Meta = Meta {
        id: "amoebas",
        rules_version: 1,
        min_players: 1,
        max_players: MAX_PLAYERS,
        turn_name: "round",
        summary: "Clones eat, divide and fight on a sunny torus; the species with the most energy \
            wins.",
        page: include_str!("page.md"),
    };

    type Rules = Rules;
    type Position = Position;
    type View<'a> = View<'a>;
    type Answer = Answer;

    fn new(rules: &Rules, players: usize, seed: Seed) -> Result<Amoebas, SetupError> {
        rules.check()?;
        let mut problems = Problems::new();
        problems.range("players", players, 1..=MAX_PLAYERS.min(rules.cells()));
        problems.finish()?;
        let mut board = Board::new(rules.world_size, full(rules), players);
        let mut rng = seed.stream(Purpose::Setup, 0);
        for species in 0..players as u32 {
            let cell = loop {
                let cell = rng.index(rules.cells());
                if board.content(cell).is_empty() {
                    break cell;
                }
            };
            board.put(cell, first_amoeba(rules, species));
        }
        let torus = Torus::new(rules.world_size, rules.view_distance);
        Ok(Amoebas::begin(Setup { rules: rules.clone(), seed, torus }, board, 0))
    }

    fn from_position(rules: &Rules, seed: Seed, position: Position) -> Result<Amoebas, SetupError> {
        rules.check()?;
        position.check(rules)?;
        let players = position.players as usize;
        let mut board = match position.fuel.as_slice() {
            [] => Board::new(rules.world_size, full(rules), players),
            fuel => Board::new(rules.world_size, fuel.iter().copied(), players),
        };
        for amoeba in position.amoebas {
            board.put((amoeba.y * rules.world_size + amoeba.x) as usize, amoeba);
        }
        let torus = Torus::new(rules.world_size, rules.view_distance);
        Ok(Amoebas::begin(Setup { rules: rules.clone(), seed, torus }, board, position.round))
    }

    fn position(&self) -> Position {
        let occupied = |&cell: &usize| !self.board.content(cell).is_empty();
        let amoebas = (0..self.board.cells().len()).filter(occupied).map(|cell| {
            let (x, y) = self.setup.torus.place(cell);
            Amoeba { x, y, ..self.board.amoeba(cell) }
        });
        Position {
            players: self.players() as u32,
            round: self.round,
            fuel: self.fuel().collect(),
            amoebas: amoebas.collect(),
        }
    }

    fn rules(&self) -> &Rules {
        &self.setup.rules
    }

    fn seed(&self) -> Seed {
        self.setup.seed
    }

    fn players(&self) -> usize {
        self.population().size.len()
    }

    fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn view(&self, decision: Decision) -> View<'_> {
        assert_eq!(self.waiting(decision.unit), Some(decision), "an amoeba that has not acted");
        let Setup { rules, torus, .. } = &*self.setup;
        View { rules, torus, board: &self.board, cell: decision.unit as usize }
    }

    fn step(&mut self, answers: &[Answer]) {
        assert_eq!(answers.len(), self.decisions.len(), "one answer per decision");
        let decisions = std::mem::take(&mut self.decisions);
        for (&decision, answer) in decisions.iter().zip(answers) {
            self.act(decision, answer);
        }
        self.decisions = decisions;
        self.decisions.clear();
        if !answers.is_empty() {
            self.next_batch();
        }
    }

    fn illegal(&self, _: Decision, answer: &Answer) -> Option<String> {
        let limit = self.setup.rules.data_limit;
        let (name, _) = answer.blobs().find(|(_, blob)| blob.bytes().len() > limit as usize)?;
        Some(format!(
            "`{name}` has more than {limit} bytes, which is the data_limit: the amoeba rests"
        ))
    }

    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> Answer {
        random_answer(&self.view(decision), rng)
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.round.into(), limit: Some(self.setup.rules.rounds.into()) }
    }

    fn is_out(&self, player: Player) -> bool {
        self.population().size[player.index()] == 0
    }

    fn standing(&self) -> Standing {
        let Population { size, energy } = self.population();
        let entry = |(&size, &energy): (&u32, &u64)| {
            let measures = [("energy", energy as i64), ("amoebas", size.into())];
            PlayerStanding::new(energy as i64, &measures, size == 0)
        };
        let players = size.iter().zip(energy).map(entry).collect();
        let mut standing = Standing::ranked(players, energy, None);
        if self.decisions.is_empty() {
            standing.outcome = Some(self.outcome(standing.leaders()));
        }
        standing
    }

    fn state_hash(&self) -> u64 {
        let mut fold = Fold::new();
        fold.add(self.round.into());
        fold.add(self.board.sum());
        fold.finish()
    }
}

/// The fuel of a world in which all cells are full.
fn full(rules: &Rules) -> impl Iterator<Item = u32> {
    std::iter::repeat_n(rules.max_cell_energy, rules.cells())
}

fn first_amoeba(rules: &Rules, species: u32) -> Amoeba {
    Amoeba {
        x: 0,
        y: 0,
        species,
        energy: rules.max_amoeba_energy,
        health: rules.max_amoeba_health,
        data: None,
        function: None,
        acted: false,
    }
}

/// Draws an answer: mostly a possible action, sometimes any.
fn random_answer(view: &View<'_>, rng: &mut Rng) -> Answer {
    let any = |rng: &mut Rng| Dir::ALL[rng.index(8)];
    let pick = |dirs: Vec<Dir>, rng: &mut Rng| rng.pick(&dirs).copied();
    let empty = helpers::empty_neighbors(view).iter().collect();
    let hostile = helpers::hostile_neighbors(view).iter().collect();
    let mut baggage = Baggage::default();
    let command = match rng.below(16) {
        0 => return Answer::FAULT,
        1 => Command::Hit { dir: any(rng) },
        2 => Command::Move { dir: any(rng) },
        3..6 => Command::Move { dir: pick(empty, rng).unwrap_or(Dir::N) },
        6..8 => Command::Hit { dir: pick(hostile, rng).unwrap_or(Dir::S) },
        8..11 if view.energy() >= view.rules().min_divide_energy => {
            let dir = pick(empty, rng).unwrap_or(Dir::E);
            baggage.function = random_blob(view, rng);
            baggage.child_data = random_blob(view, rng);
            Command::Divide { dir }
        }
        _ => Command::Rest,
    };
    baggage.data = random_blob(view, rng);
    Answer::new(command, baggage)
}

/// Draws data: mostly none, sometimes too long.
fn random_blob(view: &View<'_>, rng: &mut Rng) -> Option<Blob> {
    let limit = u64::from(view.rules().data_limit);
    match rng.below(200) {
        0 => Some(Blob::from(vec![b'x'; limit as usize + 1])),
        1..12 => {
            Some(Blob::from(vec![rng.below(256) as u8; rng.below(limit.min(20) + 1) as usize]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use agon_core::GameExt;

    use super::*;

    #[test]
    fn the_followed_hash_and_totals_are_those_computed_anew() {
        let rules = Rules { world_size: 13, rounds: 60, ..Rules::default() };
        let mut game = Amoebas::new(&rules, 3, Seed(7)).unwrap();
        let mut step = 0;
        while !game.is_over() {
            let answers = game.scripted_answers(Seed(1), step);
            game.step(&answers);
            step += 1;
            assert_eq!(game.board.sum(), game.board.computed_sum(), "step {step}");
            let again = Amoebas::from_position(&rules, Seed(7), game.position()).unwrap();
            assert_eq!(game.population(), again.population(), "step {step}");
        }
        assert!(step > 500, "a game with many batches, not {step}");
    }

    #[test]
    fn every_cell_field_enters_hash_and_equality() {
        let rules = Rules { world_size: 5, ..Rules::default() };
        let mut position = Amoebas::new(&rules, 1, Seed(7)).unwrap().position();
        position.amoebas.push(Amoeba { x: 2, y: 2, acted: true, ..first_amoeba(&rules, 0) });
        position.amoebas[0] = Amoeba { x: 1, y: 1, ..first_amoeba(&rules, 0) };
        let make = |position: &Position| {
            Amoebas::from_position(&rules, Seed(7), position.clone()).unwrap()
        };
        let game = make(&position);
        let changes: [fn(&mut Position); 9] = [
            |p| p.round += 1,
            |p| p.fuel[3] -= 1,
            |p| p.amoebas[1].x = 3,
            |p| p.amoebas[1].energy -= 1,
            |p| p.amoebas[1].health -= 1,
            |p| p.amoebas[1].acted = false,
            |p| p.amoebas[1].data = Some(Blob::from("")),
            |p| p.amoebas[1].function = Some(Blob::from("")),
            |p| drop(p.amoebas.pop()),
        ];
        // Data and functions, too, are not taken for each other.
        let mut hashes = vec![game.state_hash()];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = position.clone();
            change(&mut changed);
            assert_ne!(make(&changed), game, "change {number}");
            let hash = make(&changed).state_hash();
            assert!(!hashes.contains(&hash), "change {number}");
            hashes.push(hash);
        }
    }

    #[test]
    fn data_that_are_too_long_break_the_rules() {
        let game = |data_limit| {
            Amoebas::new(&Rules { data_limit, ..Rules::default() }, 1, Seed(1)).unwrap()
        };
        let long = Some(Blob::from("ten bytes!"));
        let child = Baggage { child_data: long.clone(), ..Baggage::default() };
        for answer in [
            Answer::step(Dir::N).with_data(long),
            Answer::new(Command::Divide { dir: Dir::N }, child),
        ] {
            let breach = game(9).illegal(game(9).decisions()[0], &answer).unwrap();
            assert!(breach.contains("has more than 9 bytes"), "{breach}");
            assert_eq!(game(10).illegal(game(10).decisions()[0], &answer), None);
        }
    }
}
