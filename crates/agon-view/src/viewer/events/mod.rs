//! The list of events beside the board: moves, losses, changes of the lead, faults.
//!
//! `log` finds the events, `panel` decides which of them are visible, and `painting` draws them.

mod log;
mod painting;
mod panel;

pub(super) use log::EventLog;
pub(super) use panel::EventsPanel;
