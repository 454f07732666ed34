//! A chart below the board: the players' values over the turns.

mod curves;
mod painting;
mod panel;

pub(super) use panel::ChartPanel;
