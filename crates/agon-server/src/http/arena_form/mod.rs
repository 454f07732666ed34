//! Arenas for organisers: the list, and the form that makes or changes one.

mod fields;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use agon_core::{text::csv_line, text::number::plural};
use agon_ladder::api::{BotState, LeaderboardRow};

use self::fields::{Errors, apply, moment, values};
use super::prelude::*;
use crate::ranking::{self, Ranked};
use crate::store::arenas::{Season, give_extension};
use crate::store::bots::{self, DISABLED};
use crate::{accounts::name::slug, arenas, finals, store::finals::FinalDraw};

/// Why a boss does not play that the form does not name.
const TAKEN_OUT: &str = "an organiser took it out";

pub(super) async fn list(Get { app, visitor, .. }: Get) -> Page {
    visitor.must_be(Role::Organiser)?;
    let waiting = app.store.open_versions().await?;
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
                td.n { (grouped(handle.played.load(Ordering::Relaxed))) }
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
            (table("plain", &[("", "Arena"), ("", "Game"), ("", "Phase"), ("n", "Bots"),
                ("n", "Authors"), ("n", "Matches"), ("n", "Since the start"),
                ("n", "Waiting versions"), ("", "Deadline"), ("", "Change")], rows))
        }
    };
    Ok(admin_page(&visitor, "/admin/arenas", "Arenas", main))
}

pub(super) async fn new_page(Get { app, visitor, .. }: Get) -> Page {
    visitor.must_be(Role::Organiser)?;
    let first = arenas::first(GameId::OWN[0]);
    let empty = Arena { slug: String::new(), title: String::new(), ..first };
    page::write(&app, &visitor, None, &empty, &values(&empty), Vec::new()).await
}

pub(super) async fn change_page(Get { app, path: slug, visitor, .. }: Get<String>) -> Page {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let of = arena.get();
    page::write(&app, &visitor, Some(&arena), &of, &values(&of), Vec::new()).await
}

pub(super) async fn make(Post { app, visitor, fields, .. }: Post) -> Page {
    let by = visitor.must_be(Role::Organiser)?.id;
    let game = fields.get("game").parse::<GameId>();
    let mut errors = Errors::new();
    if game.is_err() {
        let names = GameId::names();
        errors.push(("game", format!("There is no such game. Choose one of {names}.")));
    }
    let game = game.unwrap_or(GameId::OWN[0]);
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
        return page::write(&app, &visitor, None, &arena, &fields, errors).await;
    }
    arenas::make(&app, &arena, Some(by)).await?;
    if let Some(handle) = app.arena_of(arena.id) {
        arenas::watch(&app, &app.orders, &handle);
        drop(finals::watch(app.shared.clone(), app.orders.clone(), handle));
    }
    Ok(to(&format!("/arenas/{}?done=made", arena.slug)))
}

pub(super) async fn change(Post { app, path: slug, visitor, fields, .. }: Post<String>) -> Page {
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
        return page::write(&app, &visitor, Some(&handle), &arena, &fields, errors).await;
    }
    let mut statements = arena.update();
    if arena.settings.finals.is_some() && drawn.is_none() {
        statements.extend(finals::promise(arena.id)?);
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
    app.orders.send(Order::Refresh { arena: id });
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
pub(super) async fn change_season(post: Post<(String, String)>) -> Page {
    let Post { app, path: (slug, action), visitor, .. } = post;
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
            return Err(failure(Conflict, "This is a final", advice));
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
    app.orders.send(Order::Refresh { arena: id });
    Ok(handle)
}

pub(super) async fn publish(Post { app, path: slug, visitor, .. }: Post<String>) -> Page {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    arenas::publish_once(&app, &arena).await?;
    Ok(to(&format!("/arenas/{slug}?tab=published&done=published")))
}

/// The published ranking of authors, for a teacher's table. Authors without a bot are in it, too.
pub(super) async fn grades(Get { app, path: slug, visitor, .. }: Get<String>) -> Page {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let published = board.listed.iter();
    let row = |ranked| Some((ranked, views::row(&board, ranked, &visitor)?));
    let published: Vec<(&Ranked, LeaderboardRow)> = published.filter_map(row).collect();
    let listed: BTreeSet<i64> = published.iter().map(|(ranked, _)| ranked.bot).collect();
    let bosses = published.iter().filter(|(_, row)| row.bot.boss);
    let bosses: Vec<f64> = bosses.filter_map(|(_, row)| Some(row.rating?.elo)).collect();
    // Spreadsheets see by the first character that it is UTF-8.
    let mut text = "\u{feff}rank,author,bot,version,rating,matches,faults,bosses_beaten,bosses,\
                    lower_end,best_rank,worst_rank,state,name\n"
        .to_owned();
    let people = app.store.people().await?;
    // The name for signing in, which may come from a class list.
    let name_of = |bot: &BoardBot| {
        let owner = people.iter().find(|person| Some(person.id) == bot.bot.owner);
        owner.map(|owner| owner.name.clone()).unwrap_or_default()
    };
    let in_all = bosses.len().to_string();
    let state = |bot: &BoardBot, owed: u64| state_in_words(views::bot_state(bot), owed);
    let line = |rank: Option<usize>, ranked: &Ranked, row: &LeaderboardRow| {
        // What decides ranks decides this, too.
        let is_beaten = |boss: &&f64| rank.is_some() && ranked.place.value > **boss;
        let beaten = bosses.iter().filter(is_beaten).count();
        let rounded = |number: Option<f64>| number.map(|number| format!("{number:.0}"));
        let ranks = row.ranks.filter(|_| rank.is_some());
        let bot = board.bots.get(&ranked.bot);
        csv_line([
            rank.map(|rank| rank.to_string()).unwrap_or_default(),
            row.bot.author.clone().unwrap_or_default(),
            row.bot.name.clone(),
            row.bot.version.unwrap_or(0).to_string(),
            rounded(row.rating.map(|rating| rating.elo)).unwrap_or_default(),
            row.matches.to_string(),
            row.faults.to_string(),
            beaten.to_string(),
            in_all.clone(),
            rounded(row.rating.and_then(|rating| rating.low)).unwrap_or_default(),
            ranks.map(|ranks| ranks.best.to_string()).unwrap_or_default(),
            ranks.map(|ranks| ranks.worst.to_string()).unwrap_or_default(),
            bot.map(|bot| state(bot, row.owed)).unwrap_or_default(),
            bot.map(name_of).unwrap_or_default(),
        ])
    };
    let authors: Vec<_> = published.iter().filter(|(_, row)| !row.bot.boss).collect();
    for (ranked, row) in &authors {
        // Bots with the same rating share a rank here, too.
        // Those without a rank come behind all others.
        let better = authors.iter().take_while(|(_, other)| other.rank != row.rank).count();
        text.push_str(&line(row.rank.map(|_| 1 + better), ranked, row));
    }
    // Who does not play is in no table, but its results are known.
    let is_absent = |bot: &BoardBot| bot.bot.owner.is_some() && !listed.contains(&bot.bot.id);
    let absent = |id: i64| {
        let (bot, version) = board.version(id)?;
        (is_absent(bot) && bot.bot.active == Some(id)).then_some(version)
    };
    let ranks = arena.settings().ranks();
    let of_absent =
        |ranked: Ranked| Some((ranked.bot, (ranked, views::row(&board, &ranked, &visitor)?)));
    let table = board.published.iter();
    let absent: BTreeMap<i64, (Ranked, LeaderboardRow)> = table
        .flat_map(|(_, table)| ranking::listed(table, absent, ranks))
        .filter_map(of_absent)
        .collect();
    let without_rank = |author: &str, bot: &str, version: &str, state: &str, name: &str| {
        csv_line(["", author, bot, version, "", "", "", "", &in_all, "", "", "", state, name])
    };
    for (id, bot) in board.bots.iter().filter(|(_, bot)| is_absent(bot)) {
        text.push_str(&match absent.get(id) {
            Some((ranked, row)) => line(None, ranked, row),
            None => {
                let version = bot.bot.active.and_then(|id| board.versions.get(&id));
                let version = version.map(|version| version.number.to_string()).unwrap_or_default();
                let state = state(bot, bot.owed);
                let name = name_of(bot);
                without_rank(&bot.author, &bot.bot.name, &version, &state, &name)
            }
        });
    }
    let is_without = |person: &&Person| {
        person.role == Role::Author
            && person.disabled.is_none()
            && board.own_bot(person.id).is_none()
    };
    let season = arena.settings().final_of.and_then(|of| app.arena_of(of.season));
    let season = season.map(|season| season.board());
    for person in people.iter().filter(is_without) {
        let (bot, state) = match season.as_ref().and_then(|season| season.own_bot(person.id)) {
            Some(bot) if views::bot_state(bot).0 == BotState::Playing => {
                (bot.bot.name.as_str(), "did not take part".to_owned())
            }
            Some(bot) => (bot.bot.name.as_str(), format!("did not take part: {}", state(bot, 0))),
            None => ("", "no bot".to_owned()),
        };
        text.push_str(&without_rank(&person.shown, bot, "", &state, &person.name));
    }
    Ok(attachment("text/csv; charset=utf-8", &format!("{slug}.csv"), text))
}

fn state_in_words((state, reason): (BotState, Option<String>), owed: u64) -> String {
    let reason = reason.unwrap_or_default();
    match state {
        BotState::Playing if owed > 0 => format!("no rank: {}", plural(owed, "more match")),
        BotState::Playing => "plays".to_owned(),
        BotState::NoVersion => "no version is ready".to_owned(),
        BotState::Paused if reason == DISABLED => "account disabled".to_owned(),
        BotState::Paused => format!("paused: {reason}"),
        BotState::Disqualified => format!("disqualified: {reason}"),
    }
}

/// Gives an author a later deadline, or takes it back.
pub(super) async fn set_extension(
    app: &App,
    visitor: &Visitor,
    arena: &ArenaHandle,
    name: &str,
    until: Option<i64>,
) -> Shown<()> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let of = arena.get();
    let season = &of.settings.season;
    if of.settings.final_of.is_some() {
        return Err(failure(Conflict, "This is a final", "Nobody hands in any more."));
    }
    let person = app.store.person(name).await?.ok_or_else(|| not_found("person"))?;
    if until.is_some() && season.deadline.is_none() {
        let advice = "All can hand in at any time.";
        return Err(failure(Conflict, "This arena has no deadline", advice));
    }
    if until.is_some_and(|until| season.deadline.is_some_and(|deadline| until <= deadline)) {
        let advice = "Give a time after the deadline of the arena.";
        return Err(failure(Unprocessable, "This is not later", advice));
    }
    if until.is_some_and(|until| season.freeze.is_some_and(|freeze| until > freeze)) {
        let advice = "Nobody can hand in after the freeze; move the freeze first.";
        return Err(failure(Unprocessable, "This is after the freeze", advice));
    }
    let subject = format!("{} in {}", person.name, of.slug);
    let detail = match until {
        Some(until) => format!("until {}", views::zoned(until, &of)),
        None => "as all others".to_owned(),
    };
    let statements = vec![
        give_extension(of.id, person.id, until),
        audit::note(Some(by), "deadline.extend", &subject, &detail),
    ];
    app.store.write(statements).await?;
    arena.touch();
    Ok(())
}

pub(super) async fn change_extension(post: Post<String>) -> Page {
    let Post { app, path: slug, visitor, fields, .. } = post;
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let until = moment(&fields, "until");
    let until = until.map_err(|wrong| failure(Unprocessable, "This is no time", wrong))?;
    let name = fields.get("name").trim();
    if app.store.person(name).await?.is_none() {
        let advice = "Type the name of an author as for signing in. Organise → People has a list.";
        return Err(failure(Unprocessable, "Nobody has this name", advice));
    }
    set_extension(&app, &visitor, &arena, name, until.map(|(at, _)| at)).await?;
    Ok(to(&format!("/admin/arenas/{slug}?done=extended")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_say_why_a_bot_that_plays_has_no_rank() {
        let state = |owed| state_in_words((BotState::Playing, None), owed);
        assert_eq!((state(0).as_str(), state(4).as_str()), ("plays", "no rank: 4 more matches"));
        let paused = |why: &str| state_in_words((BotState::Paused, Some(why.to_owned())), 4);
        assert_eq!(paused("a rest"), "paused: a rest");
        assert_eq!(paused(DISABLED), "account disabled");
    }
}
