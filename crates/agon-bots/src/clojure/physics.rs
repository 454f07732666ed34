//! The constants of an amoeba world, under the names that species know. The JVM gets them before a
//! match.

use agon_games::amoebas::Rules;
use serde_json::{Value, json};

/// Returns whether the constants are the defaults of `amoebas.defs`.
pub(super) fn has_usual_physics(rules: &Rules) -> bool {
    physics(rules) == physics(&Rules::default())
}

/// Returns the constants as species know them.
pub(super) fn physics(rules: &Rules) -> Value {
    json!({
        "WorldSize": rules.world_size,
        "SunEnergy": rules.sun_energy,
        "MaxCellEnergy": rules.max_cell_energy,
        "ViewDistance": rules.view_distance,
        "MaxAmoebaEnergy": rules.max_amoeba_energy,
        "RestEnergy": rules.rest_energy,
        "MoveEnergy": rules.move_energy,
        // Two names for one: the manual says HitEnergy.
        "AttackEnergy": rules.hit_energy,
        "HitEnergy": rules.hit_energy,
        "MaxFuelingEnergy": rules.max_fueling_energy,
        "MinDivideEnergy": rules.min_divide_energy,
        "DivideEnergyLoss": rules.divide_energy_loss,
        "MaxAmoebaHealth": rules.max_amoeba_health,
        "HitLoss": rules.hit_loss,
        "RecoveryGain": rules.recovery_gain,
    })
}
