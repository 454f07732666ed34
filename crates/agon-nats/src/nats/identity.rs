//! Who has sent a message: each sender signs with the key of its credentials.
//!
//! The permissions of a server do not say who has sent a message. The server publishes the reply to
//! a request at any subject that the request names, so a user can have stored messages appear where
//! it may not publish itself. A signature says whose the bytes are, and for what they were meant.
//! It stands in the message's headers, with the text (JWT) in which the account names the sender,
//! its key and its role.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_match::spec::Digest;
use agon_remote::Role;
use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use clap::ValueEnum;
use nkeys::{KeyPair, KeyPairType};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use thiserror::Error;

/// The header with the text that names the sender.
pub(crate) const TOKEN: &str = "Agon-Token";

/// The header with the sender's signature.
pub(crate) const SIGNATURE: &str = "Agon-Signature";

/// Begins the tag of a text that names the role of its user.
pub(crate) const ROLE_TAG: &str = "agon-role:";

/// The file in which the account names those whose credentials were revoked. `agon worker secure`
/// writes it, and coordinators read it beside their credentials.
pub(crate) const REVOCATIONS: &str = "revocations.jwt";

/// The type of the text in this file.
pub(crate) const REVOCATIONS_TYPE: &str = "agon-revocations";

/// The most bytes that both headers add to a message.
pub(crate) const MOST_HEADERS: usize = 8 << 10;

/// The most bytes of a text that names a sender.
const MOST_TOKEN: usize = MOST_HEADERS - 512;

/// The length of a public key.
const PUBLIC_KEY: usize = 56;

/// The length of a secret key.
const SEED: usize = 58;

/// The most senders that are remembered.
const MOST_SENDERS: usize = 4_096;

/// What a message is for. A signature for another purpose does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose<'a> {
    /// A worker's results for a run.
    Results { run: &'a str },
    /// A worker says that it lives.
    Beat,
    /// A coordinator's matches.
    Batch,
    /// A coordinator leads a run.
    Lead { run: &'a str },
}

impl Purpose<'_> {
    /// Returns what is signed: Ed25519 reads a text twice, slowly, so of a message it reads the
    /// digest alone.
    fn text(self, payload: &[u8]) -> Vec<u8> {
        let (name, run) = match self {
            Purpose::Results { run } => ("agon results", run),
            Purpose::Beat => ("agon beat", ""),
            Purpose::Batch => ("agon batch", ""),
            Purpose::Lead { run } => ("agon lead", run),
        };
        format!("{name}\0{run}\0{}", Digest::of(payload)).into_bytes()
    }

    /// Returns the role of those who send such messages.
    fn role(self) -> Role {
        match self {
            Purpose::Batch | Purpose::Lead { .. } => Role::Coordinator,
            Purpose::Results { .. } | Purpose::Beat => Role::Worker,
        }
    }
}

/// Why a message does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub(crate) enum Refusal {
    #[error(
        "it is not signed. Its sender has no credentials, or old ones: write new ones (`agon \
         worker credential`), and use the same version of Agon everywhere"
    )]
    Unsigned,
    /// The account of these credentials has not named the sender.
    #[error(
        "its sender's credentials are not of the same folder as these. Write them again (`agon \
         worker credential`)"
    )]
    Stranger,
    /// The sender's credentials have expired, or are not yet valid.
    #[error(
        "its sender's credentials have expired. Write new ones (`agon worker credential`), and \
         check the clocks of both machines"
    )]
    Expired,
    /// The account has revoked the sender's credentials.
    #[error(
        "its sender's credentials were revoked. The server still takes them: have it read its \
         configuration again (`nats-server --signal reload`)"
    )]
    Revoked,
    /// The sender has a role that sends no such message.
    #[error(
        "its sender has credentials of another role. Give it those of its own (`agon worker \
         credential --help`)"
    )]
    Role,
    /// The signature is not one of the sender for these bytes.
    #[error("its signature is wrong. Somebody may be trying to send messages as another one")]
    Forged,
}

/// What is said in a text that names a user.
#[derive(Debug, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    /// In seconds since 1970; 0 is none, as in NATS.
    #[serde(default)]
    nbf: u64,
    #[serde(default)]
    exp: u64,
    nats: About,
}

#[derive(Debug, Deserialize)]
struct About {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    tags: Vec<String>,
    /// The public keys of those whose credentials were revoked.
    #[serde(default)]
    revoked: BTreeSet<String>,
}

/// Returns what is said in a text (JWT), whoever has signed it.
pub(crate) fn claims_in<T: DeserializeOwned>(token: &str) -> Option<T> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice(&claims).ok()
}

/// Returns a text (JWT) that `issuer` has signed.
pub(crate) fn sign_claims(issuer: &KeyPair, claims: &Value) -> Result<String> {
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let [header, claims] = [&header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let text = format!("{header}.{claims}");
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(text.as_bytes())?);
    Ok(format!("{text}.{signature}"))
}

impl Claims {
    /// Returns what is said in credentials.
    fn of_credentials(credentials: &str) -> Option<Claims> {
        claims_in(token_of(credentials)?)
    }

    /// Returns the name of the role, whether this Agon has it or not.
    fn role_name(&self) -> Option<String> {
        // NATS writes tags in small letters, whoever has chosen them.
        self.nats.tags.iter().find_map(|tag| {
            let tag = tag.to_lowercase();
            tag.strip_prefix(ROLE_TAG).map(str::to_owned)
        })
    }

    fn role(&self) -> Option<Role> {
        let role = self.role_name()?;
        Role::value_variants().iter().copied().find(|known| known.name() == role)
    }
}

/// Returns the text in credentials that names their user.
fn token_of(credentials: &str) -> Option<&str> {
    let token = credentials.lines().find(|line| line.matches('.').count() == 2)?;
    Some(token.trim())
}

/// Returns the public key of the user whose credentials these are.
pub(crate) fn user_of(credentials: &str) -> Option<String> {
    let user = Claims::of_credentials(credentials)?.sub;
    user.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(user)
}

/// Returns the subjects of replies to a user with this public key. Credentials may allow no others,
/// so that nobody reads the replies to others.
pub(crate) fn inbox_of(user: &str) -> String {
    format!("_INBOX.{user}")
}

/// Returns when credentials expire, in seconds since 1970; `None` if they do not.
pub(crate) fn expiry_of(credentials: &str) -> Option<u64> {
    Claims::of_credentials(credentials).map(|claims| claims.exp).filter(|exp| *exp > 0)
}

/// Reads a public key; `nkeys` panics at texts that are too short.
fn public_key(text: &str) -> Option<KeyPair> {
    (text.len() == PUBLIC_KEY).then(|| KeyPair::from_public_key(text).ok()).flatten()
}

/// A user whom the account has named.
struct Sender {
    user: String,
    role: Role,
    key: KeyPair,
    from: u64,
    /// 0 is never.
    until: u64,
}

/// The user of this process, who signs, and knows the signatures of others.
pub(crate) struct Identity {
    token: String,
    key: KeyPair,
    /// The account that names all users.
    account: KeyPair,
    /// By the texts that name them.
    senders: Mutex<HashMap<String, Arc<Sender>>>,
    /// The public keys of those whose credentials were revoked.
    revoked: Mutex<BTreeSet<String>>,
}

impl Identity {
    /// Returns the user of credentials; `None` if they have no role, as those of a server that was
    /// not set up by `agon worker secure`.
    ///
    /// # Errors
    /// If they have a role, but no key, or a role that this Agon does not have.
    pub(crate) fn of(credentials: &str) -> Result<Option<Identity>> {
        let Some(token) = token_of(credentials) else { return Ok(None) };
        let Some(claims) = claims_in::<Claims>(token) else { return Ok(None) };
        let Some(role) = claims.role_name() else { return Ok(None) };
        ensure!(
            claims.role().is_some(),
            "this Agon has no role `{}`; have the organiser write new credentials (`agon worker \
             credential`)",
            agon_core::text::escape(&role)
        );
        let is_seed = |line: &&str| line.len() == SEED && line.starts_with("SU");
        let seed = credentials.lines().map(str::trim).find(is_seed);
        let key = seed.and_then(|seed| KeyPair::from_seed(seed).ok()).context("no key")?;
        ensure!(key.public_key() == claims.sub, "the key is that of another user");
        let account = public_key(&claims.iss).context("no account")?;
        Ok(Some(Identity {
            token: token.to_owned(),
            key,
            account,
            senders: Mutex::default(),
            revoked: Mutex::default(),
        }))
    }

    /// Returns the two headers of a message, the token and the signature.
    pub(crate) fn sign(&self, purpose: Purpose<'_>, payload: &[u8]) -> (&str, String) {
        let signature = self.key.sign(&purpose.text(payload)).expect("it has the secret key");
        (&self.token, STANDARD.encode(signature))
    }

    /// Checks who has sent a message, by its token and signature. `now` is in seconds since 1970.
    ///
    /// # Errors
    /// If it does not count.
    pub(crate) fn verify(
        &self,
        now: u64,
        purpose: Purpose<'_>,
        payload: &[u8],
        headers: Option<(&str, &str)>,
    ) -> Result<(), Refusal> {
        let (token, signature) = headers.ok_or(Refusal::Unsigned)?;
        let sender = self.sender(token).ok_or(Refusal::Stranger)?;
        if now < sender.from || (sender.until > 0 && now >= sender.until) {
            return Err(Refusal::Expired);
        }
        if self.revoked().contains(&sender.user) {
            return Err(Refusal::Revoked);
        }
        if sender.role != purpose.role() {
            return Err(Refusal::Role);
        }
        let signature = STANDARD.decode(signature).map_err(|_| Refusal::Forged)?;
        let verified = sender.key.verify(&purpose.text(payload), &signature);
        verified.map_err(|_| Refusal::Forged)
    }

    /// Takes a newer list of those whose credentials were revoked.
    ///
    /// # Errors
    /// If the account has not signed it, or it lacks somebody whom the list before names.
    pub(crate) fn take_revocations(&self, list: &str) -> Result<()> {
        let claims = self.claims(list.trim());
        let about = claims.map(|claims| claims.nats).filter(|of| of.kind == REVOCATIONS_TYPE);
        let new = about.context("the account of these credentials has not signed it")?.revoked;
        let mut revoked = self.revoked();
        ensure!(new.is_superset(&revoked), "it is older than the list that this run has read");
        *revoked = new;
        Ok(())
    }

    fn revoked(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the account says in a text that it has signed.
    fn claims(&self, text: &str) -> Option<Claims> {
        let (signed, signature) = text.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.account.verify(signed.as_bytes(), &signature).ok()?;
        claims_in::<Claims>(text).filter(|claims| claims.iss == self.account.public_key())
    }

    /// Returns the user whom a text of this account names.
    fn sender(&self, token: &str) -> Option<Arc<Sender>> {
        if token.len() > MOST_TOKEN {
            return None;
        }
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = senders.get(token) {
            return Some(Arc::clone(sender));
        }
        let claims = self.claims(token).filter(|claims| claims.nats.kind == "user")?;
        let key = public_key(&claims.sub)?;
        let is_user = key.key_pair_type() == KeyPairType::User;
        let sender = Arc::new(Sender {
            role: claims.role().filter(|_| is_user)?,
            user: claims.sub,
            key,
            from: claims.nbf,
            until: claims.exp,
        });
        if senders.len() >= MOST_SENDERS {
            // They are found again.
            senders.clear();
        }
        senders.insert(token.to_owned(), Arc::clone(&sender));
        Some(sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;
    const RUN: Purpose<'static> = Purpose::Results { run: "0123456789abcdef" };

    /// Returns what an account says of a user.
    fn claims(account: &KeyPair, user: &KeyPair, role: &str) -> Value {
        json!({
            "iss": account.public_key(), "sub": user.public_key(),
            "nats": { "type": "user", "tags": [format!("{ROLE_TAG}{role}")] },
        })
    }

    fn token(account: &KeyPair, claims: &Value) -> String {
        sign_claims(account, claims).unwrap()
    }

    fn user(account: &KeyPair, role: Role) -> Identity {
        let key = KeyPair::new_user();
        let token = token(account, &claims(account, &key, role.name()));
        let text = format!("{token}\n{}\n", key.seed().unwrap());
        assert_eq!((user_of(&text), expiry_of(&text)), (Some(key.public_key()), None));
        Identity::of(&text).unwrap().unwrap()
    }

    /// Verifies a message of the sender for a purpose.
    fn check(reader: &Identity, sender: &Identity, purpose: Purpose<'_>) -> Result<(), Refusal> {
        let (token, signature) = sender.sign(purpose, b"payload");
        reader.verify(NOW, purpose, b"payload", Some((token, &signature)))
    }

    #[test]
    fn each_role_sends_its_own_messages_and_no_others() {
        let account = KeyPair::new_account();
        let users = [Role::Observer, Role::Coordinator, Role::Worker].map(|of| user(&account, of));
        let lead = Purpose::Lead { run: "0123456789abcdef" };
        for (purpose, may) in [(RUN, 2), (Purpose::Beat, 2), (Purpose::Batch, 1), (lead, 1)] {
            for (number, sender) in users.iter().enumerate() {
                let expected = if number == may { Ok(()) } else { Err(Refusal::Role) };
                assert_eq!(check(&users[0], sender, purpose), expected, "{purpose:?} {number}");
            }
        }
        let stranger = user(&KeyPair::new_account(), Role::Worker);
        assert_eq!(check(&users[0], &stranger, RUN), Err(Refusal::Stranger));
    }

    #[test]
    fn a_signature_is_for_these_bytes_this_purpose_and_this_run() {
        let account = KeyPair::new_account();
        let reader = user(&account, Role::Coordinator);
        let worker = user(&account, Role::Worker);
        let (token, signature) = worker.sign(RUN, b"payload");
        let same = worker.sign(RUN, b"payload").1;
        assert_eq!(same, signature, "the same bytes have the same signature");
        let verify = |purpose, payload: &[u8], signature: &str| {
            reader.verify(NOW, purpose, payload, Some((token, signature)))
        };
        assert_eq!(verify(RUN, b"payload", &signature), Ok(()));
        assert_eq!(verify(RUN, b"payloaD", &signature), Err(Refusal::Forged));
        let other = Purpose::Results { run: "0123456789abcdeF" };
        for purpose in [other, Purpose::Beat] {
            assert_eq!(verify(purpose, b"payload", &signature), Err(Refusal::Forged));
        }
        // Somebody else's signature under the token of this one.
        let foreign = user(&account, Role::Worker).sign(RUN, b"payload").1;
        let long = format!("{signature}AAAA");
        for wrong in ["", "AAAA", "not base64!", &signature[4..], &long, &foreign] {
            assert_eq!(verify(RUN, b"payload", wrong), Err(Refusal::Forged), "{wrong}");
        }
        assert_eq!(reader.verify(NOW, RUN, b"payload", None), Err(Refusal::Unsigned));
    }

    #[test]
    fn only_the_own_account_names_users_and_for_a_time() {
        let [account, other] = [KeyPair::new_account(), KeyPair::new_account()];
        let reader = user(&account, Role::Coordinator);
        let key = KeyPair::new_user();
        let signature = STANDARD.encode(key.sign(&RUN.text(b"payload")).unwrap());
        let verify =
            |now, token: &str| reader.verify(now, RUN, b"payload", Some((token, &signature)));
        let right = claims(&account, &key, "worker");
        let changed = |path: &str, value: Value| {
            let mut claims = right.clone();
            *claims.pointer_mut(path).unwrap() = value;
            token(&account, &claims)
        };
        let tags = json!(["x", "AGON-ROLE:worker"]);
        assert_eq!(verify(NOW, &changed("/nats/tags", tags)), Ok(()));
        let right_token = token(&account, &right);
        for wrong in [
            changed("/iss", json!(other.public_key())),
            changed("/nats/type", json!("activation")),
            changed("/nats/tags", json!([])),
            changed("/nats/tags", json!(["agon-role:king"])),
            changed("/sub", json!(account.public_key())),
            changed("/sub", json!("U")),
            changed("/sub", json!("")),
            token(&other, &right),
            right_token[1..].to_owned(),
            format!("{right_token}{}", "A".repeat(MOST_TOKEN)),
        ]
        .iter()
        .map(String::as_str)
        .chain(["", ".", "..", "a.b.c", "ä.ö.ü"])
        {
            assert_eq!(verify(NOW, wrong), Err(Refusal::Stranger), "{wrong}");
        }
        let mut limited = right.clone();
        (limited["nbf"], limited["exp"]) = (json!(NOW - 10), json!(NOW + 10));
        let limited = token(&account, &limited);
        // Also when it is known from before.
        for (now, expected) in [
            (NOW + 9, Ok(())),
            (NOW + 10, Err(Refusal::Expired)),
            (NOW - 11, Err(Refusal::Expired)),
        ] {
            assert_eq!(verify(now, &limited), expected);
        }
    }

    #[test]
    fn those_whom_the_account_has_revoked_send_nothing() {
        let [account, other] = [KeyPair::new_account(), KeyPair::new_account()];
        let reader = user(&account, Role::Coordinator);
        let [ada, bob] = [(); 2].map(|()| user(&account, Role::Worker));
        let list = |signer: &KeyPair, kind: &str, revoked: &[&Identity]| {
            let revoked: Vec<String> = revoked.iter().map(|of| of.key.public_key()).collect();
            let nats = json!({ "type": kind, "revoked": revoked });
            let sub = signer.public_key();
            token(signer, &json!({ "iss": account.public_key(), "sub": sub, "nats": nats }))
        };
        let take = |list: &str| reader.take_revocations(list).map_err(|error| error.to_string());
        take(&list(&account, REVOCATIONS_TYPE, &[])).unwrap();
        // It is known from before.
        assert_eq!(check(&reader, &ada, RUN), Ok(()));
        take(&format!("{}\n", list(&account, REVOCATIONS_TYPE, &[&ada]))).unwrap();
        for wrong in [
            list(&other, REVOCATIONS_TYPE, &[&ada, &bob]),
            list(&account, "user", &[&ada, &bob]),
            bob.token.clone(),
            String::new(),
        ] {
            assert!(take(&wrong).unwrap_err().contains("has not signed it"), "{wrong}");
        }
        for older in [&[][..], &[&bob]] {
            let refused = take(&list(&account, REVOCATIONS_TYPE, older)).unwrap_err();
            assert!(refused.contains("it is older than the list"), "{refused}");
        }
        for purpose in [RUN, Purpose::Beat] {
            assert_eq!(check(&reader, &ada, purpose), Err(Refusal::Revoked));
            assert_eq!(check(&reader, &bob, purpose), Ok(()));
        }
        take(&list(&account, REVOCATIONS_TYPE, &[&bob, &ada])).unwrap();
        assert_eq!(check(&reader, &bob, RUN), Err(Refusal::Revoked));
    }

    #[test]
    fn credentials_without_a_role_are_no_identity() {
        for text in ["no credentials", "a.b.c"] {
            assert!(Identity::of(text).unwrap().is_none() && user_of(text).is_none());
        }
        let [account, key] = [KeyPair::new_account(), KeyPair::new_user()];
        let with_tag = |tag: &str| {
            let mut claims = claims(&account, &key, "worker");
            claims["nats"]["tags"] = json!([tag]);
            token(&account, &claims)
        };
        assert!(Identity::of(&with_tag("team:a")).unwrap().is_none());
        let said = Identity::of(&with_tag("agon-role:king")).err().unwrap().to_string();
        assert!(said.contains("no role `king`; have the organiser write new"), "{said}");
        let no_key = with_tag("agon-role:worker");
        assert!(Identity::of(&no_key).is_err());
        let other = KeyPair::new_user().seed().unwrap();
        assert!(Identity::of(&format!("{no_key}\n{other}\n")).is_err());
    }

    #[test]
    fn the_memory_of_senders_is_bounded() {
        let account = KeyPair::new_account();
        let reader = user(&account, Role::Coordinator);
        let worker = user(&account, Role::Worker);
        let sender = reader.sender(&worker.token).unwrap();
        let full = (0..MOST_SENDERS).map(|number| (number.to_string(), Arc::clone(&sender)));
        *reader.senders.lock().unwrap() = full.collect();
        assert_eq!(check(&reader, &user(&account, Role::Worker), RUN), Ok(()));
        assert_eq!(reader.senders.lock().unwrap().len(), 1);
    }
}
