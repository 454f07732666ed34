//! [`Position`]: the whole state as JSON that people can read and write. Scenarios start from one,
//! and replays store one at the start and in key frames.

use std::fmt::Arguments;

use agon_core::{Blob, SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_PLAYERS, Rules, rules::MAX_CELLS};
use crate::bounded_list::at_most;

/// The state of a game. What is left out has a default, so that a position by hand can be short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Number of species, the extinct ones included.
    pub players: u32,
    /// Rounds that are over.
    #[serde(default)]
    pub round: u32,
    /// Fuel of all cells, row by row from the north-west; left out or empty: all cells are full.
    #[serde(default, deserialize_with = "at_most::<_, _, MAX_CELLS>")]
    pub fuel: Vec<u32>,
    /// The living amoebas, in any order; the game writes them row by row.
    #[serde(deserialize_with = "at_most::<_, _, MAX_CELLS>")]
    pub amoebas: Vec<Amoeba>,
}

/// An amoeba and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Amoeba {
    /// Column, from 0 in the west.
    pub x: u32,
    /// Row, from 0 in the north.
    pub y: u32,
    /// The species: the player's number, from 0.
    pub species: u32,
    /// Energy, 0 to max_amoeba_energy.
    pub energy: u32,
    /// Health, 1 to max_amoeba_health.
    pub health: u32,
    /// Data that the amoeba carries; left out: none.
    #[serde(default)]
    pub data: Option<Blob>,
    /// Its amoeba function, as the species writes it down; left out: the species' original
    /// function.
    #[serde(default)]
    pub function: Option<Blob>,
    /// Whether it acted or was born in the current round; left out: no.
    #[serde(default)]
    pub acted: bool,
}

impl Position {
    /// Checks the position against the rules, which are taken to be sound.
    ///
    /// # Errors
    /// With everything that is out of range or contradicts something else.
    pub fn check(&self, rules: &Rules) -> Result<(), SetupError> {
        let mut problems = Problems::new();
        problems.range("players", self.players, 1..=MAX_PLAYERS as u32);
        problems.range("round", self.round, 0..=rules.rounds);
        let cells = rules.cells();
        problems.require(self.fuel.is_empty() || self.fuel.len() == cells, "fuel", || {
            format!("{} numbers, but the world has {cells} cells", self.fuel.len())
        });
        for (cell, &fuel) in
            self.fuel.iter().enumerate().filter(|&(_, &f)| f > rules.max_cell_energy)
        {
            problems.range(format_args!("fuel[{cell}]"), fuel, 0..=rules.max_cell_energy);
        }
        let mut taken = vec![false; cells];
        for (index, amoeba) in self.amoebas.iter().enumerate() {
            amoeba.check(
                format_args!("amoebas[{index}]"),
                self.players,
                rules,
                &mut taken,
                &mut problems,
            );
        }
        let all_acted = !self.amoebas.is_empty() && self.amoebas.iter().all(|a| a.acted);
        problems.require(!all_acted, "amoebas", || {
            "all have acted, so the round is over: \
             set `acted` of the next round's amoebas to false"
                .into()
        });
        problems.finish()
    }
}

impl Amoeba {
    fn check(
        &self,
        at: Arguments<'_>,
        players: u32,
        rules: &Rules,
        taken: &mut [bool],
        problems: &mut Problems,
    ) {
        let size = rules.world_size;
        problems.range(format_args!("{at}.x"), self.x, 0..=size - 1);
        problems.range(format_args!("{at}.y"), self.y, 0..=size - 1);
        problems.require(self.species < players, format_args!("{at}.species"), || {
            format!("{} does not exist; the {players} species are numbered from 0", self.species)
        });
        problems.range(format_args!("{at}.energy"), self.energy, 0..=rules.max_amoeba_energy);
        problems.range(format_args!("{at}.health"), self.health, 1..=rules.max_amoeba_health);
        for (name, blob) in [("data", &self.data), ("function", &self.function)] {
            let length = blob.as_ref().map_or(0, |blob| blob.bytes().len());
            problems.require(
                length <= rules.data_limit as usize,
                format_args!("{at}.{name}"),
                || format!("{length} bytes, but data_limit is {}", rules.data_limit),
            );
        }
        if self.x < size && self.y < size {
            let cell = &mut taken[(self.y * size + self.x) as usize];
            problems.require(!*cell, at, || format!("a second amoeba at {}, {}", self.x, self.y));
            *cell = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_its_place() {
        let rules = Rules { world_size: 5, ..Rules::default() };
        let json = r#"{"players":2,"round":1001,"fuel":[101],"amoebas":[
            {"x":1,"y":1,"species":0,"energy":5,"health":5},
            {"x":1,"y":1,"species":2,"energy":101,"health":0},
            {"x":5,"y":0,"species":0,"energy":0,"health":1}]}"#;
        let position: Position = serde_json::from_str(json).unwrap();
        let error = position.check(&rules).unwrap_err();
        let places: Vec<_> = error.problems.iter().map(|p| p.what.as_str()).collect();
        assert_eq!(
            places,
            [
                "round",
                "fuel",
                "fuel[0]",
                "amoebas[1].species",
                "amoebas[1].energy",
                "amoebas[1].health",
                "amoebas[1]",
                "amoebas[2].x"
            ]
        );
    }
}
