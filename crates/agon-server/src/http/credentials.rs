//! Names and passwords: for the page to sign in and for the API.

use std::{fmt, net::IpAddr};

use tokio::task::spawn_blocking;
use tracing::info;

use super::reply::Shown;
use crate::{
    accounts::password,
    app::App,
    database::Statement,
    limits::network,
    store::{audit, networks, people::Person},
};

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
    let taken = match app.sign_ins().take(address, name, is_known) {
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
    app.sign_ins().give_back(&taken);
    let detail = format!("from {address}");
    info!(target: "agon_server::sign_in", name = active.name, %address, "signed in");
    app.store
        .write(vec![
            known_network(app, active.id, address),
            audit::note(Some(active.id), "account.sign-in", &active.name, &detail),
        ])
        .await?;
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
    if app.sign_ins().is_worth_a_line(address) {
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
    networks::note(person, &network_digest(app, person, address))
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
    let taken = match app.sign_ins().take(address, &person.name, true) {
        Ok(taken) => taken,
        Err(wait) => return Ok(Err(LoginRefused::TooMany(wait.as_secs() + 1))),
    };
    if !check_password(app, password.to_owned(), person.password.clone()).await? {
        note_failure(app, address, Some(person), FAILED).await?;
        return Ok(Err(LoginRefused::Wrong));
    }
    app.sign_ins().give_back(&taken);
    Ok(Ok(()))
}

/// Checks a password, while not too many others are checked.
async fn check_password(app: &App, password: String, hash: Option<String>) -> Shown<bool> {
    let _turn = app.hashing().acquire().await.map_err(anyhow::Error::from)?;
    let work = spawn_blocking(move || password::is_right(&password, hash.as_deref()));
    Ok(work.await.map_err(anyhow::Error::from)?)
}

/// Hashes a password, while not too many others are hashed.
pub(super) async fn hash_password(app: &App, password: String) -> Shown<String> {
    let _turn = app.hashing().acquire().await.map_err(anyhow::Error::from)?;
    let work = spawn_blocking(move || password::hash(&password));
    Ok(work.await.map_err(anyhow::Error::from)?)
}
