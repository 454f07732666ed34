//! Rows of a table beside the truth, for the counts of this example.

use agon_rating::{Footing, Row, Table};

/// A bot's row with the truth.
pub(crate) struct Judged<'a> {
    /// The row of the table.
    pub(crate) row: &'a Row,
    /// The true rating, relative to the same bots as the table's.
    pub(crate) truth: f64,
    /// Whether the interval contains the true rating.
    pub(crate) holds: bool,
}

/// Returns all bots, ordered by true strength, the strongest first.
///
/// `strengths` are in nats, by number. All bots of the first group met.
pub(crate) fn judged<'a>(strengths: &[f64], table: &'a Table) -> Vec<Judged<'a>> {
    let is_firm = |row: &&Row| row.footing == Footing::Firm && row.group == 0;
    let mut base: Vec<usize> = table.rows.iter().filter(is_firm).map(|row| row.player).collect();
    if base.is_empty() {
        base = (0..strengths.len()).collect();
    }
    let level = base.iter().map(|&player| strengths[player]).sum::<f64>() / base.len() as f64;
    let mut order: Vec<usize> = (0..strengths.len()).collect();
    order.sort_by(|&one, &other| strengths[other].total_cmp(&strengths[one]));
    let judge = |player: usize| {
        let row = table.row(player).expect("all bots are in the table");
        let truth = table.groups[0].elo_per_nat * (strengths[player] - level);
        let open_above = matches!(row.footing, Footing::OpenAbove | Footing::Open);
        let open_below = matches!(row.footing, Footing::OpenBelow | Footing::Open);
        let holds = (open_below || row.low <= truth) && (open_above || truth <= row.high);
        Judged { row, truth, holds }
    };
    order.into_iter().map(judge).collect()
}
