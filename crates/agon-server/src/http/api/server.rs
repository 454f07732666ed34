//! The server, who asks, tokens, and what organisers and administrators see and do.

use agon_ladder::api::{
    AdminPerson, ArenaSummary, AuditEntry, BASE, BotSummary, EraseRequest, Erased, Invitation,
    InvitationRequest, Me, NewToken, Overview, Person, PersonBot, ProblemMeaning, ResetLink,
    RoleRequest, Scope, Server, ServerLinks, TOKEN_PREFIX, Token, TokenRequest,
};

use super::reply::{Document, NoContent};
use super::{call::TokenPath, prelude::*, route};
use crate::http::admin::admin_person;
use crate::http::credentials::{LoginRefused, Wanted, check_login};
use crate::http::{admin, credentials, people};
use crate::{http::parts::time::now, store::tokens::PersonalToken};

pub(super) async fn server(call: Call<NoPath>) -> Shown<Json<Server>> {
    let base = &call.caller.visitor.base;
    let api = |path: &str| format!("{base}{BASE}/{path}");
    Ok(Json(Server {
        title: call.app.site.title.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api: "v1".to_owned(),
        time: now(),
        since: time(call.app.site.since),
        links: ServerLinks {
            pages: format!("{base}/"),
            arenas: api("arenas"),
            me: api("me"),
            openapi: api("openapi.json"),
            problems: api("problems"),
        },
    }))
}

pub(super) async fn document(_: Call<NoPath>) -> Shown<Document> {
    Ok(Document(route::text()))
}

pub(super) async fn problems(_: Call<NoPath>) -> Shown<Json<List<ProblemMeaning>>> {
    let meaning = |(code, _, status)| {
        let meaning = route::meaning(code);
        ProblemMeaning { code, status, meaning }
    };
    let items = ProblemCode::ALL.into_iter().map(meaning).collect();
    Ok(Json(List { items, next: None }))
}

pub(super) async fn me(call: Call<NoPath>) -> Shown<Json<Me>> {
    let Call { app, caller, .. } = call;
    let person = caller.visitor.must_be(Role::Spectator)?;
    Ok(Json(Me {
        id: person.id,
        name: person.shown.clone(),
        role: person.role,
        created: time(person.created),
        scopes: caller.scopes.clone(),
        token: caller.token.as_ref().map(|token| shown(token, Some(token.id))),
        bots: bots_of(&app, person.id, &caller.visitor).await?,
    }))
}

pub(super) async fn person(call: Call<PersonPath>) -> Shown<Json<Person>> {
    let Call { app, caller, path, .. } = call;
    if caller.visitor.may_not_see_people(&app) {
        return Err(coded(
            ProblemCode::Unauthorized,
            "Who has an account is not for visitors",
            "Send `Authorization: Bearer agon_…`. Your account's page makes tokens.",
        ));
    }
    let person = app.store.person_shown_as(&path.name).await?.ok_or_else(|| not_found("person"))?;
    Ok(Json(Person {
        role: person.role,
        created: time(person.created),
        bots: bots_of(&app, person.id, &caller.visitor).await?,
        name: person.shown,
    }))
}

async fn bots_of(app: &App, person: i64, visitor: &Visitor) -> Shown<Vec<PersonBot>> {
    let bots = people::bots_of(app, person, visitor).await?.into_iter();
    let bot = |(arena, bot): (ArenaSummary, BotSummary)| PersonBot {
        arena: arena.slug,
        arena_title: arena.title,
        bot,
    };
    Ok(bots.map(bot).collect())
}

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
pub(super) async fn make_token(
    call: Call<NoPath, NoQuery, JsonBody<TokenRequest>>,
) -> Shown<Created<NewToken>> {
    let Call { app, caller, body: JsonBody(body), .. } = call;
    let wanted =
        Wanted { label: &body.label, scopes: &body.scopes, days: body.days, by_password: true };
    credentials::check_token(&wanted).map_err(unusable)?;
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
    let (secret, token) = credentials::make_token(&app, &person, &wanted).await?;
    let body = NewToken {
        secret: format!("{TOKEN_PREFIX}{secret}"),
        person: person.shown,
        token: shown(&token, None),
    };
    Ok(Created { body, location: None })
}

pub(super) async fn tokens(call: Call<NoPath>) -> Shown<Json<List<Token>>> {
    let Call { app, caller, .. } = call;
    let person = caller.visitor.must_be(Role::Spectator)?.id;
    let own = caller.token.as_ref().map(|token| token.id);
    let tokens = app.store.tokens(person).await?;
    let items = tokens.iter().map(|token| shown(token, own)).collect();
    Ok(Json(List { items, next: None }))
}

/// Revokes a token. Each token may revoke itself.
pub(super) async fn revoke_token(call: Call<TokenPath>) -> Shown<NoContent> {
    let Call { app, caller, path, .. } = call;
    let id = path.id.cast_signed();
    if caller.token.as_ref().is_none_or(|token| token.id != id) {
        caller.check(Some(Scope::Submit))?;
    }
    let person = caller.visitor.must_be(Role::Spectator)?;
    if !credentials::revoke_token(&app, person, id).await? {
        return Err(not_found("token"));
    }
    Ok(NoContent)
}

pub(super) async fn overview(call: Call<NoPath>) -> Shown<Json<Overview>> {
    Ok(Json(admin::overview(&call.app, &call.caller.visitor).await?))
}

/// Which page of which people.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PeopleQuery {
    /// A part of their names.
    #[serde(default)]
    q: String,
    /// The `next` of the page before.
    #[serde(default)]
    cursor: String,
    /// How many people the page has at most.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200))]
    limit: u32,
}

pub(super) async fn people(call: Call<NoPath, PeopleQuery>) -> Shown<Json<List<AdminPerson>>> {
    let Call { app, caller, query, .. } = call;
    caller.visitor.must_be(Role::Organiser)?;
    let limit = limit(query.limit)?;
    let last = place("people", &query.cursor, |text| Some(text.to_owned()))?;
    let wanted = query.q.trim().to_lowercase();
    let mut people = app.store.people().await?;
    people.retain(|person| person.is_found(&wanted));
    people.retain(|person| last.as_ref().is_none_or(|last| person.name > *last));
    let next = cut("people", &mut people, limit, |person| person.name.clone());
    let seen = app.store.last_seen().await?;
    let mut items = Vec::new();
    for person in &people {
        items.push(admin_person(&app, person, &seen).await?);
    }
    Ok(Json(List { items, next }))
}

/// Returns a person after a change.
async fn changed(app: &App, person: i64) -> Shown<Json<AdminPerson>> {
    let person = app.store.person_of(person).await?.ok_or_else(|| not_found("person"))?;
    let seen = app.store.last_seen().await?;
    Ok(Json(admin_person(app, &person, &seen).await?))
}

pub(super) async fn log(call: Call<NoPath, PageQuery>) -> Shown<Json<List<AuditEntry>>> {
    let Call { app, caller, query, .. } = call;
    caller.visitor.must_be(Role::Organiser)?;
    let limit = limit(query.limit)?;
    let last = place("log", &query.cursor, |text| text.parse::<i64>().ok())?;
    let before = last.unwrap_or(i64::MAX);
    let mut entries = app.store.audit_before(before, limit as u32 + 1).await?;
    let next = cut("log", &mut entries, limit, |(id, _)| id.to_string());
    let shown = |(id, entry): (i64, audit::Entry)| AuditEntry {
        id,
        at: time(entry.at),
        person: entry.person,
        action: entry.action,
        subject: entry.subject,
        detail: entry.detail,
    };
    Ok(Json(List { items: entries.into_iter().map(shown).collect(), next }))
}

pub(super) async fn set_role(
    call: Call<PersonPath, NoQuery, JsonBody<RoleRequest>>,
) -> Shown<Json<AdminPerson>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    let role = body.role;
    let before = people::set_role(&app, &caller.visitor, &path.name, role).await?;
    changed(&app, before.id).await
}

pub(super) async fn disable(call: Call<PersonPath>) -> Shown<Json<AdminPerson>> {
    let Call { app, caller, path, .. } = call;
    let before = people::disable(&app, &caller.visitor, &path.name).await?;
    changed(&app, before.id).await
}

pub(super) async fn enable(call: Call<PersonPath>) -> Shown<Json<AdminPerson>> {
    let Call { app, caller, path, .. } = call;
    let before = people::enable(&app, &caller.visitor, &path.name).await?;
    changed(&app, before.id).await
}

pub(super) async fn erase(
    call: Call<PersonPath, NoQuery, JsonBody<EraseRequest>>,
) -> Shown<Json<Erased>> {
    let Call { app, caller, path, body: JsonBody(body), .. } = call;
    Ok(Json(people::erase(&app, &caller.visitor, &path.name, &body.confirm).await?))
}

pub(super) async fn reset_link(call: Call<PersonPath>) -> Shown<Created<ResetLink>> {
    let Call { app, caller, path, .. } = call;
    let body = people::reset_link(&app, &caller.visitor, &path.name).await?;
    Ok(Created { body, location: None })
}

pub(super) async fn invite(
    call: Call<NoPath, NoQuery, JsonBody<InvitationRequest>>,
) -> Shown<Created<Invitation>> {
    let Call { app, caller, body: JsonBody(body), .. } = call;
    if !(1..=10_000).contains(&body.uses) || !(1..=366).contains(&body.days) {
        return Err(unusable("An invitation has 1 to 10000 uses, and ends after 1 to 366 days."));
    }
    if body.note.chars().count() > 200 {
        return Err(unusable("The note of an invitation has at most 200 characters."));
    }
    let body = people::invite(&app, &caller.visitor, &body).await?;
    Ok(Created { body, location: None })
}
