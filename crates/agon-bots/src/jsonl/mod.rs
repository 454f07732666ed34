//! The host of programs that speak the JSON Lines protocol, in every game.
//!
//! The arena starts them, or they already run and wait at an address.
//!
//! A question is a line, [`Decide`](agon_games::jsonl::message::Decide), and so is its answer,
//! [`Answers`](agon_games::jsonl::message::Answers). Other events count as follows:
//!
//! | from the bot | counts as | costs | and then |
//! | --- | --- | --- | --- |
//! | a line with the `step` of an earlier question | late | nothing more | it is dropped, the wait continues |
//! | a blank line | nothing | nothing | it is dropped, the wait continues |
//! | a line that is no `Answers`, or has a wrong number of them | [`Garbage`] | the batch | the next question follows |
//! | an element of `answers` that is no answer of the game | [`Garbage`] | this decision | the next question follows |
//! | an answer before its whole question | [`Early`] | the batch | the next question follows |
//! | no line within the time | [`Timeout`] | the batch | the next question follows; [`TIMEOUTS`] in a row end it |
//! | questions that stay unread before the next | [`Timeout`] | nothing more | [`TIMEOUTS`] in a row end it |
//! | too much output | [`Flood`] | all from then on | it is ended |
//! | its end, a closed pipe or connection | [`Crash`], [`Closed`] | all from then on | nothing |
//!
//! The lines that wait behind a bad line at the next question belong to the bad line. They are
//! dropped with it. So a bot that prints its thoughts loses one batch for them, and not all that
//! follow. A bot that has been ended answers [`forfeit`](agon_core::Game::forfeit) from then on,
//! without further faults.
//!
//! A game that continues without late bots (rezzo) has
//! [`silent_turns`](crate::Hosting::silent_turns). There a bot is ended only after this many turns
//! without any output. The first late answer of a row is a fault, and a full pipe loses the
//! questions that do not fit. The limit on useless output holds for each turn.
//!
//! # Time
//! [`BatchLimits`] is the time limit of an answer, unless [`HostOptions::timing`] sets another.
//! The first answer gets at least [`START_UP`] or [`HostOptions::start_up`], in every game: the
//! virtual machines and compilers of many languages take seconds before a bot runs. Programs that
//! the arena starts are charged CPU time.
//!
//! A program at an address can only be measured in wall time. It has no limit, since it may be
//! waiting in a debugger. There are two exceptions: `timing` is a clock, or
//! [`HostOptions::time_peers`] is set. With the latter it has as much wall time as a program
//! that sleeps.
//!
//! # Length of a line
//! The limit of a line is 64 KiB, 1 KiB for each decision, and six times the bytes of the game's
//! answers as flat memory. (JSON writes one byte as up to six characters: `\u0000`.) The same
//! number limits all output between two good answers; more is a flood.
//!
//! # End
//! The bot gets [`End`](agon_games::jsonl::message::End), and its input is closed. After
//! [`GOODBYE`] it is killed.
//!
//! [`Garbage`]: agon_core::FaultKind::Garbage
//! [`Early`]: agon_core::FaultKind::Early
//! [`Timeout`]: agon_core::FaultKind::Timeout
//! [`Flood`]: agon_core::FaultKind::Flood
//! [`Crash`]: agon_core::FaultKind::Crash
//! [`Closed`]: agon_core::FaultKind::Closed

mod address;
mod bot;
mod line;

use std::time::Duration;

use address::Address;
use agon_games::any::GameKind;
use bot::{JsonBot, Start};

use crate::{
    BatchLimits, Bot, Clock, HostOptions, OpenError, Timing, clock::MIN_WALL, hosting,
    process::Process, program::Program,
};

pub use bot::{GOODBYE, TIMEOUTS};

/// The shortest limit for the first answer, which includes a program's start-up.
pub const START_UP: Duration = Duration::from_secs(10);

/// The most wall time of a program's start, as a multiple of [`START_UP`].
///
/// It is less than for later answers: a program that starts has something to do, and one that hangs
/// should show soon.
const START_UP_WALL: u32 = 3;

/// Opens a program. It is started later.
pub(crate) fn open(kind: &dyn GameKind, program: Program, options: &HostOptions) -> Box<dyn Bot> {
    let hosting = hosting(kind);
    let BatchLimits { clock, each } = hosting.pace;
    let clock = options.timing.or(clock);
    let each = options.timing.each(each);
    let start = Start::Launch(Box::new(program.launch(options)));
    let first = clock.map(|clock| with_start_up(clock, options));
    Box::new(JsonBot::new(start, first, clock, each, &hosting))
}

/// Connects to a running program. The connection serves one match.
pub(crate) fn connect(
    kind: &dyn GameKind,
    address: &str,
    options: &HostOptions,
) -> Result<Box<dyn Bot>, OpenError> {
    let hosting = hosting(kind);
    let (clock, each) = peer_clock(hosting.pace, options);
    let first = match options.timing {
        Timing::Clock(_) => clock,
        _ => clock.map(|clock| with_start_up(clock, options)),
    };
    let refused = |source| OpenError::Refused { address: address.to_owned(), source };
    let socket = address.parse::<Address>()?.connect().map_err(refused)?;
    let process = Process::connected(socket).map_err(refused)?;
    let start = Start::Connected(Box::new(process));
    Ok(Box::new(JsonBot::new(start, first, clock, each, &hosting)))
}

/// Returns the time for an answer of a program at an address, and for each decision.
fn peer_clock(pace: BatchLimits, options: &HostOptions) -> (Option<Clock>, Duration) {
    let BatchLimits { clock, each } = pace;
    let timing = options.timing;
    match timing {
        Timing::Clock(clock) => (Some(Clock { wall_factor: 1, ..clock }), Duration::ZERO),
        Timing::Unlimited => (None, Duration::ZERO),
        _ if options.time_peers => (timing.or(clock).map(on_the_wall), slowly(timing.each(each))),
        _ => (None, Duration::ZERO),
    }
}

/// Returns the wall time for a program at an address, whose CPU time is unknown.
pub(crate) fn on_the_wall(clock: Clock) -> Clock {
    let limit = |limit: Duration| slowly(limit).max(MIN_WALL);
    Clock { first: limit(clock.first), then: limit(clock.then), wall_factor: 1, ..clock }
}

fn slowly(time: Duration) -> Duration {
    time.saturating_mul(Clock::WALL_FACTOR)
}

/// Returns a clock for a program that has to start first.
pub(crate) fn with_start_up(clock: Clock, options: &HostOptions) -> Clock {
    let first = options.start_up.unwrap_or(START_UP);
    if clock.first >= first {
        return clock;
    }
    Clock { first, wall_factor: clock.wall_factor.min(START_UP_WALL), ..clock }
}
