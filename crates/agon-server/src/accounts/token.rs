//! Random secrets. The database keeps their digests, so that a copy of it lets nobody in.

use std::{fmt, str::FromStr};

use agon_core::blob::from_hex;

/// Bytes of a secret.
const BYTES: usize = 20;

/// A secret that somebody must know: 20 random bytes, written as 40 digits.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token([u8; BYTES]);

/// The digest of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenDigest([u8; 32]);

impl Token {
    /// Makes a new secret.
    ///
    /// # Panics
    /// If the system gives no random numbers.
    pub(crate) fn fresh() -> Token {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).expect("the system gives random numbers");
        Token(bytes)
    }

    /// Returns its digest.
    pub(crate) fn digest(&self) -> TokenDigest {
        TokenDigest(*blake3::hash(&self.0).as_bytes())
    }

    /// Returns a value for forms, which only pages of this session know.
    ///
    /// It does not reveal the secret: forms may end up in saved pages.
    pub(crate) fn form_value(&self) -> String {
        let key = blake3::derive_key("agon-server forms of a session", &self.0);
        blake3::Hash::from_bytes(key).to_hex()[..32].to_owned()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(secret)")
    }
}

impl FromStr for Token {
    type Err = ();

    fn from_str(text: &str) -> Result<Token, ()> {
        let bytes = from_hex(text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Token).ok_or(())
    }
}

impl TokenDigest {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<TokenDigest> {
        bytes.try_into().ok().map(TokenDigest)
    }

    /// Returns a short name for it in forms, with which nobody can sign in.
    pub(crate) fn name(&self) -> String {
        blake3::hash(&self.0).to_hex()[..16].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_survive_being_written() {
        let token = Token::fresh();
        assert_eq!(token.to_string().parse(), Ok(token.clone()));
        assert_ne!(Token::fresh(), token);
        assert_eq!(format!("{token:?}"), "Token(secret)");
        assert!(!token.form_value().contains(&token.to_string()[..8]));
        for text in ["", "12", &"z".repeat(40), &"1".repeat(41), &"ä".repeat(20)] {
            assert!(text.parse::<Token>().is_err(), "{text}");
        }
    }
}
