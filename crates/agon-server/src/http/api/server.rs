//! The server, and who asks.

use agon_ladder::api::{
    ArenaSummary, BASE, BotSummary, List, Me, Person, PersonBot, ProblemCode, ProblemMeaning, Role,
    Server, ServerLinks,
};

use super::{
    call::{Call, NoPath, PersonPath},
    openapi,
    reply::{Document, Json},
    tokens,
};
use crate::{
    app::App,
    http::{
        parts::time::{now, time},
        people,
        reply::{Shown, coded, not_found},
        visitor::Visitor,
    },
};

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
    Ok(Document(openapi::text()))
}

pub(super) async fn problems(_: Call<NoPath>) -> Shown<Json<List<ProblemMeaning>>> {
    let meaning = |code: ProblemCode| ProblemMeaning {
        code,
        status: code.status(),
        meaning: openapi::meaning(code),
    };
    let items = ProblemCode::ALL.into_iter().map(meaning).collect();
    Ok(Json(List { items, next: None }))
}

pub(super) async fn me(call: Call<NoPath>) -> Shown<Json<Me>> {
    let Call { app, caller, .. } = call;
    let person = caller.must_be(Role::Spectator)?;
    Ok(Json(Me {
        id: person.id,
        name: person.shown.clone(),
        role: person.role,
        created: time(person.created),
        scopes: caller.scopes.clone(),
        token: caller.token.as_ref().map(|token| tokens::shown(token, Some(token.id))),
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
