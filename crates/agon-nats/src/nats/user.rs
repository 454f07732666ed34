//! Users of a server who have credentials: signed texts in a file.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;

/// Returns the public key of the user whose credentials these are.
pub(crate) fn user_of(credentials: &str) -> Option<String> {
    let token = credentials.lines().find(|line| line.matches('.').count() == 2)?;
    let claims = URL_SAFE_NO_PAD.decode(token.trim().split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    let user = claims["sub"].as_str()?;
    user.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| user.to_owned())
}

/// Returns the subjects of replies to a user with this public key. Credentials may allow no others,
/// so that nobody reads the replies to others.
pub(crate) fn inbox_of(user: &str) -> String {
    format!("_INBOX.{user}")
}
