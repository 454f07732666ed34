//! Names and passwords: for the page to sign in and for the API.

use std::{fmt, net::IpAddr};

use tokio::task::spawn_blocking;

use super::reply::Shown;
use crate::{accounts::password, app::App, store::people::Person};

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

/// Finds the person with this name and password.
pub(super) async fn check_login(
    app: &App,
    address: IpAddr,
    name: &str,
    password: &str,
) -> Shown<Result<Person, LoginRefused>> {
    let of_name = format!("{address} {}", name.to_lowercase());
    let from = address.to_string();
    if name.len() > LONGEST_NAME {
        return Ok(Err(LoginRefused::Wrong));
    }
    // Before anything is hashed: many at once are many tries.
    let wait = app.addresses().take(&from).and_then(|()| app.passwords().take(&of_name));
    if let Err(wait) = wait {
        return Ok(Err(LoginRefused::TooMany(wait.as_secs() + 1)));
    }
    let person = app.store.person(name).await?.filter(|person| person.disabled.is_none());
    let hash = person.as_ref().and_then(|person| person.password.clone());
    let is_right = check_password(app, password.to_owned(), hash).await?;
    let Some(person) = person.filter(|_| is_right) else {
        return Ok(Err(LoginRefused::Wrong));
    };
    // Only what was wrong counts, so that a class can sign in together.
    app.addresses().give_back(&from);
    app.passwords().give_back(&of_name);
    Ok(Ok(person))
}

/// Checks a password, while not too many others are checked.
pub(super) async fn check_password(
    app: &App,
    password: String,
    hash: Option<String>,
) -> Shown<bool> {
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
