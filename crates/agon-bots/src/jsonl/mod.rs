//! Programs that speak the JSON Lines protocol. The arena starts them, or they already run and wait
//! at an address.
//!
//! A question is a line, [`Decide`](agon_games::jsonl::message::Decide), and so is its answer,
//! [`Answers`](agon_games::jsonl::message::Answers). What comes instead:
//!
//! | from the bot | counts as | costs | and then |
//! | --- | --- | --- | --- |
//! | a line with the `step` of an earlier question | late | nothing more | it is dropped, the wait goes on |
//! | a blank line | nothing | nothing | it is dropped, the wait goes on |
//! | a line that is no `Answers`, or has too many or too few | [`Garbage`] | the batch | it is asked the next question |
//! | an element of `answers` that is no answer of the game | [`Garbage`] | this decision | it is asked the next question |
//! | an answer before its whole question | [`Early`] | the batch | it is asked the next question |
//! | no line within the time | [`Timeout`] | the batch | it is asked the next question, [`TIMEOUTS`] times in a row |
//! | questions that stay unread before the next | [`Timeout`] | nothing more | it is ended, [`TIMEOUTS`] times in a row |
//! | too much output | [`Flood`] | all from then on | it is ended |
//! | its end, a closed pipe or connection | [`Crash`], [`Closed`] | all from then on | nothing |
//!
//! What already waits behind a bad line when the next question is asked belongs to the bad line and
//! is dropped with it, so that a bot that prints what it thinks loses one batch for it and not all
//! that follow. A bot that has been ended answers [`forfeit`](agon_core::Game::forfeit) from then
//! on, without further faults.
//!
//! A game that goes on without late bots (rezzo) says so with [`HostedGame::SILENT_TURNS`]: there a
//! bot is ended only when nothing at all has come from it for so many turns. The first late answer
//! of a row is a fault, a full pipe costs the questions that do not fit, and the bound on what is
//! no answer holds for each turn.
//!
//! # Time
//! [`BatchLimits`] says how long an answer may take, unless [`HostOptions::timing`] does. The first
//! answer gets [`START_UP`] at least, in every game: the virtual machines and compilers behind many
//! languages take seconds before a bot runs. Programs that the arena starts are charged CPU time;
//! for a program at an address there is only the wall. It has no limit unless `timing` is a clock,
//! since it may be waiting in a debugger, or [`HostOptions::time_peers`] is set: then it has as
//! much time on the wall as a program that sleeps.
//!
//! # Length of a line
//! A line may have 64 KiB, 1 KiB for each decision, and six times the bytes that the game's answers
//! take as flat memory (JSON writes one byte as up to six characters: `\u0000`). The same number
//! bounds all that a bot writes between two good answers; what is more is a flood.
//!
//! # End
//! The bot is told [`End`](agon_games::jsonl::message::End), its input is closed, and after
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

use crate::{
    BatchLimits, Bot, Clock, HostOptions, HostedGame, OpenError, Timing, clock::MIN_WALL,
    process::Process, program::Program,
};
use address::Address;
use bot::{JsonBot, Start};

/// The least time for the first answer, which a program's start-up is part of.
pub const START_UP: Duration = Duration::from_secs(10);

/// How many times [`START_UP`] a program may take in wall time at most: not as often as for later
/// answers, because a program that starts has something to do, and one that hangs should show soon.
const START_UP_WALL: u32 = 3;

/// How often in a row a bot may be too late; the last time ends it.
pub const TIMEOUTS: u32 = 3;

/// How long a bot may take to end by itself after the match.
pub const GOODBYE: Duration = Duration::from_millis(200);

/// Opens a program.
///
/// # Errors
/// None: it is started later.
pub(crate) fn open<G: HostedGame>(
    program: Program,
    options: &HostOptions,
) -> Result<Box<dyn Bot<G>>, OpenError> {
    let BatchLimits { clock, each } = G::PACE;
    let clock = options.timing.or(clock);
    let each = options.timing.each(each);
    let start = Start::Launch(Box::new(program.launch(options)));
    Ok(Box::new(JsonBot::new(start, clock.map(with_start_up), clock, each, G::SILENT_TURNS)))
}

/// Connects to a running program. The connection serves one match.
///
/// # Errors
/// If the address means nothing, or nobody listens there.
pub(crate) fn connect<G: HostedGame>(
    address: &str,
    options: &HostOptions,
) -> Result<Box<dyn Bot<G>>, OpenError> {
    let (clock, each) = peer_clock::<G>(options);
    let first = match options.timing {
        Timing::Clock(_) => clock,
        _ => clock.map(with_start_up),
    };
    let refused = |source| OpenError::Refused { address: address.to_owned(), source };
    let socket = address.parse::<Address>()?.connect().map_err(refused)?;
    let process = Process::connected(socket).map_err(refused)?;
    let start = Start::Connected(Box::new(process));
    Ok(Box::new(JsonBot::new(start, first, clock, each, G::SILENT_TURNS)))
}

/// The time for an answer of a program at an address, and that for each of its decisions.
fn peer_clock<G: HostedGame>(options: &HostOptions) -> (Option<Clock>, Duration) {
    let BatchLimits { clock, each } = G::PACE;
    let timing = options.timing;
    match timing {
        Timing::Clock(clock) => (Some(Clock { wall_factor: 1, ..clock }), Duration::ZERO),
        Timing::Unlimited => (None, Duration::ZERO),
        _ if options.time_peers => (timing.or(clock).map(on_the_wall), slowly(timing.each(each))),
        _ => (None, Duration::ZERO),
    }
}

/// The time on the wall for a program at an address, of which nobody knows how much CPU time it
/// uses.
fn on_the_wall(clock: Clock) -> Clock {
    let limit = |limit: Duration| slowly(limit).max(MIN_WALL);
    Clock { first: limit(clock.first), then: limit(clock.then), wall_factor: 1, ..clock }
}

fn slowly(time: Duration) -> Duration {
    time.saturating_mul(Clock::WALL_FACTOR)
}

/// A clock for a program that has to start first.
fn with_start_up(clock: Clock) -> Clock {
    if clock.first >= START_UP {
        return clock;
    }
    Clock { first: START_UP, wall_factor: clock.wall_factor.min(START_UP_WALL), ..clock }
}
