//! The viewer and the verification of the match that a session shows.
//!
//! A live session has none until its match begins, and a new one whenever it begins again.

use agon_view::App;

use crate::verification::Verification;

/// The visible part of a session.
pub(crate) struct Shown {
    pub(crate) app: Box<dyn App>,
    pub(crate) proof: Box<dyn Verification>,
}
