//! Arenas for organisers: the list, and the form that makes or changes one.

mod fields;
mod page;

use agon_games::GameId;
use agon_ladder::api::Role;
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use maud::html;

use self::{
    fields::{Errors, apply, values},
    page::Form,
};
use super::{
    form::Fields,
    parts::{badge, layout::admin_page, link, lists::table, names, number::grouped, time::zoned},
    reply::{Shown, again, failure, not_found, to},
    views,
    visitor::Visitor,
};
use crate::{
    accounts::name::slug,
    app::App,
    arena_handle::ArenaHandle,
    arenas, finals, keeper,
    play::Order,
    store::{
        arenas::{Arena, ArenaSettings, Season},
        audit,
        bots::{self, Stopped, StoppedBy},
        finals::FinalDraw,
        fresh_id, now,
    },
};

/// Why a boss does not play that the form does not name.
const TAKEN_OUT: &str = "an organiser took it out";

pub(super) async fn list(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let waiting = app.store.open_versions().await?;
    let heads = [
        ("", "Arena"),
        ("", "Game"),
        ("", "Phase"),
        ("n", "Bots"),
        ("n", "Authors"),
        ("n", "Matches"),
        ("n", "Since the start"),
        ("n", "Waiting versions"),
        ("", "Deadline"),
        ("", "Change"),
    ];
    let rows = html! {
        @for handle in app.arenas() {
            @let board = handle.board();
            @let head = views::head(&handle, &board, &visitor);
            @let arena = &head.arena;
            @let title = names::shown(&arena.title, "Arena");
            @let authors = board.bots.values().filter(|bot| bot.bot.owner.is_some()).count();
            @let waiting = waiting.iter().filter(|it| board.bots.contains_key(&it.bot)).count();
            tr {
                th.text scope="row" { a href=(link::arena(&arena.slug)) { bdi { (title) } } }
                td { (names::text(&arena.game)) }
                td { (badge::phase(arena.phase)) }
                td.n { (grouped(arena.bots)) }
                td.n { (grouped(authors as u64)) }
                td.n { (grouped(arena.matches)) }
                td.n { (grouped(handle.played_since_start())) }
                td.n { (grouped(waiting as u64)) }
                td.date { @if let Some(deadline) = head.deadline() { (zoned(deadline)) } }
                td {
                    a href=(link::admin_arena(&arena.slug)) {
                        "Settings" span.unseen { " of " (title) }
                    }
                }
            }
        }
    };
    let main = html! {
        div.bar {
            h1 { "Arenas" }
            a.button.primary href="/admin/arenas/new" { "New arena" }
        }
        @if app.arenas().is_empty() { p.empty { "There is none yet." } } @else {
            (table("plain", &heads, rows))
        }
    };
    Ok(admin_page(&visitor, "/admin/arenas", "Arenas", main))
}

pub(super) async fn new_page(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let first = arenas::first(GameId::ALL[0]);
    let empty = Arena { slug: String::new(), title: String::new(), ..first };
    let (settings, fields) = (&empty.settings, &values(&empty));
    let form = Form { fields, settings, errors: Vec::new(), is_fixed: false };
    page::write(&app, &visitor, None, &form).await
}

pub(super) async fn change_page(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let of = arena.get();
    let (settings, fields) = (&of.settings, &values(&of));
    let form = Form { fields, settings, errors: Vec::new(), is_fixed: true };
    page::write(&app, &visitor, Some(&arena), &form).await
}

/// Shows the form with what is wrong with it.
async fn again_with(
    app: &App,
    visitor: &Visitor,
    arena: Option<&ArenaHandle>,
    (of, fields): (&Arena, &Fields),
    errors: Errors,
) -> Shown<Response> {
    let form = Form { fields, settings: &of.settings, errors, is_fixed: arena.is_some() };
    let page = page::write(app, visitor, arena, &form).await?;
    Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page))
}

pub(super) async fn make(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let game = fields.get("game").parse::<GameId>();
    let mut errors = Errors::new();
    if game.is_err() {
        let all = GameId::ALL.map(|game| game.meta().id).join(", ");
        errors.push(("game", format!("There is no such game. Choose one of {all}.")));
    }
    let game = game.unwrap_or(GameId::ALL[0]);
    let mut arena = Arena { id: fresh_id(), created: now(), ..arenas::first(game) };
    arena.slug = slug(match fields.get("slug").trim() {
        "" => fields.get("title"),
        slug => slug,
    });
    if app.arena(&arena.slug).is_some() {
        let text = "There is an arena with this address; choose another one.";
        errors.push(("slug", text.to_owned()));
    } else if arena.slug == "new" {
        // Its pages for organisers would have the address of the form.
        let text = "Agon needs the address `new` itself; choose another one.";
        errors.push(("slug", text.to_owned()));
    }
    apply(&mut arena, &fields, true, &mut errors);
    if !errors.is_empty() {
        return again_with(&app, &visitor, None, (&arena, &fields), errors).await;
    }
    arenas::make(&app, &arena, Some(by)).await?;
    if let Some(handle) = app.arena_of(arena.id) {
        keeper::watch(&app, app.orders(), &handle);
        drop(finals::watch((*app).clone(), app.orders().clone(), handle));
    }
    Ok(to(&format!("/arenas/{}?done=made", arena.slug)))
}

pub(super) async fn change(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let handle = views::arena(&app, &slug)?;
    // No author changes a bot while a freeze is set.
    let _fixed = app.drawing.lock().await;
    let before = handle.get();
    let mut arena = (*before).clone();
    let mut errors = Vec::new();
    apply(&mut arena, &fields, false, &mut errors);
    let drawn = app.store.final_draw(arena.id).await?;
    check_final(&before, &mut arena, drawn.as_ref(), &mut errors);
    if !errors.is_empty() {
        return again_with(&app, &visitor, Some(&handle), (&arena, &fields), errors).await;
    }
    let mut statements = arena.update();
    if arena.settings.finals.is_some() && drawn.is_none() {
        statements.extend(finals::promise::promise(arena.id)?);
    }
    let known = app.store.bots(arena.id).await?;
    for boss in &arena.settings.bosses {
        let is_new = !known.iter().any(|bot| bot.owner.is_none() && bot.name == boss.name);
        if is_new {
            statements.extend(arenas::boss_statements(&arena, boss).1);
        }
    }
    for bot in known.iter().filter(|bot| bot.owner.is_none()) {
        let plays = arena.settings.bosses.iter().any(|boss| boss.name == bot.name);
        let why = TAKEN_OUT.to_owned();
        match (&bot.stopped, plays) {
            (None, false) => {
                let stopped = Stopped { by: StoppedBy::Author, why, at: now() };
                statements.push(bots::set_stopped(bot.id, Some(&stopped)));
            }
            // One that was disqualified stays so.
            (Some(stopped), true) if stopped.why == why => {
                statements.push(bots::set_stopped(bot.id, None));
            }
            _ => {}
        }
    }
    statements.push(audit::note(Some(by), "arena.change", &arena.slug, ""));
    app.store.write(statements).await?;
    let id = arena.id;
    app.set_arena(arena);
    app.orders().send(Order::Refresh { arena: id });
    Ok(to(&format!("/arenas/{slug}?done=changed")))
}

/// Checks what a final allows to change: title and text, once its versions are fixed.
fn check_final(before: &Arena, after: &mut Arena, drawn: Option<&FinalDraw>, errors: &mut Errors) {
    let is_fixed = drawn.is_some_and(|drawn| drawn.draw.is_some());
    if before.settings.final_of.is_none() && !is_fixed {
        return;
    }
    // The form gives back minutes.
    let minutes = |season: &Season| {
        [season.begin, season.deadline, season.freeze].map(|at| at.map(|at| at / 60_000))
    };
    if minutes(&before.settings.season) == minutes(&after.settings.season) {
        after.settings.season = before.settings.season.clone();
    }
    let text = |settings: &ArenaSettings| {
        let about = String::new();
        crate::store::to_json(&ArenaSettings { about, ..settings.clone() })
    };
    if text(&before.settings) != text(&after.settings) {
        let advice = "The versions of the final are fixed: only title and text can change.";
        errors.push(("title", advice.to_owned()));
    }
}

/// Changes the season of an arena.
pub(super) async fn change_season(
    State(app): State<App>,
    Path((slug, action)): Path<(String, String)>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    set_season(&app, &visitor, &slug, &action).await?;
    Ok(to(&format!("/admin/arenas/{slug}?done=changed")))
}

/// Pauses, resumes or finishes the season of an arena.
pub(super) async fn set_season(
    app: &App,
    visitor: &Visitor,
    slug: &str,
    action: &str,
) -> Shown<ArenaHandle> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let handle = views::arena(app, slug)?;
    // No author changes a bot while a freeze is set.
    let _fixed = app.drawing.lock().await;
    let mut arena = (*handle.get()).clone();
    let season = &mut arena.settings.season;
    match action {
        "pause" => season.is_paused = true,
        "resume" => season.is_paused = false,
        "finish" if arena.settings.final_of.is_some() => {
            let advice = "It ends by itself, after its last match. You can pause it.";
            return Err(failure(409, "This is a final", advice));
        }
        "finish" => {
            season.freeze = Some(now());
            season.deadline = season.deadline.map(|deadline| deadline.min(now()));
        }
        _ => return Err(not_found("page")),
    }
    let note = audit::note(Some(by), &format!("arena.{action}"), &arena.slug, "");
    let mut statements = arena.update();
    statements.push(note);
    app.store.write(statements).await?;
    let id = arena.id;
    app.set_arena(arena);
    app.orders().send(Order::Refresh { arena: id });
    Ok(handle)
}

pub(super) async fn publish(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    keeper::publish_once(&app, &arena).await?;
    Ok(to(&format!("/arenas/{slug}?tab=published&done=published")))
}
