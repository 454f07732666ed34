//! `agon worker status`: the workers of a server, its runs, and the matches that wait.
//!
//! | module | contents |
//! | --- | --- |
//! | `overview` | what workers and coordinators say, put together |
//! | `table` | shows it to people |
//! | `metrics` | serves it to Prometheus |

mod metrics;
mod overview;
mod table;

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use std::{future::Future, pin::pin};

use agon_console::{say_line, stdout};
use agon_core::text::escape;
use agon_remote::fleet::{VERSION, message};
use agon_remote::{Address, ServerArgs, StatusOptions};
use anyhow::{Context, Result, bail, ensure};
use futures_util::StreamExt;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{interval, sleep};
use tokio::{net::TcpListener, signal::ctrl_c};
use tracing::debug;

use self::overview::{Overview, Snapshot};
use crate::nats::{BEATS, Line, Message, Nats, Purpose, ROLL_CALL, STATUS, Subscriber};

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
        listener.listen(sleep(LISTEN)).await?;
        ensure!(listener.is_connected(), "{}", listener.title());
        let snapshot = listener.snapshot();
        let mut out = stdout();
        if options.json {
            let (server, nats) = (options.server.server.to_string(), listener.nats.version());
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
    let server = TcpListener::bind(address).await;
    let server = server.with_context(|| format!("cannot listen at {address} (--metrics)"))?;
    say_line(format_args!("figures are at http://{}/metrics", server.local_addr()?));
    // Every worker is known before anybody asks: counters begin with what was played before.
    listener.listen(sleep(LISTEN)).await?;
    let mut interrupt = pin!(ctrl_c());
    loop {
        tokio::select! {
            done = listener.listen(std::future::pending::<()>()) => done?,
            connection = server.accept() => match connection {
                Ok((connection, _)) => {
                    // Without a server, no figure is better than a zero that removes machines.
                    let figures = match listener.is_connected() {
                        true => Some(metrics::encoded(&listener.snapshot())?),
                        false => None,
                    };
                    tokio::spawn(metrics::answer(connection, figures));
                }
                // There may be no descriptor left.
                Err(_) => sleep(Duration::from_millis(100)).await,
            },
            _ = &mut interrupt => return Ok(true),
        }
    }
}

/// A connection that only listens.
struct Listener {
    nats: Nats,
    address: Address,
    beats: Subscriber,
    descriptions: Subscriber,
    lines: UnboundedReceiver<Line>,
    line: Line,
    overview: Overview,
    began: Instant,
}

impl Listener {
    async fn connect(server: &ServerArgs) -> Result<Listener> {
        let (line, lines) = unbounded_channel();
        let nats = Nats::connect(server, "agon worker status", line).await?;
        let beats = nats.listen(BEATS).await?;
        let descriptions = nats.listen(STATUS).await?;
        nats.call(ROLL_CALL).await?;
        Ok(Listener {
            nats,
            address: server.server.clone(),
            beats,
            descriptions,
            lines,
            line: Line::Up,
            overview: Overview::default(),
            began: Instant::now(),
        })
    }

    /// Listens until something else is over.
    ///
    /// # Errors
    /// If this user may not listen.
    async fn listen(&mut self, until: impl Future<Output = ()>) -> Result<()> {
        tokio::pin!(until);
        loop {
            tokio::select! {
                Some(beat) = self.beats.next() => self.hear_worker(&beat),
                Some(said) = self.descriptions.next() => self.hear_run(&said.payload),
                Some(line) = self.lines.recv() => match line {
                    Line::Refused(text) | Line::Over(text) => bail!(text),
                    line => self.line = line,
                },
                () = &mut until => return Ok(()),
            }
        }
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn hear_worker(&mut self, beat: &Message) {
        if let Err(refusal) = self.nats.check(Purpose::Beat, beat) {
            return debug!("a worker is not shown: {refusal}");
        }
        match message::read::<message::WorkerMessage>(&beat.payload) {
            Ok(worker) if worker.version == VERSION => {
                self.overview.hear_worker(self.now(), worker);
            }
            Ok(worker) => debug!("a worker of version {}", worker.version),
            Err(error) => debug!("not a worker: {}", escape(&error.to_string())),
        }
    }

    fn hear_run(&mut self, bytes: &[u8]) {
        match message::read::<message::RunMessage>(bytes) {
            Ok(run) if run.version == VERSION => self.overview.hear_run(self.now(), &run),
            Ok(run) => debug!("a run of version {}", run.version),
            Err(error) => debug!("not a run: {}", escape(&error.to_string())),
        }
    }

    fn snapshot(&mut self) -> Snapshot {
        self.overview.snapshot(self.now())
    }

    /// Returns whether the server is there: otherwise nothing is heard, whatever there is.
    fn is_connected(&self) -> bool {
        self.line == Line::Up
    }

    /// Returns which server this is, and whether it is there.
    fn title(&self) -> String {
        match &self.line {
            Line::Up | Line::Refused(_) | Line::Over(_) => {
                format!("{} (NATS {})", self.address, self.nats.version())
            }
            Line::Down(_) => format!("{}: connection lost; reconnecting", self.address),
        }
    }
}
