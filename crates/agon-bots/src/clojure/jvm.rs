//! A JVM process that species live in: it starts, loads files and replies.
//!
//! `play.rs` has its part in a match.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{collections::VecDeque, os::fd::OwnedFd, sync::atomic::AtomicBool};

use agon_core::{Evidence, Fault, FaultKind, Player};
use agon_games::amoebas::Rules;
use serde_json::{Value, json};

use super::{answers::Decided, places, question::Question};
use crate::process::{FaultSite, Launch, Process, Trouble};
use crate::{
    Clock, OpenError, Progress, ShutdownReport, Snapshot, Timing, TurnLog, Usage, batch::Area,
    clock::Timer, sandbox::Level, spec::ClojureFile, turn_log::TurnRecord,
};

/// More arguments for `java`, such as `-Xmx2g`, with the quoting of a shell.
pub(super) const OPTIONS_VARIABLE: &str = "AGON_JAVA_OPTS";

/// Time for the JVM to start, and to load a file.
pub(super) const STARTING: Clock = Clock::cpu(Duration::from_secs(20));

/// A JVM.
#[derive(Debug)]
pub(super) struct Jvm {
    /// The description of its start.
    launch: Launch,
    /// The files and folders that it may read.
    read: Vec<PathBuf>,
    /// The memory shared with it.
    file: Arc<OwnedFd>,
    /// The log of its costs and output.
    pub(super) turn_log: TurnLog,
    pub(super) area: Area,
    pub(super) timing: Timing,
    /// `None` after a fault that ended it.
    pub(super) process: Option<Process>,
    /// The replies that it owes, in order.
    owed: VecDeque<Owed>,
    /// The files that have been loaded, by number.
    files: Vec<ClojureFile>,
    /// Its state in a match.
    pub(super) play: MatchState,
}

/// A JVM that several bots may use.
pub(super) type Shared = Arc<Mutex<Jvm>>;

/// A reply that is still to come.
#[derive(Debug)]
enum Owed {
    /// It runs.
    Ready,
    /// A file has been loaded.
    File(ClojureFile),
}

/// The result of loading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loaded {
    /// Its number in this JVM.
    Number(usize),
    /// Another file has defined the same namespace here.
    Taken,
}

impl Jvm {
    /// Starts a JVM for files in these folders, and does not wait for it.
    pub(super) fn open(
        read: Vec<PathBuf>,
        launch: Launch,
        timing: Timing,
    ) -> Result<Jvm, OpenError> {
        let prepare = |source| OpenError::unprepared("memory shared with the JVM", source);
        let (area, file) = Area::create().map_err(prepare)?;
        let mut jvm = Jvm {
            launch,
            read,
            file,
            turn_log: TurnLog::default(),
            area,
            timing,
            process: None,
            owed: VecDeque::new(),
            files: Vec::new(),
            play: MatchState::default(),
        };
        let place = FaultSite::start(Player(0));
        jvm.start(place).map_err(|fault| jvm.not_there(&fault))?;
        Ok(jvm)
    }

    fn start(&mut self, place: FaultSite) -> Result<(), Fault> {
        let mut launch = self.launch.clone();
        launch.needs.read.splice(0..0, self.read.iter().cloned());
        launch.inherits = Some(Arc::clone(&self.file));
        launch.turn_log = self.turn_log.clone();
        self.process = Some(Process::start(&launch, place)?);
        self.owed = [Owed::Ready].into();
        Ok(())
    }

    /// Waits until it runs.
    pub(super) fn ready(&mut self) -> Result<(), OpenError> {
        match self.settle(FaultSite::start(Player(0))) {
            Ok(_) => Ok(()),
            Err(fault) => Err(self.not_there(&fault)),
        }
    }

    fn not_there(&self, fault: &Fault) -> OpenError {
        OpenError::of_lack(self.turn_log.shortage(), || {
            format!(
                "the JVM for species in Clojure does not start; {OPTIONS_VARIABLE} adds arguments \
                 to its command line. It says:\n{}",
                message(fault)
            )
        })
    }

    /// Returns whether a match is being played, so that no more species fit in.
    pub(super) fn has_begun(&self) -> bool {
        !self.play.seats.is_empty() || self.process.is_none()
    }

    /// Loads a file, or waits for a file that is being loaded.
    pub(super) fn load(&mut self, file: &ClojureFile) -> Result<Loaded, OpenError> {
        let error = |message| OpenError::Load { path: file.path.clone(), message };
        let place = FaultSite::start(Player(0));
        let begun = self.owed.iter().any(|owed| matches!(owed, Owed::File(_)));
        let shown = if begun { Ok(()) } else { self.show(&file.path, place) };
        let settled = shown.and_then(|()| {
            if !begun {
                self.begin_to_load(file);
            }
            self.settle(place)
        });
        match settled.map_err(|fault| error(message(&fault)))? {
            Ok(Some(loaded)) => Ok(loaded),
            Ok(None) => Err(error("the JVM did not load it".to_owned())),
            Err((_, wrong)) => Err(error(wrong)),
        }
    }

    /// Has it load a file, and does not wait.
    pub(super) fn begin_to_load(&mut self, file: &ClojureFile) {
        let path = Snapshot::seen(self.launch.sandbox.level, &self.launch.snapshots, &file.path);
        self.tell(&json!(["load", path.to_string_lossy(), file.function]));
        self.owed.push_back(Owed::File(file.clone()));
    }

    /// Lets it see the folder of a file.
    ///
    /// A program's view of the file system is fixed at its start, so the JVM restarts.
    fn show(&mut self, file: &Path, place: FaultSite) -> Result<(), Fault> {
        let folders = places::of_file(file, self.launch.sandbox.level, &self.launch.snapshots);
        if self.launch.sandbox.level == Level::Off
            || folders.iter().all(|folder| self.read.contains(folder))
        {
            return Ok(());
        }
        self.read.extend(folders);
        if self.files.is_empty() && self.process.is_none() {
            return Ok(());
        }
        self.restart(None, place)?;
        self.settle_all(place, "")
    }

    /// Does the same as [`Jvm::settle`], but a wrong file ends the JVM.
    pub(super) fn settle_all(&mut self, place: FaultSite, when: &str) -> Result<(), Fault> {
        match self.settle(place)? {
            Ok(_) => Ok(()),
            Err((path, wrong)) => {
                let detail = format!("{when}`{}`: {wrong}", path.display());
                Err(self.end(place, FaultKind::Start, detail))
            }
        }
    }

    /// Starts it once more with the same files, and does not wait.
    pub(super) fn restart(&mut self, rules: Option<&Rules>, place: FaultSite) -> Result<(), Fault> {
        self.process = None;
        self.start(place)?;
        if let Some(rules) = rules {
            self.tell_physics(rules);
        }
        for file in std::mem::take(&mut self.files) {
            self.begin_to_load(&file);
        }
        Ok(())
    }

    /// Waits for all replies that it owes, and returns the result of the last file.
    ///
    /// The outer error ends the JVM, the inner one is about a file.
    pub(super) fn settle(
        &mut self,
        place: FaultSite,
    ) -> Result<Result<Option<Loaded>, (PathBuf, String)>, Fault> {
        let mut last = None;
        while let Some(owed) = self.owed.pop_front() {
            let (when, file) = match owed {
                Owed::Ready => ("while the JVM started", None),
                Owed::File(file) => ("while its file was loaded", Some(file)),
            };
            let reply = self.reply(Some(STARTING), place, when)?;
            let number = reply[1].as_u64().and_then(|number| usize::try_from(number).ok());
            match (reply[0].as_str(), number, file) {
                (Some("ready"), _, None) => {}
                (Some("loaded"), Some(number), Some(file)) => {
                    self.files.push(file);
                    last = Some(Loaded::Number(number));
                }
                (Some("taken"), _, Some(_)) => last = Some(Loaded::Taken),
                (Some("error"), _, Some(file)) => {
                    return Ok(Err((file.path, reply[1].as_str().unwrap_or_default().to_owned())));
                }
                (Some("exit"), _, Some(_)) => {
                    return Err(self.end(
                        place,
                        FaultKind::Start,
                        "it calls System/exit while it is loaded",
                    ));
                }
                _ => {
                    return Err(self.end(
                        place,
                        FaultKind::Garbage,
                        format!("the JVM said {reply}"),
                    ));
                }
            }
        }
        Ok(Ok(last))
    }

    /// Returns whether it owes replies to earlier commands.
    pub(super) fn owes(&self) -> bool {
        !self.owed.is_empty()
    }

    /// Sends the physics of the world, if it differs from the usual one.
    pub(super) fn tell_physics(&mut self, rules: &Rules) {
        if !has_usual_physics(rules) {
            self.tell(&json!(["physics", physics(rules)]));
        }
    }

    /// Sends a command, as JSON with blanks in place of commas and colons.
    ///
    /// Arrays and objects are then EDN vectors and maps.
    pub(super) fn tell(&mut self, command: &Value) {
        if let Some(process) = &mut self.process {
            process.send(format!("{}\n", edn(command)).as_bytes());
        }
    }

    /// Waits for a line.
    pub(super) fn reply(
        &mut self,
        clock: Option<Clock>,
        place: FaultSite,
        when: &str,
    ) -> Result<Value, Fault> {
        let Some(process) = &mut self.process else {
            return Err(place.fault(FaultKind::Crash, "the JVM is gone"));
        };
        let clock = clock.and_then(|clock| match self.timing {
            Timing::Unlimited => None,
            _ => Some(clock),
        });
        let timer = Timer::start(clock, true, &process.meter());
        let waited = process.wait(&timer, |process| process.has_line());
        self.line(waited, &timer, place, when)
    }

    /// Looks for a line within a time that runs already; the outer error means not yet.
    pub(super) fn look_for_reply(
        &mut self,
        timer: &Timer,
        place: FaultSite,
    ) -> Result<Result<Value, Fault>, Progress> {
        let Some(process) = &mut self.process else {
            return Ok(Err(place.fault(FaultKind::Crash, "the JVM is gone")));
        };
        let looked = process.look(timer, |process| process.has_line())?;
        Ok(self.line(looked, timer, place, ""))
    }

    /// Takes the line, if it has come.
    fn line(
        &mut self,
        waited: Result<(), Trouble>,
        timer: &Timer,
        place: FaultSite,
        when: &str,
    ) -> Result<Value, Fault> {
        let Some(process) = &mut self.process else {
            return Err(place.fault(FaultKind::Crash, "the JVM is gone"));
        };
        if let Err(trouble) = waited {
            let mut fault = process.end_with_trouble(place, trouble, timer);
            if !when.is_empty() {
                fault.detail = format!("{when}: {}", fault.detail);
            }
            self.process = None;
            return Err(fault);
        }
        match serde_json::from_str(&process.take_text()) {
            Ok(value) => Ok(value),
            Err(_) => Err(self.end(place, FaultKind::Garbage, "it wrote to the arena's own pipe")),
        }
    }

    pub(super) fn end(
        &mut self,
        place: FaultSite,
        kind: FaultKind,
        detail: impl Into<String>,
    ) -> Fault {
        let detail = detail.into();
        match self.process.take() {
            Some(mut process) => process.end_with(place, kind, detail),
            None => place.fault(kind, detail),
        }
    }

    /// Returns the evidence about a species' last answer.
    pub(super) fn evidence(&mut self) -> Evidence {
        Evidence {
            peak_memory: self.process.as_mut().and_then(Process::peak_memory),
            ..Evidence::default()
        }
    }

    pub(super) fn usage(&mut self) -> Option<Usage> {
        self.process.as_mut().and_then(Process::usage)
    }

    pub(super) fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        self.process.take().and_then(|process| process.shutdown(patience))
    }
}

/// Writes JSON as EDN: only the separators differ.
fn edn(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(edn).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{} {}", Value::from(key.as_str()), edn(value))
            };
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(" "))
        }
        other => other.to_string(),
    }
}

/// Describes a fault before the match, with all output.
pub(super) fn message(fault: &Fault) -> String {
    let mut message = fault.to_string();
    if let Some((_, detail)) = message.split_once(": ").and_then(|(_, rest)| rest.split_once(": "))
    {
        message = detail.to_owned();
    }
    match fault.evidence.stderr_tail.trim_end() {
        "" => message,
        talk => format!("{message}\n{talk}"),
    }
}

/// The JVMs of a match. They end with their last species.
#[derive(Clone, Debug, Default)]
pub struct Jvms {
    /// JVMs that several species share. Before the match starts, more species can join them.
    pub(super) running: Arc<Mutex<Vec<Weak<Mutex<Jvm>>>>>,
    /// Species that will be opened.
    pub(super) coming: Arc<Mutex<Coming>>,
    /// Players and the JVMs they live in.
    pub(super) seated: Arc<Mutex<Vec<Seated>>>,
}

/// A player and the JVM of its species.
type Seated = (Player, Weak<Mutex<Jvm>>);

/// Species that will be opened, in order.
#[derive(Debug, Default)]
pub(super) struct Coming {
    pub(super) files: Vec<ClojureFile>,
    /// The files of all bots of the match, which species must not see of each other.
    pub(super) bots: Vec<PathBuf>,
    /// The snapshots of the same species.
    pub(super) snapshots: Vec<Vec<Arc<Snapshot>>>,
    /// Their JVMs that have started ahead.
    pub(super) started: Vec<Option<Result<Jvm, OpenError>>>,
    /// The expected next species; the order may be another.
    pub(super) next: usize,
}

impl Jvms {
    /// Returns whether a player's species lives in one of the JVMs.
    pub(super) fn seats(&self, player: Player) -> bool {
        lock(&self.seated).iter().any(|(other, jvm)| *other == player && jvm.strong_count() > 0)
    }

    /// Notes the home of a player's species.
    pub(super) fn seat(&self, player: Player, jvm: &Shared) {
        let mut seated = lock(&self.seated);
        seated.retain(|(other, jvm)| *other != player && jvm.strong_count() > 0);
        seated.push((player, Arc::downgrade(jvm)));
    }
}

/// A JVM's state in a match.
#[derive(Debug, Default)]
pub(super) struct MatchState {
    /// The players with the numbers of their files, once a match has started.
    ///
    /// The number of a player without a JVM is `None`.
    pub(super) seats: Vec<(String, Option<i64>)>,
    /// Whether the JVM knows the seats.
    pub(super) seated: bool,
    pub(super) batches: u64,
    pub(super) question: Question,
    /// The timer of the answer, if the question has been sent.
    pub(super) sent: Option<Timer>,
    /// Whether a species has taken the reply that all of them wait for.
    pub(super) taken: Arc<AtomicBool>,
    pub(super) buffer: Vec<u8>,
    pub(super) decided: Vec<Decided>,
    /// CPU time up to the last answer, of a JVM with one species.
    pub(super) charged: Duration,
    /// The cost of the last exchange, and the JVM's output on stderr during it.
    pub(super) exchange: TurnRecord,
    pub(super) asked: Option<Instant>,
    /// Its end, and the players who know of it.
    pub(super) ended: Option<(Fault, Vec<Player>)>,
}

/// Returns whether the constants are the defaults of `amoebas.defs`.
pub(super) fn has_usual_physics(rules: &Rules) -> bool {
    physics(rules) == physics(&Rules::default())
}

/// Returns the constants as species know them.
pub(super) fn physics(rules: &Rules) -> Value {
    json!({
        "WorldSize": rules.world_size,
        "SunEnergy": rules.sun_energy,
        "MaxCellEnergy": rules.max_cell_energy,
        "ViewDistance": rules.view_distance,
        "MaxAmoebaEnergy": rules.max_amoeba_energy,
        "RestEnergy": rules.rest_energy,
        "MoveEnergy": rules.move_energy,
        // Two names for one: the manual says HitEnergy.
        "AttackEnergy": rules.hit_energy,
        "HitEnergy": rules.hit_energy,
        "MaxFuelingEnergy": rules.max_fueling_energy,
        "MinDivideEnergy": rules.min_divide_energy,
        "DivideEnergyLoss": rules.divide_energy_loss,
        "MaxAmoebaHealth": rules.max_amoeba_health,
        "HitLoss": rules.hit_loss,
        "RecoveryGain": rules.recovery_gain,
    })
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic may leave a half-done exchange, which then shows as garbage.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
