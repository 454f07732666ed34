//! What is found on a machine.

use agon_bots::tools::Machine;
use agon_console::kits::Language;
use agon_sandbox::Confined;

use super::parts::PartFinding;

/// All that is found.
pub(super) struct Findings {
    pub(super) confined: Confined,
    pub(super) parts: Vec<PartFinding>,
    pub(super) languages: Vec<Language>,
    pub(super) machine: Machine,
}
