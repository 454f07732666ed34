//! Workers and runs for people.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use agon_console::{print_table, table};
use agon_remote::fleet::{RunView, Snapshot, WorkerView, expiring};
use agon_text::{
    escape,
    name::cut,
    number::{duration, grouped, plural},
};
use comfy_table::{Cell, CellAlignment, Table};
use rustix::termios::tcgetwinsize;

/// The most workers, and the most runs, that are shown; JSON has all.
pub(super) const SHOWN: usize = 25;

/// The most bytes of a title or a name.
const WIDTH: usize = 32;

/// The most bytes of a model of processor: people copy it to `--processor`.
const PROCESSOR: usize = 100;

/// Returns how everything stands, with at most so many workers and so many runs. `now` is in
/// seconds since 1970.
pub(super) fn text(title: &str, snapshot: &Snapshot, most: usize, now: u64) -> String {
    let total = &snapshot.total;
    let mut text = format!(
        "{title}\n{}, {} of {} busy, {} matches/s, {} waiting\n",
        plural(total.workers, "worker"),
        total.playing,
        plural(total.slots, "slot"),
        rate(total.per_second),
        plural(total.waiting, "match"),
    );
    if total.workers == 0 {
        text.push_str("no worker has said anything\n");
    }
    if !snapshot.runs.is_empty() {
        let heads = ["run", "lane", "waiting", "for", "at workers", "over", "lost"];
        push(&mut text, &heads, 2, most, snapshot.runs.iter().map(run_row));
    }
    if !snapshot.workers.is_empty() {
        // Those that need a look come first.
        let mut workers: Vec<&WorkerView> = snapshot.workers.iter().collect();
        workers.sort_by_key(|worker| !worker.is_straggler);
        let heads = [
            "worker",
            "busy",
            "matches/s",
            "played",
            "void",
            "faults",
            "refused",
            "longest",
            "speed",
            "processor",
        ];
        push(&mut text, &heads, 1, most, workers.into_iter().map(worker_row));
    }
    if total.stragglers > 0 {
        text.push_str(
            "! marks a worker with a match that runs more than ten times longer than recent ones\n",
        );
    }
    let workers = snapshot.workers.iter();
    if let Some(line) = expiring(workers.map(|of| (of.worker.as_str(), of.expires)), now) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn run_row(run: &RunView) -> Vec<String> {
    vec![
        shown(&run.title),
        run.lane.name().to_owned(),
        count(run.waiting),
        time(run.oldest_ms),
        count(run.at_workers),
        count(run.over),
        count(run.lost),
    ]
}

fn worker_row(worker: &WorkerView) -> Vec<String> {
    let attempts = worker.played.saturating_add(worker.void).max(1);
    let void = 100.0 * worker.void as f64 / attempts as f64;
    let mark = if worker.is_straggler { " !" } else { "" };
    let draining = if worker.is_draining { " (ends)" } else { "" };
    vec![
        format!("{}{draining}", shown(&worker.worker)),
        format!("{}/{}", worker.playing, worker.slots),
        rate(worker.per_second),
        count(worker.played),
        format!("{void:.1} %"),
        count(worker.faults),
        count(worker.refused),
        format!("{}{mark}", time(worker.longest_ms)),
        count(u64::from(worker.speed)),
        cut(&escape(&worker.processor), PROCESSOR).to_owned(),
    ]
}

/// Adds a table, whose columns from `first` on are numbers but for the last one of workers.
fn push(
    text: &mut String,
    heads: &[&str],
    first: usize,
    most: usize,
    rows: impl ExactSizeIterator<Item = Vec<String>>,
) {
    let left = rows.len().saturating_sub(most);
    let mut shown: Table = table();
    let is_number = |at: usize| at >= first && heads[at] != "processor";
    let cell = |(at, text): (usize, String)| {
        let side = if is_number(at) { CellAlignment::Right } else { CellAlignment::Left };
        Cell::new(text).set_alignment(side)
    };
    shown.set_header(heads.iter().map(|head| (*head).to_owned()).enumerate().map(cell));
    for row in rows.take(most) {
        shown.add_row(row.into_iter().enumerate().map(cell));
    }
    let mut bytes = Vec::new();
    print_table(&shown, &mut bytes).expect("memory takes it");
    let _ = write!(text, "\n{}", String::from_utf8_lossy(&bytes));
    if left > 0 {
        let _ = writeln!(text, " and {} more; --json has all", count(left as u64));
    }
}

/// Shows a foreign text in a cell: in one line, and not too long.
fn shown(text: &str) -> String {
    cut(&escape(text), WIDTH).to_owned()
}

fn count(number: u64) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}

fn rate(per_second: f64) -> String {
    match per_second {
        rate if rate >= 100.0 => count(rate as u64),
        rate => format!("{rate:.1}"),
    }
}

fn time(ms: u64) -> String {
    if ms == 0 { "–".to_owned() } else { duration(Duration::from_millis(ms)) }
}

/// Lines of a terminal beside those of workers and runs.
const OTHER_LINES: usize = 12;

/// Returns the time in seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Shows how everything stands in a terminal, in place of what is there. It fits the terminal:
/// otherwise it would scroll each time.
pub(super) fn redraw(title: &str, snapshot: &Snapshot) -> io::Result<()> {
    let (width, height) = size();
    let most = (height.saturating_sub(OTHER_LINES) / 2).clamp(1, SHOWN);
    let text = text(title, snapshot, most, now());
    // To the first column of the first line, and what was there is erased.
    let mut plain = io::stdout();
    write!(plain, "\u{1b}[H\u{1b}[J")?;
    plain.flush()?;
    // Foreign text has no escapes left after this.
    let mut out = agon_console::stdout();
    for line in text.lines().take(height.saturating_sub(1)) {
        let line: String = line.chars().take(width).collect();
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// Returns the columns and lines of the terminal.
fn size() -> (usize, usize) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (usize::from(size.ws_col), usize::from(size.ws_row))
        }
        _ => (80, 24),
    }
}

#[cfg(test)]
mod tests {
    use agon_remote::fleet::{Lane, Totals};

    use super::*;

    fn worker(name: &str, is_straggler: bool) -> WorkerView {
        WorkerView {
            worker: name.to_owned(),
            label: name.to_owned(),
            agon: "1".to_owned(),
            processor: "a processor".to_owned(),
            speed: 1_000,
            since_ms: 0,
            expires: 0,
            slots: 2,
            playing: 1,
            is_draining: name == "bob-1",
            per_second: 1234.5,
            played: 99_000,
            void: 1_000,
            faults: 5,
            refused: 0,
            longest_ms: 0,
            is_straggler,
        }
    }

    fn run() -> RunView {
        RunView {
            run: "0123".to_owned(),
            title: "league".to_owned(),
            lane: Lane::Urgent,
            waiting: 1_024,
            oldest_ms: 12_000,
            at_workers: 7,
            over: 40_211,
            lost: 1,
            forgotten: 0,
        }
    }

    #[test]
    fn people_see_who_works_and_what_waits() {
        let run = run();
        let total = Totals { workers: 2, slots: 4, stragglers: 1, ..Totals::default() };
        let workers = vec![worker("ada-1", false), worker("bob-1", true)];
        let text = text("nats://a", &Snapshot { total, runs: vec![run], workers }, SHOWN, 0);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "2 workers, 0 of 4 slots busy, 0.0 matches/s, 0 matches waiting");
        assert!(lines[4].starts_with(" league  urgent"), "{text}");
        assert!(lines[7].starts_with(" bob-1 (ends)") && lines[7].contains(" – !"), "{text}");
        assert!(lines[8].contains("1.0 %") && lines[8].contains(&grouped(1234)), "{text}");
        assert!(lines[9].starts_with("! marks a worker"), "{text}");
    }

    #[test]
    fn credentials_that_expire_soon_are_named() {
        let day = 24 * 3600;
        let worker = |name: &str, days| WorkerView { expires: days * day, ..worker(name, false) };
        let text = |workers| {
            let snapshot = Snapshot { total: Totals::default(), runs: Vec::new(), workers };
            text("nats://a", &snapshot, SHOWN, 100 * day)
        };
        assert!(!text(vec![worker("ada", 0), worker("bob", 114)]).contains("expire"));
        let two = text(vec![worker("ada", 113), worker("bob", 103), worker("eve", 0)]);
        let line = "the credentials of 2 workers expire within 14 days, those of bob within 3 days";
        assert!(two.contains(line), "{two}");
        assert!(text(vec![worker("ada", 99)]).contains("those of ada within 0 days"));
    }

    #[test]
    fn foreign_names_stay_in_their_line() {
        let ada = worker("ada\n\u{1b}[2J! forged\t", false);
        let (total, runs) = (Totals::default(), Vec::new());
        let text = text("nats://a", &Snapshot { total, runs, workers: vec![ada] }, SHOWN, 0);
        assert!(text.contains("ada\\n") && !text.contains('\u{1b}'), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with('!')), "{text}");
    }

    #[test]
    fn no_table_is_longer_than_people_read() {
        let workers: Vec<_> = (0..1_000).map(|at| worker(&format!("lab-{at}"), false)).collect();
        let snapshot = Snapshot { total: Totals::default(), runs: Vec::new(), workers };
        let text = text("nats://a", &snapshot, SHOWN, 0);
        assert!(text.ends_with(" and 975 more; --json has all\n"), "{text}");
        assert!(text.lines().count() < 40);
    }
}
