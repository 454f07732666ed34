//! The public log, for everybody who wants to check it: paths as in C2SP tlog-tiles.
//!
//! Nothing here says more than the pages do: ids and digests, no names.

use agon_ladder::ledger::ShownMatch;
use agon_ladder::ledger::tree::{HEIGHT, TilePath, WIDTH, bundle};
use agon_match::{replay::Replay, spec::Digest};
use axum::extract::{Path, State};
use base64::{Engine, prelude::BASE64_STANDARD as STANDARD};
use tlog_tiles::tlog::{Hash, prove_record};
use tokio::runtime::Handle;

use super::{prelude::*, reply::file, statics::FOR_EVER};
use crate::ledger::{Reader, Sealed};
use crate::store::matches::{MatchState, hash_text};

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

fn sealed(app: &App) -> Shown<Sealed> {
    let wait = || failure(Unavailable, "The log is not signed yet", "Try again in a moment.");
    app.ledger.sealed().ok_or_else(wait)
}

pub(super) async fn checkpoint(State(app): State<App>) -> Page {
    Ok(file(TEXT, "no-cache", sealed(&app)?.note))
}

pub(super) async fn key(State(app): State<App>) -> Page {
    Ok(file(TEXT, "no-cache", format!("{}\n", sealed(&app)?.key)))
}

pub(super) async fn tile(State(app): State<App>, Path(path): Path<String>) -> Page {
    let missing = || not_found("tile of the log");
    let tile = TilePath::parse(&path).ok_or_else(missing)?;
    let size = sealed(&app)?.head.size;
    // Hashes of this level that the signed tree has.
    let level = tile.level.unwrap_or(0).checked_mul(HEIGHT).filter(|&level| level < 64);
    let level = level.ok_or_else(missing)?;
    let known = size >> level;
    let first = tile.number.checked_mul(WIDTH).ok_or_else(missing)?;
    if first.checked_add(tile.width).is_none_or(|end| end > known) {
        return Err(missing());
    }
    if tile.level.is_none() {
        let entries = app.store.log_entries(first, tile.width).await?;
        let bytes = bundle(entries.iter().map(String::as_bytes));
        return Ok(file(BYTES, FOR_EVER, bytes));
    }
    let reader = reader(&app);
    let hashes = blocking(move || reader.level(level, first, tile.width)).await??;
    let bytes: Vec<u8> = hashes.iter().flat_map(|Hash(hash)| *hash).collect();
    Ok(file(BYTES, FOR_EVER, bytes))
}

fn reader(app: &App) -> Reader {
    Reader { store: app.store.clone(), runtime: Handle::current() }
}

/// Returns a name without the end that says what it is.
fn stem<'a>(name: &'a str, end: &str) -> Shown<&'a str> {
    name.strip_suffix(end).ok_or_else(|| not_found("part of the log"))
}

pub(super) async fn terms(State(app): State<App>, Path(name): Path<String>) -> Page {
    let digest: Digest = stem(&name, ".json")?.parse().map_err(|_| not_found("part of the log"))?;
    let text = app.store.terms(digest).await?.ok_or_else(|| not_found("part of the log"))?;
    Ok(file(JSON, FOR_EVER, text))
}

pub(super) async fn table(State(app): State<App>, Path(name): Path<String>) -> Page {
    let arena: i64 = stem(&name, ".json")?.parse().map_err(|_| not_found("arena"))?;
    let published = app.store.published(arena).await?;
    let (_, body) = published.ok_or_else(|| not_found("published table"))?;
    Ok(file(JSON, "no-cache", body))
}

/// The draw of a final, once the versions are fixed: the secret is in it.
pub(super) async fn draw(State(app): State<App>, Path(name): Path<String>) -> Page {
    let arena: i64 = stem(&name, ".json")?.parse().map_err(|_| not_found("arena"))?;
    let drawn = app.store.final_draw(arena).await?;
    let draw = drawn.and_then(|drawn| drawn.draw).ok_or_else(|| not_found("draw"))?;
    Ok(file(JSON, "no-cache", crate::store::to_json(&draw)))
}

/// Finds a match by the id of its arena and a name such as `17.json`.
async fn find(app: &App, arena: i64, name: &str, end: &str) -> Shown<SeatedMatch> {
    let number: u64 = stem(name, end)?.parse().map_err(|_| not_found("match"))?;
    let found = app.store.seated_match(arena, number).await?;
    found.ok_or_else(|| not_found("match"))
}

pub(super) async fn result(
    State(app): State<App>,
    Path((arena, name)): Path<(i64, String)>,
) -> Page {
    let seated = find(&app, arena, &name, ".json").await?;
    let shown = ShownMatch {
        number: seated.of.number,
        versions: seated.seats.iter().map(|seat| seat.version.cast_unsigned()).collect(),
        places: seated.seats.iter().filter_map(|seat| seat.place).collect(),
        state_hash: seated.of.state_hash.map(hash_text).unwrap_or_default(),
    };
    Ok(file(JSON, "no-cache", crate::store::to_json(&shown)))
}

pub(super) async fn replay(
    State(app): State<App>,
    Path((arena, name)): Path<(i64, String)>,
) -> Page {
    let seated = find(&app, arena, &name, ".agon").await?;
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let blobs = app.blobs.clone();
    let bytes = blocking(move || -> anyhow::Result<Vec<u8>> {
        Ok(Replay::open(blobs.get(digest)?)?.redacted(|_| false)?)
    });
    Ok(file(BYTES, "no-cache", bytes.await??))
}

/// The proof that the log has a match's result, as C2SP tlog-proof describes it: the entry is in
/// the line `extra`.
pub(super) async fn proof(
    State(app): State<App>,
    Path((arena, name)): Path<(i64, String)>,
) -> Page {
    let seated = find(&app, arena, &name, ".txt").await?;
    let is_over = seated.of.state != MatchState::Planned;
    let number = seated.of.logged.filter(|_| is_over).ok_or_else(|| not_found("result"))?;
    let Sealed { head, note, .. } = sealed(&app)?;
    if number >= head.size {
        let soon = "The log is signed every half second; try again in a moment.";
        return Err(failure(Unavailable, "This result is not signed yet", soon));
    }
    let entries = app.store.log_entries(number, 1).await?;
    let entry = entries.into_iter().next().ok_or_else(|| not_found("entry of the log"))?;
    let reader = reader(&app);
    let path = blocking(move || prove_record(head.size, number, &reader)).await?;
    let path = path.map_err(|error| Failure::from(anyhow::anyhow!("a proof: {error}")))?;
    let mut text = String::from("c2sp.org/tlog-proof@v1\n");
    text.push_str(&format!("extra {}\nindex {number}\n", STANDARD.encode(&entry)));
    path.iter().for_each(|hash| text.push_str(&format!("{hash}\n")));
    text.push('\n');
    text.push_str(&note);
    Ok(file(TEXT, "no-cache", text))
}
