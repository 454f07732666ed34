//! Species written in Clojure. All of a match live in one JVM, a child process.
//!
//! The arena asks all species of a JVM at once: [`Bot::ask`] adds to a question in shared memory, the first
//! [`Bot::collect`] of a step sends it and gets the answers of all. What the JVM does is in `clj/agon`, beginning with
//! `host.clj`; what species call is in `clj/amoebas`. Files that define the same namespace, such as two versions of a
//! species, get a JVM each.

mod answers;
mod java;
mod jvm;
mod question;
mod tournament;

use std::{
    path::{PathBuf, absolute},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use agon_core::{Evidence, Fault};
use agon_games::amoebas::{Amoebas, Answer};

use crate::{
    Bot, BotSpec, Diary, Farewell, HostOptions, OpenError, Pace, Seat, Turn, Usage,
    process::note_cost,
    sandbox::own_folder,
    spec::{ClojureFile, What},
};
pub(crate) use java::{
    CLASSPATH_VARIABLE, CLOJURE_PACKAGE, JAVA_PACKAGE, JAVA_VARIABLE, OPTIONS_VARIABLE, tools,
};
use jvm::{Jvm, Loaded};
pub use tournament::{Event, Genesis, Tournaments};

/// The JVMs that take in species of a match that has not begun. They end with their last species.
#[derive(Clone, Debug, Default)]
pub struct Jvms {
    running: Arc<Mutex<Vec<Weak<Mutex<Jvm>>>>>,
    /// Folders and files of species that will come.
    expected: Arc<Mutex<Vec<PathBuf>>>,
}

impl Jvms {
    /// Tells which bots will be opened, so that a JVM sees their folders from the beginning: otherwise it has to be
    /// started anew for each.
    pub fn expect<'a>(&self, bots: impl IntoIterator<Item = &'a BotSpec>) {
        let files = bots.into_iter().filter_map(|bot| match bot.what() {
            What::Clojure(file) => absolute(&file.path).ok(),
            _ => None,
        });
        *lock(&self.expected) = files.flat_map(|file| own_folder(&file)).collect();
    }
}

type Shared = Arc<Mutex<Jvm>>;

/// Opens a species.
///
/// # Errors
/// If Java or Clojure are not there, or the file cannot be loaded or has no amoeba function.
pub(crate) fn open(file: &ClojureFile, options: &HostOptions) -> Result<Box<dyn Bot<Amoebas>>, OpenError> {
    // The JVM starts in a folder of its own if it is told so.
    let path = match &options.folder {
        Some(_) => absolute(&file.path).unwrap_or_else(|_| file.path.clone()),
        None => file.path.clone(),
    };
    let file = &ClojureFile { path, ..file.clone() };
    let mut jvms = lock(&options.jvms.running);
    jvms.retain(|jvm| jvm.strong_count() > 0);
    for jvm in jvms.iter().filter_map(Weak::upgrade) {
        let loaded = {
            let mut jvm = lock(&jvm);
            if jvm.has_begun() {
                continue;
            }
            jvm.load(file)?
        };
        if let Loaded::Number(number) = loaded {
            return Ok(Box::new(ClojureBot::new(jvm, number)));
        }
    }
    let mut folders = lock(&options.jvms.expected).clone();
    folders.extend(own_folder(&absolute(&file.path).unwrap_or_else(|_| file.path.clone())));
    let mut jvm = Jvm::open(folders, options)?;
    let number = match jvm.load(file)? {
        Loaded::Number(number) => number,
        Loaded::Taken => {
            let message = "its namespace is one of the arena's or of Clojure's own; give it another name";
            return Err(OpenError::Load { path: file.path.clone(), message: message.to_owned() });
        }
    };
    let jvm = Arc::new(Mutex::new(jvm));
    jvms.push(Arc::downgrade(&jvm));
    Ok(Box::new(ClojureBot::new(jvm, number)))
}

/// A species in its JVM.
struct ClojureBot {
    /// `None` once it has been stopped.
    jvm: Option<Shared>,
    /// Its number there.
    number: usize,
    diary: Diary,
}

impl ClojureBot {
    fn new(jvm: Shared, number: usize) -> ClojureBot {
        let diary = Diary::within(lock(&jvm).diary());
        ClojureBot { jvm: Some(jvm), number, diary }
    }
}

impl Bot<Amoebas> for ClojureBot {
    fn start(&mut self, seat: Seat<'_, Amoebas>, _: &mut Vec<Fault>) {
        if let Some(jvm) = &self.jvm {
            lock(jvm).seat(seat.player, self.number, seat.names);
        }
    }

    fn ask(&mut self, turn: Turn<'_, Amoebas>, _: &mut Vec<Fault>) {
        if let Some(jvm) = &self.jvm {
            lock(jvm).ask(turn);
        }
    }

    fn collect(&mut self, turn: Turn<'_, Amoebas>, answers: &mut [Answer], faults: &mut Vec<Fault>) {
        if let Some(jvm) = &self.jvm {
            lock(jvm).collect(turn, answers, faults, &self.diary);
        }
    }

    fn stop(&mut self) {
        self.jvm = None;
    }

    fn diary(&self) -> Option<Diary> {
        Some(self.diary.clone())
    }

    fn witness(&mut self) -> Evidence {
        let seen = self.jvm.as_ref().map(|jvm| lock(jvm).witness());
        let mut evidence = seen.unwrap_or_default();
        note_cost(&mut evidence, self.diary.cost());
        evidence
    }

    fn pace(&self) -> Option<Pace> {
        lock(self.jvm.as_ref()?).pace()
    }

    fn usage(&mut self) -> Option<Usage> {
        lock(self.jvm.as_ref()?).usage()
    }

    fn farewell(&mut self, patience: Duration) -> Option<Farewell> {
        // Others may live there as well.
        Arc::into_inner(self.jvm.take()?)
            .and_then(|jvm| jvm.into_inner().unwrap_or_else(PoisonError::into_inner).farewell(patience))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whatever a panic left half done shows in the next exchange, as garbage.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fault before the match as a message, with all that was said.
fn message(fault: &Fault) -> String {
    let mut message = fault.to_string();
    if let Some((_, detail)) = message.split_once(": ").and_then(|(_, rest)| rest.split_once(": ")) {
        message = detail.to_owned();
    }
    match fault.evidence.stderr_tail.trim_end() {
        "" => message,
        talk => format!("{message}\n{talk}"),
    }
}
