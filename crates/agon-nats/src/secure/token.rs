//! Signed texts that name an operator, its accounts, and their users: JSON web tokens as NATS wants
//! them (<https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt>).

use std::time::{SystemTime, UNIX_EPOCH};
use std::{collections::BTreeMap, num::NonZero};

use agon_remote::{Role, fresh};
use anyhow::{Context, Result};
use nkeys::KeyPair;
use serde_json::{Value, json};

use super::permissions::permissions;
use crate::nats::{REVOCATIONS_TYPE, ROLE_TAG, claims_in, sign_claims};

/// Seconds of a day.
const DAY: u64 = 24 * 3600;

/// The version of these texts.
const VERSION: u32 = 2;

/// What operator and account are called.
const NAME: &str = "Agon";

/// The texts that a server's configuration has.
pub(super) struct Tokens {
    pub(super) operator: String,
    pub(super) account: String,
    /// That of the account for the server's own messages, which nobody uses.
    pub(super) system: String,
}

impl Tokens {
    pub(super) fn new(operator: &KeyPair, account: &KeyPair, system: &KeyPair) -> Result<Tokens> {
        let of_operator = json!({
            "type": "operator", "version": VERSION, "system_account": system.public_key(),
        });
        Ok(Tokens {
            operator: token(operator, &operator.public_key(), NAME, None, &of_operator)?,
            account: account_token(operator, &account.public_key(), &BTreeMap::new())?,
            system: token(operator, &system.public_key(), "system", None, &of_account(false))?,
        })
    }
}

fn of_account(has_jetstream: bool) -> Value {
    // -1: as much as the server has.
    let mut limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
        "conn": -1, "leaf": -1,
    });
    if has_jetstream {
        for limit in ["mem_storage", "disk_storage", "streams", "consumer"] {
            limits[limit] = json!(-1);
        }
    }
    json!({ "type": "account", "version": VERSION, "limits": limits })
}

/// Returns the text that names the account of all users, with those that are revoked: their public
/// keys, and when that happened, in seconds since 1970.
pub(super) fn account_token(
    operator: &KeyPair,
    account: &str,
    revoked: &BTreeMap<String, u64>,
) -> Result<String> {
    let mut of_account = of_account(true);
    if !revoked.is_empty() {
        of_account["revocations"] = json!(revoked);
    }
    token(operator, account, NAME, None, &of_account)
}

/// Returns the text that tells coordinators who is revoked. They know the key of the account, with
/// which it is signed.
pub(super) fn revocations(account: &KeyPair, revoked: &BTreeMap<String, u64>) -> Result<String> {
    let keys: Vec<&String> = revoked.keys().collect();
    let list = json!({ "type": REVOCATIONS_TYPE, "revoked": keys });
    token(account, &account.public_key(), NAME, None, &list)
}

/// Returns those that a text revokes which names an account.
pub(super) fn revoked_in(account_token: &str) -> Result<BTreeMap<String, u64>> {
    let claims: Value = claims_in(account_token).context("the text of the account is damaged")?;
    match &claims["nats"]["revocations"] {
        Value::Null => Ok(BTreeMap::new()),
        revoked => Ok(serde_json::from_value(revoked.clone())?),
    }
}

/// Returns the public key that has signed a text.
pub(super) fn issuer_of(token: &str) -> Option<String> {
    claims_in::<Value>(token)?["iss"].as_str().map(str::to_owned)
}

/// A user who gets credentials.
pub(super) struct User<'a> {
    pub(super) role: Role,
    pub(super) name: &'a str,
    /// After so many days they expire.
    pub(super) days: Option<NonZero<u32>>,
}

/// Returns the file with the credentials of a new user.
pub(super) fn credentials(account: &KeyPair, of: &User<'_>) -> Result<String> {
    let user = KeyPair::new_user();
    let key = user.public_key();
    let role = of.role.name();
    let (publish, subscribe) = permissions(of.role, &key);
    let of_user = json!({
        "type": "user", "version": VERSION, "subs": -1, "data": -1, "payload": -1,
        "pub": { "allow": publish }, "sub": { "allow": subscribe },
        "tags": [format!("{ROLE_TAG}{role}")],
    });
    let token = token(account, &key, of.name, of.days, &of_user)?;
    let seed = user.seed()?;
    Ok(format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         {role}: keep this file secret.\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    ))
}

/// Returns a text that `issuer` has signed.
fn token(
    issuer: &KeyPair,
    subject: &str,
    name: &str,
    days: Option<NonZero<u32>>,
    nats: &Value,
) -> Result<String> {
    let now = now()?;
    let mut claims = json!({
        "jti": fresh(), "iat": now, "iss": issuer.public_key(), "name": name, "sub": subject,
        "nats": nats,
    });
    if let Some(days) = days {
        claims["exp"] = json!(now + DAY * u64::from(days.get()));
    }
    sign_claims(issuer, &claims)
}

/// Returns the time in seconds since 1970.
pub(super) fn now() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs())
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::nats::{Identity, MOST_HEADERS, expiry_of};

    #[test]
    fn credentials_name_their_user_and_fit_into_the_headers_of_a_message() {
        let account = KeyPair::new_account();
        for &role in Role::value_variants() {
            let (name, days) = ("n".repeat(64), NonZero::new(90));
            let text = credentials(&account, &User { role, name: &name, days }).unwrap();
            assert!(Identity::of(&text).unwrap().is_some());
            let left = expiry_of(&text).unwrap() - now().unwrap();
            assert!((90 * DAY - 60..=90 * DAY).contains(&left), "{left}");
            let token = text.lines().nth(1).unwrap();
            assert!(token.len() < MOST_HEADERS - 1_024, "{role:?}: {}", token.len());
        }
    }

    #[test]
    fn an_account_remembers_who_was_revoked() {
        let [operator, account] = [KeyPair::new_operator(), KeyPair::new_account()];
        let revoked = BTreeMap::from([("UADA".to_owned(), 7)]);
        for revoked in [revoked, BTreeMap::new()] {
            let text = account_token(&operator, &account.public_key(), &revoked).unwrap();
            assert_eq!(revoked_in(&text).unwrap(), revoked);
            assert_eq!(issuer_of(&text), Some(operator.public_key()));
        }
        for wrong in ["", "a", "a.b.c", "ä.ö.ü"] {
            assert!(revoked_in(wrong).is_err() && issuer_of(wrong).is_none(), "{wrong}");
        }
    }
}
