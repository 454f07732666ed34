//! Settings for short matches of rezzo: for `agon demo`, `agon check`, starter kits and tests.

use super::Rezzo;
use crate::{Presets, Sample};

impl Presets for Rezzo {
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
