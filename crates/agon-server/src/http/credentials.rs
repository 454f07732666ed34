//! Names, passwords and personal tokens: for pages and the API.

use std::{net::IpAddr, time::Duration};

use agon_ladder::api::Scope;
use tracing::info;

use super::prelude::*;
use crate::store::tokens::PersonalToken;
use crate::store::{sessions, tokens};
use crate::{accounts::password, accounts::token::Token, limits::network};

/// The longest name that is looked for, in bytes.
const LONGEST_NAME: usize = 64;

/// Makes the failure that name or password is wrong, or that the account is disabled.
fn wrong_login() -> Failure {
    failure(Unauthorized, "Sign-in failed", "Name or password is wrong.")
}

fn too_many_tries(wait: Duration) -> Failure {
    let seconds = wait.as_secs() + 1;
    let advice = format!("There were too many tries. Wait {seconds} s.");
    let failure = failure(RateLimited, "There were too many tries", advice);
    failure.retry_after(seconds)
}

/// Finds the person with this name and password. The log has what came of it.
pub(super) async fn check_login(
    app: &App,
    address: IpAddr,
    name: &str,
    password: &str,
) -> Shown<Person> {
    if name.len() > LONGEST_NAME {
        return Err(wrong_login());
    }
    let person = app.store.person(name).await?;
    let id = person.as_ref().map(|person| person.id);
    let is_known = is_known(app, id.unwrap_or_default(), address).await?;
    // Before anything is hashed: many at once are many tries.
    let taken = match app.sign_ins.take(address, name, is_known) {
        Ok(taken) => taken,
        Err(wait) => {
            note_failure(app, address, person.as_ref(), REFUSED).await?;
            return Err(too_many_tries(wait));
        }
    };
    let active = person.clone().filter(|person| person.disabled.is_none());
    let hash = active.as_ref().and_then(|person| person.password.clone());
    let is_right = check_password(app, password.to_owned(), hash).await?;
    let Some(active) = active.filter(|_| is_right) else {
        note_failure(app, address, person.as_ref(), FAILED).await?;
        return Err(wrong_login());
    };
    // Only what was wrong counts, so that a class can sign in together.
    taken.give_back();
    let detail = format!("from {address}");
    info!(target: "agon_server::sign_in", name = active.name, %address, "signed in");
    let statements = vec![
        known_network(app, active.id, address),
        audit::note(Some(active.id), "account.sign-in", &active.name, &detail),
    ];
    app.store.write(statements).await?;
    Ok(active)
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
) -> Shown<()> {
    let taken = app.sign_ins.take(address, &person.name, true).map_err(too_many_tries)?;
    if !check_password(app, password.to_owned(), person.password.clone()).await? {
        note_failure(app, address, Some(person), FAILED).await?;
        let advice = "The old password is wrong.";
        return Err(failure(Forbidden, "The password is not changed", advice));
    }
    taken.give_back();
    Ok(())
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

/// Returns a token that somebody wants, if there can be such a one: for what, with what it may do,
/// for how many days, and whether it is made with name and password.
pub(super) fn new_token(
    label: &str,
    scopes: &[Scope],
    days: u32,
    by_password: bool,
) -> Shown<PersonalToken> {
    if label.chars().count() > LABEL {
        return Err(unusable(format!("The label of a token has at most {LABEL} characters.")));
    }
    if scopes.is_empty() {
        return Err(unusable("A token has at least one scope."));
    }
    match days {
        1..=366 => Ok(PersonalToken::new(label, scopes, days, by_password)),
        _ => Err(unusable("A token ends after 1 to 366 days.")),
    }
}

/// Gives a person a token. Returns its secret, which is shown once.
pub(super) async fn make_token(app: &App, person: &Person, token: &PersonalToken) -> Shown<Token> {
    if app.store.tokens(person.id).await?.len() >= tokens::MOST {
        let advice = "Revoke some on the page of your account first.";
        return Err(failure(Conflict, "You have too many tokens", advice));
    }
    let secret = Token::fresh();
    let detail: Vec<&str> = token.scopes.iter().map(|scope| scope.name()).collect();
    let detail = detail.join(" ");
    let statements = vec![
        tokens::forget_old(person.id),
        token.insert(&secret, person.id),
        audit::note(Some(person.id), "token.make", &token.label, &detail),
    ];
    app.store.write(statements).await?;
    Ok(secret)
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
