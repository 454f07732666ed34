//! The host of binfection's runners: programs that are started once per turn.
//!
//! A runner gets the name of a file and overwrites this file. If it fails, hangs or writes nothing,
//! it makes no move in that turn. The next turn starts it again.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::{env::temp_dir, os::unix::fs::PermissionsExt, time::Duration};

use agon_core::{Evidence, Fault, FaultKind, Game};
use agon_games::any::AnswersMut;
use agon_games::binfection::protocol::{ReplyError, empty_blob, parse_reply, send_question};
use agon_games::binfection::{Answer, Binfection, View};
use agon_sandbox::{Folder, empty_folder};
use rustix::fs::{Mode, OFlags, open as open_file};
use serde_json::Value;

use crate::clock::{Bank, Timer};
use crate::process::{
    Exit, FaultSite, Launch, Output, Process, Trouble, last_output, note_cost, without_mark,
};
use crate::sandbox::{open_folder, open_to_all, workplace};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, Hosting, Progress, Seat, ShutdownReport,
    TurnLog, Usage, program::Program, shortage, turn_log::Cost,
};

/// CPU time for a turn, of the runner and everything that it starts.
const CLOCK: Clock = Clock::cpu(Duration::from_secs(5)).with_bank(Clock::BANK);

/// The largest reply in bytes, beside twice the size of the question.
const MAX_REPLY: u64 = 16 << 20;

pub(crate) const HOSTING: Hosting = Hosting {
    sees_folder: true,
    program: Some(|program, options| Ok(Box::new(open(&program, options)))),
    ..Hosting::with_pace(BatchLimits { clock: CLOCK, each: Duration::ZERO })
};

/// A runner in a match.
struct RunnerBot {
    /// The command without the file's name, which is the last argument.
    launch: Launch,
    clock: Option<Clock>,
    bank: Bank,
    names: Vec<String>,
    blob: Value,
    /// The end of the last question, and the end of the runner's last reply.
    last: (String, String),
    turn: Option<Running>,
    /// The folder of the last turn, if that turn ended well.
    ///
    /// With the same folder, the next runner starts in the same sandbox, which takes less time.
    folder: Option<Folder>,
    /// Whether one of its replies could be read.
    has_replied: bool,
    /// Whether to look for processes that runners leave behind.
    examine: bool,
    /// Costs of all runners so far.
    used: Usage,
    /// The end of the last runner that ended, and the number of processes left behind by runners.
    ending: Option<ShutdownReport>,
}

/// A runner in a turn.
struct Running {
    process: Process,
    timer: Timer,
    /// The result, once the runner has ended or its time is over.
    came: Option<Result<(), Trouble>>,
    /// The folder with the file. It is removed after the process has been killed, or emptied before
    /// the next turn.
    folder: Option<Folder>,
    question_bytes: u64,
}

/// The written part of a question.
#[derive(Default)]
struct Written {
    bytes: u64,
    /// The last bytes, as evidence.
    end: Vec<u8>,
}

/// A file that a question is written to.
struct Watched<'a> {
    file: File,
    written: &'a mut Written,
}

/// How many of the last bytes of a question are kept.
const END: usize = 200;

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.file.write(bytes)?;
        let Written { bytes: count, end } = self.written;
        *count += length as u64;
        end.extend_from_slice(&bytes[length.saturating_sub(END)..length]);
        end.drain(..end.len().saturating_sub(END));
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The name of the file, and of its folder inside the private folder.
const FILE: &str = "turn.json";
const FOLDER: &str = "turn";

fn open(program: &Program, options: &HostOptions) -> RunnerBot {
    let mut launch = program.launch(options);
    launch.output = Output::Talk;
    // Runners name their programs relative to it.
    let folder = launch.folder.clone().unwrap_or_else(|| PathBuf::from("."));
    // A bot that comes from elsewhere sees its home, and starts there.
    if program.home.is_none() {
        let files = program.files(&folder);
        let start_folder = launch.sandbox.start_folder(launch.folder.as_deref(), &files);
        launch.needs.read.extend(start_folder);
    }
    let clock = options.timing.or(CLOCK);
    RunnerBot {
        launch,
        clock,
        bank: Bank::of(clock),
        names: Vec::new(),
        blob: empty_blob(),
        last: Default::default(),
        turn: None,
        folder: None,
        has_replied: false,
        examine: options.examine,
        used: Usage::default(),
        ending: None,
    }
}

impl Bot for RunnerBot {
    fn start(&mut self, seat: Seat<'_>, _: &mut Vec<Fault>) {
        self.names = seat.names.to_vec();
    }

    fn ask(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let view = part.game.of_game::<Binfection>().view(part.decisions[0]);
        match self.run(&view, part.into()) {
            Ok(running) => self.turn = Some(running),
            Err(fault) => faults.push(self.with_question(fault)),
        }
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        if let Some(Err(progress)) = self.turn.as_mut().map(|running| running.look(&mut self.bank))
        {
            return progress;
        }
        if let Some(running) = self.turn.take() {
            let view = part.game.of_game::<Binfection>().view(part.decisions[0]);
            let answer = self.reply(running, &view, part.into(), faults);
            answers.of_game::<Binfection>().fill(answer);
        }
        Progress::Done
    }

    fn stop(&mut self) {
        self.turn = None;
        self.folder = None;
    }

    fn time_left(&self) -> Option<Duration> {
        let turn = self.turn.as_ref()?;
        turn.timer.estimate(&turn.process.meter())
    }

    fn turn_log(&self) -> Option<TurnLog> {
        Some(self.launch.turn_log.clone())
    }

    fn evidence(&mut self) -> Evidence {
        let (last_input, last_output) = self.last.clone();
        let mut evidence = Evidence { last_input, last_output, ..Evidence::default() };
        note_cost(&mut evidence, self.launch.turn_log.cost());
        evidence
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        self.clock.map(|clock| BatchLimits { clock, each: Duration::ZERO })
    }

    fn usage(&mut self) -> Option<Usage> {
        Some(self.used)
    }

    fn shutdown(&mut self, _: Duration) -> Option<ShutdownReport> {
        self.ending.take()
    }
}

impl RunnerBot {
    /// Adds the end of the question, which is in a file, to a fault.
    fn with_question(&self, mut fault: Fault) -> Fault {
        fault.evidence.last_input.clone_from(&self.last.0);
        self.with_protocol_hint(fault)
    }

    /// Adds the other protocol to the fault of a program that may speak it.
    fn with_protocol_hint(&self, mut fault: Fault) -> Fault {
        if !self.has_replied {
            self.launch.typed.hint_at_jsonl(&mut fault);
        }
        fault
    }

    /// Writes the question and starts the runner.
    fn run(&mut self, view: &View<'_>, place: FaultSite) -> Result<Running, Fault> {
        let mut written = Written::default();
        // All processes of the last turn are dead.
        let emptied = self.folder.take().filter(|folder| {
            let own = folder.path().join(FOLDER);
            // A runner of the arena's own user may have closed it.
            empty_folder(&own).and_then(|()| open_to_all(&own)).is_ok()
        });
        let write = || {
            let folder = match emptied {
                Some(folder) => folder,
                None => {
                    let folder = workplace(&temp_dir(), "agon-")?;
                    open_folder(&folder.path().join(FOLDER))?;
                    folder
                }
            };
            let file = File::create_new(folder.path().join(FOLDER).join(FILE))?;
            file.set_permissions(Permissions::from_mode(0o666))?;
            let mut out = Watched { file, written: &mut written };
            send_question(view, &self.names, &self.blob, &mut out)?;
            Ok(folder)
        };
        let folder = write();
        self.last = (last_output(&written.end), String::new());
        let cannot_write = |error: io::Error| {
            let shortage = shortage::behind(&error, "the file for a bot cannot be written");
            shortage.into_iter().for_each(|shortage| self.launch.turn_log.lack(shortage));
            place.fault(FaultKind::Start, format!("its file cannot be written: {error}"))
        };
        let folder = folder.map_err(cannot_write)?;
        let mut launch = self.launch.clone();
        let own = folder.path().join(FOLDER);
        launch.args.push(own.join(FILE).into());
        launch.needs.write.push(own);
        launch.needs.lasting = true;
        let process = Process::start(&launch, place)?;
        let timer = Timer::start(self.clock, false, &process.meter()).banked(self.bank);
        let folder = Some(folder);
        Ok(Running { process, timer, came: None, folder, question_bytes: written.bytes })
    }

    /// Notes a runner's cost and end.
    fn note(&mut self, process: &mut Process, timer: &Timer) {
        let Some(usage) = process.family_usage() else { return };
        // The programs that it starts use most, and the clock does not see them.
        self.launch
            .turn_log
            .spend(timer.question(), Cost { cpu: Some(usage.cpu), wall: timer.wall() });
        self.used.cpu += usage.cpu;
        self.used.peak_memory = self.used.peak_memory.max(usage.peak_memory);
        self.used.stderr += usage.stderr;
        let last = self.ending.get_or_insert_default();
        last.exit = usage.ended;
        last.stderr = self.used.stderr;
        if self.examine {
            last.left_behind += process.left_behind();
        }
    }

    /// Takes the runner's reply and remembers the blob.
    fn reply(
        &mut self,
        mut turn: Running,
        view: &View<'_>,
        place: FaultSite,
        faults: &mut Vec<Fault>,
    ) -> Answer {
        let shortage = turn.folder.as_ref().and_then(|folder| shortage::of_disk(folder.path()));
        let finished = turn.finish(place, |process, timer| self.note(process, timer));
        let (bytes, talk) = match finished {
            Ok(finished) => {
                self.folder = turn.folder.take();
                finished
            }
            Err(fault) => {
                shortage.into_iter().for_each(|shortage| self.launch.turn_log.lack(shortage));
                faults.push(self.with_question(fault));
                return Answer::default();
            }
        };
        self.last.1 = last_output(&bytes);
        let seen = self.evidence();
        let fault = |kind, detail: String, count| {
            let mut fault = place.fault(kind, detail);
            fault.evidence = Evidence { stderr_tail: talk, ..seen };
            Fault { count, ..fault }
        };
        match parse_reply(&bytes, view) {
            Ok(reply) => {
                self.has_replied = true;
                self.blob = reply.blob;
                if !reply.warnings.is_empty() {
                    faults.push(fault(
                        FaultKind::Illegal,
                        reply.warnings.join("; "),
                        reply.ignored,
                    ));
                }
                reply.answer
            }
            Err(error) => {
                shortage.into_iter().for_each(|shortage| self.launch.turn_log.lack(shortage));
                let fault = fault(FaultKind::Garbage, error.to_string(), 1);
                // A runner that wrote nothing keeps its earlier blob. It may wait for another
                // protocol.
                if let ReplyError::Question = error {
                    faults.push(self.with_protocol_hint(fault));
                } else {
                    faults.push(fault);
                    self.blob = empty_blob();
                }
                Answer::default()
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill();
    }
}

impl Running {
    /// Looks for the end of the runner or of its time; fails until one of them has come.
    fn look(&mut self, bank: &mut Bank) -> Result<(), Progress> {
        if self.came.is_none() {
            self.came = Some(self.process.look(&self.timer, |process| process.has_ended())?);
            bank.charge(self.timer.beyond(&self.process.meter()));
            // Ending its children and reading its file takes longer than noticing an answer.
            return Err(Progress::Last);
        }
        Ok(())
    }

    /// Reads the file of a runner that has ended, after `note` has seen the runner.
    ///
    /// Also returns the runner's output.
    fn finish(
        &mut self,
        place: FaultSite,
        note: impl FnOnce(&mut Process, &Timer),
    ) -> Result<(Vec<u8>, String), Fault> {
        let Running { process, timer, folder, came, question_bytes } = self;
        if let Some(Err(trouble)) = *came {
            return Err(process.end_with_trouble(place, trouble, timer));
        }
        note(process, timer);
        if process.exit() != Some(Exit { status: Some(0), signal: None }) {
            return Err(process.end_with(place, FaultKind::Crash, "its runner failed"));
        }
        // Processes that the runner left behind must not write to the file any more.
        process.kill();
        let most = MAX_REPLY + 2 * *question_bytes;
        let folder = folder.as_ref().expect("it is taken after the turn");
        match read(&folder.path().join(FOLDER).join(FILE), most) {
            Ok(mut bytes) => {
                without_mark(&mut bytes);
                Ok((bytes, process.stderr_tail()))
            }
            Err((kind, detail)) => Err(process.end_with(place, kind, detail)),
        }
    }
}

/// Reads the file that a runner wrote. It may be huge by now, or no file at all.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, (FaultKind, String)> {
    let unreadable =
        |error: io::Error| (FaultKind::Garbage, format!("its file cannot be read: {error}"));
    // Does not wait: the path could be a pipe without a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(
        open_file(path, flags, Mode::empty()).map_err(|error| unreadable(error.into()))?,
    );
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err((
            FaultKind::Garbage,
            "it replaced its file by something that is none".to_owned(),
        ));
    }
    // One byte more than the size, so that the end is noticed without more room.
    let mut bytes = Vec::with_capacity(metadata.len().min(most) as usize + 1);
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err((FaultKind::Flood, format!("its file has more than {most} bytes")));
    }
    Ok(bytes)
}
