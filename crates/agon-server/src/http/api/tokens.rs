//! Personal tokens.

use agon_ladder::api::{List, NewToken, ProblemCode, Scope, TOKEN_PREFIX, Token, TokenRequest};

use super::{
    body::JsonBody,
    call::{Call, NoPath, NoQuery, TokenPath},
    failures::unusable,
    reply::{Created, Json, NoContent},
};
use crate::{
    http::{
        credentials::{LoginRefused, check_login},
        parts::time::time,
        reply::{Shown, coded, not_found},
        token_changes::{self, Wanted},
    },
    store::{people::Role, tokens::PersonalToken},
};

/// Returns a token as people see it; `own` is the id of the one that asks.
pub(super) fn shown(token: &PersonalToken, own: Option<i64>) -> Token {
    Token {
        id: token.id,
        label: token.label.clone(),
        scopes: token.scopes.clone(),
        by_password: token.by_password,
        created: time(token.created),
        last_used: token.seen.map(time),
        expires: time(token.expires),
        current: own == Some(token.id),
    }
}

/// Makes a token with name and password.
pub(super) async fn make(
    call: Call<NoPath, NoQuery, JsonBody<TokenRequest>>,
) -> Shown<Created<NewToken>> {
    let Call { app, caller, body: JsonBody(body), .. } = call;
    let wanted =
        Wanted { label: &body.label, scopes: &body.scopes, days: body.days, by_password: true };
    token_changes::check(&wanted).map_err(unusable)?;
    let address = caller.visitor.address;
    let person = match check_login(&app, address, body.name.trim(), &body.password).await? {
        Ok(person) => person,
        Err(refused @ LoginRefused::Wrong) => {
            let code = ProblemCode::Unauthorized;
            return Err(coded(code, "Sign-in failed", refused.to_string()));
        }
        Err(refused @ LoginRefused::TooMany(wait)) => {
            let code = ProblemCode::RateLimited;
            let failure = coded(code, "There were too many tries", refused.to_string());
            return Err(failure.retry_after(wait));
        }
    };
    let (secret, token) = token_changes::make(&app, &person, &wanted).await?;
    let body = NewToken {
        secret: format!("{TOKEN_PREFIX}{secret}"),
        person: person.shown,
        token: shown(&token, None),
    };
    Ok(Created { body, location: None })
}

pub(super) async fn list(call: Call<NoPath>) -> Shown<Json<List<Token>>> {
    let Call { app, caller, .. } = call;
    let person = caller.must_be(Role::Spectator)?.id;
    let own = caller.token.as_ref().map(|token| token.id);
    let tokens = app.store.tokens(person).await?;
    let items = tokens.iter().map(|token| shown(token, own)).collect();
    Ok(Json(List { items, next: None }))
}

/// Revokes a token. Each token may revoke itself.
pub(super) async fn revoke(call: Call<TokenPath>) -> Shown<NoContent> {
    let Call { app, caller, path, .. } = call;
    let id = path.id.cast_signed();
    if caller.token.as_ref().is_none_or(|token| token.id != id) {
        caller.check(Some(Scope::Submit))?;
    }
    let person = caller.must_be(Role::Spectator)?;
    if !token_changes::revoke(&app, person, id).await? {
        return Err(not_found("token"));
    }
    Ok(NoContent)
}
