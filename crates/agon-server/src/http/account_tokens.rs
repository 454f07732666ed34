//! Tokens on the page of the account.

use agon_ladder::api::{Scope, TOKEN_PREFIX};
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};

use super::{
    account::{account_again, account_page},
    form::Fields,
    reply::{Shown, to},
    token_changes::{self, Wanted},
    visitor::Visitor,
};
use crate::{app::App, store::people::Role};

/// Makes a token, and shows its secret once.
pub(super) async fn make(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    let refused = async |error: &str| {
        account_again(&app, &visitor, StatusCode::UNPROCESSABLE_ENTITY, error).await
    };
    let is_known = |name: &String| Scope::ALL.iter().any(|scope| scope.name() == name);
    if !fields.all("scope").iter().all(is_known) {
        return refused("The scopes of a token are `read`, `submit` and `manage`.").await;
    }
    let is_chosen = |scope: &Scope| fields.all("scope").iter().any(|name| name == scope.name());
    let scopes: Vec<Scope> = Scope::ALL.into_iter().filter(is_chosen).collect();
    let days = fields.get("days").trim().parse().unwrap_or(0);
    let wanted =
        Wanted { label: fields.get("label").trim(), scopes: &scopes, days, by_password: false };
    if let Err(error) = token_changes::check(&wanted) {
        return refused(&error).await;
    }
    if scopes.contains(&Scope::Manage) && person.role < Role::Organiser {
        return refused("Only organisers can choose the scope `manage`.").await;
    }
    let (secret, _) = token_changes::make(&app, person, &wanted).await?;
    let secret = format!("{TOKEN_PREFIX}{secret}");
    account_page(&app, &visitor, None, Some(secret)).await
}

/// For people who load a page again that showed a secret once.
pub(super) async fn to_account() -> Response {
    to("/account")
}

pub(super) async fn revoke(
    State(app): State<App>,
    Path(id): Path<i64>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Spectator)?;
    // One that is gone already is what was wanted.
    token_changes::revoke(&app, person, id).await?;
    Ok(to("/account?done=revoked"))
}
