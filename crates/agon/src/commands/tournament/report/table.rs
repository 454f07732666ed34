//! The table of a tournament, in a terminal.

use std::io::{self, Write};
use std::iter;

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

/// A cell of the table, with what is known of its column.
struct TableCell {
    column: &'static str,
    /// Left out first where there is little room: the highest.
    rank: u32,
    right: bool,
    text: String,
    style: Style,
}

/// Returns the row of a place. The last cell says what is known of the contents of its bot.
fn row(report: &Report<'_>, place: &Place<'_>) -> Vec<TableCell> {
    let cell = |column, rank, right, text, style| TableCell { column, rank, right, text, style };
    let number = |column, rank, value| cell(column, rank, true, grouped(value), PLAIN);
    let own = match place.disqualified {
        true => ("–".to_owned(), DIM),
        false => (place.place.to_string(), PLAIN),
    };
    let name = match place {
        Place { disqualified: true, .. } => DIM,
        Place { place: 1, .. } => BOLD,
        _ => PLAIN,
    };
    let rating = report.rating(place);
    let (elo, interval, rank) = if rating.is_rated() {
        let rank = match (rating.rank_low, rating.rank_high) {
            (low, high) if low == high => low.to_string(),
            (low, high) => format!("{low}–{high}"),
        };
        ((elo_text(rating.elo), PLAIN), interval_text(rating), rank)
    } else {
        (("–".to_owned(), DIM), String::new(), "–".to_owned())
    };
    let faults = if place.faults > 0 { BAD } else { DIM };
    let bot = report.bots.iter().find(|bot| bot.name == place.bot);
    vec![
        cell("", 0, true, own.0, own.1),
        cell("bot", 0, false, place.bot.to_owned(), name),
        cell("points", 0, true, points_text(place.points), PLAIN),
        cell("Elo", 1, true, elo.0, elo.1),
        cell("95 % interval", 1, false, interval, DIM),
        cell("rank", 5, true, rank, PLAIN),
        number("matches", 4, place.matches),
        number("W", 3, place.wins),
        number("T", 3, place.ties),
        number("L", 3, place.losses),
        cell("faults", 2, true, grouped(place.faults), faults),
        // Why the place is what it is.
        cell("", 6, false, place.reason.clone(), DIM),
        cell("known by", 7, false, bot.map_or_else(String::new, Bot::content), DIM),
    ]
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
    let mut facts = vec![format!("{} over", plural(state.over, "match"))];
    match (state.finished, state.open) {
        (true, _) => facts.push(format!("{GOOD}finished{GOOD:#}")),
        (false, open) if state.more => facts.push(format!("{} to come, then more", grouped(open))),
        (false, open) => facts.push(format!("{} to come", grouped(open))),
    }
    if state.forfeited > 0 {
        facts.push(format!("{} forfeited", grouped(state.forfeited)));
    }
    if state.void_matches > 0 {
        facts.push(format!("{} played again", grouped(state.void_matches)));
    }
    facts.push(format!("seed {}", report.tournament.seed));
    writeln!(out, "{BOLD}{name}{BOLD:#} · {}\n", facts.join(" · "))
}

/// The table, no wider than `width` if that can be.
fn standing(report: &Report<'_>, width: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    let mut rows: Vec<_> = report.standing.iter().map(|place| row(report, place)).collect();
    if report.bots.iter().all(|bot| bot.content().is_empty()) {
        rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    let mut table = table();
    if let Some(first) = rows.first() {
        let widest = |at: usize| rows.iter().map(|row| row[at].text.chars().count()).max();
        let width_of = |(at, cell): (usize, &TableCell)| {
            // A blank on each side.
            widest(at).unwrap_or(0).max(cell.column.chars().count()) + 2
        };
        let widths: Vec<usize> = first.iter().enumerate().map(width_of).collect();
        let ranks: Vec<u32> = first.iter().map(|cell| cell.rank).collect();
        let shown = fitting(&ranks, &widths, width);
        rows.iter_mut().for_each(|row| {
            let mut shown = shown.iter();
            row.retain(|_| shown.next() == Some(&true));
        });
    }
    let styled = |text: &str, style: Style| format!("{style}{text}{style:#}");
    let head = rows.first().into_iter().flatten();
    table.set_header(head.clone().map(|cell| styled(cell.column, DIM)));
    for row in &rows {
        table.add_row(row.iter().map(|TableCell { right, text, style, .. }| {
            let right = if *right { CellAlignment::Right } else { CellAlignment::Left };
            Cell::new(styled(text, *style)).set_alignment(right)
        }));
    }
    for (column, _) in table.column_iter_mut().zip(head).filter(|(_, cell)| cell.right) {
        column.set_cell_alignment(CellAlignment::Right);
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
        let within = plural(line.matches, "match");
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
