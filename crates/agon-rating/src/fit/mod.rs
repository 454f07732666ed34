//! Fits strengths: finds the maximum of the likelihood for one group of players.
//!
//! All ratings of a table come from it. Players are numbered 0, 1, 2, … here.
//!
//! | module | noun |
//! | --- | --- |
//! | `choices` | the matches as choices from sets of players |
//! | `luce` | the model: probabilities, means and covariances of a choice |
//! | `sparse` | symmetric matrices with few entries, conjugate gradients |
//! | `newton` | the fit itself |
//! | `dense` | covariances of all estimates |

mod choices;
mod dense;
mod luce;
mod newton;
mod sparse;

pub(crate) use choices::{Choice, Choices, Totals};
pub(crate) use dense::{covariance, dot};
pub(crate) use luce::Moments;
pub(crate) use newton::{Duel, Penalty, Solver};
pub(crate) use sparse::Symmetric;

#[cfg(test)]
mod tests;
