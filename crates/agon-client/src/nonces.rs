//! Secret numbers of an author for the seeds of finals.
//!
//! With each version the digest of a nonce is handed in. After the deadline the nonce is revealed,
//! by any command that is signed in. So nobody, not even the server, knows the seed of a final
//! before all versions are fixed. `docs/ladder-proof.md` says more.

use agon_core::text::escape;
use agon_ladder::api::{Arena, FinalState, NonceRequest, Phase, ProblemCode};
use agon_match::spec::Digest;
use anyhow::{Context, Result};

use crate::{
    api,
    http::{Body, Call, Client},
    servers::{KnownServer, Nonce, ServersFile},
};

/// The person's nonces at a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nonces<'a> {
    pub(crate) client: &'a Client,
    pub(crate) known: &'a KnownServer,
    pub(crate) file: &'a ServersFile,
}

/// Returns the digest of the person's nonce for an arena, and whether it is a new one; remembers
/// the nonce.
///
/// # Errors
/// If it cannot be remembered, or the system has no random numbers.
pub(crate) fn nonce(of: &Nonces<'_>, arena: &str) -> Result<(Digest, bool)> {
    let known = of.known.nonces.iter().find(|nonce| nonce.arena == arena);
    let digest = |nonce: &[u8; 32]| Digest::of(nonce);
    if let Some(bytes) = known.and_then(|known| agon_ladder::ledger::from_hex(&known.nonce)) {
        return Ok((digest(&bytes), false));
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system has no random numbers")?;
    let nonce = Nonce { arena: arena.to_owned(), nonce: agon_ladder::ledger::to_hex(&bytes) };
    of.file.change(|servers| {
        let nonces = &mut servers.entry(of.client.address()).nonces;
        nonces.retain(|other| other.arena != arena);
        nonces.push(nonce);
    })?;
    Ok((digest(&bytes), true))
}

/// Forgets a new nonce: the server has refused the version that was to come with it.
pub(crate) fn forget(of: &Nonces<'_>, arena: &str) {
    let forgotten = of.file.change(|servers| {
        servers.entry(of.client.address()).nonces.retain(|nonce| nonce.arena != arena);
    });
    if let Err(error) = forgotten {
        say!("{error:#}");
    }
}

/// What is to be done with a nonce.
enum Due {
    /// The season goes on, or the arena has no final yet.
    Keep,
    Reveal,
    /// Nobody needs it any more.
    Forget,
}

/// Reveals the nonces whose time has come. What does not work now is tried by the next command.
pub(crate) fn reveal(of: &Nonces<'_>) {
    for nonce in &of.known.nonces {
        let done = match due(of.client, &nonce.arena) {
            Due::Keep => false,
            Due::Forget => true,
            Due::Reveal => send(of.client, nonce),
        };
        if done {
            let address = of.client.address();
            let forgotten = of.file.change(|servers| {
                servers.entry(address).nonces.retain(|other| other != nonce);
            });
            if let Err(error) = forgotten {
                say!("{error:#}");
            }
        }
    }
}

fn due(client: &Client, arena: &str) -> Due {
    let of = match api::get::<Arena>(client, &["arenas", arena]) {
        Ok(of) => of,
        Err(error) if api::code(&error) == Some(ProblemCode::NotFound) => return Due::Forget,
        Err(_) => return Due::Keep,
    };
    match of.finals {
        Some(finals) if finals.takes_nonces => Due::Reveal,
        Some(finals) if finals.state != FinalState::Promised => Due::Forget,
        None if of.summary.phase == Phase::Over => Due::Forget,
        Some(_) | None => Due::Keep,
    }
}

/// Returns whether the server will never take what it has refused.
fn is_final(error: &anyhow::Error) -> bool {
    // A conflict may pass: a version may still be built.
    let codes = [ProblemCode::Unprocessable, ProblemCode::Forbidden];
    api::code(error).is_some_and(|code| codes.contains(&code))
}

/// Sends a nonce; returns whether the server has it, or never takes it.
fn send(client: &Client, nonce: &Nonce) -> bool {
    let request = NonceRequest { nonce: nonce.nonce.clone() };
    let Ok(body) = serde_json::to_vec(&request) else { return false };
    let path = api::path(&["arenas", &nonce.arena, "nonce"]);
    let sent = api::fetch::<Arena>(client, &Call::post(path, Body::Json(body)));
    let arena = escape(&nonce.arena);
    match sent {
        Ok(_) => {
            say!("your secret number for the final of {arena} is revealed");
            true
        }
        // Another version plays than the one that was handed in from here, or it is too late.
        Err(error) if is_final(&error) => {
            say!("your secret number for the final of {arena} was not taken: {error}");
            true
        }
        Err(_) => false,
    }
}
