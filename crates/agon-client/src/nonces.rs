//! Secret numbers of an author for the seeds of finals.
//!
//! With each version the digest of a nonce is handed in. After the deadline the nonce is revealed,
//! by any command that is signed in. So nobody, not even the server, knows the seed of a final
//! before all versions are fixed. `docs/ladder-proof.md` says more.

use agon_core::text::escape;
use agon_ladder::api::{Arena, FinalState, NonceRequest, Phase, ProblemCode};
use agon_match::spec::Digest;
use anyhow::{Context, Result};

use crate::http::{Body, Call, Client};
use crate::{api, servers::Nonce, session::Session};

/// Returns the digest of the person's nonce for an arena, and whether it is a new one; remembers
/// the nonce.
pub(crate) fn nonce(session: &Session, arena: &str) -> Result<(Digest, bool)> {
    let known = session.known.nonces.iter().find(|nonce| nonce.arena == arena);
    if let Some(bytes) = known.and_then(|known| agon_ladder::ledger::from_hex(&known.nonce)) {
        return Ok((Digest::of(&bytes), false));
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system has no random numbers")?;
    let nonce = Nonce { arena: arena.to_owned(), nonce: agon_ladder::ledger::to_hex(&bytes) };
    session.file.change(|servers| {
        let nonces = &mut servers.entry(session.client.address()).nonces;
        nonces.retain(|other| other.arena != arena);
        nonces.push(nonce);
    })?;
    Ok((Digest::of(&bytes), true))
}

/// Forgets a nonce: nobody needs it any more, or the server has refused the version that was to
/// come with it.
pub(crate) fn forget(session: &Session, is_meant: impl Fn(&Nonce) -> bool) {
    let forgotten = session.file.change(|servers| {
        servers.entry(session.client.address()).nonces.retain(|nonce| !is_meant(nonce));
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
pub(crate) fn reveal(session: &Session) {
    for nonce in &session.known.nonces {
        let is_done = match due(&session.client, &nonce.arena) {
            Due::Keep => false,
            Due::Forget => true,
            Due::Reveal => send(&session.client, nonce),
        };
        if is_done {
            // Another command may have made a new one meanwhile.
            forget(session, |other| other == nonce);
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
