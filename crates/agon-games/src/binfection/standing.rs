//! The standing of a match, its winners, and the reason in words. The most units win, then the most
//! cells.

use agon_core::{Game, GameExt, Outcome, Player, PlayerStanding, Standing};

use super::Binfection;

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
