//! A new server with an arena, and what people do there.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Result, ensure};

use crate::support::{Client, Reply, Server, python_bot, wait_for};

/// Starts a server with a new folder and an arena of a game in which these built-in bots play;
/// returns it with its administrator.
///
/// # Errors
/// If the arena cannot be changed.
pub(crate) fn start(
    data: &Path,
    game: &str,
    bosses: &[&str],
    flags: &[&str],
) -> Result<(Server, Client)> {
    let server = Server::start(data, &[&["--arena", game], flags].concat());
    let mut root = server.administrator();
    let page = format!("/admin/arenas/{game}");
    let bosses: Vec<String> = bosses.iter().map(|boss| format!("{game}/{boss}")).collect();
    let mut form = vec![("title", game), ("per_day", "10000")];
    form.extend(bosses.iter().map(|boss| ("boss", boss.as_str())));
    let reply = root.post(&page, &page, &form);
    ensure!(reply.status == 200, "the arena cannot be changed: {}", reply.text());
    Ok((server, root))
}

/// Hands in the bot in Python of the starter kit; returns the path of its version.
///
/// # Errors
/// If the server does not take it.
pub(crate) fn hand_in(author: &mut Client, game: &str) -> Result<String> {
    let page = format!("/arenas/{game}/hand-in");
    let code = python_bot(game);
    let fields = [("way", "editor"), ("language", "python"), ("code", &*code), ("message", "")];
    let reply = author.upload(&page, &page, &fields, &[]);
    ensure!(reply.path.contains("/versions/"), "it cannot be handed in: {}", reply.text());
    Ok(reply.path)
}

/// Waits until a version is built and checked.
///
/// # Errors
/// If it cannot play.
pub(crate) fn until_ready(author: &mut Client, path: &str) -> Result<Reply> {
    let done = wait_for("the version", || {
        let reply = author.get(path);
        (!reply.has("data-live=\"true\"")).then_some(reply)
    });
    ensure!(done.has("It can play"), "it cannot play: {}", done.text());
    Ok(done)
}

/// Returns the time as the server's tables have it, in milliseconds since 1970 (UTC).
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Returns a time between two of these; none if the second one is earlier.
pub(crate) fn between(from: i64, to: i64) -> Duration {
    Duration::from_millis(to.saturating_sub(from).max(0).unsigned_abs())
}
