//! Fuzz targets for every parser of foreign bytes, and what several of them share.
//!
//! `cargo xtask fuzz` runs them under libFuzzer. Each is a function, so that tests run them on
//! their seeds as well.

pub mod targets;

use agon_core::{Game, GameExt, Seed};
use agon_games::{GameId, Presets, with_game};

/// The game that the first byte chooses, and the other bytes.
pub fn choose_game(data: &[u8]) -> Option<(GameId, &[u8])> {
    let (&first, rest) = data.split_first()?;
    Some((GameId::ALL[usize::from(first) % GameId::ALL.len()], rest))
}

/// Plays some scripted steps, with the default answer now and then.
pub fn play_some<G: Game>(game: &mut G) {
    for step in 0..4 {
        if game.is_over() {
            assert!(game.standing().outcome.is_some(), "a game that is over has an outcome");
            return;
        }
        if step == 2 {
            game.step_with(|_, _| G::Answer::default());
        } else {
            let answers = game.scripted_answers(Seed(1), step);
            game.step(&answers);
        }
    }
}

/// Sets up a match of as near to two players as the game allows.
///
/// # Panics
/// If the settings do not fit.
pub fn begin<G: Game>(rules: &G::Rules) -> G {
    let players = 2.clamp(G::META.min_players, G::META.max_players);
    G::new(rules, players, Seed(1)).expect("the settings fit")
}

/// Settings that make a game small, as JSON.
pub fn small(id: GameId) -> &'static str {
    with_game!(id, G => G::TINY)
}

/// Returns the bytes before the first one that is no text.
pub fn text(data: &[u8]) -> &str {
    match std::str::from_utf8(data) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&data[..error.valid_up_to()]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use agon_core::Purpose;

    use super::*;

    /// How many changed copies of each seed are tried.
    const CHANGED: u64 = 60;

    /// Changes some bytes, or cuts the end off.
    fn change(seed: &[u8], number: u64) -> Vec<u8> {
        let mut rng = Seed(number).stream(Purpose::Sample, 0);
        let mut bytes = seed.to_vec();
        for _ in 0..=rng.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.index(bytes.len());
            match rng.below(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 1 << rng.below(8),
                2 => bytes[at] = rng.below(256) as u8,
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    }

    #[test]
    fn targets_find_nothing_in_their_seeds_and_in_changed_ones() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let programs = fs::read_dir(folder.join("fuzz_targets")).expect("the programs").count();
        assert_eq!(targets::ALL.len(), programs, "each target is in the list");
        let seeds = folder.join("seeds");
        for (name, run) in targets::ALL {
            let files = fs::read_dir(seeds.join(name)).expect("each target has seeds");
            let mut count = 0;
            for file in files {
                let seed = fs::read(file.expect("a seed").path()).expect("a seed");
                run(&seed);
                (0..CHANGED).for_each(|number| run(&change(&seed, number)));
                count += 1;
            }
            assert!(count > 0, "{name} has no seed");
        }
    }
}
