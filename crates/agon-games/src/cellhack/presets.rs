//! The presets of cellhack, and settings for `agon check`, starter kits and tests.

use super::Cellhack;
use crate::{Preset, Presets, Sample};

impl Presets for Cellhack {
    // On larger boards the same bot wins each time.
    const PRESETS: &'static [Preset] = &[Preset {
        name: "default",
        summary: "A small board, on which chance counts.",
        settings: &["width=32", "height=32", "turns=250"],
    }];
    const SHORT: &'static [&'static str] = &["width=40", "height=40", "turns=200"];
    const TINY: &'static str = r#"{"width":8,"height":8,"turns":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"width": 5, "height": 5, "turns": 4}"#,
        position: None,
        script: 108,
        reply: r#"{"action":"SPLIT_UP","memory":18446744073709551615}"#,
    });
}
