//! Population statistics, and the texts and CSV files about them in the form of the original game.
//! Classic tournaments of Clojure species and `agon replay export --csv` write them.

use std::fmt::{Result, Write};

/// How many amoebas each species has and how much energy they hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Population {
    /// Living amoebas by species.
    pub size: Vec<u32>,
    /// Sum of their energies by species.
    pub energy: Vec<u64>,
}

impl Population {
    /// An empty population of `species` species.
    pub fn new(species: usize) -> Population {
        Population { size: vec![0; species], energy: vec![0; species] }
    }

    /// Whether nobody is alive.
    pub fn is_extinct(&self) -> bool {
        self.size.iter().all(|&size| size == 0)
    }

    /// The species with living amoebas.
    pub fn live_species(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.size.len()).filter(|&species| self.size[species] > 0)
    }

    #[inline]
    pub(super) fn count(&mut self, species: usize, energy: u64, present: bool) {
        if present {
            self.size[species] += 1;
            self.energy[species] += energy;
        } else {
            self.size[species] -= 1;
            self.energy[species] -= energy;
        }
    }
}

/// Writes `popsize.csv`: the names of the species, such as `:red`, then a row for the start and one
/// per round.
///
/// # Errors
/// Those of `out`.
pub fn write_popsize_csv(out: &mut dyn Write, species: &[&str], history: &[Population]) -> Result {
    write_csv(out, species, history, |population, species| u64::from(population.size[species]))
}

/// Writes `energy.csv`, laid out like `popsize.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_energy_csv(out: &mut dyn Write, species: &[&str], history: &[Population]) -> Result {
    write_csv(out, species, history, |population, species| population.energy[species])
}

fn write_csv(
    out: &mut dyn Write,
    species: &[&str],
    history: &[Population],
    value: impl Fn(&Population, usize) -> u64,
) -> Result {
    write!(out, "{}", agon_core::text::csv_line(species))?;
    for population in history {
        let number = |s| {
            if population.size[s] == 0 { String::new() } else { value(population, s).to_string() }
        };
        write!(out, "{}", agon_core::text::csv_line((0..species.len()).map(number)))?;
    }
    Ok(())
}

/// The statistics as Clojure prints them: `{:size {:red 3}, :energy {:red 250}, :live-species
/// (:red)}`. `species` are their names as Clojure prints them: `:red` for a keyword, `red` for a
/// string or a symbol.
///
/// Extinct species do not appear; when nobody is alive, the list of live species is `nil`.
pub fn edn(species: &[&str], population: &Population) -> String {
    let alive: Vec<usize> = population.live_species().collect();
    let map = |value: &dyn Fn(usize) -> u64| {
        let entries: Vec<_> =
            alive.iter().map(|&s| format!("{} {}", species[s], value(s))).collect();
        format!("{{{}}}", entries.join(", "))
    };
    let size = map(&|s| u64::from(population.size[s]));
    let energy = map(&|s| population.energy[s]);
    let live = if alive.is_empty() { "nil".to_owned() } else { listed(species, &alive) };
    format!("{{:size {size}, :energy {energy}, :live-species {live}}}")
}

/// The line of the generational statistics for round `round`: `12 : {:size ...}`.
pub fn generation_line(round: u64, species: &[&str], population: &Population) -> String {
    format!("{round} : {}", edn(species, population))
}

/// The line that reports extinctions between two rounds, `extinct at 12 : (:red)`; `None` if there
/// were none.
pub fn extinction_line(
    round: u64,
    species: &[&str],
    before: &Population,
    after: &Population,
) -> Option<String> {
    let extinct: Vec<usize> = before.live_species().filter(|&s| after.size[s] == 0).collect();
    (!extinct.is_empty()).then(|| format!("extinct at {round} : {}", listed(species, &extinct)))
}

/// The line after the last round: `finished ( 1000 generations): {:size ...}`.
pub fn last_generation_line(rounds: u64, species: &[&str], population: &Population) -> String {
    format!("finished ( {rounds} generations): {}", edn(species, population))
}

fn listed(species: &[&str], which: &[usize]) -> String {
    let names: Vec<_> = which.iter().map(|&s| species[s]).collect();
    format!("({})", names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECIES: [&str; 3] = [":red", ":blue", "old-one"];

    fn populations() -> [Population; 2] {
        [
            Population { size: vec![3, 1, 1], energy: vec![250, 0, 7] },
            Population { size: vec![4, 0, 0], energy: vec![251, 0, 0] },
        ]
    }

    #[test]
    fn csv_leaves_extinct_species_empty() {
        let mut text = String::new();
        write_popsize_csv(&mut text, &SPECIES, &populations()).unwrap();
        assert_eq!(text, ":red,:blue,old-one\n3,1,1\n4,,\n");
        text.clear();
        write_energy_csv(&mut text, &SPECIES, &populations()).unwrap();
        assert_eq!(text, ":red,:blue,old-one\n250,0,7\n251,,\n");
    }

    #[test]
    fn names_that_csv_needs_quoted_are_quoted() {
        let mut text = String::new();
        write_popsize_csv(&mut text, &["[1, 2]", "a\"b", "3"], &[]).unwrap();
        assert_eq!(text, "\"[1, 2]\",\"a\"\"b\",3\n");
    }

    #[test]
    fn lines_read_as_clojure_prints_them() {
        let [before, after] = populations();
        assert_eq!(
            generation_line(7, &SPECIES, &before),
            "7 : {:size {:red 3, :blue 1, old-one 1}, :energy {:red 250, :blue 0, old-one 7}, \
             :live-species (:red :blue old-one)}"
        );
        assert_eq!(
            extinction_line(8, &SPECIES, &before, &after).as_deref(),
            Some("extinct at 8 : (:blue old-one)")
        );
        assert_eq!(extinction_line(9, &SPECIES, &after, &after), None);
        assert_eq!(
            last_generation_line(9, &SPECIES, &after),
            "finished ( 9 generations): {:size {:red 4}, :energy {:red 251}, :live-species (:red)}"
        );
        assert_eq!(edn(&SPECIES, &Population::new(3)), "{:size {}, :energy {}, :live-species nil}");
    }
}
