//! Settings for short matches of cluster, for `agon check`, starter kits and tests.
//!
//! The preset `default` has the documents' settings.

use super::Cluster;
use crate::{Presets, Sample};

impl Presets for Cluster {
    const SHORT: &'static [&'static str] = &["side=7"];
    const TINY: &'static str = r#"{"side":3}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"side": 2, "bag": 4, "run_length": 3}"#,
        position: None,
        script: 1,
        reply: r#"{"action":"PLACE","column":12,"color":3}"#,
    });
}
