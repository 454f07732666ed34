//! The presets of binfection, and settings for `agon check`, starter kits and tests.

use super::Binfection;
use crate::{Preset, Presets, Sample};

impl Presets for Binfection {
    // On larger fields bots meet late. After some 40 turns the fronts stand still.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small field with three spawns a bot, so that bots fight soon.",
        settings: &["field_width=24", "field_height=18", "spawns_number=3", "turns_limit=40"],
    }];
    const SHORT: &'static [&'static str] = &["field_width=24", "field_height=16", "turns_limit=60"];
    // Each turn starts the runners again, which takes longer than anything else.
    const CHECKED: &'static [&'static str] = &["turns_limit=15"];
    const ENDLESS: &'static str = "turns_limit is -1";
    const TINY: &'static str = r#"{"field_width":8,"field_height":8,"turns_limit":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: concat!(
            r#"{"field_width": 4, "field_height": 3, "spawn_border_gap": 0, "#,
            r#""turns_limit": 3}"#
        ),
        position: None,
        script: 0,
        reply: r#"{"moves":[{"x":4,"y":3,"direction":2},{"x":5,"y":3,"direction":0}]}"#,
    });
}
