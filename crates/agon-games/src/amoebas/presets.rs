//! The presets of amoebas, and settings for `agon check`, starter kits and tests.

use super::Amoebas;
use crate::{Preset, Presets, Sample};

impl Presets for Amoebas {
    // Later the best species has killed the others, and nothing happens any more.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small world, which ends while the species still fight for it.",
        settings: &["world_size=60", "rounds=200"],
    }];
    const SHORT: &'static [&'static str] = &["world_size=80", "rounds=300"];
    // Against this bot a random bot grows without limit, and a whole match with thousands of
    // amoebas takes many minutes.
    const OPTIONS: &'static str = "--turns 100";
    const TINY: &'static str = r#"{"world_size":12,"rounds":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"world_size": 6, "view_distance": 1, "rounds": 3}"#,
        position: Some(
            r#"{"players": 2, "amoebas": [
                {"x": 0, "y": 0, "species": 0, "energy": 80, "health": 10, "data": "scout"},
                {"x": 3, "y": 0, "species": 0, "energy": 40, "health": 6, "function": "low=12"},
                {"x": 4, "y": 0, "species": 1, "energy": 57, "health": 10,
                    "data": "\u0000hex:ff00"}]}"#,
        ),
        script: 0,
        reply: concat!(
            r#"{"cmd":"divide","dir":4,"data":"x","function":"low=12","#,
            r#""child_data":"\u0000hex:ff00"}"#
        ),
    });
}
