//! The fields of the form: what is wrong with them, and what they change.

use std::ops::RangeInclusive;

use agon_core::{Problem, Seed};
use agon_games::settings;
use agon_ladder::{api::ZonedTime, ledger::MOST_MATCHES};
use agon_match::spec::SandboxLevel;

use crate::store::arenas::{FinalSettings, RankedBy, Ranks, Season, Sources};
use crate::{arenas, finals, http::parts::values::typed, http::prelude::*};

/// The longest text about an arena, in characters.
const ABOUT: usize = 4_000;

/// Returns what the fields of the form hold for an arena.
pub(super) fn values(arena: &Arena) -> Fields {
    let settings = &arena.settings;
    let season = &settings.season;
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let yes = |is_on: bool| if is_on { "yes".to_owned() } else { String::new() };
    let ranks = settings.ranks();
    // Another choice has another usual number.
    let least = (ranks.least != ranks.by.least()).then_some(ranks.least);
    let mut all = vec![
        ("slug", arena.slug.clone()),
        ("title", arena.title.clone()),
        ("about", settings.about.clone()),
        ("game", settings.game.meta().id.to_owned()),
        ("preset", settings.preset.clone()),
        ("players", settings.players.to_string()),
        ("time_ms", number(settings.matches.time.limit)),
        ("memory_mib", number(settings.matches.sandbox.memory.map(u64::from))),
        ("strict", yes(settings.matches.sandbox.level == SandboxLevel::Strict)),
        ("named", yes(settings.named)),
        ("sources", choice(&SOURCES, settings.sources).to_owned()),
        ("per_day", settings.daily.to_string()),
        ("ranked_by", choice(&RANKED_BY, ranks.by).to_owned()),
        ("ranked_after", number(least.map(u64::from))),
        ("final_games", number(settings.finals.map(|finals| finals.games.into()))),
        ("final_most", number(settings.finals.map(|finals| finals.most.into()))),
        ("final_minutes", number(settings.finals.map(|finals| finals::minutes(finals.steps)))),
    ];
    let dates = [
        ("begin", "begin_zone", season.begin),
        ("deadline", "deadline_zone", season.deadline),
        ("freeze", "freeze_zone", season.freeze),
    ];
    for (name, zone, at) in dates {
        let at = at.map(|at| views::zoned(at, arena));
        all.push((name, at.map(ZonedTime::local).unwrap_or_default()));
        all.push((zone, at.unwrap_or_default().zone()));
    }
    all.into_iter().collect()
}

/// Who can read the sources of bots: values of the field, and what people read.
pub(super) const SOURCES: [(Sources, &str, &str); 3] = [
    (Sources::Secret, "secret", "only their author and organisers"),
    (Sources::After, "after", "everybody, after the end"),
    (Sources::Open, "open", "everybody, at once"),
];

/// Which number of a rating decides ranks: the same.
pub(super) const RANKED_BY: [(RankedBy, &str, &str); 2] = [
    (RankedBy::LowerEnd, "lower_end", "the lower end of the rating's interval: proven strength"),
    (RankedBy::Rating, "rating", "the rating"),
];

/// Returns the value of the field for a choice.
fn choice<T: PartialEq>(all: &[(T, &'static str, &str)], of: T) -> &'static str {
    all.iter().find(|(known, ..)| *known == of).map_or("", |(_, id, _)| id)
}

/// Returns the choice that a field names: the usual one if it is empty.
fn chosen<T: Copy>(all: &[(T, &str, &str)], name: &str, usual: T) -> Option<T> {
    match name {
        "" => Some(usual),
        name => all.iter().find(|(_, id, _)| *id == name).map(|(choice, ..)| *choice),
    }
}

/// Reads a time: its milliseconds, and how many minutes its zone is ahead of UTC. `None` if the
/// field is empty.
pub(super) fn moment(fields: &Fields, name: &str) -> Result<Option<(i64, i32)>, &'static str> {
    let local = fields.get(name).trim();
    if local.is_empty() {
        return Ok(None);
    }
    let zoned = typed(local, fields.get(&format!("{name}_zone")).trim());
    let wrong = "Give date and time as in 2026-11-26T15:05, and the zone as in +01:00.";
    let zoned = zoned.ok_or(wrong)?;
    Ok(i64::try_from(zoned.at.0).ok().map(|seconds| (seconds * 1_000, zoned.offset)))
}

/// What is wrong with fields, and what to do, in sentences.
pub(super) type Errors = Vec<(&'static str, String)>;

/// Applies the fields of the form to an arena.
pub(super) fn apply(arena: &mut Arena, fields: &Fields, is_new: bool, errors: &mut Errors) {
    let title = fields.get("title").trim();
    if title.is_empty() || title.chars().count() > 80 {
        errors.push(("title", "Give a title of 1 to 80 characters.".to_owned()));
    } else {
        arena.title = agon_core::text::shown_name(title).into_owned();
    }
    if is_new {
        apply_game(arena, fields, errors);
    }
    let settings = &mut arena.settings;
    let about = fields.get("about").trim().replace("\r\n", "\n");
    let about = agon_core::text::escape_lines(&about).into_owned();
    if about.chars().count() > ABOUT {
        errors.push(("about", format!("Say it with at most {ABOUT} characters.")));
    } else {
        settings.about = about;
    }
    // Of a field that is wrong nothing is saved, so its value does not matter.
    let mut number = |name: &'static str, range: RangeInclusive<u64>| -> Option<u64> {
        let text = fields.get(name).trim();
        let value = text.parse().ok().filter(|value| range.contains(value));
        if value.is_none() && !text.is_empty() {
            errors.push((name, from_to(*range.start(), *range.end())));
        }
        value
    };
    settings.matches.time.limit = number("time_ms", 1..=600_000);
    let memory = number("memory_mib", 16..=1_000_000);
    settings.matches.sandbox.memory = memory.map(|memory| memory as u32);
    let games = number("final_games", 1..=1_000);
    let most = number("final_most", 2..=500).unwrap_or(finals::MOST.into());
    let minutes = number("final_minutes", 0..=1_440).unwrap_or(finals::MINUTES);
    settings.daily = number("per_day", 1..=10_000).map_or(arenas::DAILY, |daily| daily as u32);
    let least = number("ranked_after", 0..=10_000);
    settings.named = fields.get("named") == "yes";
    // Bots are built and checked on this machine, so it must be one that can confine them.
    let is_strict = fields.get("strict") == "yes";
    match agon_bots::sandbox::missing().first() {
        Some(lack) if is_strict => {
            let why = &lack.why;
            let text =
                format!("This machine cannot confine bots fully: {why}. `agon doctor` says more.");
            errors.push(("strict", text));
        }
        _ if is_strict => settings.matches.sandbox.level = SandboxLevel::Strict,
        _ => settings.matches.sandbox.level = SandboxLevel::Default,
    }
    apply_ranks(settings, fields.get("ranked_by"), least.map(|least| least as u32), errors);
    let steps = finals::steps(minutes);
    let of = |games: u64| FinalSettings { games: games as u32, most: most as u32, steps };
    settings.finals = games.map(of);
    let bots = most + arenas::boss_names(settings.game).len() as u64;
    // Everybody has each seat equally often.
    let rounded = games.map_or(0, |games| games.next_multiple_of(settings.players as u64));
    let matches = rounded * bots * (bots - 1) / 2;
    if matches > MOST_MATCHES {
        let why = format!(
            "With so many bots there could be {matches} matches; {MOST_MATCHES} are the most."
        );
        errors.push(("final_games", why));
    }
    let kits: Vec<&str> = Kit::all().into_iter().map(|kit| kit.id).collect();
    let languages = fields.all("language").to_vec();
    match languages.iter().find(|id| !kits.contains(&id.as_str())) {
        Some(id) => {
            let all = kits.join(", ");
            errors.push(("language", format!("There is no kit `{id}`. Choose of {all}.")));
        }
        None => settings.languages = languages,
    }
    match chosen(&SOURCES, fields.get("sources"), Sources::Secret) {
        Some(sources) => settings.sources = sources,
        None => {
            let text = "Choose `secret`, `after` or `open` for the sources.";
            errors.push(("sources", text.to_owned()));
        }
    }
    apply_season(&mut settings.season, fields, errors);
    apply_bosses(settings, fields, errors);
}

/// Chooses what decides ranks; as before, if the form does not say it.
fn apply_ranks(settings: &mut ArenaSettings, by: &str, least: Option<u32>, errors: &mut Errors) {
    let before = settings.ranks();
    let Some(by) = chosen(&RANKED_BY, by, before.by) else {
        let text = "Choose `lower_end` or `rating` for the ranks.";
        return errors.push(("ranked_by", text.to_owned()));
    };
    let usual = if by == before.by { before.least } else { by.least() };
    let ranks = Ranks { by, least: least.unwrap_or(usual) };
    // Finals, and arenas that were frozen before anybody could choose, stay without a choice.
    if ranks != before {
        settings.ranks = Some(ranks);
    }
}

/// Takes the bosses of the arena's game: without a script, the form sends those of all games.
fn apply_bosses(settings: &mut ArenaSettings, fields: &Fields, errors: &mut Errors) {
    let mut names = Vec::new();
    for id in fields.all("boss") {
        let (game, name) = id.split_once('/').unwrap_or((id, ""));
        match game.parse::<GameId>().map(|game| arenas::bosses(game, &[name.to_owned()])) {
            Ok(Ok(_)) if game == settings.game.meta().id => names.push(name.to_owned()),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => errors.push(("boss", as_sentence(&error.to_string()))),
            Err(_) => {
                let text = format!("There is no boss `{id}`. Give a game and a bot of it.");
                errors.push(("boss", text));
            }
        }
    }
    let mut bosses = arenas::bosses(settings.game, &names).unwrap_or_default();
    // The season stays bound to the versions that it began with.
    for boss in &mut bosses {
        let known = settings.bosses.iter().find(|known| known.name == boss.name);
        boss.version = known.map_or(boss.version, |known| known.version);
    }
    settings.bosses = bosses;
}

/// Says which numbers fit.
fn from_to(low: u64, high: u64) -> String {
    match low == high {
        true => format!("It must be {low}."),
        false => format!("Give a number from {low} to {high}."),
    }
}

/// Applies what cannot change once matches were played.
fn apply_game(arena: &mut Arena, fields: &Fields, errors: &mut Errors) {
    let settings = &mut arena.settings;
    let game = settings.game;
    let meta = game.meta();
    let range = meta.min_players.max(2)..=meta.max_players.min(16);
    match fields.get("players").trim() {
        "" => {}
        text => match text.parse() {
            Ok(players) if range.contains(&players) => settings.players = players,
            _ => {
                let (low, high) = (*range.start() as u64, *range.end() as u64);
                errors.push(("players", from_to(low, high)));
            }
        },
    }
    let preset = match fields.get("preset").trim() {
        "" => agon_games::presets::DEFAULT,
        preset => preset,
    };
    let refused = |error: anyhow::Error| as_sentence(&format!("{error:#}"));
    match arenas::rules(game, preset) {
        Ok(rules) => match changed(game, rules, fields.get("settings"), settings.players) {
            Ok(rules) => {
                settings.rules = rules;
                preset.clone_into(&mut settings.preset);
            }
            Err(error) => errors.push(("settings", refused(error))),
        },
        Err(error) => errors.push(("preset", refused(error))),
    }
}

/// Changes settings by lines `name = value`.
///
/// # Errors
/// Names the setting that there is not, or whose value does not fit, or with which no match of so
/// many players can be played.
fn changed(
    game: GameId,
    mut rules: serde_json::Value,
    lines: &str,
    players: usize,
) -> anyhow::Result<serde_json::Value> {
    let kind = game.kind();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        kind.set_rule(&mut rules, key.trim(), settings::value_of(value.trim()))?;
    }
    if let Err(error) = kind.start(&rules, players, Seed(0)) {
        let problem = |problem: &Problem| {
            let Problem { what, reason } = problem;
            format!("setting `{what}`: {reason}")
        };
        let problems: Vec<String> = error.problems.iter().map(problem).collect();
        anyhow::bail!(problems.join("; "));
    }
    Ok(rules)
}

fn apply_season(season: &mut Season, fields: &Fields, errors: &mut Errors) {
    let mut at = |name: &'static str| -> Option<i64> {
        let moment = moment(fields, name).unwrap_or_else(|wrong| {
            errors.push((name, wrong.to_owned()));
            None
        });
        let (at, offset) = moment?;
        if name == "deadline" || season.offset == 0 {
            season.offset = offset;
        }
        Some(at)
    };
    let (begin, deadline, freeze) = (at("begin"), at("deadline"), at("freeze"));
    // The form gives back minutes.
    let is_new = deadline.map(|at| at / 60_000) != season.deadline.map(|at| at / 60_000);
    if is_new && deadline.is_some_and(|at| at < now()) && fields.get("past") != "yes" {
        let text = "This deadline is in the past: from now on nobody could hand in. Change it, or \
                    confirm it below the field.";
        errors.push(("past", text.to_owned()));
    }
    if let (Some(begin), Some(deadline)) = (begin, deadline)
        && deadline <= begin
    {
        errors.push(("deadline", "The deadline must be after the begin.".to_owned()));
    }
    if let (Some(deadline), Some(freeze)) = (deadline, freeze)
        && freeze < deadline
    {
        errors.push(("freeze", "Matches cannot end before the deadline.".to_owned()));
    }
    *season = Season { begin, deadline, freeze, ..season.clone() };
}
