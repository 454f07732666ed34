//! The built-in bot `mutating`: a slightly brainy species whose thresholds mutate from parent to
//! child. The fitter ones survive.

use std::fmt;

use agon_core::{Blob, Builtin, Param, Policy, Rng};

use super::{
    slightly_brainy::{DIVIDE, LOW, Plan, Thresholds, plan},
    target::{TARGET, Target},
};
use crate::amoebas::{Amoebas, Answer, Baggage, Command, Rules, View};

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "mutating",
    version: 1,
    summary: "slightly-brainy, with thresholds that mutate at divisions and so evolve",
    params: &[
        LOW,
        DIVIDE,
        TARGET,
        Param {
            name: "rate",
            default: "20",
            summary: "chance of a mutation in percent (0 to 100)",
        },
        Param {
            name: "range",
            default: "5",
            summary: "largest change of a threshold (0 to 10000)",
        },
    ],
    make: |params| {
        Ok(Box::new(Mutating {
            original: Thresholds::from_params(params)?,
            target: Target::from_params(params)?,
            rate: params.number("rate", 0..=100)?,
            range: params.number("range", 0..=10_000)?,
        }))
    },
};

struct Mutating {
    original: Thresholds,
    target: Target,
    rate: u64,
    range: i64,
}

impl Policy<Amoebas> for Mutating {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let thresholds = view.function().and_then(read).unwrap_or(self.original);
        let dir = match plan(view, thresholds, self.target, rng) {
            Plan::Other(plain) => return plain.answer(),
            Plan::Divide(dir) => dir,
        };
        let function = rng.chance(self.rate, 100).then(|| {
            let mutant = thresholds.mutant(self.range, view.rules(), rng);
            Blob::from(mutant.to_string().as_str())
        });
        Answer::new(Command::Divide { dir }, Baggage { function, ..Baggage::default() })
    }
}

impl Thresholds {
    /// Shifts both thresholds by up to `range`, within sensible limits.
    fn mutant(self, range: i64, rules: &Rules, rng: &mut Rng) -> Thresholds {
        let mut shift = |threshold: u32, least: u32| {
            let most = i64::from(rules.max_amoeba_energy);
            let shifted = i64::from(threshold) + rng.between(-range, range);
            shifted.clamp(i64::from(least).min(most), most) as u32
        };
        let low = shift(self.low, rules.move_energy);
        Thresholds { low, divide: shift(self.divide, rules.min_divide_energy) }
    }
}

/// The form in which an amoeba's function carries them: `low=12 divide=66`.
impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "low={} divide={}", self.low, self.divide)
    }
}

fn read(function: &Blob) -> Option<Thresholds> {
    let (low, divide) = function.text()?.strip_prefix("low=")?.split_once(" divide=")?;
    Some(Thresholds { low: low.parse().ok()?, divide: divide.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn thresholds_survive_in_a_function() {
        let thresholds = Thresholds { low: 12, divide: 66 };
        assert_eq!(thresholds.to_string(), "low=12 divide=66");
        assert_eq!(read(&Blob::from("low=12 divide=66")), Some(thresholds));
        assert_eq!(read(&Blob::from("low=x divide=66")), None);
    }

    #[test]
    fn mutants_stay_where_thresholds_make_sense() {
        let mut rng = Seed(1).stream(Purpose::Bot(0), 0);
        let mutants: Vec<Thresholds> = (0..200)
            .map(|_| Thresholds { low: 5, divide: 95 }.mutant(20, &Rules::default(), &mut rng))
            .collect();
        assert!(
            mutants.iter().all(|m| (3..=25).contains(&m.low) && (75..=100).contains(&m.divide))
        );
        assert!(mutants.iter().any(|m| m.low == 3) && mutants.iter().any(|m| m.divide == 100));
        let lowest = Thresholds { low: 5, divide: 31 }.mutant(0, &Rules::default(), &mut rng);
        assert_eq!(lowest, Thresholds { low: 5, divide: 31 });
    }
}
