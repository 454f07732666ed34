//! [`Binfection`]: the state of a match and its `Game` implementation.

use agon_core::{
    Decision, Fold, Game, GameExt, Meta, Outcome, Player, PlayerStanding, Progress, Purpose, Rng,
    Seed, SetupError, Standing, error::Problems,
};

use super::field::{Field, Holdings, MAX_PLAYERS};
use super::turn::{Growth, Melee};
use super::{Answer, Cell, Direction, Move, Position, Rules, View, spawn};
use crate::scratch::Scratch;

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
    scratch: Scratch<Buffers>,
}

#[derive(Debug, Default)]
struct Buffers {
    orders: Vec<Option<Direction>>,
    melee: Melee,
    /// The field of the last turn; the next turn overwrites it.
    after: Option<Field>,
}

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
        let Scratch(mut scratch) = std::mem::take(&mut self.scratch);
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
        self.scratch = Scratch(scratch);
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
        standing(self)
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

/// Units, cells, and turns survived: players are ranked by these in this order.
type Rank = (u64, usize, u64);

pub(super) fn standing(game: &Binfection) -> Standing {
    let ranks: Vec<Rank> = Player::all(game.players()).map(|player| rank(game, player)).collect();
    let player = |(i, &(units, cells, turns)): (usize, &Rank)| {
        let measures = [("units", units as i64), ("cells", cells as i64), ("turns", turns as i64)];
        PlayerStanding::new(units as i64, &measures, game.is_out(Player::from_index(i)))
    };
    let players = ranks.iter().enumerate().map(player).collect();
    let mut standing = Standing::ranked(players, &ranks, None);
    if game.is_over() {
        let winners = standing.leaders();
        let reason = reason(game, &winners, &ranks);
        standing.outcome = Some(Outcome::new(winners, reason));
    }
    standing
}

fn rank(game: &Binfection, player: Player) -> Rank {
    let turns = game.fell[player.index()].unwrap_or(game.turn);
    (game.holdings.units(player), game.holdings.cells(player), turns)
}

fn reason(game: &Binfection, winners: &[Player], ranks: &[Rank]) -> String {
    let most_units = ranks.iter().map(|rank| rank.0).max();
    let as_many = ranks.iter().filter(|rank| Some(rank.0) == most_units).count();
    let after = match game.turn {
        1 => "after 1 turn".to_owned(),
        turns => format!("after {turns} turns"),
    };
    match (game.living().count(), winners.len(), as_many) {
        (0, 1, _) => format!("last to leave a field that is empty {after}"),
        (0, ..) => format!("nobody is left {after}"),
        (1, ..) => format!("alone on the field {after}"),
        (_, 1, 1) => format!("most units {after}"),
        (_, 1, _) => format!("as many units but more cells {after}"),
        _ => format!("as many units and cells {after}"),
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::binfection::{Answer, Cell, Direction, Fallen, Move, Position, Rules};

    fn at_limit(players: u16, cells: &[(u32, u16, u64)], fallen: &[(u16, u64)]) -> Standing {
        let rules = Rules { field_width: 9, field_height: 1, turns_limit: 5, ..Rules::default() };
        let cell = |&(x, owner, units)| Cell { x, y: 0, owner: Some(Player(owner)), units };
        let fall = |&(player, turn)| Fallen { player: Player(player), turn };
        let position = Position {
            turn: 5,
            players,
            cells: cells.iter().map(cell).collect(),
            fallen: fallen.iter().map(fall).collect(),
        };
        Binfection::from_position(&rules, Seed(0), position).unwrap().standing()
    }

    fn check(standing: Standing, winners: &[u16], reason: &str) {
        let outcome = standing.outcome.unwrap();
        assert_eq!(outcome.winners, winners.iter().map(|&p| Player(p)).collect::<Vec<_>>());
        assert_eq!(outcome.reason, reason);
    }

    #[test]
    fn units_count_before_cells() {
        check(
            at_limit(2, &[(0, 0, 9), (2, 1, 4), (3, 1, 4)], &[]),
            &[0],
            "most units after 5 turns",
        );
        check(
            at_limit(2, &[(0, 0, 8), (2, 1, 4), (3, 1, 4)], &[]),
            &[1],
            "as many units but more cells after 5 turns",
        );
        check(
            at_limit(2, &[(0, 0, 8), (2, 1, 8)], &[]),
            &[0, 1],
            "as many units and cells after 5 turns",
        );
    }

    #[test]
    fn a_bot_alone_wins_and_the_others_are_placed_by_their_fall() {
        let standing = at_limit(4, &[(0, 2, 1)], &[(0, 2), (1, 4), (3, 4)]);
        let places: Vec<u32> = standing.players.iter().map(|p| p.place).collect();
        assert_eq!(places, [4, 2, 1, 2]);
        assert!(standing.players[0].out && !standing.players[2].out);
        check(standing, &[2], "alone on the field after 5 turns");
    }

    #[test]
    fn bots_that_fall_together_as_the_last_tie() {
        check(at_limit(3, &[], &[(0, 5), (1, 5), (2, 3)]), &[0, 1], "nobody is left after 5 turns");
        check(
            at_limit(2, &[], &[(0, 5), (1, 4)]),
            &[0],
            "last to leave a field that is empty after 5 turns",
        );
    }

    #[test]
    fn a_game_can_end_with_an_empty_field() {
        let rules = Rules { field_width: 2, field_height: 1, ..Rules::default() };
        let cell = |x, owner| Cell { x, y: 0, owner: Some(Player(owner)), units: 2 };
        let position = Position {
            turn: 0,
            players: 2,
            cells: vec![cell(0, 0), cell(1, 1)],
            fallen: Vec::new(),
        };
        let mut game = Binfection::from_position(&rules, Seed(0), position).unwrap();
        let swap = |x, direction| Answer { moves: vec![Move { x, y: 0, direction }] };
        game.step(&[swap(0, Direction::Right), swap(1, Direction::Left)]);
        check(game.standing(), &[0, 1], "nobody is left after 1 turn");
    }
}
