//! The effects of Ctrl-C, SIGTERM and SIGHUP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once, PoisonError, mpsc};
use std::{fs, io, thread, time::Duration};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output::tell;

/// How long a match may take to end after Ctrl-C; a bot may be far from its next answer.
const LAST_STEP: Duration = Duration::from_secs(10);

/// A match that ends sooner than this needs no words.
const FLASH: Duration = Duration::from_millis(200);

/// What is being done.
static DOING: Mutex<Doing> = Mutex::new(Doing::Else);

/// Set by the first Ctrl-C (or SIGTERM), which lets what is done end in order; the second ends the
/// program.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set when the program ends at once: what fails from then on fails because of that.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// What is being done when somebody wants it to end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// What ends at once.
    Else,
    /// A match, which ends after its step.
    Match,
    /// Many matches, of which those that have begun are played to their ends.
    Matches,
    /// Films of a replay, which are given up.
    Films,
    /// Films of a match that is over, which are completed.
    LastPictures,
    /// A page that is served, which ends soon.
    Page,
}

impl Doing {
    fn now() -> Doing {
        *DOING.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// From now on this is being done. Returns the flag that Ctrl-C sets, after which it is to end.
pub(crate) fn begin(doing: Doing) -> &'static Arc<AtomicBool> {
    handle_interrupts();
    *DOING.lock().unwrap_or_else(PoisonError::into_inner) = doing;
    &STOP
}

/// The flag that Ctrl-C sets once matches are played.
pub(crate) fn interrupted_later() -> &'static AtomicBool {
    &STOP
}

/// From now on the films of a match that is over are completed: after Ctrl-C too, as long as they
/// take.
pub(crate) fn complete_films() {
    if begin(Doing::LastPictures).load(Ordering::Relaxed) {
        tell_of_films();
    }
}

/// Does something beside what is being done. Where there may be no more threads, Ctrl-C a second
/// time ends it all.
fn beside(action: fn()) {
    let _ = thread::Builder::new().spawn(action);
}

/// From now on Ctrl-C ends the program with all that it has started, such as compilers, at once
/// unless matches are played. To be called before bots are opened: what they start is in other
/// process groups, out of a terminal's reach.
pub(crate) fn handle_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            let doing = Doing::now();
            if doing == Doing::Else || STOP.swap(true, Ordering::Relaxed) {
                leave();
            }
            match doing {
                Doing::Else => leave(),
                Doing::Match => beside(wait_for_last_step),
                Doing::Matches => {
                    tell("waiting for the matches that have begun; Ctrl-C again ends them at once");
                }
                Doing::Films => beside(give_films_up),
                Doing::LastPictures => tell_of_films(),
                Doing::Page => {}
            }
        };
        // Without a handler Ctrl-C ends the program at once, as everywhere.
        if let Err(error) = handle(handler) {
            say!("warning: Ctrl-C will not end the match in order: {error}");
        }
    });
}

/// Has a thread call a handler at each signal that asks the program to end.
fn handle(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    let (send, receive) = mpsc::channel::<Signals>();
    let wait = move || {
        if let Ok(mut signals) = receive.recv() {
            signals.forever().for_each(|_| handler());
        }
    };
    // First the thread: signals that are caught and that nothing reads would be ignored.
    thread::Builder::new().name("agon-signals".to_owned()).spawn(wait)?;
    // What `nohup` starts outlives the terminal.
    let hangup = Some(SIGHUP).filter(|_| !is_ignored(SIGHUP));
    let signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
    send.send(signals).map_err(io::Error::other)
}

/// Returns whether the program was started with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the match that is played as Ctrl-C does.
pub(crate) fn interrupt() {
    if !STOP.swap(true, Ordering::Relaxed) {
        beside(wait_for_last_step);
    }
}

/// Whether the match that is played, if any, is to end.
pub(crate) fn is_interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Runs beside a match that is to end, and ends the program if the match does not.
fn wait_for_last_step() {
    thread::sleep(FLASH);
    if Doing::now() != Doing::Match {
        return;
    }
    let seconds = LAST_STEP.as_secs();
    tell(format!(
        "waiting up to {seconds} s for the bots' answers; Ctrl-C again ends the match at once"
    ));
    thread::sleep(LAST_STEP);
    if Doing::now() == Doing::Match {
        tell(format!("no answer within {seconds} s: the match ends without a result"));
        leave();
    }
}

/// Runs beside films that are to end without a trace, and ends the program if they do not.
fn give_films_up() {
    agon_show::film::kill_encoders();
    thread::sleep(LAST_STEP);
    leave();
}

fn tell_of_films() {
    tell("completing the film of the match; Ctrl-C again gives it up");
}

/// Ends the program, and all bots and encoders with what they have started. No file stays that is
/// not complete.
fn leave() -> ! {
    LEAVING.store(true, Ordering::Relaxed);
    agon_show::film::kill_encoders();
    agon_bots::kill_all();
    agon_files::discard_unfinished();
    std::process::exit(130);
}

/// Waits for the end if the program is being ended: an error such as that of a compiler that was
/// killed is none.
pub(crate) fn wait_if_leaving() {
    if LEAVING.load(Ordering::Relaxed) {
        thread::sleep(LAST_STEP);
    }
}
