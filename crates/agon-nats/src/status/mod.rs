//! `agon worker status`: the workers of a server, its runs, and the matches that wait.
//!
//! | module | contents |
//! | --- | --- |
//! | `listener` | hears what workers and coordinators say |
//! | `table` | shows it to people |
//! | `metrics` | serves it to Prometheus |

mod listener;
mod metrics;
mod table;

use std::{
    io::{IsTerminal, Write},
    pin::pin,
    time::Duration,
};

use agon_console::stdout;
use agon_remote::StatusOptions;
use agon_remote::fleet::Snapshot;
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use tokio::{
    signal::ctrl_c,
    time::{Instant, interval, sleep_until},
};

use self::listener::Listener;
use crate::say::say;

/// Every worker has said something after this time.
const LISTEN: Duration = Duration::from_secs(5);

/// How often a terminal shows the present.
const REDRAW: Duration = Duration::from_secs(1);

/// What is printed as JSON.
#[derive(Serialize)]
struct Printed<'a> {
    server: String,
    nats: String,
    #[serde(flatten)]
    snapshot: &'a Snapshot,
}

/// Shows how a server stands. Returns whether there are workers.
///
/// # Errors
/// If there is no server, or the address for figures cannot be used.
pub(crate) fn run(options: &StatusOptions) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("there is no room for a thread")?.block_on(show(options))
}

async fn show(options: &StatusOptions) -> Result<bool> {
    let mut listener = Listener::connect(&options.server).await?;
    if let Some(address) = options.metrics {
        return serve(listener, address).await;
    }
    if options.json || options.once || !std::io::stdout().is_terminal() {
        listener.listen(sleep_until(Instant::now() + LISTEN)).await?;
        ensure!(listener.is_connected(), "{}", listener.title());
        let snapshot = listener.snapshot();
        let mut out = stdout();
        if options.json {
            let (server, nats) = (options.server.server.to_string(), listener.version());
            let printed = Printed { server, nats, snapshot: &snapshot };
            serde_json::to_writer_pretty(&mut out, &printed)?;
            writeln!(out)?;
        } else {
            let text = table::text(&listener.title(), &snapshot, table::SHOWN, table::now());
            write!(out, "{text}")?;
        }
        out.flush()?;
        return Ok(snapshot.total.workers > 0);
    }
    live(listener).await
}

/// Shows the present until Ctrl-C.
async fn live(mut listener: Listener) -> Result<bool> {
    let mut again = interval(REDRAW);
    // Made once: a signal between two of them would be lost.
    let mut interrupt = pin!(ctrl_c());
    loop {
        tokio::select! {
            done = listener.listen(std::future::pending::<()>()) => done?,
            _ = again.tick() => {
                table::redraw(&listener.title(), &listener.snapshot())?;
            }
            _ = &mut interrupt => return Ok(listener.snapshot().total.workers > 0),
        }
    }
}

/// Serves the figures until Ctrl-C.
async fn serve(mut listener: Listener, address: std::net::SocketAddr) -> Result<bool> {
    let server = metrics::Server::bind(address).await?;
    say(&format!("figures are at http://{}/metrics", server.address()?));
    // Every worker is known before anybody asks: counters begin with what was played before.
    listener.listen(sleep_until(Instant::now() + LISTEN)).await?;
    let mut interrupt = pin!(ctrl_c());
    loop {
        tokio::select! {
            done = listener.listen(std::future::pending::<()>()) => done?,
            connection = server.accept() => {
                if let Some(connection) = connection {
                    // Without a server, no figure is better than a zero that removes machines.
                    let figures = match listener.is_connected() {
                        true => Some(metrics::encoded(&listener.snapshot())?),
                        false => None,
                    };
                    tokio::spawn(metrics::answer(connection, figures));
                }
            }
            _ = &mut interrupt => return Ok(true),
        }
    }
}
