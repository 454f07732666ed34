//! The report of a tournament: places, ratings with their uncertainty, meetings, faults.
//!
//! `agon tournament` and `agon tournament report` print it, and write it as JSON, CSV or a page.
//!
//! All functions are pure: the same plan and results give the same bytes, at any time of a
//! tournament.
//!
//! | module | contents |
//! | --- | --- |
//! | `document` | [`Report`]: everything; serialised it is the format for programs |
//! | `facts`, `state` | [`Facts`], [`State`]: the tournament, and how far it is |
//! | `standing` | [`Place`]: the table of the format |
//! | `rating` | [`Rating`]: ratings with intervals, ranks and their probabilities |
//! | `interval` | intervals of ratings in words |
//! | `progress` | [`Progress`]: ratings after more and more matches |
//! | `meeting` | [`Meeting`], [`Matrix`], [`Circle`]: results of pairs, probabilities of superiority, and circles |
//! | `fault` | [`FaultLine`]: faults of bots |
//! | `seat` | [`SeatLine`]: the advantage of a seat |
//! | `worker` | [`WorkerLine`]: whether matches came out the same on all machines |
//! | `warning` | sentences that a reader of the table should know |
//! | `table_file` | [`Csv`]: tables for other programs |
//! | `html` | [`Links`], [`Page`]: the report for people |

mod assembly;
mod document;
mod error;
mod facts;
mod fault;
mod html;
mod interval;
mod match_line;
mod meeting;
mod names;
mod number;
mod progress;
mod rating;
mod seat;
mod standing;
mod state;
mod table_file;
mod warning;
mod worker;

pub use document::{Report, ReportOptions};
pub use error::ReportError;
pub use facts::{AbsentBot, Bot, Facts};
pub use fault::FaultLine;
pub use html::{Links, Page};
pub use interval::interval_text;
pub use match_line::MatchLine;
pub use meeting::{Circle, Matrix, Meeting};
pub use number::{elo_text, percent, points_text};
pub use progress::{Line, Progress};
pub use rating::Rating;
pub use seat::SeatLine;
pub use standing::{Place, TieBreak};
pub use state::State;
pub use table_file::Csv;
pub use worker::{BotDifference, Difference, WorkerLine};
