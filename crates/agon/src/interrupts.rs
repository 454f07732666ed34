//! What Ctrl-C and SIGTERM do.

use std::{
    sync::{
        Once,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    thread,
    time::Duration,
};

/// How long a match may take to end after Ctrl-C; a bot may be far from its next answer.
const LAST_STEP: Duration = Duration::from_secs(10);

/// What is being done, as a number of [`Doing`].
static DOING: AtomicU8 = AtomicU8::new(Doing::Else as u8);

/// Set by the first Ctrl-C (or SIGTERM), which lets what is done end in order; the second ends the program.
static STOP: AtomicBool = AtomicBool::new(false);

/// Set when the program ends at once: what fails from then on fails because of that.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// What is being done when somebody wants it to end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// What ends at once.
    Else,
    /// A match, which ends after its step.
    Match,
    /// Many matches, of which those that have begun are played to their ends.
    Matches,
}

/// What tells a match that is to be played now whether to stop.
pub(crate) fn interrupted() -> &'static AtomicBool {
    begin(Doing::Match)
}

/// What tells a row of matches that is to be played now whether to begin no more.
pub(crate) fn interrupted_between_matches() -> &'static AtomicBool {
    begin(Doing::Matches)
}

fn begin(doing: Doing) -> &'static AtomicBool {
    handle_interrupts();
    DOING.store(doing as u8, Ordering::Relaxed);
    &STOP
}

/// From now on Ctrl-C ends the program with all that it has started, such as compilers, at once unless matches are
/// played. To be called before bots are opened: what they start is in other process groups, out of a terminal's reach.
pub(crate) fn handle_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            let doing = DOING.load(Ordering::Relaxed);
            if doing == Doing::Else as u8 || STOP.swap(true, Ordering::Relaxed) {
                leave();
            }
            if doing == Doing::Matches as u8 {
                anstream::eprintln!("ending the matches that have begun; Ctrl-C again gives them up");
            } else {
                thread::spawn(wait_for_last_step);
            }
        };
        // Without a handler Ctrl-C ends the program at once, as everywhere.
        if let Err(error) = ctrlc::set_handler(handler) {
            anstream::eprintln!("warning: Ctrl-C will not end the match in order: {error}");
        }
    });
}

/// Ends the match that is played as Ctrl-C does.
pub(crate) fn interrupt() {
    if !STOP.swap(true, Ordering::Relaxed) {
        thread::spawn(wait_for_last_step);
    }
}

/// Whether the match that is played, if any, is to end.
pub(crate) fn is_interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Runs beside a match that is to end, and ends the program if the match does not.
fn wait_for_last_step() {
    thread::sleep(Duration::from_millis(300));
    let seconds = LAST_STEP.as_secs();
    anstream::eprintln!("waiting up to {seconds} s for the bots' last answers; Ctrl-C again ends it at once");
    thread::sleep(LAST_STEP);
    leave();
}

/// Ends the program and all bots with what they have started.
fn leave() -> ! {
    LEAVING.store(true, Ordering::Relaxed);
    agon_bots::kill_all();
    std::process::exit(130);
}

/// Waits for the end if the program is being ended: an error such as that of a compiler that was killed is none.
pub(crate) fn wait_if_leaving() {
    if LEAVING.load(Ordering::Relaxed) {
        thread::sleep(LAST_STEP);
    }
}
