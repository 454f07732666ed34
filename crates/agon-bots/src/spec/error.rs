//! Errors in the text that names a bot, such as an open quote.

use agon_text::{NameError, name::cut};
use thiserror::Error;

/// Text that names no bot.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseSpecError {
    /// The text is empty, or ends after `NAME=`.
    #[error("`{0}` names no bot; give a file, a quoted command line or `builtin:NAME`")]
    Empty(String),
    /// A quote is not closed.
    #[error("a quote is not closed in `{0}`")]
    Quote(String),
    /// The name is too long.
    #[error("`{}…` names no bot: {error}", cut(.text, 40))]
    Name {
        /// The given text.
        text: String,
        /// The problem.
        error: NameError,
    },
    /// A parameter of a built-in bot is not of the form `name=value`.
    #[error("`{param}` in `{text}` is not of the form `parameter=value`")]
    Param {
        /// The given text.
        text: String,
        /// The part that is no parameter.
        param: String,
    },
}
