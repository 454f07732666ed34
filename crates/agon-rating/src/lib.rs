//! Ratings and tests from results of matches, for two players and for many.
//!
//! Reports of tournaments rate bots with it, and ladders choose matches by its skills.
//! `agon compare` and `agon tune` judge differences between versions with its tests and intervals.
//!
//! All functions are pure: they depend only on results, without I/O, clock or threads. Random
//! numbers are drawn from a [`Seed`](struct@agon_core::Seed), so the same input gives the same
//! output.
//!
//! | I want | use |
//! | --- | --- |
//! | to say how a match ended | [`Record`] |
//! | a table to publish: ratings, intervals, ranks, who is better than whom | [`table()`] with [`Options`], which makes a [`Table`] of [`Row`]s |
//! | the same from millions of matches, as counts for each pair | [`Counts`] |
//! | counts without a model, as wins and mean places | [`Row::tally`], [`tallies`] |
//! | who beat whom | [`HeadToHead`] |
//! | the mean of scores from 0 to 1 with an interval | [`MeanInterval`] |
//! | to warn of A > B > C > A | [`cycles`] |
//! | to know whether a new version is better, two players in pairs | [`DuelTest`] |
//! | the same from counts alone, with approximate errors | [`Sprt`] with a [`Pentanomial`] |
//! | the same with more players | [`PairedTest`] on [`differences`] |
//! | ratings during play, and which match to play next | [`Skills`] |
//!
//! # A table
//! ```
//! use agon_rating::{HeadToHead, Options, Record, cycles, table};
//!
//! // Players are numbers. Three matches of three, of which the last ended in a tie for the first
//! // place, and two duels.
//! let records = [
//!     Record::new(&[0, 1, 2], &[1, 2, 3]),
//!     Record::new(&[0, 1, 2], &[2, 1, 3]),
//!     Record::new(&[2, 0, 1], &[1, 1, 3]),
//!     Record::win(0, 1),
//!     Record::tie(1, 2),
//! ];
//! let names = ["ant", "bee", "cat"];
//! let table = table(&records, &Options::default())?;
//! for row in &table.rows {
//!     println!(
//!         "{}. {}: {:.0} ({:.0} to {:.0}), {} wins in {} matches",
//!         row.rank, names[row.player], row.elo, row.low, row.high,
//!         row.tally.wins, row.tally.matches,
//!     );
//! }
//! assert_eq!(table.rows[0].player, 0);
//! assert!(table.superiority(0, 2).unwrap() > 0.6);
//! assert_eq!(cycles(&HeadToHead::new(&records)?, 0.95, 10), []);
//! # Ok::<(), agon_rating::RatingError>(())
//! ```
//!
//! # Is the new version better?
//! ```
//! use agon_rating::{Decision, DuelTest, EloModel, PairedTest, Pentanomial, Sprt};
//!
//! // Two players, pairs of matches with seats exchanged: 0, ½, 1, 1½ or 2 points for the new
//! // version. Errors, estimate and interval hold at the stop.
//! let mut run = DuelTest::new(0.0, 10.0, 0.05, 0.05, EloModel::Logistic)?.run();
//! while run.decision() == Decision::Continue {
//!     // It wins both matches of each pair.
//!     run.push(4)?;
//! }
//! let estimate = run.report().estimate.expect("there are pairs");
//! println!("{:.1} Elo ({:.1} to {:.1})", estimate.elo, estimate.elo_low, estimate.elo_high);
//! assert_eq!(run.decision(), Decision::AcceptH1);
//!
//! // The same from counts, with a look after each pair.
//! let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, EloModel::Logistic)?;
//! assert_eq!(sprt.decide(&Pentanomial([150, 300, 800, 370, 200])), Decision::AcceptH1);
//!
//! // More players: both versions play the same seeds in the same field; differences of their
//! // scores.
//! let test = PairedTest::new(0.0, 0.05, 0.05, 0.05)?;
//! assert_eq!(test.decide(&[0.0, 0.5, -0.25])?.decision, Decision::Continue);
//! # Ok::<(), agon_rating::RatingError>(())
//! ```
//!
//! # Which match next?
//! ```
//! use agon_rating::{Record, Skills};
//!
//! let mut skills = Skills::new(4);
//! skills.update(&Record::new(&[0, 1, 2], &[1, 2, 3]))?;
//! // The fourth is unknown: a match with it reveals more than one between known players.
//! assert!(skills.information(&[1, 3])? > skills.information(&[0, 2])?);
//! # Ok::<(), agon_rating::RatingError>(())
//! ```

mod bets;
mod counts;
mod duel;
mod elo;
mod fit;
mod graph;
mod group;
mod head_to_head;
mod likelihood;
mod mean;
mod normal;
mod paired;
mod record;
mod sprt;
mod table;
pub mod tune;
mod weng_lin;

pub use counts::Counts;
pub use duel::{DuelEstimate, DuelReport, DuelRun, DuelTest};
pub use elo::{ELO_PER_NAT, NORMALIZED_ELO_PER_SIGMA, elo_of_score, score_of_elo};
pub use graph::Footing;
pub use group::{Group, TieOdds};
pub use head_to_head::{Cycle, HeadToHead, Meetings, cycle_confidence, cycles};
pub use mean::MeanInterval;
pub use normal::half_width;
pub use paired::{PairedReport, PairedRun, PairedTest, differences};
pub use record::{RatingError, Record};
pub use sprt::{Decision, EloModel, Pentanomial, Sprt};
pub use table::{Anchor, Options, Row, Table, Tally, table, tallies};
pub use weng_lin::{Skill, Skills};
