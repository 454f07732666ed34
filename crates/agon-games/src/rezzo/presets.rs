//! The presets of rezzo, and settings for `agon check`, starter kits and tests.

use super::Rezzo;
use crate::{Preset, Presets, Sample};

impl Presets for Rezzo {
    // Agents stay readable on a screen, sources of signals are near, and flags near any base decide
    // the match. With `base_of` as in the documents many matches tie: raiders block their own ways.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small world with many signals, in which a flag next to any base loses.",
        settings: &[
            "width=60",
            "height=60",
            "max_ticks=3000",
            "base_of=any",
            "density_divisor=10",
            "loop_area=200",
            "loop_max=6",
        ],
    }];
    const SHORT: &'static [&'static str] = &["width=48", "height=48", "max_ticks=4000"];
    const ENDLESS: &'static str = "max_ticks is 0";
    const TINY: &'static str = r#"{"width":20,"height":20,"max_ticks":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"width": 16, "height": 16, "max_ticks": 3}"#,
        position: None,
        script: 0,
        reply: r#"{"action":"TURN_LEFT"}"#,
    });
}
