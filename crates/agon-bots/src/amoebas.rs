//! Connects amoebas with the hosts of bots: its time limits, and Clojure, which no other game has.

use std::time::Duration;

use agon_games::amoebas::Amoebas;

use crate::{BatchLimits, Clock, HostedGame, OpenClojureFn, clojure};

impl HostedGame for Amoebas {
    const PACE: BatchLimits = BatchLimits {
        clock: Clock::cpu(Duration::from_secs(1)).with_bank(Clock::BANK),
        each: Duration::from_millis(1),
    };

    const CLOJURE: Option<OpenClojureFn<Amoebas>> = Some(clojure::open);
}
