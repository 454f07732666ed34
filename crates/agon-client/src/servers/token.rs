//! The secret with which a person's requests are signed in.

use std::fmt;

use agon_ladder::api::TOKEN_PREFIX;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// The variable with a token for the server of `AGON_SERVER_URL`.
pub(crate) const TOKEN_VARIABLE: &str = "AGON_TOKEN";

/// The most bytes of a token.
const MAX: usize = 256;

/// A token. Its debug form does not have the secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Token(String);

impl Token {
    /// Reads a token that somebody has pasted.
    ///
    /// # Errors
    /// If the text is no token.
    pub(crate) fn parse(text: &str) -> Result<Token> {
        let text = text.trim();
        let rest = text.strip_prefix(TOKEN_PREFIX).unwrap_or_default();
        let is_token = rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        ensure!(
            !rest.is_empty() && is_token && text.len() <= MAX,
            "this is no token: tokens start with `{TOKEN_PREFIX}`; make one on the page *Account* \
             of the server"
        );
        Ok(Token(text.to_owned()))
    }

    /// Returns whether the environment has a token.
    pub(crate) fn is_in_environment() -> bool {
        agon_sandbox::secret(TOKEN_VARIABLE).is_some_and(|text| !text.is_empty())
    }

    /// Returns the value of the header `Authorization`.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({TOKEN_PREFIX}…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_are_tokens() {
        let token = Token::parse(" agon_0123456789abcdef\n").unwrap();
        assert_eq!(token.header(), "Bearer agon_0123456789abcdef");
        assert!(!format!("{token:?}").contains("0123"));
        for text in ["", "agon_", "secret", "agon_a\r\nX: y", "agon_ä", &"agon_a".repeat(99)] {
            assert!(Token::parse(text).is_err(), "{text}");
        }
    }
}
