//! The child's side of a batch bot: waits for questions, and has a [`Decider`] answer them.
//!
//! It is the main loop of the processes for native libraries and for WebAssembly.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::{fs::File, process::ExitCode};

use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::{VERSION, memory::Area};

/// Runs a bot.
pub trait Decider {
    /// Starts the match; `message` is the line that programs get.
    fn start(&mut self, message: &[u8]) -> Result<(), Trap>;

    /// Answers the question in the area, and returns how many bytes of answers were written.
    ///
    /// If the bot fails, answers that it had written by then still count.
    fn decide(&mut self, area: &Area, call: Call) -> Result<usize, Trap>;
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Bytes of the question.
    pub length: usize,
    /// Bytes of room for answers.
    pub room: usize,
    /// Bytes of the answers' records, which come first.
    ///
    /// They are zero before the question is asked. The rest of the room holds remains of
    /// earlier questions.
    pub records: usize,
    /// Fuel for all decisions together.
    pub fuel: u64,
    /// Seed of the random numbers that the bot may ask for.
    pub seed: u64,
}

/// Why a bot failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What kind of failure it is.
    pub kind: TrapKind,
    /// The event, in one line.
    pub detail: String,
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrapKind {
    /// The fuel was used up.
    Fuel,
    /// It asked for more memory than its limit.
    Memory,
    /// It did something impossible, such as reading outside of its memory.
    Crash,
}

impl TrapKind {
    const ALL: [(TrapKind, &str); 3] =
        [(TrapKind::Fuel, "fuel"), (TrapKind::Memory, "memory"), (TrapKind::Crash, "crash")];

    pub(super) fn id(self) -> &'static str {
        TrapKind::ALL.iter().find(|(kind, _)| *kind == self).expect("the table names all kinds").1
    }

    pub(super) fn from_id(id: &str) -> Option<TrapKind> {
        TrapKind::ALL.iter().find(|(_, name)| *name == id).map(|(kind, _)| *kind)
    }
}

/// Serves questions: the main function of a child process.
///
/// `args` are the number of the shared memory's descriptor and the arguments of `load`. Returns
/// when the arena closes the pipe.
pub fn serve_main<D: Decider>(
    args: impl IntoIterator<Item = OsString>,
    load: impl FnOnce(&[OsString]) -> Result<D, String>,
) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let Some((memory, args)) = args.split_first() else { return ExitCode::from(2) };
    match run(memory, args, load) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run<D: Decider>(
    memory: &OsStr,
    args: &[OsString],
    load: impl FnOnce(&[OsString]) -> Result<D, String>,
) -> io::Result<()> {
    let area = Area::map(&inherited(memory)?)?;
    let (questions, mut answers) = take_standard_streams()?;
    match load(args) {
        Err(message) => writeln!(answers, "error {VERSION} {}", one_line(&message)),
        Ok(decider) => {
            writeln!(answers, "ready {VERSION}")?;
            serve(&area, decider, BufReader::new(questions), answers)
        }
    }
}

/// Takes the descriptor that the arena passed on under this number.
#[allow(unsafe_code)]
fn inherited(number: &OsStr) -> io::Result<OwnedFd> {
    let number = number.to_str().and_then(|text| text.parse().ok()).filter(|&fd| fd > 2);
    let number = number.ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: the arena opened this descriptor for us. Nobody else in this young process knows it,
    // and the standard streams are excluded. If the number means nothing, mapping fails.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Takes the pipes to the arena out of the bot's reach.
///
/// The bot's output then goes to stderr, and its input is empty.
fn take_standard_streams() -> io::Result<(File, File)> {
    let stdin = io::stdin();
    let stdout = io::stdout();
    let questions = fcntl_dupfd_cloexec(&stdin, 3)?;
    let answers = fcntl_dupfd_cloexec(&stdout, 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((questions.into(), answers.into()))
}

fn serve(
    area: &Area,
    mut decider: impl Decider,
    questions: impl BufRead,
    mut answers: File,
) -> io::Result<()> {
    // Only questions have an answer, so the first one reports a failure at the start.
    let mut failed = None;
    for line in questions.lines() {
        let line = line?;
        let mut words = line.split(' ');
        let word = words.next();
        let mut number = || -> io::Result<u64> {
            let number = words.next().and_then(|word| word.parse().ok());
            number.ok_or_else(|| io::ErrorKind::InvalidData.into())
        };
        match word {
            Some("start") => failed = decider.start(area.start(number()? as usize)).err(),
            Some("decide") => {
                let batch = number()?;
                let [length, room, records] =
                    [number()?, number()?, number()?].map(|number| number as usize);
                let call = Call { length, room, records, fuel: number()?, seed: number()? };
                let line = match failed.take().map_or_else(|| decider.decide(area, call), Err) {
                    Ok(length) => format!("done {batch} {length}\n"),
                    Err(Trap { kind, detail }) => {
                        format!("trap {batch} {} {}\n", kind.id(), one_line(&detail))
                    }
                };
                // As a whole: each write wakes the arena.
                answers.write_all(line.as_bytes())?;
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
