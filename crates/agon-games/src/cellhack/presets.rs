//! Settings for short matches of cellhack: for `agon demo`, `agon check`, starter kits and tests.

use super::Cellhack;
use crate::{Presets, Sample};

impl Presets for Cellhack {
    const SHORT: &'static [&'static str] = &["width=40", "height=40", "turns=200"];
    const TINY: &'static str = r#"{"width":8,"height":8,"turns":9}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"width": 5, "height": 5, "turns": 4}"#,
        position: None,
        script: 108,
        reply: r#"{"action":"SPLIT_UP","memory":18446744073709551615}"#,
    });
}
