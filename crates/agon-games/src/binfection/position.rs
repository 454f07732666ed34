//! [`Position`]: the whole state as JSON that people can read and write. Scenarios start from one,
//! and replays store one at the start and in key frames.

use std::fmt::Arguments;

use agon_core::{Game, Meta, Player, Seed, SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Binfection, Cell, MAX_SIDE, MAX_UNITS, Rules, field::Field};
use crate::bounded_list::at_most;

/// Cells of the largest field.
const MAX_CELLS: usize = (MAX_SIDE as usize).pow(2);

/// The whole state of a match. By hand, `players` and `cells` are enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Turns that are over
    #[serde(default)]
    pub turn: u64,
    /// Number of players, 2 to 64, the ones that are out included
    pub players: u16,
    /// The cells with units on them, in any order; all others are empty
    #[serde(default, deserialize_with = "at_most::<_, _, MAX_CELLS>")]
    pub cells: Vec<Cell>,
    /// When the players without cells lost their last one; it decides their places
    #[serde(default, deserialize_with = "at_most::<_, _, 1000>")]
    pub fallen: Vec<Fallen>,
}

/// A player that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fallen {
    /// The player
    pub player: Player,
    /// Turns after which it had no cell any more
    pub turn: u64,
}

impl Position {
    pub(super) fn of(game: &Binfection) -> Position {
        let fall = |(i, turn): (usize, &Option<u64>)| {
            turn.map(|turn| Fallen { player: Player::from_index(i), turn })
        };
        Position {
            turn: game.turn,
            players: game.players() as u16,
            cells: game.cells().collect(),
            fallen: game.fell.iter().enumerate().filter_map(fall).collect(),
        }
    }

    /// The match at this position.
    pub(super) fn into_game(self, rules: &Rules, seed: Seed) -> Result<Binfection, SetupError> {
        let mut problems = Problems::new();
        let Meta { min_players, max_players, .. } = Binfection::META;
        problems.range("players", usize::from(self.players), min_players..=max_players);
        let last = rules.last_turn();
        problems.require(self.turn <= last, "turn", || {
            format!("{} is beyond the last turn, {last} (turns_limit)", self.turn)
        });
        self.check_cells(rules, &mut problems);
        self.check_fallen(&mut problems);
        problems.finish()?;

        let field = Field::with_cells(rules.field_width, rules.field_height, self.cells);
        let mut fell = vec![None; usize::from(self.players)];
        for Fallen { player, turn } in self.fallen {
            fell[player.index()] = Some(turn);
        }
        Ok(Binfection::at(rules, seed, self.turn, field, fell))
    }

    fn check_cells(&self, rules: &Rules, problems: &mut Problems) {
        let mut places: Vec<_> =
            self.cells.iter().enumerate().map(|(i, cell)| (cell.y, cell.x, i)).collect();
        places.sort_unstable();
        for pair in places.windows(2) {
            let ((y, x, first), (y2, x2, second)) = (pair[0], pair[1]);
            problems.require((y, x) != (y2, x2), format_args!("cells[{second}]"), || {
                format!("({x}, {y}) is already cells[{first}]")
            });
        }
        for (i, cell) in self.cells.iter().enumerate() {
            self.check_cell(cell, format_args!("cells[{i}]"), rules, problems);
        }
    }

    fn check_cell(&self, cell: &Cell, at: Arguments<'_>, rules: &Rules, problems: &mut Problems) {
        let Rules { field_width, field_height, .. } = *rules;
        problems.require(cell.x < field_width && cell.y < field_height, at, || {
            format!(
                "({}, {}) is outside of the field of {field_width}x{field_height}",
                cell.x, cell.y
            )
        });
        problems.require(cell.units <= MAX_UNITS, format_args!("{at}.units"), || {
            format!("{} is more than {MAX_UNITS}", cell.units)
        });
        match cell.owner {
            Some(owner) => {
                problems.require(owner.0 < self.players, format_args!("{at}.owner"), || {
                    format!(
                        "there is no player {owner}; the {} players are numbered from 0",
                        self.players
                    )
                })
            }
            None => problems.require(cell.units == 0, format_args!("{at}.owner"), || {
                format!("{} units belong to nobody", cell.units)
            }),
        }
    }

    fn check_fallen(&self, problems: &mut Problems) {
        let mut holds = vec![false; usize::from(self.players)];
        for owner in self.cells.iter().filter(|cell| cell.units > 0).filter_map(|cell| cell.owner) {
            if let Some(holds) = holds.get_mut(owner.index()) {
                *holds = true;
            }
        }
        for (i, &Fallen { player, turn }) in self.fallen.iter().enumerate() {
            let at = format!("fallen[{i}]");
            problems.require(player.0 < self.players, format_args!("{at}.player"), || {
                format!(
                    "there is no player {player}; the {} players are numbered from 0",
                    self.players
                )
            });
            let again = self.fallen[..i].iter().any(|other| other.player == player);
            problems.require(!again, &*at, || format!("player {player} is named twice"));
            problems.require(holds.get(player.index()) != Some(&true), &*at, || {
                format!("player {player} still has cells")
            });
            problems.require(turn <= self.turn, format_args!("{at}.turn"), || {
                format!("{turn} is after turn, which is {}", self.turn)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::GameExt;

    use super::*;
    use crate::binfection::{Answer, MAX_TURNS};

    fn small() -> Rules {
        Rules { field_width: 4, field_height: 3, ..Rules::default() }
    }

    fn read(json: &str) -> Result<Binfection, SetupError> {
        Binfection::from_position(&small(), Seed(1), serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_short_position_is_enough() {
        let json = r#"{"players": 2, "cells": [
            {"x": 3, "y": 2, "owner": 1, "units": 5}, {"x": 0, "y": 0, "owner": 0, "units": 7},
            {"x": 1, "y": 1, "owner": 0, "units": 0}]}"#;
        let game = read(json).unwrap();
        assert_eq!(
            game.cells().map(|cell| cell.units).collect::<Vec<_>>(),
            [7, 5],
            "sorted, no empty cells"
        );
        assert_eq!(game.decisions().len(), 2);
        assert_eq!(Binfection::from_position(&small(), Seed(1), game.position()), Ok(game));
    }

    #[test]
    fn all_contradictions_are_told_with_their_place() {
        let json = r#"{"players": 2, "turn": 200, "cells": [
            {"x": 4, "y": 0, "owner": 0, "units": 1}, {"x": 1, "y": 1, "owner": 2, "units": 1},
            {"x": 1, "y": 1, "owner": null, "units": 3},
            {"x": 0, "y": 0, "owner": 1, "units": 1000000000001}],
            "fallen": [{"player": 0, "turn": 3}, {"player": 0, "turn": 201},
            {"player": 7, "turn": 0}]}"#;
        let error = read(json).unwrap_err();
        let told: Vec<String> =
            error.problems.iter().map(|p| format!("{}: {}", p.what, p.reason)).collect();
        let expect = [
            "turn: 200 is beyond the last turn, 100 (turns_limit)",
            "cells[2]: (1, 1) is already cells[1]",
            "cells[0]: (4, 0) is outside of the field of 4x3",
            "cells[1].owner: there is no player 2; the 2 players are numbered from 0",
            "cells[2].owner: 3 units belong to nobody",
            "cells[3].units: 1000000000001 is more than 1000000000000",
            "fallen[0]: player 0 still has cells",
            "fallen[1]: player 0 is named twice",
            "fallen[1]: player 0 still has cells",
            "fallen[1].turn: 201 is after turn, which is 200",
            "fallen[2].player: there is no player 7; the 2 players are numbered from 0",
        ];
        assert_eq!(told, expect);
    }

    #[test]
    fn the_number_of_players_is_checked() {
        let error = read(r#"{"players": 1}"#).unwrap_err().to_string();
        assert_eq!(error, "players: 1 is not between 2 and 64");
    }

    #[test]
    fn turns_without_limit_can_still_be_counted() {
        let rules = Rules { turns_limit: -1, ..small() };
        let at = |turn| {
            let cell = |x, owner| Cell { x, y: 0, owner: Some(Player(owner)), units: 1 };
            let position = Position {
                turn,
                players: 2,
                cells: vec![cell(0, 0), cell(3, 1)],
                fallen: Vec::new(),
            };
            Binfection::from_position(&rules, Seed(1), position)
        };
        let mut game = at(MAX_TURNS - 1).unwrap();
        assert_eq!(game.progress().limit, None);
        game.step(&[Answer::default(), Answer::default()]);
        assert!(game.is_over());
        assert_eq!(Binfection::from_position(&rules, Seed(1), game.position()), Ok(game));
        assert!(at(u64::MAX).is_err());
    }
}
