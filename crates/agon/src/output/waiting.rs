//! Shows on stderr which bots a match waits for: in the bar, or in a line where nobody sees a bar.
//!
//! `progress` shows it for a single match, and [`WaitBoard`] for the matches of a tournament.

use std::{
    cell::Cell,
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use agon_arena::WaitWatcher;
use agon_core::text::escape;
use agon_match::Waiting;
use indicatif::ProgressBar;

use super::tell::{shown_bar, tell};

/// Where nobody sees a bar, only a wait this long gets a line.
const LINE: Duration = Duration::from_secs(5);

/// Returns the text for the end of a bar.
fn text(waiting: &Waiting) -> String {
    format!(", {}", escape(&waiting.to_string()))
}

/// Returns whether somebody sees a bar.
fn is_seen(bar: &ProgressBar) -> bool {
    !bar.is_hidden() && !bar.is_finished()
}

/// The part of a bar that shows the waits of one match.
#[derive(Debug, Default)]
pub(super) struct WaitPart {
    is_shown: Cell<bool>,
    /// Whether a line told of the current wait.
    is_told: Cell<bool>,
}

impl WaitPart {
    /// Shows the bots that the match waits for.
    pub(super) fn show(&self, bar: &ProgressBar, waiting: &Waiting) {
        if is_seen(bar) {
            self.is_shown.set(true);
            bar.set_message(text(waiting));
        } else if waiting.waited >= LINE && !self.is_told.replace(true) {
            say!("{waiting}");
        }
    }

    /// The wait is over.
    pub(super) fn clear(&self, bar: &ProgressBar) {
        self.is_told.set(false);
        if self.is_shown.replace(false) {
            bar.set_message("");
        }
    }
}

/// The waits of matches that are played side by side. The bar shows the longest.
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
        (longest.map_or_else(String::new, |entry| text(&entry.waiting)), line)
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
        self.show(worker, None);
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
        assert_eq!(text(&waiting("\u{1b}[2J", 2)), ", waiting for \\u001b[2J: 2 s so far");
    }
}
