//! Progress bars on stderr, and what bots or machines matches wait for; without a bar as lines.

use std::sync::{Mutex, PoisonError};
use std::{collections::BTreeMap, fmt, thread, time::Duration};

use agon_arena::WaitWatcher;
use agon_core::{Meta, Progress, text::escape};
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played, Waiting};
use agon_remote::{RemoteWatcher, fleet::Status};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::{DIM, plural, shown_bar, standing::VOID_HELP, stderr_is_ascii, tell, tell_above};
use crate::sandbox::tell_what_is_missing;

/// A match shorter than this should not flash a bar.
const FLASH: Duration = Duration::from_millis(300);

/// How often the bar is drawn while nothing happens.
const TICK: Duration = Duration::from_millis(250);

/// The look of a bar with this template.
pub(crate) fn bar_style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    if stderr_is_ascii() { style.progress_chars("#>.").tick_chars("|/-\\ ") } else { style }
}

/// Draws a bar again and again from some time on, until it is finished or dropped. Where there may
/// be no more threads, it is only drawn when something happens.
pub(crate) fn keep_drawn(bar: &ProgressBar, after: Duration) {
    if bar.is_hidden() {
        return;
    }
    let bar = bar.downgrade();
    let draw = move || {
        thread::sleep(after);
        while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            drop(bar);
            thread::sleep(TICK);
        }
    };
    // Not the bar's own way to do this, which panics without a thread.
    let _ = thread::Builder::new().spawn(draw);
}

/// The progress of a match.
pub(crate) struct Bar {
    bar: ProgressBar,
    waits: WaitBoard,
}

impl Bar {
    /// A bar for a match of this game; hidden when stderr is no terminal.
    pub(crate) fn new(meta: &Meta, limit: Option<u64>) -> Bar {
        let bar = match limit {
            Some(limit) => ProgressBar::new(limit),
            None => ProgressBar::no_length(),
        };
        let template = match limit {
            Some(_) => {
                format!("{{bar:30}} {} {{pos}} of {{len}}{{left}}{{wide_msg}}", meta.turn_name)
            }
            None => format!("{{spinner}} {} {{pos}}, {{elapsed}}{{wide_msg}}", meta.turn_name),
        };
        let style = bar_style(&template);
        bar.set_style(style.with_key("left", time_left));
        tell_above(&bar);
        // By itself, so that it is seen, and its clock runs, while a bot thinks for long.
        keep_drawn(&bar, FLASH);
        Bar { bar, waits: WaitBoard::default() }
    }

    /// Shows how far the match has come.
    pub(crate) fn show(&self, progress: Progress) {
        self.waits.over(0);
        if self.bar.elapsed() > FLASH {
            self.bar.set_position(progress.turn);
        }
    }

    /// Shows which bots the match waits for.
    pub(crate) fn wait(&self, waiting: &Waiting) {
        self.waits.waiting(0, waiting);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Shows the progress of a match, and tells what people should know meanwhile.
pub(crate) struct MatchProgress {
    max_turns: Option<u64>,
    /// How often the match is played at most.
    attempts: usize,
    bar: Option<Bar>,
}

impl MatchProgress {
    /// The progress of a match of at most so many turns, beside the game's own limit.
    pub(crate) fn new(max_turns: Option<u64>, attempts: usize) -> MatchProgress {
        MatchProgress { max_turns, attempts, bar: None }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&mut self) {
        self.bar.take().into_iter().for_each(|bar| bar.clear());
    }
}

impl Observer for MatchProgress {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        // Known once a program has been started.
        tell_what_is_missing();
        let progress = event.game.progress();
        let limit = [progress.limit, self.max_turns].into_iter().flatten().min();
        self.bar.get_or_insert_with(|| Bar::new(&event.game.meta(), limit)).show(progress);
        Ok(Control::Continue)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.bar.iter().for_each(|bar| bar.wait(waiting));
    }

    fn void(&mut self, played: &Played, attempt: u32) -> Result<(), ObserverError> {
        self.clear();
        if let Some(void) = played.result.void {
            let attempts = self.attempts;
            let next = attempt + 1;
            say!("void: {void}; the match is played again ({next} of {attempts}); {VOID_HELP}");
        }
        Ok(())
    }

    fn end(&mut self, _: &Played) -> Result<(), ObserverError> {
        self.clear();
        Ok(())
    }
}

/// The time that a match still takes, once there is anything to judge it by.
fn time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // Fails only if `out` does, and the bar is no place for errors.
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}

/// Where nobody sees a bar, only a wait this long gets a line.
const LINE: Duration = Duration::from_secs(5);

/// Returns the text for the end of a bar.
fn wait_text(waiting: &Waiting) -> String {
    format!(", {}", escape(&waiting.to_string()))
}

/// Returns whether somebody sees a bar.
fn is_seen(bar: &ProgressBar) -> bool {
    !bar.is_hidden() && !bar.is_finished()
}

/// The waits of one match, or of matches that are played side by side. The bar shows the longest;
/// where nobody sees a bar, each long wait gets a line.
#[derive(Debug, Default)]
pub(crate) struct WaitBoard(Mutex<BTreeMap<usize, Entry>>);

/// The wait of the match of one worker.
#[derive(Debug)]
struct Entry {
    waiting: Waiting,
    /// Whether a line told of it.
    is_told: bool,
}

impl WaitBoard {
    /// Notes a wait, or its end. Returns the text for the bar, and a line that is due if there is
    /// no bar.
    fn note(
        &self,
        worker: usize,
        waiting: Option<&Waiting>,
        is_bar_seen: bool,
    ) -> (String, Option<String>) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let was_told = entries.remove(&worker).is_some_and(|entry| entry.is_told);
        let mut line = None;
        if let Some(waiting) = waiting {
            let is_due = !is_bar_seen && !was_told && waiting.waited >= LINE;
            line = is_due.then(|| waiting.to_string());
            let is_told = was_told || is_due;
            entries.insert(worker, Entry { waiting: waiting.clone(), is_told });
        }
        let longest = entries.values().max_by_key(|entry| entry.waiting.waited);
        (longest.map_or_else(String::new, |entry| wait_text(&entry.waiting)), line)
    }

    fn show(&self, worker: usize, waiting: Option<&Waiting>) {
        let bar = shown_bar().filter(is_seen);
        let (text, line) = self.note(worker, waiting, bar.is_some());
        if let Some(bar) = bar {
            bar.set_message(text);
        }
        if let Some(line) = line {
            tell(line);
        }
    }
}

impl WaitWatcher for WaitBoard {
    fn waiting(&self, worker: usize, waiting: &Waiting) {
        self.show(worker, Some(waiting));
    }

    fn over(&self, worker: usize) {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has_waited = entries.contains_key(&worker);
        drop(entries);
        if has_waited {
            self.show(worker, None);
        }
    }
}

/// How other machines fare: notes as lines, their number in the bar.
#[derive(Debug)]
pub(crate) struct RemoteBoard;

impl RemoteWatcher for RemoteBoard {
    fn note(&self, text: &str) {
        tell(format!("{DIM}note: {text}{DIM:#}"));
    }

    fn status(&self, status: Status) {
        let Some(bar) = shown_bar().filter(is_seen) else {
            return;
        };
        bar.set_message(match status.workers {
            0 => ", no worker is there yet".to_owned(),
            workers => format!(", {}", plural(workers.into(), "worker")),
        });
    }
}

#[cfg(test)]
mod tests {
    use agon_match::AwaitedBot;

    use super::*;

    fn waiting(name: &str, seconds: u64) -> Waiting {
        let bots = vec![AwaitedBot { name: name.to_owned(), left: None }];
        Waiting { waited: Duration::from_secs(seconds), bots }
    }

    #[test]
    fn the_bar_shows_the_longest_wait() {
        let board = WaitBoard::default();
        let note = |worker, waiting: Option<Waiting>| board.note(worker, waiting.as_ref(), true).0;
        assert_eq!(note(0, Some(waiting("rosa", 2))), ", waiting for rosa: 2 s so far");
        assert_eq!(note(1, Some(waiting("tom", 1))), ", waiting for rosa: 2 s so far");
        assert_eq!(note(0, None), ", waiting for tom: 1 s so far");
        assert_eq!(note(1, None), "");
    }

    #[test]
    fn without_a_bar_each_long_wait_gets_one_line() {
        let board = WaitBoard::default();
        let line = |worker, seconds: Option<u64>| {
            let waiting = seconds.map(|seconds| waiting("rosa", seconds));
            board.note(worker, waiting.as_ref(), false).1
        };
        let text = Some("waiting for rosa: 6 s so far".to_owned());
        assert_eq!(
            [line(0, Some(4)), line(0, Some(6)), line(0, Some(9))],
            [None, text.clone(), None]
        );
        assert_eq!(line(1, Some(6)), text, "another match");
        assert_eq!(line(0, None), None);
        assert_eq!([line(0, Some(1)), line(0, Some(6))], [None, text], "another wait");
    }

    #[test]
    fn a_name_commands_no_terminal() {
        assert_eq!(wait_text(&waiting("\u{1b}[2J", 2)), ", waiting for \\u001b[2J: 2 s so far");
    }
}
