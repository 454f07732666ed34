//! Settings for short matches of binfection: for `agon demo`, `agon check`, starter kits and tests.

use super::Binfection;
use crate::{Presets, Sample};

impl Presets for Binfection {
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
