//! Ratings.
mod elo;
mod error;
mod fit;
mod graph;
mod normal;
mod options;
mod record;
mod spread;
mod table;
mod tally;

pub use elo::{ELO_PER_NAT, NORMALIZED_ELO_PER_SIGMA, elo_of_score, score_of_elo};
pub use error::RatingError;
pub use graph::Footing;
pub use options::{Anchor, Intervals, Options};
pub use record::Record;
pub use table::{Group, Row, Table, TieOdds, table};
pub use tally::{Tally, tallies};
