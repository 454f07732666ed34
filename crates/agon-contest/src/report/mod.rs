//! The report of a tournament: places, ratings with their uncertainty, meetings, faults.
//!
//! `agon tournament` and `agon tournament report` print it, and write it as JSON, CSV or a page.
//!
//! All functions are pure: the same plan and results give the same bytes, at any time of a
//! tournament.
//!
//! | module | contents |
//! | --- | --- |
//! | `document` | [`Report`]: everything, as JSON for programs; [`Csv`]: its tables as files |
//! | `facts` | [`Facts`], [`State`], [`MatchLine`]: the tournament, how far it is, and its matches |
//! | `results` | [`Place`], [`Rating`], [`Progress`], [`Meeting`], [`Matrix`], [`Circle`], [`FaultLine`], [`SeatLine`]: tables, and sums over all matches |
//! | `html` | [`Links`], [`Page`]: the report for people |

mod document;
mod facts;
mod html;
mod results;

pub use document::{Csv, Report, ReportOptions};

#[cfg(feature = "play")]
pub(crate) use facts::listed;
pub use facts::{AbsentBot, Bot, Facts, MatchLine, State, elo_text, percent, points_text};
pub use html::{Links, Page};
pub use results::{
    Circle, FaultLine, Line, Matrix, Meeting, Place, Progress, Rating, SeatLine, TieBreak,
    interval_text,
};
