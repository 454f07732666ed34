//! Connects cellhack with the hosts of bots: its time limits, and its own C functions.

use std::time::Duration;

use agon_games::cellhack::protocol::{PLAYER_H, PLAYER_H_PATH};

use crate::{BatchLimits, Clock, Hosting};

/// Usual functions take less than a hundredth of the time for a cell.
const PACE: BatchLimits = BatchLimits {
    clock: Clock::cpu(Duration::from_secs(1)).with_bank(Clock::BANK),
    each: Duration::from_micros(20),
};

pub(crate) const HOSTING: Hosting = Hosting {
    c_header: Some((PLAYER_H_PATH, PLAYER_H)),
    c_shim: Some(include_str!("wasm/cellhack.c")),
    ..Hosting::with_pace(PACE)
};
