//! `agon submit`: hands in a folder as a version of a bot.
//!
//! | module | contents |
//! | --- | --- |
//! | `arena` | the arena that is meant |
//! | `watch` | shows what becomes of the version |

mod arena;
mod watch;

use std::{io::Write, time::Duration};

use agon_console::client_options::SubmitArgs;
use agon_ladder::api::Version;
use agon_match::spec::Digest;
use agon_text::{
    escape,
    number::{plural, space},
};
use anyhow::{Context, Result, ensure};

use crate::{
    api,
    exit::Exit,
    http::{Body, Call, Client},
    nonces,
    packed::Packed,
    session::Session,
    show::print_json,
};

/// The server takes an upload of two minutes.
const UPLOAD: Duration = Duration::from_secs(150);

/// The most bytes of a message, as the server takes it.
const MAX_MESSAGE: usize = 2_000;

/// Hands in a version, and watches until it can play.
///
/// # Errors
/// If the folder is no bot, or the server does not take it.
pub(super) fn submit(args: &SubmitArgs, out: &mut impl Write) -> Result<Exit> {
    ensure!(
        args.message.len() <= MAX_MESSAGE,
        "--message has {} bytes; {MAX_MESSAGE} are the most",
        args.message.len()
    );
    let packed = match args.folder.is_file() {
        true => Packed::of_file(&args.folder)?,
        false => Packed::of(&args.folder)?,
    };
    if args.dry_run {
        if args.json {
            packed.print_json(out)?;
        } else {
            packed.print(out)?;
        }
        return Ok(Exit::Done);
    }
    let session = Session::signed_in(&args.server)?;
    let client = &session.client;
    let arena = arena::choose(client, args.arena.as_deref(), packed.game())?;
    packed.check_limits(&arena.limits)?;
    let arena = arena.summary.slug;
    say!(
        "handing in {} to {} at {}: {}, {}",
        escape(&packed.name),
        escape(&arena),
        client.address(),
        plural(packed.files.len() as u64, "file"),
        space(packed.files.bytes())
    );
    let (nonce, is_new) = nonces::nonce(&session.nonces(), &arena)?;
    let version = hand_in(client, &arena, packed, args, nonce).inspect_err(|error| {
        // A reply that was lost may be an acceptance; a refusal is none.
        if is_new && api::code(error).is_some() {
            nonces::forget(&session.nonces(), &arena);
        }
    })?;
    let (number, name) = (version.summary.number, escape(&version.bot.name));
    match version.same_files {
        true => {
            say!("these are the files of version {number} of {name}: there is no new version");
            // It keeps the secret number that it came with, or has none.
            if is_new {
                nonces::forget(&session.nonces(), &arena);
            }
        }
        false => say!("version {number} of {name}"),
    }
    if args.no_wait {
        if args.json {
            print_json(&version, out)?;
        } else {
            writeln!(out, "{}", escape(&version.page))?;
        }
        return Ok(Exit::Done);
    }
    watch::watch(client, version, args.json, out)
}

fn hand_in(
    client: &Client,
    arena: &str,
    packed: Packed,
    args: &SubmitArgs,
    nonce: Digest,
) -> Result<Version> {
    // The server names a bot that is a single file by its author: many are called `bot.py`.
    let own = packed.manifest.map(|_| packed.name);
    let name = args.name.clone().or(own).unwrap_or_default();
    let path = api::path(&["arenas", arena, "versions"]);
    let call = Call::post(path, Body::Archive(packed.archive))
        .query("name", &name)
        .query("message", &args.message)
        .query("nonce", &nonce.to_string())
        // If the connection ends and the archive is sent again, it makes one version.
        .key(&fresh_key()?)
        .time(UPLOAD)
        .patient();
    api::fetch(client, &call)
}

/// Returns a key that no other request has.
fn fresh_key() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system has no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
