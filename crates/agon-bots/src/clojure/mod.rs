//! The host of amoebas' species that are written in Clojure.
//!
//! Each species runs in a JVM of its own, a child process, or all species of a match share one. The
//! arena asks the JVMs side by side: [`Bot::ask`] writes a question into shared memory and sends
//! it, [`Bot::collect`] takes the answers. A shared JVM gets the questions of all its species at
//! once, with the first [`Bot::collect`] of a step.
//!
//! The code of the JVM is in `clj/agon`; start with `host.clj`. The functions for species are in
//! `clj/amoebas`. Files that define the same namespace, such as two versions of a species, always
//! get separate JVMs.
//!
//! | module | contents |
//! | --- | --- |
//! | `java` | finds Java and the libraries of Clojure |
//! | `jvm` | starts JVMs, and talks with them |
//! | `placement` | which species share a JVM |
//! | `places` | the folders that a file may read and write |
//! | `play`, `question`, `answers` | a match: memory of questions and answers |
//! | `tournament` | files that play tournaments by themselves |

mod answers;
mod java;
mod jvm;
mod placement;
mod places;
mod play;
mod question;
mod tournament;

use std::sync::{Arc, PoisonError};
use std::{path::absolute, time::Duration};

use agon_core::{Evidence, Fault, FaultKind};
use agon_games::amoebas::{Amoebas, Answer};
use agon_games::any::AnswersMut;
use jvm::{Shared, lock};

use crate::process::{FaultSite, note_cost};
use crate::{
    BatchLimits, BatchPart, Bot, HostOptions, OpenError, Progress, Seat, ShutdownReport, TurnLog,
    Usage, spec::ClojureFile,
};

pub(crate) use java::{libraries, tools};
pub(crate) use places::of_file as places_of;

pub use jvm::Jvms;
pub use tournament::{Call, Called, End, Entrant, Event, TournamentCall, Tournaments};

/// Opens a species.
///
/// If it ends itself meanwhile, although it has been loaded before, it is tried again, and then at
/// fault in the match ([`HostOptions::loaded_before`]).
pub(crate) fn open(file: &ClojureFile, options: &HostOptions) -> Result<Box<dyn Bot>, OpenError> {
    // The person may have chosen a folder for the JVM to start in.
    let path = match &options.folder {
        Some(_) => absolute(&file.path).unwrap_or_else(|_| file.path.clone()),
        None => file.path.clone(),
    };
    let file = &ClojureFile { path, ..file.clone() };
    let jvms = &options.jvms;
    let load = || match options.share_jvm {
        true => jvms.shared(file, options),
        false => jvms.alone(file, options),
    };
    let loaded = match load() {
        Err(OpenError::Load { .. }) if options.loaded_before => load(),
        loaded => loaded,
    };
    Ok(Box::new(match loaded {
        Ok((jvm, number)) => ClojureBot::new(jvm, number, jvms.clone()),
        Err(OpenError::Load { message, .. }) if options.loaded_before => {
            ClojureBot::not_loaded(message, jvms.clone())
        }
        Err(error) => return Err(error),
    }))
}

/// A species in its JVM.
struct ClojureBot {
    /// `None` once it has been stopped, or if it could not be loaded.
    jvm: Option<Shared>,
    /// Why it could not be loaded, until that is reported.
    unloaded: Option<String>,
    /// Its number there.
    number: usize,
    turn_log: TurnLog,
    /// Homes of the other species of the match.
    jvms: Jvms,
    /// Whether none of its amoebas answered the last question.
    silent: bool,
}

impl ClojureBot {
    fn new(jvm: Shared, number: usize, jvms: Jvms) -> ClojureBot {
        let turn_log = TurnLog::within(&lock(&jvm).turn_log);
        ClojureBot { jvm: Some(jvm), unloaded: None, number, turn_log, jvms, silent: false }
    }

    /// Makes a bot whose amoebas only rest.
    fn not_loaded(message: String, jvms: Jvms) -> ClojureBot {
        let turn_log = TurnLog::default();
        let unloaded = Some(message);
        ClojureBot { jvm: None, unloaded, number: 0, turn_log, jvms, silent: true }
    }
}

impl Bot for ClojureBot {
    fn start(&mut self, seat: Seat<'_>, _: &mut Vec<Fault>) {
        if let Some(jvm) = &self.jvm {
            lock(jvm).seat(&seat, self.number);
            self.jvms.seat(seat.player, jvm);
        }
    }

    fn prepare(&mut self, part: BatchPart<'_>, _: &mut Vec<Fault>) {
        if let Some(jvm) = &self.jvm {
            lock(jvm).prepare(part);
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, _: &mut Vec<Fault>) {
        if let Some(jvm) = &self.jvm {
            lock(jvm).ask(part, &self.jvms);
        }
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        let answers = answers.of_game::<Amoebas>();
        let progress = match &self.jvm {
            Some(jvm) => lock(jvm).collect(part, answers, faults, &self.turn_log),
            None => Progress::Done,
        };
        if !matches!(progress, Progress::Done) {
            return progress;
        }
        if let Some(message) = self.unloaded.take() {
            let place = FaultSite { player: part.player, step: part.step };
            faults.push(place.fault(FaultKind::Start, format!("it cannot be loaded: {message}")));
        }
        self.silent = answers.iter().all(|answer| *answer == Answer::default());
        progress
    }

    fn is_silent(&self) -> bool {
        self.silent
    }

    fn stop(&mut self) {
        self.jvm = None;
    }

    fn shares_process(&self) -> bool {
        self.jvm.as_ref().is_some_and(|jvm| lock(jvm).is_shared())
    }

    fn time_left(&self) -> Option<Duration> {
        lock(self.jvm.as_ref()?).time_left()
    }

    fn turn_log(&self) -> Option<TurnLog> {
        Some(self.turn_log.clone())
    }

    fn evidence(&mut self) -> Evidence {
        let seen = self.jvm.as_ref().map(|jvm| lock(jvm).evidence());
        let mut evidence = seen.unwrap_or_default();
        note_cost(&mut evidence, self.turn_log.cost());
        evidence
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        lock(self.jvm.as_ref()?).pace()
    }

    fn usage(&mut self) -> Option<Usage> {
        lock(self.jvm.as_ref()?).usage()
    }

    fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        // Other species may still live there.
        Arc::into_inner(self.jvm.take()?).and_then(|jvm| {
            jvm.into_inner().unwrap_or_else(PoisonError::into_inner).shutdown(patience)
        })
    }
}
