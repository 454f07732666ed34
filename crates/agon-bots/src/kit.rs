//! Connects the small games of the kit (`agon_games::kit`) with the hosts of bots: their time
//! limits, and no protocol but the arena's.

use std::time::Duration;

use agon_games::kit::{Kit, SmallGame};

use crate::{BatchLimits, Clock, HostedGame};

impl<S: SmallGame> HostedGame for Kit<S> {
    const PACE: BatchLimits = BatchLimits {
        clock: Clock {
            first: S::FIRST_ANSWER,
            then: S::LATER_ANSWERS,
            wall_factor: Clock::WALL_FACTOR,
            bank: Duration::ZERO,
        },
        each: Duration::ZERO,
    };
}
