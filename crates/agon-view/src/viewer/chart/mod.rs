//! The chart below the board, which the key `c` opens: the players' values over the turns.
//!
//! `curves` collects the values, `panel` decides what is shown, and `painting` draws it. `beside`
//! draws the small curves that are always beside the board.

mod beside;
mod curves;
mod painting;
mod panel;

pub(super) use panel::ChartPanel;
