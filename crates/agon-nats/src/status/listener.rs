//! Hears what workers and coordinators say.

use std::{future::Future, time::Instant};

use agon_remote::fleet::{Overview, Snapshot, VERSION, message};
use agon_remote::{Address, ServerArgs};
use agon_text::escape;
use anyhow::{Result, bail};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::debug;

use crate::nats::{Beats, Line, Nats, Said};

/// A connection that only listens.
pub(super) struct Listener {
    nats: Nats,
    address: Address,
    beats: Beats,
    descriptions: Beats,
    lines: UnboundedReceiver<Line>,
    line: Line,
    overview: Overview,
    began: Instant,
}

impl Listener {
    pub(super) async fn connect(server: &ServerArgs) -> Result<Listener> {
        let (line, lines) = unbounded_channel();
        let nats = Nats::connect(server, "agon worker status", line).await?;
        let beats = nats.beats().await?;
        let descriptions = nats.descriptions().await?;
        nats.call_roll().await?;
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
    pub(super) async fn listen(&mut self, until: impl Future<Output = ()>) -> Result<()> {
        tokio::pin!(until);
        loop {
            tokio::select! {
                Some(beat) = self.beats.next() => self.hear_worker(&beat),
                Some(said) = self.descriptions.next() => self.hear_run(&said.bytes),
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

    fn hear_worker(&mut self, beat: &Said) {
        if let Err(refusal) = self.nats.check_beat(beat) {
            return debug!("a worker is not shown: {refusal}");
        }
        match message::read::<message::WorkerMessage>(&beat.bytes) {
            Ok(worker) if worker.version == VERSION => {
                self.overview.hear_worker(self.now(), worker);
            }
            Ok(worker) => debug!("a worker of version {}", worker.version),
            Err(error) => debug!("not a worker: {}", escape(&error.to_string())),
        }
    }

    fn hear_run(&mut self, bytes: &[u8]) {
        match message::read::<message::RunMessage>(bytes) {
            Ok(run) if run.version == VERSION => self.overview.hear_run(self.now(), run),
            Ok(run) => debug!("a run of version {}", run.version),
            Err(error) => debug!("not a run: {}", escape(&error.to_string())),
        }
    }

    pub(super) fn snapshot(&mut self) -> Snapshot {
        self.overview.snapshot(self.now())
    }

    /// Returns whether the server is there: otherwise nothing is heard, whatever there is.
    pub(super) fn is_connected(&self) -> bool {
        self.line == Line::Up
    }

    /// Returns the version of the server.
    pub(super) fn version(&self) -> String {
        self.nats.version()
    }

    /// Returns which server this is, and whether it is there.
    pub(super) fn title(&self) -> String {
        match &self.line {
            Line::Up | Line::Refused(_) | Line::Over(_) => {
                format!("{} (NATS {})", self.address, self.nats.version())
            }
            Line::Down(_) => format!("{}: connection lost; reconnecting", self.address),
        }
    }
}
