//! amoebas: the hosts of all games.

use std::time::Duration;

use agon_games::amoebas::Amoebas;

use crate::{Clock, ClojureHost, Hosted, Pace, clojure};

impl Hosted for Amoebas {
    const PACE: Pace = Pace {
        clock: Clock::cpu(Duration::from_secs(1)).with_bank(Clock::BANK),
        each: Duration::from_millis(1),
    };

    const CLOJURE: Option<ClojureHost<Amoebas>> = Some(clojure::open);
}
