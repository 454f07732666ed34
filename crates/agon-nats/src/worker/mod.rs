//! `agon worker`: plays matches of others.
//!
//! | module | contents |
//! | --- | --- |
//! | `life` | the loop: what the worker learns, and what it does |
//! | `puller` | asks the server for batches, and looks at them before they count |
//! | `bots` | fetches bots, and keeps them |
//! | `results` | from outcomes to messages, until the server has taken them |
//! | `abilities` | what this machine can play |

mod abilities;
mod bots;
mod life;
mod puller;
mod results;

use std::path::{Path, PathBuf};
use std::{io, num::NonZero};

use agon_arena::{BlobStore, Pool, PoolOptions};
use agon_bots::{HostOptions, SandboxOptions, own_launcher};
use agon_console::say_line;
use agon_core::text::escape;
use agon_remote::{WorkerOptions, fresh};
use agon_sandbox::{Confined, Folder, Launcher};
use anyhow::{Context, Result, anyhow};
use tokio::sync::mpsc::unbounded_channel;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{Layer, layer::SubscriberExt, util::SubscriberInitExt};

use self::{abilities::examine, bots::Bots, life::Life};
use crate::{bridge::host_name, nats::Nats, share::Share};

/// How often a match that is void is played again before another worker tries it.
const ATTEMPTS: usize = 3;

/// Plays until it is told to end.
///
/// # Errors
/// If there is no server, or the machine lacks something.
pub(crate) fn run(options: &WorkerOptions) -> Result<()> {
    // As long as this process has one thread.
    let confined = agon_sandbox::examine();
    confined.check_files().map_err(|why| anyhow!("{why}; see `agon doctor`"))?;
    // What the client of NATS says of each message is of use only there.
    let level = match options.verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let own = Targets::new().with_target("agon", level).with_default(if options.verbose > 2 {
        LevelFilter::DEBUG
    } else {
        LevelFilter::OFF
    });
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    tracing_subscriber::registry().with(lines.with_filter(own)).init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("there is no room for a thread")?.block_on(work(options, &confined))
}

async fn work(options: &WorkerOptions, confined: &Confined) -> Result<()> {
    let folder = WorkFolder::open(options, &own_launcher())?;
    let own = HostOptions::own();
    let secrets = options.server_args().credentials.into_iter().chain(options.bot_store.clone());
    let hidden = agon_bots::sandbox::hide(secrets.chain([folder.path().to_owned()]))?;
    let machine = HostOptions {
        sandbox: SandboxOptions { hidden, ..own.sandbox },
        cache: Some(folder.path().join("compiled")),
        time_peers: true,
        ..own
    };
    let pool = Pool::new(PoolOptions {
        machine: machine.clone(),
        workers: options.slots,
        attempts: ATTEMPTS,
        ..PoolOptions::default()
    });
    let slots = options.slots.map_or_else(|| pool.workers(), NonZero::get);
    let label = options.label.clone().unwrap_or_else(host_name);
    // Two workers of a machine, or one that starts again, are not the same one.
    let name = format!("{label}-{}", &fresh()[..8]);
    let (line, lines) = unbounded_channel();
    let share = Share::open(options.bot_store.as_deref())?;
    let nats = Nats::connect(&options.server_args(), &name, line).await?;
    let able = examine(&options.games, slots);
    let version = nats.version();
    let shown = (escape(&name), options.server.to_string(), escape(&version));
    say_line(format_args!(
        "worker {} plays {slots} matches at a time for {} (NATS {})",
        shown.0, shown.1, shown.2
    ));
    if !confined.is_complete() {
        let missing = confined.missing().join(", ");
        say_line(format_args!(
            "warning: bots are confined without: {missing} (`agon doctor` says why)"
        ));
    }
    if let Some(sentence) = confined.shared_user() {
        say_line(format_args!("warning: {sentence}"));
    }
    let store = BlobStore::open(&folder.path().join("blobs"))?;
    let bots = Bots::new(nats.clone(), share, store, machine);
    Life::new(nats, &pool, bots, able, &name, label, slots)?.live(lines).await
}

/// The worker's folder: its own, or one that goes with it, even if it is killed.
enum WorkFolder {
    Own(PathBuf),
    Temporary(Folder),
}

impl WorkFolder {
    fn open(options: &WorkerOptions, launcher: &Launcher) -> Result<WorkFolder> {
        if let Some(path) = &options.cache {
            std::fs::create_dir_all(path)
                .with_context(|| format!("the folder {}", path.display()))?;
            return Ok(WorkFolder::Own(path.canonicalize()?));
        }
        let announce = |path: &Path| launcher.remove_at_end(path).map_err(io::Error::other);
        let place = std::env::temp_dir().canonicalize().context("the temporary folder")?;
        let folder = Folder::create_announced(&place, "agon-worker-", 0o700, announce);
        Ok(WorkFolder::Temporary(folder.context("a temporary folder")?))
    }

    fn path(&self) -> &Path {
        match self {
            WorkFolder::Own(path) => path,
            WorkFolder::Temporary(folder) => folder.path(),
        }
    }
}
