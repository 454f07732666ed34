//! The visible part of a session.

use agon_view::App;

use crate::verification::Verification;

/// The visible part of a session.
pub(crate) struct Shown {
    pub(crate) app: Box<dyn App>,
    pub(crate) proof: Box<dyn Verification>,
}
