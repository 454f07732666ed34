//! Step sizes: the distance of probes, and the move after one result.
//!
//! The method in `spsa` steps by them.

use serde::{Deserialize, Serialize};

/// The gains of SPSA, as shares of a parameter's range at the end of the tuning.
///
/// People can judge them there. They fall from larger ones at the beginning: c(k) = c / (k +
/// 1)^0.101, a(k) = a / (A + k + 1)^0.602 with A a tenth of all steps. Spall recommends these
/// exponents ("Implementation of the simultaneous perturbation algorithm for stochastic
/// optimization", IEEE Transactions on Aerospace and Electronic Systems 34(3), 1998).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gains {
    /// The distance of the last duel's versions from the middle between them.
    ///
    /// It is at least one step of the parameter.
    pub probe: f64,
    /// The move after a won duel at the end, as a share of the probe: a(k) / c(k)².
    pub rate: f64,
}

/// The best values in `examples/landscapes.rs`.
impl Default for Gains {
    fn default() -> Gains {
        Gains { probe: 0.15, rate: 0.15 }
    }
}

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// The share of all steps that is `A`.
const STABILITY: f64 = 0.1;

impl Gains {
    /// Returns the probe of step `k` of `all`, as a share of the range.
    pub(crate) fn probe_at(&self, k: u64, all: u64) -> f64 {
        self.probe * (all as f64 / (k + 1) as f64).powf(GAMMA)
    }

    /// Returns the move after a won duel in step `k` of `all`, as a share of the range.
    pub(crate) fn move_at(&self, k: u64, all: u64) -> f64 {
        let stability = STABILITY * all as f64;
        let growth = ((stability + all as f64) / (stability + (k + 1) as f64)).powf(ALPHA);
        let a = self.rate * self.probe * self.probe * growth;
        a / self.probe_at(k, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_fall_to_what_was_given() {
        let gains = Gains { probe: 0.1, rate: 0.05 };
        assert!((gains.probe_at(999, 1000) - 0.1).abs() < 1e-12);
        assert!((gains.move_at(999, 1000) - 0.005).abs() < 1e-12);
        let moves: Vec<f64> = (0..1000).map(|k| gains.move_at(k, 1000)).collect();
        // The probe falls faster than A at first.
        assert!(moves.windows(2).all(|two| two[1] < two[0] * 1.08), "they hardly ever grow");
        assert!(moves[0] > moves[999] && gains.probe_at(0, 1000) > 0.19);
    }
}
