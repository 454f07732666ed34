//! Signed texts that name an operator, its accounts, and their users: JSON web tokens as NATS wants
//! them (<https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt>).

use std::time::{SystemTime, UNIX_EPOCH};

use agon_remote::{Role, fresh};
use anyhow::Result;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use nkeys::KeyPair;
use serde_json::{Value, json};

use super::permissions::permissions;

/// The version of these texts.
const VERSION: u32 = 2;

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
        let name = "Agon";
        Ok(Tokens {
            operator: token(operator, &operator.public_key(), name, &of_operator)?,
            account: token(operator, &account.public_key(), name, &of_account(true))?,
            system: token(operator, &system.public_key(), "system", &of_account(false))?,
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

/// Returns the file with the credentials of a new user.
pub(super) fn credentials(account: &KeyPair, role: Role, name: &str) -> Result<String> {
    let user = KeyPair::new_user();
    let key = user.public_key();
    let (publish, subscribe) = permissions(role, &key);
    let of_user = json!({
        "type": "user", "version": VERSION, "subs": -1, "data": -1, "payload": -1,
        "pub": { "allow": publish }, "sub": { "allow": subscribe },
    });
    let token = token(account, &key, name, &of_user)?;
    let seed = user.seed()?;
    Ok(format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         {}: keep this file secret.\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n",
        role.name()
    ))
}

/// Returns a text that `issuer` has signed.
fn token(issuer: &KeyPair, subject: &str, name: &str, nats: &Value) -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let claims = json!({
        "jti": fresh(), "iat": now, "iss": issuer.public_key(), "name": name, "sub": subject,
        "nats": nats,
    });
    let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let text = format!("{header}.{claims}");
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(text.as_bytes())?);
    Ok(format!("{text}.{signature}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nats::user_of;

    #[test]
    fn credentials_name_their_user_and_are_signed_by_the_account() {
        let account = KeyPair::new_account();
        let text = credentials(&account, Role::Worker, "lab-7").unwrap();
        let user = user_of(&text).unwrap();
        let seed = text.lines().find(|line| line.starts_with("SU")).unwrap();
        assert_eq!(KeyPair::from_seed(seed).unwrap().public_key(), user);
        let token = text.lines().nth(1).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        account.verify(signed.as_bytes(), &signature).unwrap();
        assert!(KeyPair::new_account().verify(signed.as_bytes(), &signature).is_err());
        assert_eq!(user_of("no credentials"), None);
        assert_eq!(user_of("a.b.c"), None);
    }
}
