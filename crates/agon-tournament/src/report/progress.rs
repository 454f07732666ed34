//! Ratings after more and more matches: the lines that the page of a report draws over time.

use agon_rating::{Options, Record, Table, table};
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{ReportError, names::Names, number::rounded};

/// The table of ratings after the first matches of the schedule, after more of them, and so on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Progress<'a> {
    /// The number of completed matches at each point; the last one is now.
    pub matches: Vec<u64>,
    /// A line per bot, best first.
    pub lines: Vec<Line<'a>>,
}

/// The rating of a bot over time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The rating in Elo points at each point. It is `null` until the bot has met, directly or
    /// through others, the largest group of bots.
    pub elo: Vec<Option<f64>>,
    /// The lower ends of the intervals.
    pub low: Vec<Option<f64>>,
    /// The upper ends.
    pub high: Vec<Option<f64>>,
}

/// Returns the number of points of time, which is smaller for large tables: they are slow.
fn points(bots: usize, most: usize) -> usize {
    most.min(match bots {
        0..=100 => 40,
        101..=250 => 20,
        _ => 6,
    })
}

/// Returns ratings at up to `most` points of time; `now` is the table of all records.
pub(crate) fn progress<'a>(
    records: &[Record],
    now: &Table,
    options: &Options,
    most: usize,
    names: &Names<'a>,
) -> Result<Progress<'a>, ReportError> {
    let points = points(names.len(), most).min(records.len());
    // Only the last table needs ranks and matrices.
    let options = Options { samples: 0, matrices: 0, ..*options };
    let mut progress = Progress { matches: Vec::new(), lines: Vec::new() };
    let new_line = |row: &agon_rating::Row| Line {
        bot: names.of(row.player),
        elo: Vec::new(),
        low: Vec::new(),
        high: Vec::new(),
    };
    progress.lines = now.rows.iter().map(new_line).collect();
    for point in 1..=points {
        let matches = records.len() * point / points;
        let then = if point == points { None } else { Some(table(&records[..matches], &options)?) };
        let then = then.as_ref().unwrap_or(now);
        progress.matches.push(matches as u64);
        for (line, row) in progress.lines.iter_mut().zip(&now.rows) {
            let row = then.row(row.player).filter(|row| row.group == 0 && row.tally.matches > 0);
            line.elo.push(row.map(|row| rounded(row.elo, 1)));
            line.low.push(row.map(|row| rounded(row.low, 1)));
            line.high.push(row.map(|row| rounded(row.high, 1)));
        }
    }
    Ok(progress)
}
