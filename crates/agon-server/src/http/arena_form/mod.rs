//! Arenas for organisers: the list, and the form that makes or changes one.

mod fields;

use std::collections::{BTreeMap, BTreeSet};

use agon_games::GameId;
use agon_kits::Kit;
use agon_ladder_pages::{
    model::{
        AdminArena, AdminArenas, ArenaForm, ArenaValues, BotRef, BotState, Choice, Extension,
        FieldError, GameChoice, LeaderboardRow, Lopsided, Tally,
    },
    pages,
};
use agon_text::{csv_line, number::plural};
use axum::{
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use self::fields::{apply, typed, values, wrong};
use super::{
    extensions,
    form::Fields,
    lopsided,
    reply::{Shown, again, failure, html, not_found, to},
    views,
    visitor::Visitor,
};
use crate::{
    accounts::{name::slug, skeleton::skeleton},
    app::App,
    arena_handle::ArenaHandle,
    arenas,
    board::{Board, BoardBot},
    finals, keeper,
    play::Order,
    ranking::{self, Ranked},
    store::{
        arenas::{Arena, ArenaSettings, Season},
        audit,
        bots::{self, Stopped, StoppedBy},
        finals::FinalDraw,
        fresh_id, now,
        people::{Person, Role},
    },
};

/// Why a boss does not play that the form does not name.
const TAKEN_OUT: &str = "an organiser took it out";

pub(super) async fn list(State(app): State<App>, visitor: Visitor) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let waiting = app.store.open_versions().await?;
    let mut model = AdminArenas::default();
    for arena in app.arenas() {
        let board = arena.board();
        let authors = board.bots.values().filter(|bot| bot.bot.owner.is_some()).count();
        let of_arena = |bot: i64| board.bots.contains_key(&bot);
        model.arenas.push(AdminArena {
            arena: views::head(&arena, &board, &visitor),
            authors: authors as u64,
            waiting: waiting.iter().filter(|version| of_arena(version.bot)).count() as u64,
            since_start: arena.played_since_start(),
        });
    }
    Ok(html(pages::admin_arenas(&visitor.context(), &model)))
}

pub(super) async fn new_page(visitor: Visitor) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = arenas::first(GameId::ALL[0]);
    let empty = ArenaValues { slug: String::new(), title: String::new(), ..values(&arena) };
    Ok(form(&visitor, None, empty, &arena.settings, Vec::new(), Known::default()))
}

pub(super) async fn change_page(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let of = arena.get();
    let known = Known::read(&app, &arena).await?;
    Ok(form(&visitor, Some(&arena), values(&of), &of.settings, Vec::new(), known))
}

/// What the page of an arena shows beside the form.
#[derive(Debug, Default)]
struct Known {
    extensions: Vec<Extension>,
    lopsided: Vec<Lopsided>,
}

impl Known {
    async fn read(app: &App, arena: &ArenaHandle) -> Shown<Known> {
        let board = arena.board();
        let shown = |bot: i64| {
            board.bots.get(&bot).map(|bot| views::bot_ref(&board, bot)).unwrap_or_default()
        };
        let pair = |one: lopsided::Pair| {
            let [wins, ties, losses] = one.found.results;
            let tally = Tally { wins, ties, losses };
            let (loser, winner) = (shown(one.loser), shown(one.winner));
            Lopsided { loser, winner, tally, expected: one.found.expected }
        };
        let lopsided = lopsided::pairs(&app.store, arena).await?;
        Ok(Known {
            extensions: extensions::of(app, arena).await?,
            lopsided: lopsided.into_iter().map(pair).collect(),
        })
    }
}

fn form(
    visitor: &Visitor,
    arena: Option<&ArenaHandle>,
    values: ArenaValues,
    settings: &ArenaSettings,
    errors: Vec<FieldError>,
    known: Known,
) -> Response {
    let game = |game: GameId| GameChoice {
        id: game.meta().id.to_owned(),
        about: game.meta().summary.to_owned(),
        presets: arenas::preset_names(game),
    };
    let languages = Kit::all().into_iter().map(|kit| Choice {
        on: settings.languages.iter().any(|id| id == kit.id),
        id: kit.id.to_owned(),
        label: kit.manifest.language,
    });
    // Those of all games, as nobody knows yet which one is chosen.
    let games: Vec<GameId> = match arena {
        Some(_) => vec![settings.game],
        None => GameId::ALL.to_vec(),
    };
    let bosses = games.into_iter().map(|game| {
        // Those that a new arena has, unless somebody has chosen.
        let chosen = match game == settings.game {
            true => settings.bosses.clone(),
            false => arenas::first(game).settings.bosses,
        };
        let choice = |name: String| Choice {
            on: chosen.iter().any(|boss| boss.name == name),
            id: format!("{game}/{name}"),
            label: name,
        };
        arenas::boss_names(game).into_iter().map(choice).collect()
    });
    let model = ArenaForm {
        arena: arena.map(|arena| views::head(arena, &arena.board(), visitor)),
        values,
        errors,
        games: GameId::ALL.into_iter().map(game).collect(),
        languages: languages.collect(),
        bosses: bosses.collect(),
        game_is_fixed: arena.is_some(),
        extensions: known.extensions,
        lopsided: known.lopsided,
        alike: arena.map(|arena| alike(&arena.board())).unwrap_or_default(),
    };
    html(pages::arena_form(&visitor.context(), &model))
}

/// Returns the bots whose names look alike, in groups.
fn alike(board: &Board) -> Vec<Vec<BotRef>> {
    let mut groups: BTreeMap<String, Vec<BotRef>> = BTreeMap::new();
    for bot in board.bots.values().filter(|bot| !bot.bot.is_erased()) {
        groups.entry(skeleton(&bot.bot.name)).or_default().push(views::bot_ref(board, bot));
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

pub(super) async fn make(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let game = fields.get("game").parse::<GameId>();
    let mut errors = Vec::new();
    if game.is_err() {
        let all = GameId::ALL.map(|game| game.meta().id).join(", ");
        errors.push(wrong("game", &format!("There is no such game. Choose one of {all}.")));
    }
    let game = game.unwrap_or(GameId::ALL[0]);
    let mut arena = Arena { id: fresh_id(), created: now(), ..arenas::first(game) };
    arena.slug = slug(match fields.get("slug").trim() {
        "" => fields.get("title"),
        slug => slug,
    });
    if app.arena(&arena.slug).is_some() {
        errors.push(wrong("slug", "There is an arena with this address; choose another one."));
    } else if arena.slug == "new" {
        // Its pages for organisers would have the address of the form.
        errors.push(wrong("slug", "Agon needs the address `new` itself; choose another one."));
    }
    apply(&mut arena, &fields, true, &mut errors);
    if !errors.is_empty() {
        let typed = typed(&arena, &fields);
        let form = form(&visitor, None, typed, &arena.settings, errors, Known::default());
        return Ok(refused(form));
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
        let typed = typed(&arena, &fields);
        let known = Known::read(&app, &handle).await?;
        let form = form(&visitor, Some(&handle), typed, &arena.settings, errors, known);
        return Ok(refused(form));
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
fn check_final(
    before: &Arena,
    after: &mut Arena,
    drawn: Option<&FinalDraw>,
    errors: &mut Vec<FieldError>,
) {
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
        errors.push(wrong("title", advice));
    }
}

fn refused(page: Response) -> Response {
    again(StatusCode::UNPROCESSABLE_ENTITY, page)
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

/// The published ranking of authors, for a teacher's table. Authors without a bot are in it, too.
pub(super) async fn grades(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let published = board.listed.iter();
    let row = |ranked| Some((ranked, super::arena::row(&board, ranked, &visitor)?.1));
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
    let state = |bot: &BoardBot, owed: u64| state_in_words(&views::bot_state(bot), owed);
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
            ranks.map(|(best, _)| best.to_string()).unwrap_or_default(),
            ranks.map(|(_, worst)| worst.to_string()).unwrap_or_default(),
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
    let of_absent = |ranked: Ranked| {
        Some((ranked.bot, (ranked, super::arena::row(&board, &ranked, &visitor)?.1)))
    };
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
                let (state, name) = (state(bot, bot.owed), name_of(bot));
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
            Some(bot) if views::bot_state(bot) == BotState::Plays => {
                (bot.bot.name.as_str(), "did not take part".to_owned())
            }
            Some(bot) => (bot.bot.name.as_str(), format!("did not take part: {}", state(bot, 0))),
            None => ("", "no bot".to_owned()),
        };
        text.push_str(&without_rank(&person.shown, bot, "", &state, &person.name));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{slug}.csv\"")),
    ];
    Ok((headers, text).into_response())
}

fn state_in_words(state: &BotState, owed: u64) -> String {
    match state {
        BotState::Plays if owed > 0 => format!("no rank: {}", plural(owed, "more match")),
        BotState::Plays => "plays".to_owned(),
        BotState::NoVersion => "no version is ready".to_owned(),
        BotState::Disabled => "account disabled".to_owned(),
        BotState::Paused(why) => format!("paused: {why}"),
        BotState::Disqualified(why) => format!("disqualified: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_say_why_a_bot_that_plays_has_no_rank() {
        let state = |owed| state_in_words(&BotState::Plays, owed);
        assert_eq!((state(0).as_str(), state(4).as_str()), ("plays", "no rank: 4 more matches"));
        assert_eq!(state_in_words(&BotState::Paused("a rest".into()), 4), "paused: a rest");
    }
}
