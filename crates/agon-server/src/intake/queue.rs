//! Builds and checks versions, one after another, on the cores that play no matches.
//!
//! The queue is in the database: what waits or was being built when the program ended is built when
//! it starts again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use agon_arena::Bundle;
use tokio::{sync::Notify, task::spawn_blocking, time::sleep};
use tracing::{error, info};

use super::{
    build::{Built, Stage},
    complete::complete,
    files::Files,
};
use crate::{
    app::App,
    database::DatabaseError,
    play::Order,
    store::{
        audit, bots,
        bots::StoppedBy,
        now,
        versions::{self, Report, State, Version},
    },
};

/// How long the queue waits after a problem of the server itself.
const PAUSE: Duration = Duration::from_secs(2);

/// The queue of versions.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    changed: Notify,
    /// When the current stage of a version began.
    stages: Mutex<BTreeMap<i64, Instant>>,
}

impl Queue {
    /// Tells the queue that there is something to build.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Returns how long the current stage of a version takes already.
    pub(crate) fn since(&self, version: i64) -> Option<Duration> {
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        stages.get(&version).map(Instant::elapsed)
    }

    fn enter(&self, version: i64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        stages.insert(version, Instant::now());
    }

    fn leave(&self, version: i64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        stages.remove(&version);
    }
}

/// Builds versions until the program ends.
pub(crate) async fn run(app: App) {
    loop {
        match next(&app).await {
            Ok(Some(version)) => {
                let id = version.id;
                if let Err(problem) = build(&app, version).await {
                    error!(version = id, "a version cannot be built: {problem:#}");
                    app.problems.note("build", &format!("{problem:#}"));
                    sleep(PAUSE).await;
                }
                app.queue.leave(id);
            }
            Ok(None) => app.queue.changed.notified().await,
            Err(problem) => {
                app.problems.note("build", &problem.to_string());
                sleep(PAUSE).await;
            }
        }
    }
}

/// Returns the version that is next: the oldest one.
async fn next(app: &App) -> Result<Option<Version>, DatabaseError> {
    Ok(app.store.open_versions().await?.into_iter().next())
}

async fn build(app: &App, version: Version) -> anyhow::Result<()> {
    let Some(bot) = app.store.bot_of(version.bot).await? else { return Ok(()) };
    let Some(arena) = app.arena_of(bot.arena) else { return Ok(()) };
    let id = version.id;
    app.queue.enter(id);
    let settings = arena.settings().clone();
    let workshop = app.workshop.clone();
    let source = version.source;
    let (stages, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let name = bot.name.clone();
    let work = spawn_blocking(move || {
        let bytes = match source {
            Some(digest) => workshop.blobs.get(digest)?,
            None => anyhow::bail!("the version has no files"),
        };
        let files = Files::of_bundle(&Bundle::from_bytes(&bytes)?)?;
        let done = complete(files, settings.game)?;
        let stage = |stage| {
            // Nobody listens any more when the program ends.
            let _ = stages.send(stage);
        };
        workshop.build(&done.files, &done.manifest, &settings, &name, &stage)
    });
    let follow = async {
        while let Some(stage) = heard.recv().await {
            let state = match stage {
                Stage::Building => State::Building,
                Stage::Checking => State::Checking,
            };
            app.queue.enter(id);
            // Only people who look on would miss it.
            let _ = app.store.write(vec![versions::set_state(id, state)]).await;
        }
    };
    let (built, ()) = tokio::join!(work, follow);
    let built = match built? {
        Ok(built) => built,
        Err(problem) => {
            // The server's own trouble may pass. A version that can never be read must not block
            // the others, though.
            let report = Report {
                refused: Some("the server could not build it; its operator sees why".to_owned()),
                ..Report::default()
            };
            app.problems.note("build", &format!("{problem:#}"));
            Built { built: None, report }
        }
    };
    enter(app, &version, built).await
}

/// Notes what came of a version, and has it play if it can.
async fn enter(app: &App, version: &Version, built: Built) -> anyhow::Result<()> {
    let Some(bot) = app.store.bot_of(version.bot).await? else { return Ok(()) };
    let Built { built, report } = built;
    let state = if built.is_some() { State::Ready } else { State::Refused };
    let mut statements = vec![versions::finish(version.id, state, built, &report, now())];
    let active = match bot.active {
        Some(active) => app.store.version(active).await?,
        None => None,
    };
    let is_newer = active.is_none_or(|active| active.number < version.number);
    if state == State::Ready && is_newer {
        statements.push(bots::set_active(bot.id, Some(version.id)));
        if bot.stopped.as_ref().is_some_and(|stopped| stopped.by == StoppedBy::Failures) {
            statements.push(bots::set_stopped(bot.id, None));
        }
    }
    let subject = format!("{} v{}", bot.slug, version.number);
    let detail = report.refused.clone().unwrap_or_default();
    statements.push(audit::note(
        bot.owner,
        &format!("version.{}", state.name()),
        &subject,
        &detail,
    ));
    app.store.write(statements).await?;
    info!(subject, state = state.name(), ms = report.ms, "a version was built");
    app.player.send(Order::Refresh { arena: bot.arena });
    Ok(())
}
