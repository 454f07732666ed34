//! The settings of a final, and the secret with which a server promises it.

use agon_ladder::ledger::{Entry, LINKS, to_hex};
use agon_match::spec::Digest;
use anyhow::{Context, Result};

use crate::{
    database::Statement,
    store::{finals, ledger},
};

/// Hashes of each part of a draw that take about a minute in all, on a processor with instructions
/// for SHA-256 such as those made since 2019.
const MINUTE: u64 = 3_900_000;

/// Hashes of each part if no time was asked for.
const LEAST: u64 = 1_000;

/// How many minutes a draw takes, if nobody says otherwise.
pub(crate) const MINUTES: u64 = 10;

/// Returns how many hashes take so many minutes.
pub(crate) fn steps(minutes: u64) -> u64 {
    (minutes * MINUTE).max(LEAST) * LINKS as u64
}

/// Returns how many minutes so many hashes take.
pub(crate) fn minutes(steps: u64) -> u64 {
    steps / (MINUTE * LINKS as u64)
}

/// How many bots of authors a final has at most, if nobody says otherwise.
pub(crate) const MOST: u32 = 64;

/// Returns the statements with which a server promises a final.
///
/// # Errors
/// If the system gives no random numbers.
pub(crate) fn promise(arena: i64) -> Result<Vec<Statement>> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).context("the system gives no random numbers")?;
    let entry = Entry::Pledge { arena: arena.cast_unsigned(), pledge: Digest::of(&secret) };
    Ok(vec![finals::promise(arena, &to_hex(&secret)), ledger::append(&entry)])
}
