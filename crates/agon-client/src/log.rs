//! The public log of a server: reads it over HTTP, and remembers how far it was.
//!
//! Each command that talks to a server checks that the log still begins with what was seen before.
//! So nobody can rewrite the log without those who use it noticing.

use std::time::Duration;

use agon_console::BAD;
use agon_core::text::escape;
use agon_ladder::ledger::{LogError, Remembered, Source, fingerprint};
use anyhow::{Result, anyhow, bail};

use crate::http::{Call, Client};
use crate::servers::ServersFile;

/// The most bytes of a file of the log; replays are the largest.
const MAX: u64 = 64 << 20;

/// The most time for a file.
const TIME: Duration = Duration::from_secs(120);

/// The log of a server, over HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServedLog<'a>(pub(crate) &'a Client);

impl Source for ServedLog<'_> {
    fn get(&self, path: &str) -> Result<Vec<u8>, LogError> {
        let call = Call { bytes: MAX, time: TIME, ..Call::get(format!("/{path}")).patient() };
        match self.0.send(&call) {
            Ok(reply) => Ok(reply.body),
            Err(failure) if failure.is_missing() => Err(LogError::Missing(path.to_owned())),
            Err(failure) => Err(LogError::Failed(format!("{path}: {failure}"))),
        }
    }
}

/// Checks that a server's log only grew since it was last seen, and remembers it.
///
/// A server without a log is fine as long as none was seen there.
///
/// # Errors
/// If the log was rewritten or is gone, cannot be read, or cannot be remembered.
pub(crate) fn follow(client: &Client, seen: Option<&Remembered>, file: &ServersFile) -> Result<()> {
    match agon_ladder::ledger::follow(&ServedLog(client), seen) {
        Ok(now) if Some(&now) == seen => Ok(()),
        Ok(now) => remember(client, seen, now, file),
        Err(LogError::Missing(_)) if seen.is_none() => Ok(()),
        Err(LogError::Failed(why)) => {
            bail!("cannot read the public log of {}: {}", client.address(), escape(&why))
        }
        Err(error) => Err(rewritten(client, seen, &error)),
    }
}

/// Remembers a log that was `seen` before, unless another command has seen more of it meanwhile.
pub(crate) fn remember(
    client: &Client,
    seen: Option<&Remembered>,
    now: Remembered,
    file: &ServersFile,
) -> Result<()> {
    file.change(|servers| {
        let log = &mut servers.entry(client.address()).log;
        if log.as_ref() == seen || log.as_ref().is_none_or(|log| log.size < now.size) {
            *log = Some(now);
        }
    })
}

/// Forgets what was seen of a log: the person accepts another one.
pub(crate) fn forget(client: &Client, file: &ServersFile) -> Result<()> {
    file.change(|servers| servers.entry(client.address()).log = None)
}

/// Says loudly that a log is not the one that was seen before.
fn rewritten(client: &Client, seen: Option<&Remembered>, error: &LogError) -> anyhow::Error {
    let address = client.address();
    say!("{BAD}THE PUBLIC LOG OF {address} IS NOT THE ONE THAT WAS SEEN BEFORE.{BAD:#}");
    if let Some(Remembered { key, size, root }) = seen {
        say!(
            "This machine has seen {size} entries with the root {}, signed with the key {}.",
            escape(root),
            escape(&fingerprint(key))
        );
    }
    say!(
        "Hand-ins, pairings or results may have been changed afterwards. Do not trust the tables \
         until the organisers have explained it. If the ladder was set up anew and you accept \
         that: agon login {address} --accept-new-log"
    );
    anyhow!("{}", escape(&error.to_string()))
}
