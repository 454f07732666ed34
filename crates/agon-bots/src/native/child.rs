//! What runs in the child process: it loads a library and calls its function for one cell after another.
//!
//! Messages are lines. The child begins with `ready`, or `error` and why the library cannot be loaded. It is
//! asked `NUMBER CELLS`, with the questions in the shared memory, and answers `done NUMBER`.

use std::{
    ffi::{OsString, c_uint},
    fs::File,
    io::{self, BufRead, BufReader, Write},
    os::fd::{FromRawFd, OwnedFd},
    process::ExitCode,
    sync::atomic::Ordering::Relaxed,
};

use agon_games::cellhack::protocol::{ANSWER_LEN, FUNCTION, read_question, write_answer};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use rustix::{
    io::fcntl_dupfd_cloexec,
    stdio::{dup2_stdin, dup2_stdout},
};

use super::memory::{Area, CAPACITY};

/// `uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)`. Bots declare `energy` as
/// `uint8_t` or `int`: a whole register that holds a small number is right for both.
type Decide = unsafe extern "C" fn(*mut u8, c_uint, *mut u64) -> u8;

/// The main function of the process that a native library runs in; `args` are those after the host program's
/// own. It returns when the arena closes the pipe.
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    match args.as_slice() {
        [memory, library] => match run(memory, library) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        _ => ExitCode::from(2),
    }
}

fn run(memory: &OsString, library: &OsString) -> io::Result<()> {
    let area = Area::map(&inherited(memory)?)?;
    let (questions, mut answers) = take_standard_streams()?;
    match load(library) {
        Err(message) => writeln!(answers, "error {}", message.replace('\n', " ")),
        Ok(decide) => {
            writeln!(answers, "ready")?;
            serve(&area, decide, BufReader::new(questions), answers)
        }
    }
}

/// The descriptor that the arena passed on under this number.
#[allow(unsafe_code)]
fn inherited(number: &OsString) -> io::Result<OwnedFd> {
    let number = number.to_str().and_then(|text| text.parse().ok()).filter(|&fd| fd > 2);
    let number = number.ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: the arena opened this descriptor for us, nobody else in this young process knows of it, and the
    // standard streams are excluded. If the number means nothing, mapping it fails.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Takes the pipes to the arena out of the bot's reach: what it prints becomes talk, what it reads is empty.
fn take_standard_streams() -> io::Result<(File, File)> {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let questions = fcntl_dupfd_cloexec(&stdin, 3)?;
    let answers = fcntl_dupfd_cloexec(&stdout, 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((questions.into(), answers.into()))
}

#[allow(unsafe_code)]
fn load(path: &OsString) -> Result<Decide, String> {
    // SAFETY: running foreign code is what this process is for. Whatever its constructors do stays in here.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| reason(&e))?;
    // SAFETY: a function of this name is documented to have this type; if it has another one, the damage stays
    // in this process as well.
    let decide = unsafe { library.get::<Decide>(FUNCTION) }.map(|symbol| *symbol);
    // Never unloaded: the function is called until the process ends.
    std::mem::forget(library);
    decide.map_err(|_| format!("it has no function `{FUNCTION}`"))
}

/// What the loader says is the cause of the error.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn serve(area: &Area, decide: Decide, questions: impl BufRead, mut answers: File) -> io::Result<()> {
    for line in questions.lines() {
        let line = line?;
        let (number, cells) = line.split_once(' ').ok_or(io::ErrorKind::InvalidData)?;
        decide_all(area, decide, cells.parse().map_err(|_| io::ErrorKind::InvalidData)?);
        writeln!(answers, "done {number}")?;
    }
    Ok(())
}

#[allow(unsafe_code)]
fn decide_all(area: &Area, decide: Decide, cells: usize) {
    let layout = area.layout();
    for i in 0..cells.min(CAPACITY) {
        layout.decided.store(i as u32, Relaxed);
        let mut question = read_question(&layout.questions[i].get());
        // SAFETY: both pointers are to live memory of the documented length, which the function may write to.
        // It is foreign code: see `load`.
        let action =
            unsafe { decide(question.env.as_mut_ptr(), c_uint::from(question.energy), &mut question.memory) };
        let mut answer = [0; ANSWER_LEN];
        write_answer(action, question.memory, &mut answer);
        layout.answers[i].put(&answer);
    }
    layout.decided.store(cells as u32, Relaxed);
}
