//! The server as a process, and clients with cookies.

mod client;
mod server;

use std::time::{Duration, Instant};

pub(crate) use client::{Client, Reply, UploadedFile, header};
pub(crate) use server::Server;

/// How long a test waits for something before it fails: machines may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Tries again and again until something is there.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A bot in Python that plays cluster, from the starter kit.
pub(crate) fn python_bot(game: &str) -> String {
    let path = format!("../../starter-kits/python/games/{game}/bot.py");
    let text = std::fs::read_to_string(path).unwrap();
    text.replace("{{game}}", game).replace("{{name}}", "bot")
}
