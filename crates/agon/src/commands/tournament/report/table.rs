//! The table of a tournament, in a terminal.

use std::{
    io::{self, Write},
    iter,
};

use agon_contest::report::{AbsentBot, Bot, Place, Report, elo_text, interval_text, points_text};
use comfy_table::{Cell, CellAlignment};

use crate::output::{
    BAD, BOLD, DIM, GOOD, PLAIN, Style, grouped, plural, print_table, table, wrapped,
};

/// Faults that are listed.
const FAULTS: usize = 12;

/// Bots of which something is told below the table.
const REMARKS: usize = 24;

/// Lines of an error, and of what a bot wrote to stderr.
const ERROR_LINES: usize = 8;

/// A column of the table.
struct Column {
    name: &'static str,
    /// Left out first where there is little room: the highest.
    rank: u32,
    right: bool,
    cell: fn(&Report<'_>, &Place<'_>) -> (String, Style),
}

const COLUMNS: [Column; 11] = [
    Column { name: "", rank: 0, right: true, cell: place },
    Column { name: "bot", rank: 0, right: false, cell: bot },
    Column {
        name: "points",
        rank: 0,
        right: true,
        cell: |_, place| (points_text(place.points), PLAIN),
    },
    Column { name: "Elo", rank: 1, right: true, cell: rating },
    Column { name: "95 % interval", rank: 1, right: false, cell: interval },
    Column { name: "rank", rank: 5, right: true, cell: rank },
    Column { name: "matches", rank: 4, right: true, cell: |_, place| count(place.matches) },
    Column { name: "W", rank: 3, right: true, cell: |_, place| count(place.wins) },
    Column { name: "T", rank: 3, right: true, cell: |_, place| count(place.ties) },
    Column { name: "L", rank: 3, right: true, cell: |_, place| count(place.losses) },
    Column { name: "faults", rank: 2, right: true, cell: faults },
];

/// Why a place is what it is, behind all others.
const WHY: Column =
    Column { name: "", rank: 6, right: false, cell: |_, place| (place.reason.clone(), DIM) };

/// What is known of the contents of the bots, behind all others.
const DIGEST: Column = Column { name: "known by", rank: 7, right: false, cell: digest };

fn digest(report: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    let bot = report.bots.iter().find(|bot| bot.name == place.bot);
    (bot.map_or_else(String::new, Bot::content), DIM)
}

fn count(count: u64) -> (String, Style) {
    (grouped(i64::try_from(count).unwrap_or(i64::MAX)), PLAIN)
}

fn place(_: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    if place.disqualified { ("–".to_owned(), DIM) } else { (place.place.to_string(), PLAIN) }
}

fn bot(_: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    let style = match place {
        Place { disqualified: true, .. } => DIM,
        Place { place: 1, .. } => BOLD,
        _ => PLAIN,
    };
    (place.bot.to_owned(), style)
}

fn rating(report: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    let rating = report.rating(place);
    if rating.is_rated() { (elo_text(rating.elo), PLAIN) } else { ("–".to_owned(), DIM) }
}

fn interval(report: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    let rating = report.rating(place);
    let text = if rating.is_rated() { interval_text(rating) } else { String::new() };
    (text, DIM)
}

fn rank(report: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    let rating = report.rating(place);
    let text = match (rating.rank_low, rating.rank_high) {
        _ if !rating.is_rated() => "–".to_owned(),
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("{low}–{high}"),
    };
    (text, PLAIN)
}

fn faults(_: &Report<'_>, place: &Place<'_>) -> (String, Style) {
    if place.faults > 0 { (count(place.faults).0, BAD) } else { ("0".to_owned(), DIM) }
}

/// Prints the standing with ratings, what a reader should know, and the faults.
pub(super) fn print(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let width =
        terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width));
    head(report, out)?;
    standing(report, width, out)?;
    let width = width.unwrap_or(100).clamp(40, 100);
    remarks(report, width, out)?;
    if let Some(verdict) = &report.verdict {
        writeln!(out)?;
        wrapped(verdict, width).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    if !report.warnings.is_empty() {
        writeln!(out)?;
    }
    let circles = report.circles.iter().map(|circle| &circle.text);
    for warning in report.warnings.iter().chain(circles) {
        let lines = wrapped(warning, width - 9);
        for (line, mark) in lines.iter().zip(iter::once("warning:").chain(iter::repeat("        ")))
        {
            writeln!(out, "{BAD}{mark}{BAD:#} {line}")?;
        }
    }
    fault_lines(report, width, out)
}

fn head(report: &Report<'_>, out: &mut impl Write) -> io::Result<()> {
    let state = &report.state;
    let tournament = &report.tournament;
    let kind = format!("{}, {}", tournament.game, tournament.format_words());
    let name = tournament.title.map_or(kind.clone(), |title| format!("{title}: {kind}"));
    let matches = if state.over == 1 {
        "1 match".to_owned()
    } else {
        format!("{} matches", count(state.over).0)
    };
    let mut facts = vec![format!("{matches} over")];
    match (state.finished, state.open) {
        (true, _) => facts.push(format!("{GOOD}finished{GOOD:#}")),
        (false, open) if state.more => facts.push(format!("{} to come, then more", count(open).0)),
        (false, open) => facts.push(format!("{} to come", count(open).0)),
    }
    if state.forfeited > 0 {
        facts.push(format!("{} forfeited", count(state.forfeited).0));
    }
    if state.void_matches > 0 {
        facts.push(format!("{} played again", count(state.void_matches).0));
    }
    facts.push(format!("seed {}", report.tournament.seed));
    writeln!(out, "{BOLD}{name}{BOLD:#} · {}\n", facts.join(" · "))
}

/// The table, no wider than `width` if that can be.
fn standing(report: &Report<'_>, width: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    let known = report.bots.iter().any(|bot| !bot.content().is_empty());
    let columns: Vec<&Column> =
        COLUMNS.iter().chain([&WHY]).chain(known.then_some(&DIGEST)).collect();
    let cells: Vec<Vec<(String, Style)>> = report
        .standing
        .iter()
        .map(|place| columns.iter().map(|column| (column.cell)(report, place)).collect())
        .collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| {
            let widest = cells.iter().map(|row| row[at].0.chars().count()).max().unwrap_or(0);
            // A blank on each side.
            widest.max(columns[at].name.chars().count()) + 2
        })
        .collect();
    let ranks: Vec<u32> = columns.iter().map(|column| column.rank).collect();
    let shown = fitting(&ranks, &widths, width);
    let mut table = table();
    let chosen = || (0..columns.len()).filter(|&at| shown[at]);
    let styled = |text: &str, style: Style| format!("{style}{text}{style:#}");
    table.set_header(chosen().map(|at| styled(columns[at].name, DIM)));
    for row in &cells {
        table.add_row(chosen().map(|at| {
            let (text, style) = &row[at];
            let right = if columns[at].right { CellAlignment::Right } else { CellAlignment::Left };
            Cell::new(styled(text, *style)).set_alignment(right)
        }));
    }
    for (column, at) in table.column_iter_mut().zip(chosen().collect::<Vec<_>>()) {
        if columns[at].right {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    print_table(&table, out)
}

/// Which columns fit; those of rank 0 stay in any case.
fn fitting(ranks: &[u32], widths: &[usize], width: Option<usize>) -> Vec<bool> {
    let mut most = ranks.iter().copied().max().unwrap_or(0);
    let total = |most: u32| -> usize {
        ranks.iter().zip(widths).filter(|(rank, _)| **rank <= most).map(|(_, width)| width).sum()
    };
    while most > 0 && width.is_some_and(|width| total(most) > width) {
        most -= 1;
    }
    ranks.iter().map(|&rank| rank <= most).collect()
}

/// Prints what is told of bots beside the table: who is left out, who is out, and why.
fn remarks(report: &Report<'_>, width: usize, out: &mut impl Write) -> io::Result<()> {
    let mut paragraphs: Vec<(&str, String)> = Vec::new();
    for bot in &report.bots {
        let told = [("disqualified", bot.disqualified), ("withdrawn", bot.withdrawn)];
        for (word, reason) in told {
            paragraphs.extend(reason.map(|reason| (bot.name, format!("{word}: {reason}"))));
        }
    }
    let left_out = |bot: &AbsentBot<'_>| {
        let what = if bot.forfeits { "forfeits what it has not played" } else { "did not play" };
        format!("{what}: {}", bot.error)
    };
    paragraphs.extend(report.absent.iter().map(|bot| (bot.name, left_out(bot))));
    if paragraphs.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    for (name, text) in paragraphs.iter().take(REMARKS) {
        let mut lines = text.lines().take(ERROR_LINES);
        writeln!(out, "{BOLD}{name}{BOLD:#} {}", lines.next().unwrap_or_default())?;
        for line in lines.flat_map(|line| wrapped(line, width - 4)) {
            writeln!(out, "    {DIM}{line}{DIM:#}")?;
        }
        if text.lines().count() > ERROR_LINES {
            writeln!(out, "    {DIM}...{DIM:#}")?;
        }
    }
    if paragraphs.len() > REMARKS {
        writeln!(out, "{DIM}and {} more: --json lists all{DIM:#}", paragraphs.len() - REMARKS)?;
    }
    Ok(())
}

fn fault_lines(report: &Report<'_>, width: usize, out: &mut impl Write) -> io::Result<()> {
    if report.faults.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BAD}faults{BAD:#}")?;
    for line in report.faults.iter().take(FAULTS) {
        let times = plural(line.count, "time");
        let within = if line.matches == 1 {
            "1 match".to_owned()
        } else {
            format!("{} matches", count(line.matches).0)
        };
        writeln!(out, "  {BOLD}{}{BOLD:#} {}, {times} in {within}", line.bot, line.kind.words())?;
        let first = line.examples.first().map(|id| format!("{id}: ")).unwrap_or_default();
        for text in wrapped(&format!("{first}{}", line.text), width - 4) {
            writeln!(out, "    {DIM}{text}{DIM:#}")?;
        }
        let stderr: Vec<&str> = line.stderr.lines().collect();
        for text in &stderr[stderr.len().saturating_sub(ERROR_LINES)..] {
            writeln!(out, "    {DIM}stderr:{DIM:#} {text}")?;
        }
    }
    if report.faults.len() > FAULTS {
        writeln!(out, "  {DIM}and more: --csv faults lists all{DIM:#}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_least_goes_first() {
        let ranks = [0, 1, 2, 2];
        let widths = [10, 10, 10, 10];
        assert_eq!(fitting(&ranks, &widths, None), [true; 4]);
        assert_eq!(fitting(&ranks, &widths, Some(40)), [true; 4]);
        assert_eq!(fitting(&ranks, &widths, Some(39)), [true, true, false, false]);
        assert_eq!(fitting(&ranks, &widths, Some(3)), [true, false, false, false]);
    }
}
