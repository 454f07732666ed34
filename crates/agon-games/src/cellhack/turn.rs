//! Plays a turn, once every living cell has decided: the steps of the rules in their order.
//!
//! Actions are bytes from here on, one per place of the board. So each step works on all places at
//! once, many of them in one vector, and does not follow a list of cells.

use crate::simd::Level;
use agon_core::{Decision, Purpose};

use super::{Answer, Cellhack, order::Order, transfer::Transfer, wishes::Wishes};

impl Cellhack {
    /// Plays one turn. `batch` holds all living cells, `answers` their answers. Calls `arrived`
    /// with start and destination of each cell, or half of a cell, that moves.
    pub(super) fn turn(
        &mut self,
        batch: &[Decision],
        answers: &[Answer],
        arrived: impl FnMut(usize, usize),
    ) {
        let Cellhack { rules, board, scratch: Scratch { wishes, acts, order }, .. } = self;
        // Memories change first, before any action.
        wishes.note(board, batch, answers);
        // REST, then EAT and FEED all at the same time, then cells without the energy to live die.
        Level::best().run(Transfer { rules, wishes, board, acts });
        // MOVE, SPLIT and DIE of the cells still alive, one after the other.
        order.collect(batch, acts);
        // All see the whole order at once, so it may come from a quick stream.
        order.shuffle(&mut self.seed.quick_stream(Purpose::Order, self.turns_played.into()));
        order.act(board, rules, arrived);
        // A half of a split cell may have too little energy.
        Level::best().run(super::transfer::Starve { rules, board });
    }
}

/// Buffers for a turn, which the next turn uses again. They are no part of the state: all are
/// equal, and copies are empty.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    wishes: Wishes,
    /// For each place, the action of its living cell if it belongs to the random order, else 0.
    acts: Vec<u8>,
    order: Order,
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

#[cfg(test)]
mod tests {
    use agon_core::{Game, Player, Seed};

    use super::*;
    use crate::cellhack::{
        Action, Cell,
        Direction::{self, Down, Left, Right, Up},
        Place, Position, Rules,
    };

    /// A cell in short: x, y, player, energy.
    type Short = (u32, u32, u16, u16);

    fn position(cells: &[Short]) -> Position {
        let cell = |&(x, y, player, energy)| Cell { x, y, player, energy, memory: 0 };
        Position { players: 3, turn: 0, cells: cells.iter().map(cell).collect(), rocks: Vec::new() }
    }

    fn rules() -> Rules {
        Rules { width: 7, height: 6, ..Rules::default() }
    }

    /// Plays a turn in which the cells at the given places act, and all others do nothing.
    fn turn(game: &mut Cellhack, actions: &[(u32, u32, Action)]) {
        let place = |game: &Cellhack, d: Decision| game.board.xy(d.unit as usize);
        for &(x, y, _) in actions {
            assert!(
                game.decisions().iter().any(|&d| place(game, d) == (x, y)),
                "no cell at {x}, {y}"
            );
        }
        let wanted = |d| actions.iter().find(|&&(x, y, _)| place(game, d) == (x, y));
        let answers: Vec<Answer> = game
            .decisions()
            .iter()
            .map(|&d| Answer::new(wanted(d).map_or(Action::Nothing, |a| a.2)))
            .collect();
        game.step(&answers);
    }

    fn cells(game: &Cellhack) -> Vec<Short> {
        game.position().cells.iter().map(|c| (c.x, c.y, c.player, c.energy)).collect()
    }

    /// Plays one turn from `before` with default settings, the same for several seeds, and compares
    /// the cells.
    fn check(before: &[Short], actions: &[(u32, u32, Action)], after: &[Short]) {
        check_with(&rules(), &position(before), actions, after);
    }

    fn check_with(
        rules: &Rules,
        before: &Position,
        actions: &[(u32, u32, Action)],
        after: &[Short],
    ) {
        for seed in 0..8 {
            let mut game = Cellhack::from_position(rules, Seed(seed), before.clone()).unwrap();
            turn(&mut game, actions);
            assert_eq!(cells(&game), after, "seed {seed}");
        }
    }

    #[test]
    fn resting_counts_neighbours_across_edges_and_stops_at_the_cap() {
        let rest = |x, y| (x, y, Action::Rest);
        check(
            &[(0, 0, 0, 50), (6, 5, 1, 255), (3, 3, 2, 252)],
            &[rest(0, 0), rest(6, 5), rest(3, 3)],
            &[(0, 0, 0, 55), (3, 3, 2, 256), (6, 5, 1, 256)],
        );
    }

    #[test]
    fn a_rock_is_a_neighbour_when_resting_and_a_wall_otherwise() {
        let rocks = vec![Place { x: 2, y: 1 }, Place { x: 3, y: 2 }];
        let before = Position { rocks, ..position(&[(2, 2, 0, 50), (5, 5, 1, 50)]) };
        check_with(&rules(), &before, &[(2, 2, Action::Rest)], &[(2, 2, 0, 53), (5, 5, 1, 50)]);
        for wall in [Action::Eat(Up), Action::Feed(Up), Action::Move(Right), Action::Split(Right)] {
            check_with(&rules(), &before, &[(2, 2, wall)], &[(2, 2, 0, 50), (5, 5, 1, 50)]);
        }
    }

    #[test]
    fn nothing_rest_and_die_do_not_bite() {
        for (action, own) in [(Action::Nothing, 50), (Action::Rest, 55)] {
            check(
                &[(2, 2, 0, 50), (2, 1, 1, 50)],
                &[(2, 2, action)],
                &[(2, 1, 1, 50), (2, 2, 0, own)],
            );
        }
        check(&[(2, 2, 0, 50), (2, 1, 1, 50)], &[(2, 2, Action::Die)], &[(2, 1, 1, 50)]);
    }

    #[test]
    fn eating_and_feeding_move_energy() {
        let before = [(2, 2, 0, 50), (3, 2, 1, 60), (2, 3, 0, 70)];
        check(
            &before,
            &[(2, 2, Action::Eat(Right))],
            &[(2, 2, 0, 51), (3, 2, 1, 59), (2, 3, 0, 70)],
        );
        check(
            &before,
            &[(2, 2, Action::Eat(Down))],
            &[(2, 2, 0, 51), (3, 2, 1, 60), (2, 3, 0, 69)],
        );
        check(
            &before,
            &[(2, 2, Action::Feed(Right))],
            &[(2, 2, 0, 49), (3, 2, 1, 61), (2, 3, 0, 70)],
        );
        check(
            &before,
            &[(2, 2, Action::Eat(Left))],
            &[(2, 2, 0, 50), (3, 2, 1, 60), (2, 3, 0, 70)],
        );
    }

    #[test]
    fn eating_is_summed_before_it_is_limited() {
        // The left cell is full, eats and is eaten from; the right one has less than is taken from
        // it.
        let rules = Rules { eat_amount: 30, energy_min: 0, ..rules() };
        let before = position(&[(1, 1, 0, 256), (2, 1, 1, 20), (1, 2, 2, 100)]);
        let actions = [(1, 1, Action::Eat(Right)), (1, 2, Action::Eat(Up))];
        check_with(&rules, &before, &actions, &[(1, 1, 0, 256), (2, 1, 1, 0), (1, 2, 2, 130)]);
    }

    #[test]
    fn a_bitten_cell_dies_before_it_moves_away() {
        check(
            &[(2, 2, 0, 50), (3, 2, 1, 20), (0, 0, 2, 50)],
            &[(2, 2, Action::Eat(Right)), (3, 2, Action::Move(Right))],
            &[(0, 0, 2, 50), (2, 2, 0, 51)],
        );
    }

    #[test]
    fn dying_does_not_deny_the_bite() {
        check(
            &[(2, 2, 0, 50), (3, 2, 1, 60), (0, 0, 1, 50)],
            &[(2, 2, Action::Eat(Right)), (3, 2, Action::Die)],
            &[(0, 0, 1, 50), (2, 2, 0, 51)],
        );
    }

    #[test]
    fn resting_comes_before_biting() {
        check(
            &[(2, 2, 0, 50), (3, 2, 1, 20)],
            &[(2, 2, Action::Eat(Right)), (3, 2, Action::Rest)],
            &[(2, 2, 0, 51), (3, 2, 1, 24)],
        );
    }

    #[test]
    fn moves_wrap_around() {
        let before = [(0, 0, 0, 50), (3, 3, 1, 50)];
        for (direction, x, y) in [(Up, 0, 5), (Left, 6, 0), (Right, 1, 0), (Down, 0, 1)] {
            let mut after = [(x, y, 0, 50), (3, 3, 1, 50)];
            after.sort_by_key(|&(x, y, ..)| (y, x));
            check(&before, &[(0, 0, Action::Move(direction))], &after);
        }
    }

    #[test]
    fn a_split_halves_the_energy_and_copies_the_new_memory() {
        let mut game =
            Cellhack::from_position(&rules(), Seed(1), position(&[(2, 2, 0, 41), (5, 5, 1, 40)]))
                .unwrap();
        let split = Answer { action: Action::Split(Right), memory: Some(9) };
        game.step(&[split, Answer::new(Action::Split(Right))]);
        let cell = |x, y, player, energy, memory| Cell { x, y, player, energy, memory };
        let expected = [cell(2, 2, 0, 20, 9), cell(3, 2, 0, 20, 9), cell(5, 5, 1, 40, 0)];
        assert_eq!(game.position().cells, expected, "40 is not enough to split");
    }

    #[test]
    fn halves_without_the_energy_to_live_die_at_the_end_of_the_turn() {
        let rules = Rules { energy_min_split: 30, ..rules() };
        let before = position(&[(2, 2, 0, 39), (0, 0, 0, 50), (5, 5, 1, 50)]);
        check_with(&rules, &before, &[(2, 2, Action::Split(Up))], &[(0, 0, 0, 50), (5, 5, 1, 50)]);
    }

    /// The board after a turn, for each of 32 seeds.
    fn outcomes(before: &[Short], actions: &[(u32, u32, Action)]) -> Vec<Vec<Short>> {
        let play = |seed| {
            let mut game = Cellhack::from_position(&rules(), Seed(seed), position(before)).unwrap();
            turn(&mut game, actions);
            cells(&game)
        };
        (0..32).map(play).collect()
    }

    #[test]
    fn of_two_moves_into_one_place_the_first_wins() {
        let moves = [(1, 2, Action::Move(Right)), (3, 2, Action::Move(Left))];
        let outcomes = outcomes(&[(1, 2, 0, 50), (3, 2, 1, 60)], &moves);
        let (left, right) = ([(2, 2, 0, 50), (3, 2, 1, 60)], [(1, 2, 0, 50), (2, 2, 1, 60)]);
        assert!(outcomes.iter().all(|o| *o == left || *o == right), "{outcomes:?}");
        let lefts = outcomes.iter().filter(|o| **o == left).count();
        assert!((8..=24).contains(&lefts), "the left one won {lefts} of 32 times");
    }

    #[test]
    fn a_follower_needs_the_one_ahead_to_go_first() {
        let moves = [(1, 2, Action::Move(Right)), (2, 2, Action::Move(Right))];
        let outcomes = outcomes(&[(1, 2, 0, 50), (2, 2, 0, 60), (5, 5, 1, 50)], &moves);
        let both = [(2, 2, 0, 50), (3, 2, 0, 60), (5, 5, 1, 50)];
        let one = [(1, 2, 0, 50), (3, 2, 0, 60), (5, 5, 1, 50)];
        assert!(outcomes.iter().all(|o| *o == both || *o == one), "{outcomes:?}");
        assert!(outcomes.contains(&both.to_vec()) && outcomes.contains(&one.to_vec()));
    }

    fn ending(
        rules: &Rules,
        before: &[Short],
        actions: &[(u32, u32, Action)],
    ) -> (Vec<Player>, String) {
        let mut game = Cellhack::from_position(rules, Seed(1), position(before)).unwrap();
        turn(&mut game, actions);
        let outcome = game.standing().outcome.expect("the game is over");
        (outcome.winners, outcome.reason)
    }

    #[test]
    fn endings() {
        let short = Rules { turns: 1, ..rules() };
        let first = Player(0);
        let second = Player(1);
        let third = Player(2);
        let two: [Short; 2] = [(1, 1, 0, 50), (4, 4, 1, 50)];
        assert_eq!(
            ending(&short, &two, &[(1, 1, Action::Split(Up))]),
            (vec![first], "most cells after 1 turn".into())
        );
        assert_eq!(
            ending(&short, &two, &[]),
            (vec![first, second], "equally many cells after 1 turn".into())
        );
        assert_eq!(
            ending(&rules(), &two, &[(1, 1, Action::Die)]),
            (vec![second], "alone on the board after 1 turn".into())
        );
        assert_eq!(
            ending(&rules(), &two, &[(1, 1, Action::Die), (4, 4, Action::Die)]),
            (vec![first, second, third], "no cell is left after 1 turn".into())
        );
    }

    #[test]
    fn one_player_alone_plays_all_turns_and_nobody_wins() {
        let three = Rules { turns: 3, ..rules() };
        let mut game = Cellhack::new(&three, 1, Seed(1)).unwrap();
        while !game.decisions().is_empty() {
            let answers = vec![Answer::new(Action::Split(Up)); game.decisions().len()];
            game.step(&answers);
        }
        let standing = game.standing();
        assert_eq!(
            (standing.players[0].place, standing.players.len(), game.turns_played),
            (1, 1, 3)
        );
        let outcome = standing.outcome.unwrap();
        assert_eq!(
            (outcome.winners, &*outcome.reason),
            (vec![], "one player alone, after 3 turns")
        );
        let mut game = Cellhack::new(&three, 1, Seed(1)).unwrap();
        game.step(&[Answer::new(Action::Die)]);
        let outcome = game.standing().outcome.expect("nobody is left");
        assert_eq!(outcome.reason, "one player alone, no cell is left after 1 turn");
        assert!(outcome.winners.is_empty());
    }

    #[test]
    fn opposite_directions_lead_back() {
        for direction in Direction::ALL {
            let board = Cellhack::new(&rules(), 2, Seed(1)).unwrap().board;
            let there = board.neighbour(0, direction as u8);
            assert_eq!(board.neighbour(there, direction.opposite() as u8), 0);
        }
    }
}
