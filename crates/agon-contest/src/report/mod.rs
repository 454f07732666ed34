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
//! | `facts` | [`Facts`], [`State`], [`MatchLine`]: the tournament, how far it is, and its matches |
//! | `results` | [`Place`], [`Rating`], [`Progress`], [`Meeting`], [`Matrix`], [`Circle`], [`FaultLine`], [`SeatLine`]: tables, and sums over all matches |
//! | `worker` | [`WorkerLine`]: whether matches came out the same on all machines |
//! | `table_file` | [`Csv`]: tables for other programs |
//! | `html` | [`Links`], [`Page`]: the report for people |

mod document;
mod facts;
mod html;
mod number;
mod results;
mod table_file;
mod worker;

pub use document::{Report, ReportOptions};
pub use facts::{AbsentBot, Bot, Facts, MatchLine, State};
pub use html::{Links, Page};
#[cfg(feature = "play")]
pub(crate) use number::listed;
pub use number::{elo_text, percent, points_text};
pub use results::{
    Circle, FaultLine, Line, Matrix, Meeting, Place, Progress, Rating, SeatLine, TieBreak,
    interval_text,
};
pub use table_file::Csv;
pub use worker::{BotDifference, Difference, WorkerLine};
