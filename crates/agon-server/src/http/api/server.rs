//! The server, who asks, tokens, and what organisers and administrators see and do.

use agon_ladder::api::{
    AdminPerson, ArenaSummary, AuditEntry, BASE, BotSummary, EraseRequest, Erased, Invitation,
    InvitationRequest, Me, NewToken, Overview, Person, PersonBot, ProblemMeaning, ResetLink,
    RoleRequest, Scope, Server, ServerLinks, TOKEN_PREFIX, Token, TokenRequest,
};

use super::call::{Document, NoContent, TokenPath};
use super::{prelude::*, route};
use crate::http::admin::admin_person;
use crate::http::{admin, credentials, people};
use crate::{http::parts::values::now, store::tokens::PersonalToken};

pub(super) async fn server(call: Call<NoPath>) -> Shown<Json<Server>> {
    let base = &call.visitor.base;
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
    let Call { app, visitor, .. } = call;
    let person = visitor.must_be(Role::Spectator)?;
    Ok(Json(Me {
        id: person.id,
        name: person.shown.clone(),
        role: person.role,
        created: time(person.created),
        scopes: visitor.scopes().to_vec(),
        token: visitor.token.as_ref().map(|token| shown(token, Some(token.id))),
        bots: bots_of(&app, person.id, &visitor).await?,
    }))
}

pub(super) async fn person(call: Call<PersonPath>) -> Shown<Json<Person>> {
    let Call { app, visitor, path, .. } = call;
    if visitor.may_not_see_people(&app) {
        let advice = "Send `Authorization: Bearer agon_…`. Your account's page makes tokens.";
        return Err(failure(Unauthorized, "Who has an account is not for visitors", advice));
    }
    let person = app.store.person_shown_as(&path.name).await?.ok_or_else(|| not_found("person"))?;
    Ok(Json(Person {
        role: person.role,
        created: time(person.created),
        bots: bots_of(&app, person.id, &visitor).await?,
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
pub(super) async fn make_token(call: Posted<NoPath, TokenRequest>) -> Shown<Created<NewToken>> {
    let Call { app, visitor, body: JsonBody(body), .. } = call;
    let token = credentials::new_token(&body.label, &body.scopes, body.days, true)?;
    let address = visitor.address;
    let person = credentials::check_login(&app, address, body.name.trim(), &body.password).await?;
    let secret = credentials::make_token(&app, &person, &token).await?;
    let body = NewToken {
        secret: format!("{TOKEN_PREFIX}{secret}"),
        person: person.shown,
        token: shown(&token, None),
    };
    Ok(Created { body, location: None })
}

pub(super) async fn tokens(call: Call<NoPath>) -> Shown<Json<List<Token>>> {
    let Call { app, visitor, .. } = call;
    let person = visitor.must_be(Role::Spectator)?.id;
    let own = visitor.token.as_ref().map(|token| token.id);
    let tokens = app.store.tokens(person).await?;
    let items = tokens.iter().map(|token| shown(token, own)).collect();
    Ok(Json(List { items, next: None }))
}

/// Revokes a token. Each token may revoke itself.
pub(super) async fn revoke_token(call: Call<TokenPath>) -> Shown<NoContent> {
    let Call { app, visitor, path, .. } = call;
    let id = path.id.cast_signed();
    if visitor.token.as_ref().is_none_or(|token| token.id != id) {
        visitor.check(Some(Scope::Submit))?;
    }
    let person = visitor.must_be(Role::Spectator)?;
    if !credentials::revoke_token(&app, person, id).await? {
        return Err(not_found("token"));
    }
    Ok(NoContent)
}

pub(super) async fn overview(call: Call<NoPath>) -> Shown<Json<Overview>> {
    Ok(Json(admin::overview(&call.app, &call.visitor).await?))
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
    let Call { app, visitor, query, .. } = call;
    visitor.must_be(Role::Organiser)?;
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
    let Call { app, visitor, query, .. } = call;
    visitor.must_be(Role::Organiser)?;
    let limit = limit(query.limit)?;
    let last = place("log", &query.cursor, |text| text.parse::<i64>().ok())?;
    let before = last.unwrap_or(i64::MAX);
    let mut entries = app.store.audit_before(before, limit as u32 + 1).await?;
    let next = cut("log", &mut entries, limit, |entry| entry.id.to_string());
    Ok(Json(List { items: entries, next }))
}

pub(super) async fn set_role(call: Posted<PersonPath, RoleRequest>) -> Shown<Json<AdminPerson>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    let role = body.role;
    let before = people::set_role(&app, &visitor, &path.name, role).await?;
    changed(&app, before.id).await
}

pub(super) async fn disable(call: Call<PersonPath>) -> Shown<Json<AdminPerson>> {
    let Call { app, visitor, path, .. } = call;
    let before = people::disable(&app, &visitor, &path.name).await?;
    changed(&app, before.id).await
}

pub(super) async fn enable(call: Call<PersonPath>) -> Shown<Json<AdminPerson>> {
    let Call { app, visitor, path, .. } = call;
    let before = people::enable(&app, &visitor, &path.name).await?;
    changed(&app, before.id).await
}

pub(super) async fn erase(call: Posted<PersonPath, EraseRequest>) -> Shown<Json<Erased>> {
    let Call { app, visitor, path, body: JsonBody(body), .. } = call;
    Ok(Json(people::erase(&app, &visitor, &path.name, &body.confirm).await?))
}

pub(super) async fn reset_link(call: Call<PersonPath>) -> Shown<Created<ResetLink>> {
    let Call { app, visitor, path, .. } = call;
    let body = people::reset_link(&app, &visitor, &path.name).await?;
    Ok(Created { body, location: None })
}

pub(super) async fn invite(call: Posted<NoPath, InvitationRequest>) -> Shown<Created<Invitation>> {
    let Call { app, visitor, body: JsonBody(body), .. } = call;
    if !(1..=10_000).contains(&body.uses) || !(1..=366).contains(&body.days) {
        return Err(unusable("An invitation has 1 to 10000 uses, and ends after 1 to 366 days."));
    }
    if body.note.chars().count() > 200 {
        return Err(unusable("The note of an invitation has at most 200 characters."));
    }
    let body = people::invite(&app, &visitor, &body).await?;
    Ok(Created { body, location: None })
}
