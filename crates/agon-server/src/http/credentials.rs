//! Names, passwords and personal tokens: for pages and the API.

use std::{fmt, net::IpAddr};

use agon_ladder::api::Scope;
use tracing::info;

use super::prelude::*;
use crate::store::tokens::PersonalToken;
use crate::store::{sessions, tokens};
use crate::{accounts::password, accounts::token::Token, limits::network};

/// The longest name that is looked for, in bytes.
const LONGEST_NAME: usize = 64;

/// Why name and password let nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoginRefused {
    /// One of them is wrong, or the account is disabled.
    Wrong,
    /// There were too many tries: the seconds to wait.
    TooMany(u64),
}

impl fmt::Display for LoginRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoginRefused::Wrong => f.write_str("Name or password is wrong."),
            LoginRefused::TooMany(wait) => write!(f, "There were too many tries. Wait {wait} s."),
        }
    }
}

/// Finds the person with this name and password. The log has what came of it.
pub(super) async fn check_login(
    app: &App,
    address: IpAddr,
    name: &str,
    password: &str,
) -> Shown<Result<Person, LoginRefused>> {
    if name.len() > LONGEST_NAME {
        return Ok(Err(LoginRefused::Wrong));
    }
    let person = app.store.person(name).await?;
    let id = person.as_ref().map(|person| person.id);
    let is_known = is_known(app, id.unwrap_or_default(), address).await?;
    // Before anything is hashed: many at once are many tries.
    let taken = match app.sign_ins.take(address, name, is_known) {
        Ok(taken) => taken,
        Err(wait) => {
            note_failure(app, address, person.as_ref(), REFUSED).await?;
            return Ok(Err(LoginRefused::TooMany(wait.as_secs() + 1)));
        }
    };
    let active = person.clone().filter(|person| person.disabled.is_none());
    let hash = active.as_ref().and_then(|person| person.password.clone());
    let is_right = check_password(app, password.to_owned(), hash).await?;
    let Some(active) = active.filter(|_| is_right) else {
        note_failure(app, address, person.as_ref(), FAILED).await?;
        return Ok(Err(LoginRefused::Wrong));
    };
    // Only what was wrong counts, so that a class can sign in together.
    app.sign_ins.give_back(&taken);
    let detail = format!("from {address}");
    info!(target: "agon_server::sign_in", name = active.name, %address, "signed in");
    let statements = vec![
        known_network(app, active.id, address),
        audit::note(Some(active.id), "account.sign-in", &active.name, &detail),
    ];
    app.store.write(statements).await?;
    Ok(Ok(active))
}

/// The actions of the log for those who were not let in.
const FAILED: &str = "account.wrong-password";
const REFUSED: &str = "account.too-many-tries";

/// Notes that somebody was not let in. A name that nobody has may be a password in the wrong
/// field: it is not written.
async fn note_failure(
    app: &App,
    address: IpAddr,
    person: Option<&Person>,
    action: &str,
) -> Shown<()> {
    let name = person.map_or("a name that nobody has", |person| &person.name);
    info!(target: "agon_server::sign_in", name, %address, action, "not signed in");
    if app.sign_ins.is_worth_a_line(address) {
        let detail = format!("from {address}");
        app.store.write(vec![audit::note(None, action, name, &detail)]).await?;
    }
    Ok(())
}

/// Returns whether a person has signed in from the network of an address before.
async fn is_known(app: &App, person: i64, address: IpAddr) -> Shown<bool> {
    Ok(app.store.knows_network(person, &network_digest(app, person, address)).await?)
}

/// Returns the statement that notes that a person has signed in from the network of an address.
pub(super) fn known_network(app: &App, person: i64, address: IpAddr) -> Statement {
    sessions::note_network(person, &network_digest(app, person, address))
}

/// Returns what stands for a network in the database, which nobody else can compare.
fn network_digest(app: &App, person: i64, address: IpAddr) -> [u8; 32] {
    let text = format!("{person} {}", network(address));
    let key = blake3::derive_key("agon-server networks of people", &app.secret);
    *blake3::keyed_hash(&key, text.as_bytes()).as_bytes()
}

/// Checks the password of somebody who is signed in. Only wrong ones count.
pub(super) async fn check_own_password(
    app: &App,
    address: IpAddr,
    person: &Person,
    password: &str,
) -> Shown<Result<(), LoginRefused>> {
    let taken = match app.sign_ins.take(address, &person.name, true) {
        Ok(taken) => taken,
        Err(wait) => return Ok(Err(LoginRefused::TooMany(wait.as_secs() + 1))),
    };
    if !check_password(app, password.to_owned(), person.password.clone()).await? {
        note_failure(app, address, Some(person), FAILED).await?;
        return Ok(Err(LoginRefused::Wrong));
    }
    app.sign_ins.give_back(&taken);
    Ok(Ok(()))
}

/// Checks a password, while not too many others are checked.
async fn check_password(app: &App, password: String, hash: Option<String>) -> Shown<bool> {
    let _turn = app.hashing.acquire().await.map_err(anyhow::Error::from)?;
    blocking(move || password::is_right(&password, hash.as_deref())).await
}

/// Hashes a password, while not too many others are hashed.
pub(super) async fn hash_password(app: &App, password: String) -> Shown<String> {
    let _turn = app.hashing.acquire().await.map_err(anyhow::Error::from)?;
    blocking(move || password::hash(&password)).await
}

/// The longest label of a token, in characters.
const LABEL: usize = 80;

/// A token that somebody wants.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    /// What it is for.
    pub(super) label: &'a str,
    pub(super) scopes: &'a [Scope],
    /// After how many days it ends.
    pub(super) days: u32,
    /// Whether it is made with name and password.
    pub(super) by_password: bool,
}

/// Checks a token that somebody wants.
///
/// # Errors
/// Says what is wrong, in a sentence.
pub(super) fn check_token(wanted: &Wanted<'_>) -> Result<(), String> {
    if wanted.label.chars().count() > LABEL {
        return Err(format!("The label of a token has at most {LABEL} characters."));
    }
    if wanted.scopes.is_empty() {
        return Err("A token has at least one scope.".to_owned());
    }
    match wanted.days {
        1..=366 => Ok(()),
        _ => Err("A token ends after 1 to 366 days.".to_owned()),
    }
}

/// Makes a token for a person. Returns its secret, too, which is shown once.
pub(super) async fn make_token(
    app: &App,
    person: &Person,
    wanted: &Wanted<'_>,
) -> Shown<(Token, PersonalToken)> {
    if app.store.tokens(person.id).await?.len() >= tokens::MOST {
        let advice = "Revoke some on the page of your account first.";
        return Err(failure(409, "You have too many tokens", advice));
    }
    let secret = Token::fresh();
    let Wanted { label, scopes, days, by_password } = *wanted;
    let token = PersonalToken::new(label, scopes, days, by_password);
    let detail: Vec<&str> = token.scopes.iter().map(|scope| scope.name()).collect();
    let detail = detail.join(" ");
    let statements = vec![
        tokens::forget_old(person.id),
        token.insert(&secret, person.id),
        audit::note(Some(person.id), "token.make", &token.label, &detail),
    ];
    app.store.write(statements).await?;
    Ok((secret, token))
}

/// Revokes a token of a person. Returns whether there was one.
pub(super) async fn revoke_token(app: &App, person: &Person, id: i64) -> Shown<bool> {
    let all = app.store.tokens(person.id).await?;
    let Some(token) = all.iter().find(|token| token.id == id) else { return Ok(false) };
    let statements = vec![
        tokens::revoke(id, person.id),
        audit::note(Some(person.id), "token.revoke", &token.label, ""),
    ];
    app.store.write(statements).await?;
    Ok(true)
}
