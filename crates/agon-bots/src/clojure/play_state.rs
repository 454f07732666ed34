//! The state of a JVM in a match: who plays in it, and what it has been asked.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use agon_core::{Fault, Player};

use super::{answers::Decided, question::Question};
use crate::{clock::Timer, turn_log::TurnRecord};

/// A JVM's state in a match.
#[derive(Debug, Default)]
pub(super) struct Play {
    /// The players with the numbers of their files, once a match has started.
    ///
    /// The number of a player without a JVM is `None`.
    pub(super) seats: Vec<(String, Option<i64>)>,
    /// Whether the JVM knows the seats.
    pub(super) seated: bool,
    pub(super) batches: u64,
    pub(super) question: Question,
    /// The timer of the answer, if the question has been sent.
    pub(super) sent: Option<Timer>,
    /// Whether a species has taken the reply that all of them wait for.
    pub(super) taken: Arc<AtomicBool>,
    pub(super) buffer: Vec<u8>,
    pub(super) decided: Vec<Decided>,
    /// CPU time up to the last answer, of a JVM with one species.
    pub(super) charged: Duration,
    /// The cost of the last exchange, and the JVM's output on stderr during it.
    pub(super) exchange: TurnRecord,
    pub(super) asked: Option<Instant>,
    /// Its end, and the players who know of it.
    pub(super) ended: Option<(Fault, Vec<Player>)>,
}
