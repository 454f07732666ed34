//! What is found on a machine.

use agon_kits::Language;

use super::{confinement::Confined, machine::Machine};

/// All that is found.
pub(super) struct Findings {
    pub(super) confined: Confined,
    pub(super) languages: Vec<Language>,
    pub(super) machine: Machine,
}
