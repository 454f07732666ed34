//! The arena's side of a batch bot's child process: starts it, sends questions, and reads replies.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "replies are foreign bytes, whose numbers must not change unnoticed"
)]

use std::{ffi::OsString, os::fd::OwnedFd, path::Path, sync::Arc, time::Duration};

use agon_core::{Evidence, Fault, FaultKind, Player};
use agon_sandbox::INHERITED;

use super::{
    VERSION,
    child::Child,
    memory::Area,
    serve::{Call, TrapKind},
};
use crate::{
    Clock, HostOptions, OpenError, Progress, ShutdownReport, Timing, TurnLog, Usage,
    clock::{Bank, Timer},
    process::{FaultSite, Launch, Process, Sees},
};

/// Time for loading the bot, which runs its constructors.
pub(super) const LOADING: Clock = Clock { wall_factor: 2, ..Clock::cpu(Duration::from_secs(5)) };

/// A bot in its child process.
#[derive(Debug)]
pub(super) struct Link {
    launch: Launch,
    area: Area,
    timing: Timing,
    /// `None` before the first question.
    bank: Option<Bank>,
    /// `None` after a fault.
    process: Option<Process>,
    /// The number of the batch being decided, its room for answers, and the time for it.
    batch: u64,
    room: usize,
    timer: Option<Timer>,
    /// The message at the start of the match, sent again whenever the bot is loaded again.
    start: Vec<u8>,
}

/// The reason why a bot is not loaded.
#[derive(Debug)]
pub(super) struct LoadFailure {
    pub(super) fault: Fault,
    /// Whether the bot's own code ran and ended, or did not end in time.
    by_itself: bool,
}

/// The result of a question.
#[derive(Debug)]
pub(super) struct BatchOutcome {
    /// The length of the valid answers in bytes.
    pub(super) length: usize,
    /// The fault; after one the child no longer runs.
    pub(super) fault: Option<Fault>,
}

impl Link {
    /// Loads a bot, the file `path`.
    ///
    /// If it ends itself meanwhile, although it has been loaded before, it is tried again in the
    /// match ([`HostOptions::loaded_before`]).
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub(super) fn open(
        child: &Child,
        path: &Path,
        options: &HostOptions,
    ) -> Result<Link, OpenError> {
        let prepare = |source| OpenError::unprepared("memory shared with the bot", source);
        let (area, file) = Area::create().map_err(prepare)?;
        let launch = launch(child, &file, options);
        let timing = options.timing;
        let start = Vec::new();
        let mut link = Link {
            launch,
            area,
            timing,
            bank: None,
            process: None,
            batch: 0,
            room: 0,
            timer: None,
            start,
        };
        let nobody = FaultSite { player: Player(0), step: 0 };
        match link.load(nobody, LOADING) {
            Ok(()) => Ok(link),
            Err(failure) => match link.launch.turn_log.shortage() {
                Some(shortage) => Err(OpenError::Shortage(shortage)),
                None if failure.by_itself && options.loaded_before => Ok(link),
                None => {
                    let message = load_message(&failure.fault);
                    Err(OpenError::Load { path: path.to_owned(), message })
                }
            },
        }
    }

    /// Returns whether the child runs.
    pub(super) fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Starts the child and has it load the bot, perhaps again.
    ///
    /// The limit is `clock`, unless the person chose another one.
    ///
    /// # Errors
    /// With a fault of kind `Start`.
    pub(super) fn load(&mut self, place: FaultSite, clock: Clock) -> Result<(), LoadFailure> {
        let other = |fault| LoadFailure { fault, by_itself: false };
        let mut process = Process::start(&self.launch, place).map_err(other)?;
        let timer = Timer::start(self.timing.or(clock), true, &process.meter());
        if let Err(trouble) = process.wait(&timer, |process| process.inbox().contains(&b'\n')) {
            let mut fault = process.end_with_trouble(place, trouble, &timer);
            fault.detail = format!("while the bot was loaded: {}", fault.detail);
            fault.kind = FaultKind::Start;
            return Err(LoadFailure { fault, by_itself: true });
        }
        let line = String::from_utf8_lossy(process.take_line().unwrap_or_default()).into_owned();
        match loaded(&line, &self.launch.program) {
            Ok(()) => {
                self.process = Some(process);
                self.tell_start();
                Ok(())
            }
            Err(message) => Err(other(process.end_with(place, FaultKind::Start, message))),
        }
    }

    /// Starts the match; `message` is the one that programs get.
    pub(super) fn start(&mut self, message: Vec<u8>) {
        self.launch.turn_log.forget_cost();
        self.start = message;
        self.tell_start();
    }

    fn tell_start(&mut self) {
        if let (Some(process), false) = (&mut self.process, self.start.is_empty()) {
            self.area.tell_start(&self.start);
            process.send(format!("start {}\n", self.start.len()).as_bytes());
        }
    }

    /// Asks. The limit is the clock's time for later answers plus `extra`.
    pub(super) fn ask(&mut self, question: &[u8], call: Call, clock: Clock, extra: Duration) {
        let Some(process) = &mut self.process else { return };
        self.area.ask(question, call.records);
        self.batch += 1;
        self.room = call.room;
        let clock = self.timing.or(clock);
        let timer = Timer::start_with(clock, self.batch == 1, extra, &process.meter());
        self.timer = Some(timer.banked(*self.bank.get_or_insert_with(|| Bank::of(clock))));
        let Call { length, room, records, fuel, seed } = call;
        let batch = self.batch;
        process
            .send(format!("decide {batch} {length} {room} {records} {fuel} {seed}\n").as_bytes());
    }

    /// Looks for the answer to the question of [`Link::ask`]; fails while there is none.
    pub(super) fn look(&mut self, place: FaultSite) -> Result<BatchOutcome, Progress> {
        let (Some(process), Some(timer)) = (&mut self.process, &self.timer) else {
            return Ok(BatchOutcome { length: 0, fault: None });
        };
        let waited = process.look(timer, |process| process.inbox().contains(&b'\n'))?;
        if let Some(bank) = &mut self.bank {
            bank.charge(timer.beyond(&process.meter()));
        }
        let mut foreign = false;
        let mut fault = match waited {
            Err(trouble) => process.end_with_trouble(place, trouble, timer),
            Ok(()) => {
                let line =
                    String::from_utf8_lossy(process.take_line().unwrap_or_default()).into_owned();
                match reply(&line, self.batch) {
                    Some(Ok(length)) if length <= self.room => {
                        return Ok(BatchOutcome { length, fault: None });
                    }
                    Some(Ok(length)) => {
                        let room = self.room;
                        let detail = format!(
                            "it says that it wrote {length} bytes of answers, but has room for \
                             {room}"
                        );
                        process.end_with(place, FaultKind::Garbage, detail)
                    }
                    Some(Err((kind, detail))) => process.end_with(place, kind, detail),
                    None => {
                        foreign = true;
                        process.end_with(
                            place,
                            FaultKind::Garbage,
                            "it wrote to the arena's own pipe",
                        )
                    }
                }
            }
        };
        if !foreign {
            // This output comes from the host, not from the bot.
            fault.evidence.last_output.clear();
        }
        self.process = None;
        Ok(BatchOutcome { length: self.room, fault: Some(fault) })
    }

    /// Returns an estimate of the time left for the answer.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.timer.as_ref()?.estimate(&self.process.as_ref()?.meter())
    }

    /// Copies the first `length` bytes of the answers.
    pub(super) fn answered(&self, length: usize, out: &mut Vec<u8>) {
        self.area.answered(length, out);
    }

    /// Returns the evidence about the child.
    pub(super) fn evidence(&mut self) -> Evidence {
        let evidence = self.process.as_mut().map(Process::evidence_now).unwrap_or_default();
        // The host, not the bot, writes to the pipes.
        Evidence { last_input: String::new(), last_output: String::new(), ..evidence }
    }

    /// Returns the log of the child's costs and output.
    pub(super) fn turn_log(&self) -> TurnLog {
        self.launch.turn_log.clone()
    }

    /// Ends the child.
    pub(super) fn stop(&mut self) {
        self.process = None;
    }

    /// Returns the clock that applies in place of the game's `default`.
    pub(super) fn clock(&self, default: Clock) -> Option<Clock> {
        self.timing.or(default)
    }

    /// Returns the child's usage.
    pub(super) fn usage(&mut self) -> Option<Usage> {
        self.process.as_mut().and_then(Process::usage)
    }

    /// Lets the child end by itself.
    pub(super) fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        self.process.take().and_then(|process| process.shutdown(patience))
    }
}

/// Reads the child's first line, which confirms that the bot is loaded.
///
/// # Errors
/// With the child's description of the problem.
fn loaded(line: &str, host: &Path) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (version, text) = rest.split_once(' ').unwrap_or((rest, ""));
    match (word, version == VERSION) {
        ("ready", true) => Ok(()),
        ("error", true) => Err(text.to_owned()),
        ("ready" | "error", false) if !version.is_empty() => Err(format!(
            "`{}` is of version {version}, but this arena of version {VERSION}; both have to be \
             built from the same source (`cargo build --release -p agon -p agon-wasm`)",
            host.display()
        )),
        _ => Err(format!("`{}` is no program that runs bots for this arena", host.display())),
    }
}

/// Reads the child's line about a batch: the length of the answers, or a problem.
fn reply(line: &str, batch: u64) -> Option<Result<usize, (FaultKind, String)>> {
    let mut words = line.splitn(4, ' ');
    let word = words.next()?;
    let number = words.next()?;
    if number.parse() != Ok(batch) {
        return None;
    }
    match word {
        "done" => Some(Ok(words.next()?.parse().ok()?)),
        "trap" => {
            let kind = match TrapKind::from_id(words.next()?)? {
                TrapKind::Fuel => FaultKind::Timeout,
                TrapKind::Memory => FaultKind::Memory,
                TrapKind::Crash => FaultKind::Crash,
            };
            Some(Err((kind, words.next().unwrap_or_default().to_owned())))
        }
        _ => None,
    }
}

fn launch(child: &Child, memory: &Arc<OwnedFd>, options: &HostOptions) -> Launch {
    let mut args: Vec<OsString> = child.host.args.clone();
    args.push(INHERITED.to_string().into());
    args.extend(child.args.iter().cloned());
    let mut launch = Launch::new(&child.host.path, &args).with(options);
    launch.core = options.core;
    launch.sees = Sees::Itself;
    launch.inherits = Some(Arc::clone(memory));
    launch.needs = child.needs.clone();
    launch
}

/// Describes a fault while loading, with all output of the bot.
fn load_message(fault: &Fault) -> String {
    let mut message = fault.detail.clone();
    if let Some(status) = fault.evidence.exit_status.filter(|&status| status != 0) {
        message.push_str(&format!(" (exit status {status})"));
    }
    if let Some(signal) = fault.evidence.signal {
        message.push_str(&format!(" (signal {signal})"));
    }
    match fault.evidence.stderr_tail.trim_end() {
        "" => message,
        talk => format!("{message}\n{talk}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_another_version_is_refused() {
        let loaded = |line: &str| loaded(line, Path::new("/bin/agon-wasm-host"));
        assert_eq!(loaded(&format!("ready {VERSION}")), Ok(()));
        assert_eq!(loaded(&format!("error {VERSION} no module")), Err("no module".to_owned()));
        for line in ["ready 0.0.7-3", "error 0.0.7-3 what is that?"] {
            let error = loaded(line).unwrap_err();
            assert!(
                error.starts_with("`/bin/agon-wasm-host` is of version 0.0.7-3, but"),
                "{error}"
            );
        }
        for line in ["", "ready?", "Usage: true"] {
            let error = loaded(line).unwrap_err();
            assert_eq!(error, "`/bin/agon-wasm-host` is no program that runs bots for this arena");
        }
    }
}
