//! Connects amoebas with the hosts of bots: its time limits, and Clojure, which no other game has.

use std::time::Duration;

use crate::{BatchLimits, Clock, Hosting, clojure};

pub(crate) const HOSTING: Hosting = Hosting {
    clojure: Some(clojure::open),
    ..Hosting::with_pace(BatchLimits {
        clock: Clock::cpu(Duration::from_secs(1)).with_bank(Clock::BANK),
        each: Duration::from_millis(1),
    })
};
