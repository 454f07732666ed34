//! The arena's side of a native library: its child process and the memory shared with it.

use std::{
    ffi::OsString,
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf, absolute},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use agon_core::{Fault, FaultKind, Player};
use agon_games::cellhack::protocol::{ANSWER_LEN, QUESTION_LEN};

use super::memory::Area;
use crate::{
    Clock, HostOptions, OpenError, Timing,
    clock::Timer,
    process::{Launch, Place, Process},
};

/// Time for one batch, on top of [`PER_CELL`] for each of its cells.
const BATCH: Clock = Clock::cpu(Duration::from_secs(1));

/// Time for one cell of a batch; a usual function takes less than a hundredth of it.
const PER_CELL: Duration = Duration::from_micros(20);

/// Time for loading the library, which runs its constructors.
const LOADING: Clock = Clock { wall_factor: 2, ..Clock::cpu(Duration::from_secs(5)) };

/// A library in its child process.
#[derive(Debug)]
pub(super) struct Library {
    launch: Launch,
    area: Area,
    timing: Timing,
    /// `None` after a fault.
    process: Option<Process>,
    /// The number of the batch being decided, and the time for it.
    batch: u64,
    timer: Option<Timer>,
}

impl Library {
    /// Loads a library.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub(super) fn open(path: &Path, options: &HostOptions) -> Result<Library, OpenError> {
        let prepare = |source| OpenError::Prepare { what: "memory shared with the bot", source };
        let (area, file) = Area::create().map_err(prepare)?;
        let launch = launch(path, &file, options).map_err(prepare)?;
        let mut library =
            Library { launch, area, timing: options.timing, process: None, batch: 0, timer: None };
        let nobody = Place { player: Player(0), step: 0 };
        match library.load(nobody) {
            Ok(()) => Ok(library),
            Err(fault) => Err(OpenError::Load { path: path.to_owned(), message: load_message(&fault) }),
        }
    }

    /// Whether the child runs.
    pub(super) fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Starts the child and has it load the library (again).
    ///
    /// # Errors
    /// With a fault of kind `Start`.
    pub(super) fn load(&mut self, place: Place) -> Result<(), Fault> {
        let mut process = Process::start(&self.launch, place)?;
        let timer = Timer::start(self.timing.or(LOADING), true, &process.meter());
        if let Err(trouble) = process.wait(&timer, |process| process.inbox().contains(&b'\n')) {
            let mut fault = process.end_with_trouble(place, trouble, &timer);
            fault.detail = format!("while the library was loaded: {}", fault.detail);
            fault.kind = FaultKind::Start;
            return Err(fault);
        }
        match process.take_line() {
            Some(b"ready") => {
                self.process = Some(process);
                Ok(())
            }
            line => {
                let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
                let message = line.strip_prefix("error ").unwrap_or(&line).to_owned();
                Err(process.end_with(place, FaultKind::Start, message))
            }
        }
    }

    /// Asks for the next cells, at most [`CAPACITY`](super::memory::CAPACITY).
    pub(super) fn ask(&mut self, questions: impl Iterator<Item = [u8; QUESTION_LEN]>) {
        let Some(process) = &mut self.process else { return };
        let layout = self.area.layout();
        let mut cells = 0;
        for (record, question) in layout.questions.iter().zip(questions) {
            record.put(&question);
            cells += 1;
        }
        layout.decided.store(0, Relaxed);
        self.batch += 1;
        let extra = PER_CELL.saturating_mul(cells);
        self.timer = Some(Timer::start_with(self.timing.or(BATCH), false, extra, &process.meter()));
        process.send(format!("{} {cells}\n", self.batch).as_bytes());
    }

    /// Waits until all `cells` of [`Library::ask`] are decided; the child does not run any more after a fault.
    ///
    /// Returns how many were decided, and what was wrong if these are not all.
    pub(super) fn wait(&mut self, cells: usize, place: Place) -> (usize, Option<Fault>) {
        let (Some(process), Some(timer)) = (&mut self.process, &self.timer) else { return (0, None) };
        let fault = match process.wait(timer, |process| process.inbox().contains(&b'\n')) {
            Err(trouble) => {
                let mut fault = process.end_with_trouble(place, trouble, timer);
                // These are the child's words, not the bot's.
                fault.evidence.last_output.clear();
                fault
            }
            Ok(()) if process.take_line() == Some(format!("done {}", self.batch).as_bytes()) => {
                return (cells, None);
            }
            Ok(()) => process.end_with(place, FaultKind::Garbage, "it wrote to the arena's own pipe"),
        };
        self.process = None;
        let decided = self.area.layout().decided.load(Relaxed) as usize;
        (decided.min(cells), Some(fault))
    }

    /// The answer to a question of the last batch.
    pub(super) fn answer(&self, cell: usize) -> [u8; ANSWER_LEN] {
        self.area.layout().answers[cell].get()
    }

    /// Ends the child.
    pub(super) fn stop(&mut self) {
        self.process = None;
    }
}

fn launch(path: &Path, memory: &Arc<OwnedFd>, options: &HostOptions) -> io::Result<Launch> {
    let host = &options.native_host;
    // Absolute: a bare name would be searched for among the system's libraries.
    let path: PathBuf = absolute(path)?;
    let mut args: Vec<OsString> = host.args.clone();
    args.extend([memory.as_raw_fd().to_string().into(), path.into()]);
    let mut launch = Launch::new(&host.path, &args);
    launch.folder.clone_from(&options.folder);
    launch.inherits = Some(Arc::clone(memory));
    Ok(launch)
}

/// A fault while loading as a message, with all that the bot said.
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
