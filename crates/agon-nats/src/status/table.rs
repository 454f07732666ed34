//! Workers and runs for people.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agon_console::{print_table, table};
use agon_core::text::number::{duration, grouped, plural};
use agon_core::{text::escape, text::name::cut};
use agon_remote::expiring;
use comfy_table::{Cell, CellAlignment, Table};
use rustix::termios::tcgetwinsize;

use super::overview::{RunView, Snapshot, WorkerView};

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
        grouped(run.waiting),
        time(run.oldest_ms),
        grouped(run.at_workers),
        grouped(run.over),
        grouped(run.lost),
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
        grouped(worker.played),
        format!("{void:.1} %"),
        grouped(worker.faults),
        grouped(worker.refused),
        format!("{}{mark}", time(worker.longest_ms)),
        grouped(u64::from(worker.speed)),
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
        let _ = writeln!(text, " and {} more; --json has all", grouped(left as u64));
    }
}

/// Shows a foreign text in a cell: in one line, and not too long.
fn shown(text: &str) -> String {
    cut(&escape(text), WIDTH).to_owned()
}

fn rate(per_second: f64) -> String {
    match per_second {
        rate if rate >= 100.0 => grouped(rate as u64),
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
    use agon_remote::fleet::Lane;

    use super::*;
    use crate::status::overview::{Totals, tests};

    fn worker(name: &str) -> WorkerView {
        WorkerView::of(&tests::worker(name, 99, 0))
    }

    fn shown_text(runs: Vec<RunView>, workers: Vec<WorkerView>) -> String {
        let count = workers.len() as u64;
        let total = Totals { workers: count, slots: 2 * count, stragglers: 1, ..Totals::default() };
        text("nats://a", &Snapshot { total, runs, workers }, SHOWN, 100 * 24 * 3600)
    }

    #[test]
    fn people_see_who_works_and_what_waits() {
        let run = RunView::of(&tests::run("league", Lane::Urgent));
        let bob = WorkerView {
            is_draining: true,
            is_straggler: true,
            expires: 113 * 24 * 3600,
            ..worker("bob-1")
        };
        let ada = WorkerView { per_second: 1234.5, ..worker("ada\n\u{1b}[2J! forged\t") };
        let text = shown_text(vec![run], vec![ada, bob]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "2 workers, 0 of 4 slots busy, 0.0 matches/s, 0 matches waiting");
        assert!(lines[4].starts_with(" league  urgent"), "{text}");
        assert!(lines[7].starts_with(" bob-1 (ends)") && lines[7].contains(" – !"), "{text}");
        assert!(lines[8].contains("1.0 %") && lines[8].contains(&grouped(1234)), "{text}");
        // A foreign name stays in its line.
        assert!(lines[8].starts_with(" ada\\n") && !text.contains('\u{1b}'), "{text}");
        assert!(lines[9].starts_with("! marks a worker"), "{text}");
        let expected =
            "the credentials of a worker expire within 14 days, those of bob-1 within 13";
        assert!(lines[10].starts_with(expected), "{text}");
    }

    #[test]
    fn no_table_is_longer_than_people_read() {
        let text = shown_text(Vec::new(), (0..1_000).map(|at| worker(&at.to_string())).collect());
        assert!(text.contains(" and 975 more; --json has all\n"), "{text}");
        assert!(text.lines().count() < 40);
    }
}
