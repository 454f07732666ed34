//! Making and revoking personal tokens: for the account's page and the API.

use agon_ladder::api::Scope;

use super::reply::{Shown, failure};
use crate::{
    accounts::token::Token,
    app::App,
    store::{
        audit,
        people::Person,
        tokens::{self, PersonalToken},
    },
};

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
pub(super) fn check(wanted: &Wanted<'_>) -> Result<(), String> {
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
pub(super) async fn make(
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
    app.store
        .write(vec![
            tokens::forget_old(person.id),
            token.insert(&secret, person.id),
            audit::note(Some(person.id), "token.make", &token.label, &detail),
        ])
        .await?;
    Ok((secret, token))
}

/// Revokes a token of a person. Returns whether there was one.
pub(super) async fn revoke(app: &App, person: &Person, id: i64) -> Shown<bool> {
    let all = app.store.tokens(person.id).await?;
    let Some(token) = all.iter().find(|token| token.id == id) else { return Ok(false) };
    app.store
        .write(vec![
            tokens::revoke(id, person.id),
            audit::note(Some(person.id), "token.revoke", &token.label, ""),
        ])
        .await?;
    Ok(true)
}
