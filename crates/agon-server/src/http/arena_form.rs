//! Arenas for organisers: the list, and the form that makes or changes one.

use agon_games::{GameId, settings::set_text, with_game};
use agon_kits::Kit;
use agon_ladder_pages::{
    model::{
        AdminArena, AdminArenas, ArenaForm, ArenaValues, Choice, FieldError, GameChoice,
        Sources as PageSources,
    },
    pages,
};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};

use super::{
    form::Fields,
    reply::{Shown, html, to},
    views,
    visitor::Visitor,
    zone,
};
use crate::{
    accounts::name::slug,
    app::{App, ArenaHandle},
    arenas,
    play::Order,
    start,
    store::{
        arenas::{Arena, ArenaSettings, Season, Sources},
        audit, fresh_id, now,
        people::Role,
    },
};

/// The longest text about an arena, in characters.
const ABOUT: usize = 4_000;

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
    Ok(form(&visitor, None, empty, &arena.settings, Vec::new()))
}

pub(super) async fn change_page(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let of = arena.get();
    Ok(form(&visitor, Some(&arena), values(&of), &of.settings, Vec::new()))
}

fn form(
    visitor: &Visitor,
    arena: Option<&ArenaHandle>,
    values: ArenaValues,
    settings: &ArenaSettings,
    errors: Vec<FieldError>,
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
    };
    html(pages::arena_form(&visitor.context(), &model))
}

/// Returns what the fields of the form hold for an arena.
fn values(arena: &Arena) -> ArenaValues {
    let settings = &arena.settings;
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let zoned = |at: Option<i64>| at.map(|at| views::zoned(at, arena));
    ArenaValues {
        slug: arena.slug.clone(),
        title: arena.title.clone(),
        about: settings.about.clone(),
        game: settings.game.meta().id.to_owned(),
        preset: settings.preset.clone(),
        settings: String::new(),
        players: settings.players.to_string(),
        time_ms: number(settings.matches.time.limit),
        memory_mib: number(settings.matches.sandbox.memory.map(u64::from)),
        begin: zoned(settings.season.begin),
        deadline: zoned(settings.season.deadline),
        freeze: zoned(settings.season.freeze),
        sources: match settings.sources {
            Sources::Secret => PageSources::Secret,
            Sources::After => PageSources::After,
            Sources::Open => PageSources::Open,
        },
        per_day: settings.daily.to_string(),
    }
}

pub(super) async fn make(
    State(app): State<App>,
    visitor: Visitor,
    fields: Fields,
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let game: GameId = fields.get("game").parse().unwrap_or(GameId::ALL[0]);
    let mut errors = Vec::new();
    let mut arena = Arena { id: fresh_id(), created: now(), ..arenas::first(game) };
    arena.slug = slug(match fields.get("slug").trim() {
        "" => fields.get("title"),
        slug => slug,
    });
    if app.arena(&arena.slug).is_some() {
        errors.push(wrong("slug", "There is an arena with this name; choose another one."));
    }
    apply(&mut arena, &fields, true, &mut errors);
    if !errors.is_empty() {
        let typed = typed(&arena, &fields);
        return Ok(refused(form(&visitor, None, typed, &arena.settings, errors)));
    }
    arenas::make(&app, &arena, Some(by)).await?;
    start::watch(&app, arena.id);
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
    let before = handle.get();
    let mut arena = (*before).clone();
    let mut errors = Vec::new();
    apply(&mut arena, &fields, false, &mut errors);
    if !errors.is_empty() {
        let typed = typed(&arena, &fields);
        return Ok(refused(form(&visitor, Some(&handle), typed, &arena.settings, errors)));
    }
    let mut statements = vec![arena.update()];
    let known = app.store.bots(arena.id).await?;
    for boss in &arena.settings.bosses {
        let is_new = !known.iter().any(|bot| bot.owner.is_none() && bot.name == boss.name);
        if is_new {
            statements.extend(arenas::boss_statements(&arena, boss));
        }
    }
    for bot in known.iter().filter(|bot| bot.owner.is_none()) {
        let plays = arena.settings.bosses.iter().any(|boss| boss.name == bot.name);
        let stopped = (!plays).then(|| crate::store::bots::Stopped {
            by: crate::store::bots::StoppedBy::Organiser,
            why: "an organiser took it out".to_owned(),
            at: now(),
        });
        statements.push(crate::store::bots::set_stopped(bot.id, stopped.as_ref()));
    }
    statements.push(audit::note(Some(by), "arena.change", &arena.slug, ""));
    app.store.write(statements).await?;
    let id = arena.id;
    app.set_arena(arena);
    app.player.send(Order::Refresh { arena: id });
    Ok(to(&format!("/arenas/{slug}?done=changed")))
}

fn refused(mut response: Response) -> Response {
    *response.status_mut() = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
    response
}

/// Returns the values of the form with what was typed where it does not fit.
fn typed(arena: &Arena, fields: &Fields) -> ArenaValues {
    let text = |name: &str| fields.get(name).to_owned();
    ArenaValues {
        slug: text("slug"),
        title: text("title"),
        preset: text("preset"),
        settings: text("settings"),
        players: text("players"),
        time_ms: text("time_ms"),
        memory_mib: text("memory_mib"),
        per_day: text("per_day"),
        ..values(arena)
    }
}

fn wrong(field: &str, text: &str) -> FieldError {
    FieldError { field: field.to_owned(), text: text.to_owned() }
}

/// Applies the fields of the form to an arena.
fn apply(arena: &mut Arena, fields: &Fields, is_new: bool, errors: &mut Vec<FieldError>) {
    let title = fields.get("title").trim();
    if title.is_empty() || title.chars().count() > 80 {
        errors.push(wrong("title", "Give a title of 1 to 80 characters."));
    } else {
        arena.title = agon_text::shown_name(title).into_owned();
    }
    if is_new {
        apply_game(arena, fields, errors);
    }
    let settings = &mut arena.settings;
    let about = fields.get("about").trim().replace("\r\n", "\n");
    let about = agon_text::escape_lines(&about).into_owned();
    if about.chars().count() > ABOUT {
        errors.push(wrong("about", &format!("Say it with at most {ABOUT} characters.")));
    } else {
        settings.about = about;
    }
    let mut number = |name: &str, range: std::ops::RangeInclusive<u64>| -> Option<Option<u64>> {
        match fields.get(name).trim() {
            "" => Some(None),
            text => match text.parse() {
                Ok(value) if range.contains(&value) => Some(Some(value)),
                _ => {
                    let (low, high) = (range.start(), range.end());
                    errors.push(wrong(name, &format!("Give a number from {low} to {high}.")));
                    None
                }
            },
        }
    };
    if let Some(limit) = number("time_ms", 1..=600_000) {
        settings.matches.time.limit = limit;
    }
    if let Some(memory) = number("memory_mib", 16..=1_000_000) {
        settings.matches.sandbox.memory = memory.map(|memory| memory as u32);
    }
    if let Some(daily) = number("per_day", 1..=10_000) {
        settings.daily = daily.map_or(arenas::DAILY, |daily| daily as u32);
    }
    settings.languages = fields.all("language").to_vec();
    settings.sources = match fields.get("sources") {
        "open" => Sources::Open,
        "after" => Sources::After,
        _ => Sources::Secret,
    };
    apply_season(&mut settings.season, fields, errors);
    let prefix = format!("{}/", settings.game);
    let names: Vec<String> = fields
        .all("boss")
        .iter()
        .filter_map(|id| id.strip_prefix(&prefix).map(str::to_owned))
        .collect();
    match arenas::bosses(settings.game, &names) {
        Ok(bosses) => settings.bosses = bosses,
        Err(error) => errors.push(wrong("boss", &super::account::sentence(&error.to_string()))),
    }
}

/// Applies what cannot change once matches were played.
fn apply_game(arena: &mut Arena, fields: &Fields, errors: &mut Vec<FieldError>) {
    let settings = &mut arena.settings;
    let game = settings.game;
    let preset = match fields.get("preset").trim() {
        "" => agon_games::presets::DEFAULT,
        preset => preset,
    };
    match arenas::rules(game, preset).and_then(|rules| changed(game, rules, fields.get("settings")))
    {
        Ok(rules) => {
            settings.rules = rules;
            preset.clone_into(&mut settings.preset);
        }
        Err(error) => {
            let text = super::account::sentence(&format!("{error:#}"));
            errors.push(wrong("preset", &text));
        }
    }
    let meta = game.meta();
    let range = meta.min_players.max(2)..=meta.max_players.min(16);
    match fields.get("players").trim() {
        "" => {}
        text => match text.parse() {
            Ok(players) if range.contains(&players) => settings.players = players,
            _ => errors.push(wrong(
                "players",
                &format!("Give a number from {} to {}.", range.start(), range.end()),
            )),
        },
    }
}

/// Changes settings by lines `name = value`.
fn changed(
    game: GameId,
    rules: serde_json::Value,
    lines: &str,
) -> anyhow::Result<serde_json::Value> {
    with_game!(game, G => {
        let mut rules: <G as agon_core::Game>::Rules = serde_json::from_value(rules)?;
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            set_text::<G>(&mut rules, key.trim(), value.trim())?;
        }
        Ok(serde_json::to_value(rules)?)
    })
}

fn apply_season(season: &mut Season, fields: &Fields, errors: &mut Vec<FieldError>) {
    let mut at = |name: &str| -> Option<i64> {
        let local = fields.get(name).trim();
        let offset = fields.get(&format!("{name}_zone")).trim();
        if local.is_empty() {
            return None;
        }
        match (zone::parse(local, offset), name) {
            (Some(zoned), name) => {
                if name == "deadline" || season.offset == 0 {
                    season.offset = zoned.offset;
                }
                i64::try_from(zoned.at.0).ok().map(|seconds| seconds * 1_000)
            }
            (None, name) => {
                errors.push(wrong(
                    name,
                    "Give date and time as in 2026-11-26T15:05, and the zone as in +01:00.",
                ));
                None
            }
        }
    };
    let (begin, deadline, freeze) = (at("begin"), at("deadline"), at("freeze"));
    if let (Some(begin), Some(deadline)) = (begin, deadline)
        && deadline <= begin
    {
        errors.push(wrong("deadline", "The deadline must be after the begin."));
    }
    if let (Some(deadline), Some(freeze)) = (deadline, freeze)
        && freeze < deadline
    {
        errors.push(wrong("freeze", "Matches cannot end before the deadline."));
    }
    *season = Season { begin, deadline, freeze, ..season.clone() };
}

/// Changes the season of an arena.
async fn change_season(
    app: &App,
    slug: &str,
    visitor: &Visitor,
    action: &str,
    change: impl FnOnce(&mut Season),
) -> Shown<Response> {
    let by = visitor.must_be(Role::Organiser)?.id;
    let handle = views::arena(app, slug)?;
    let mut arena = (*handle.get()).clone();
    change(&mut arena.settings.season);
    let note = audit::note(Some(by), action, &arena.slug, "");
    app.store.write(vec![arena.update(), note]).await?;
    let id = arena.id;
    app.set_arena(arena);
    app.player.send(Order::Refresh { arena: id });
    Ok(to(&format!("/admin/arenas/{slug}?done=changed")))
}

pub(super) async fn pause(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    change_season(&app, &slug, &visitor, "arena.pause", |season| season.is_paused = true).await
}

pub(super) async fn resume(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    change_season(&app, &slug, &visitor, "arena.resume", |season| season.is_paused = false).await
}

pub(super) async fn finish(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    let finish = |season: &mut Season| season.freeze = Some(now());
    change_season(&app, &slug, &visitor, "arena.finish", finish).await
}

pub(super) async fn publish(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    _: Fields,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    crate::board::publish_once(&app, &arena).await?;
    Ok(to(&format!("/arenas/{slug}?tab=published&done=published")))
}

/// The ranking with names, for a teacher's table.
pub(super) async fn grades(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    visitor.must_be(Role::Organiser)?;
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let bosses: Vec<f64> = board
        .bots
        .values()
        .filter(|bot| bot.bot.owner.is_none())
        .filter_map(|bot| board.rating(bot.bot.active?))
        .collect();
    let mut text =
        "author,bot,version,rank,rating,matches,faults,bosses_beaten,bosses\n".to_owned();
    for bot in board.bots.values().filter(|bot| bot.bot.owner.is_some()) {
        let version = bot.bot.active.and_then(|id| board.versions.get(&id));
        let rating = version.map(|version| crate::play::rating(version.mu));
        let beaten = bosses.iter().filter(|&&boss| rating.is_some_and(|own| own > boss)).count();
        let rank = bot.rank.map(|rank| rank.to_string()).unwrap_or_default();
        let number = version.map(|version| version.number.to_string()).unwrap_or_default();
        let rating = rating.map(|rating| format!("{rating:.0}")).unwrap_or_default();
        let (matches, faults) = version.map_or((0, 0), |v| (v.matches, v.faults));
        text.push_str(&format!(
            "{},{},{number},{rank},{rating},{matches},{faults},{beaten},{}\n",
            csv_field(&bot.author),
            csv_field(&bot.bot.name),
            bosses.len()
        ));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{slug}.csv\"")),
    ];
    Ok((headers, text).into_response())
}

/// Writes a field of CSV. What spreadsheets would take for a formula becomes a text.
fn csv_field(text: &str) -> String {
    let text = match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    };
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreadsheets_see_no_formulas() {
        assert_eq!(csv_field("=1+1"), "'=1+1");
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_field("fox"), "fox");
    }
}
