//! [`Binfection`]: the state of a match and its `Game` implementation.

use agon_core::{
    Decision, Fold, Game, Meta, Player, Progress, Purpose, Rng, Seed, SetupError, Standing,
    error::Problems,
};

use super::{
    Answer, Cell, Direction, Move, Position, Rules, View,
    field::Field,
    holdings::Holdings,
    spawn,
    turn::{Growth, Melee},
};

pub(super) const MAX_PLAYERS: usize = 64;

/// A match of binfection.
///
/// Every turn is one batch: each bot that still has cells decides for all of them in one answer
/// (unit 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binfection {
    pub(super) rules: Rules,
    pub(super) seed: Seed,
    /// Turns that are over.
    pub(super) turn: u64,
    pub(super) field: Field,
    pub(super) holdings: Holdings,
    /// For each player, after how many turns it had no cell any more.
    pub(super) fell: Vec<Option<u64>>,
    decisions: Vec<Decision>,
    scratch: Scratch,
}

/// Buffers for a turn, so that turns need no new memory. They are no part of the state.
#[derive(Debug, Default)]
struct Scratch {
    orders: Vec<Option<Direction>>,
    melee: Melee,
    /// The field of the last turn; the next turn overwrites it.
    after: Option<Field>,
}

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}

impl PartialEq for Scratch {
    fn eq(&self, _: &Scratch) -> bool {
        true
    }
}

impl Eq for Scratch {}

/// The field after each phase of a turn: the snapshots of a result file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phases {
    /// The occupied cells after moves and fights, in order of rows, then columns.
    pub moved: Vec<Cell>,
    /// The same after growth.
    pub grown: Vec<Cell>,
}

impl Binfection {
    /// Makes a match of `fell.len()` players at any point. Cells, turn and falls fit the rules.
    pub(super) fn at(
        rules: &Rules,
        seed: Seed,
        turn: u64,
        field: Field,
        fell: Vec<Option<u64>>,
    ) -> Binfection {
        let holdings = Holdings::of(&field, fell.len());
        let rules = rules.clone();
        let decisions = Vec::new();
        let scratch = Scratch::default();
        let mut game = Binfection { rules, seed, turn, field, holdings, fell, decisions, scratch };
        game.settle();
        game
    }

    /// The occupied cells, in order of rows, then columns.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        self.field.cells()
    }

    /// Returns the field after each phase of a step with these answers.
    ///
    /// # Panics
    /// If the number of answers differs from the number of decisions.
    pub fn phases(&self, answers: &[Answer]) -> Phases {
        let orders = self.directions(answers);
        let play = |coefficient| {
            let mut after = Field::empty(self.field.width, self.field.height);
            let growth = Growth { coefficient, cap: self.rules.cap() };
            Melee::default().play(&self.field, &orders, growth, &mut after);
            after.cells().collect()
        };
        Phases { moved: play(1), grown: play(self.rules.grow_coefficient) }
    }

    /// The direction in which each slot sends units. The last of several moves for a cell counts;
    /// moves of foreign cells do not.
    pub(super) fn directions(&self, answers: &[Answer]) -> Vec<Option<Direction>> {
        let mut orders = Vec::new();
        self.find_directions(answers, &mut orders);
        orders
    }

    fn find_directions(&self, answers: &[Answer], orders: &mut Vec<Option<Direction>>) {
        assert_eq!(answers.len(), self.decisions.len(), "one answer per decision");
        orders.clear();
        orders.resize(self.field.len(), None);
        for (decision, answer) in self.decisions.iter().zip(answers) {
            for order in &answer.moves {
                if let Some(slot) = self.own_slot(decision.player, order.x, order.y) {
                    orders[slot] = Some(order.direction);
                }
            }
        }
    }

    /// The slot of a cell that is the player's.
    #[inline]
    pub(super) fn own_slot(&self, player: Player, x: u32, y: u32) -> Option<usize> {
        self.field.slot_at(x, y).filter(|&slot| self.field.owner(slot) == player)
    }

    /// Notes who lost its last cell, and lists the next decisions.
    fn settle(&mut self) {
        for (player, fell) in self.fell.iter_mut().enumerate() {
            if fell.is_none() && self.holdings.cells(Player::from_index(player)) == 0 {
                *fell = Some(self.turn);
            }
        }
        let over = self.living().count() < 2 || self.turn >= self.rules.last_turn();
        let mut decisions = std::mem::take(&mut self.decisions);
        decisions.clear();
        if !over {
            decisions.extend(self.living().map(|player| Decision::new(player, 0)));
        }
        self.decisions = decisions;
    }

    pub(super) fn living(&self) -> impl Iterator<Item = Player> + '_ {
        Player::all(self.fell.len()).filter(|&player| !self.is_out(player))
    }
}

impl Game for Binfection {
    const META: Meta = Meta {
        id: "binfection",
        rules_version: 1,
        min_players: 2,
        max_players: MAX_PLAYERS,
        turn_name: "turn",
        summary: "Split your stacks, spread over the field and swallow the others while everything \
            grows.",
        page: include_str!("page.md"),
    };

    type Rules = Rules;
    type Position = Position;
    type View<'a> = View<'a>;
    type Answer = Answer;

    fn new(rules: &Rules, players: usize, seed: Seed) -> Result<Binfection, SetupError> {
        rules.check()?;
        let mut problems = Problems::new();
        problems.range("players", players, Self::META.min_players..=MAX_PLAYERS);
        problems.finish()?;
        let cells = spawn::spawns(rules, players, &mut seed.stream(Purpose::Setup, 0))?;
        let field = Field::with_cells(rules.field_width, rules.field_height, cells);
        Ok(Binfection::at(rules, seed, 0, field, vec![None; players]))
    }

    fn from_position(
        rules: &Rules,
        seed: Seed,
        position: Position,
    ) -> Result<Binfection, SetupError> {
        rules.check()?;
        position.into_game(rules, seed)
    }

    fn position(&self) -> Position {
        Position::of(self)
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn players(&self) -> usize {
        self.fell.len()
    }

    fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn view(&self, decision: Decision) -> View<'_> {
        assert!(self.decisions.contains(&decision), "{decision:?} is not wanted now");
        View::new(self, decision.player)
    }

    fn step(&mut self, answers: &[Answer]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.find_directions(answers, &mut scratch.orders);
        let growth = Growth { coefficient: self.rules.grow_coefficient, cap: self.rules.cap() };
        let after =
            scratch.after.get_or_insert_with(|| Field::empty(self.field.width, self.field.height));
        after.clear();
        // A cell sends units to at most one other.
        after.reserve((2 * self.field.len()).min(self.field.area()));
        scratch.melee.play(&self.field, &scratch.orders, growth, after);
        std::mem::swap(&mut self.field, after);
        self.holdings.update(&self.field);
        self.scratch = scratch;
        self.turn += 1;
        self.settle();
    }

    fn illegal(&self, decision: Decision, answer: &Answer) -> Option<String> {
        let foreign = |order: &&Move| self.own_slot(decision.player, order.x, order.y).is_none();
        let first = answer.moves.iter().find(foreign)?;
        let more = answer.moves.iter().filter(foreign).count() - 1;
        let more = if more > 0 { format!(", and {more} more like it") } else { String::new() };
        Some(format!("moved cell ({}, {}), which is not its own{more}", first.x, first.y))
    }

    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> Answer {
        let eager = rng.below(5);
        let mut moves = Vec::new();
        for &slot in self.holdings.slots(decision.player) {
            if rng.chance(eager, 4) {
                let Cell { x, y, .. } = self.field.cell(slot as usize);
                moves.push(Move { x, y, direction: Direction::ALL[rng.index(4)] });
            }
        }
        if rng.chance(1, 8) {
            // Anywhere: mostly foreign, sometimes a second move for a cell, sometimes outside.
            let x = rng.below(u64::from(self.field.width) + 1);
            let y = rng.below(u64::from(self.field.height) + 1);
            moves.push(Move { x: x as u32, y: y as u32, direction: Direction::ALL[rng.index(4)] });
        }
        Answer { moves }
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.turn, limit: u64::try_from(self.rules.turns_limit).ok() }
    }

    fn is_out(&self, player: Player) -> bool {
        self.fell[player.index()].is_some()
    }

    fn standing(&self) -> Standing {
        super::standing::standing(self)
    }

    fn state_hash(&self) -> u64 {
        let mut fold = Fold::new();
        fold.add(self.turn);
        fold.add(self.field.hash());
        for fell in &self.fell {
            fold.add(fell.map_or(0, |turn| turn + 1));
        }
        fold.finish()
    }
}
