//! From records to the models of pages.

use std::collections::BTreeMap;

use agon_bots::{CopyFolder, HostedGame};
use agon_core::Fault;
use agon_games::{GameId, with_game};
use agon_ladder_pages::model::{
    ArenaHead, BotRef, BotState, MatchRow, MatchState as RowState, Phase, Rating, Seat as RowSeat,
    Tally, VersionState, ZonedTime,
};
use agon_text::number::plural;

use super::{
    closed::closed,
    reply::{Shown, not_found},
    visitor::{Visitor, time},
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    board::{Board, BoardBot},
    rating::LiveRating,
    store::{
        arenas::{Arena, ArenaSettings, Arrival, RankedBy, Ranks, Season, Sources},
        bots::{Bot, DISABLED},
        matches::{MatchState, SeatedMatch},
        now,
        people::Role,
        versions::{Brief, State},
    },
};

/// After this time, in milliseconds, pages have the last result of a final.
const SETTLED: i64 = 5_000;

/// Finds an arena by its name in addresses.
pub(super) fn arena(app: &App, slug: &str) -> Shown<ArenaHandle> {
    app.arena(slug).ok_or_else(|| not_found("arena"))
}

/// Returns whether somebody may know of a version: what was refused is between the author and the
/// server.
pub(super) fn is_known(bot: &Bot, state: State, visitor: &Visitor) -> bool {
    let may_see = visitor.is(bot.owner) || visitor.role() >= Role::Organiser;
    may_see || state != State::Refused
}

/// Finds a bot of an arena by its name in addresses.
pub(super) fn bot<'a>(board: &'a Board, slug: &str) -> Shown<&'a BoardBot> {
    board.bot(slug).ok_or_else(|| not_found("bot"))
}

pub(super) fn phase(arena: &Arena) -> Phase {
    let Season { begin, deadline, freeze, .. } = arena.settings.season;
    let now = now();
    let is_past = |at: Option<i64>| at.is_some_and(|at| at <= now);
    if arena.settings.season.is_paused {
        Phase::Paused
    } else if begin.is_some_and(|begin| now < begin) {
        Phase::Planned
    } else if is_past(freeze) || arena.settings.outdated().is_some() {
        Phase::Over
    } else if is_past(deadline) {
        Phase::Frozen
    } else {
        Phase::Open
    }
}

pub(super) fn zoned(at: i64, arena: &Arena) -> ZonedTime {
    ZonedTime { at: time(at), offset: arena.settings.season.offset }
}

/// Returns the head of an arena's pages.
pub(super) fn head(arena: &ArenaHandle, board: &Board, visitor: &Visitor) -> ArenaHead {
    let of = arena.get();
    let person = visitor.person.as_ref();
    let own = person.and_then(|person| board.own_bot(person.id));
    let extension = person.and_then(|person| board.extensions.get(&person.id).copied());
    let closed = closed(arena, own.map(|bot| &bot.bot), Arrival::now(), extension);
    ArenaHead {
        slug: of.slug.clone(),
        title: of.title.clone(),
        game: of.settings.game.meta().id.to_owned(),
        phase: match of.settings.final_of {
            Some(of) if board.matches >= of.matches => Phase::Over,
            // Some of its matches do not count, and there are no others.
            Some(_) if arena.is_exhausted(now() - SETTLED) => Phase::Over,
            _ => phase(&of),
        },
        deadline: of.settings.season.deadline.map(|deadline| zoned(deadline, &of)),
        bots: board.playing.len() as u64,
        matches: board.matches,
        own_bot: own.map(|bot| bot.bot.slug.clone()),
        can_hand_in: closed.is_none() && person.is_none_or(|person| person.role >= Role::Author),
        published: board.published.is_some(),
    }
}

/// Returns a bot as it is stored now, with its place on the board.
pub(super) async fn with_author(app: &App, board: &Board, bot: Bot) -> Shown<BoardBot> {
    let known = board.bots.get(&bot.id);
    let author = match (known, bot.owner) {
        (Some(known), _) => known.author.clone(),
        (None, Some(owner)) => {
            app.store.person_of(owner).await?.map(|owner| owner.shown).unwrap_or_default()
        }
        (None, None) => String::new(),
    };
    let plays = bot.stopped.is_none() && bot.active.is_some();
    let known = known.filter(|_| plays);
    let (rank, owed) = known.map_or((None, 0), |known| (known.rank, known.owed));
    Ok(BoardBot { bot, author, rank, owed })
}

/// Returns a bot with the version that plays.
pub(super) fn bot_ref(board: &Board, bot: &BoardBot) -> BotRef {
    let active = bot.bot.active.and_then(|id| board.versions.get(&id));
    named(bot, active.map(|version| version.number))
}

/// Returns a bot with a version.
pub(super) fn named(bot: &BoardBot, version: Option<u32>) -> BotRef {
    BotRef {
        slug: bot.bot.slug.clone(),
        name: bot.bot.name.clone(),
        version,
        author: Some(bot.author.clone()).filter(|author| !author.is_empty()),
        boss: bot.bot.owner.is_none(),
    }
}

/// Returns the bot of a version that played.
pub(super) fn played_ref(board: &Board, version: i64) -> BotRef {
    match board.version(version) {
        Some((bot, brief)) => named(bot, Some(brief.number)),
        // It was erased, or the board is not up to date yet.
        None => BotRef { name: "a bot".to_owned(), ..BotRef::default() },
    }
}

/// Returns the live rating of a version that has played.
pub(super) fn live_rating(board: &Board, version: i64) -> Option<Rating> {
    board.live.get(&version).map(rating_of)
}

/// Returns a rating for pages.
pub(super) fn rating_of(rating: &LiveRating) -> Rating {
    Rating { elo: rating.elo, low: rating.low, high: rating.high }
}

pub(super) fn tally(version: &Brief) -> Tally {
    Tally { wins: version.wins, ties: version.ties, losses: version.losses }
}

/// Returns whether a bot plays, or why not.
pub(super) fn bot_state(bot: &BoardBot) -> BotState {
    match (&bot.bot.stopped, bot.bot.active) {
        (Some(stopped), _) if stopped.is_exclusion() => BotState::Disqualified(stopped.why.clone()),
        (Some(stopped), _) if stopped.why == DISABLED => BotState::Disabled,
        (Some(stopped), _) => BotState::Paused(stopped.why.clone()),
        (None, None) => BotState::NoVersion,
        (None, Some(_)) => BotState::Plays,
    }
}

/// Returns how far a version is.
pub(super) fn version_state(state: State, is_active: bool, has_played: bool) -> VersionState {
    match state {
        State::Waiting => VersionState::Queued,
        State::Building => VersionState::Building,
        State::Checking => VersionState::Checking,
        State::Ready if !is_active && has_played => VersionState::Retired,
        State::Ready => VersionState::Ready,
        State::Refused => VersionState::Failed,
    }
}

/// Returns a match for lists.
pub(super) fn match_row(arena: &Arena, board: &Board, seated: &SeatedMatch) -> MatchRow {
    let of = &seated.of;
    MatchRow {
        arena: arena.slug.clone(),
        arena_title: String::new(),
        number: of.number,
        at: time(of.played.unwrap_or(of.planned)),
        state: match_state(seated),
        turns: of.turns.unwrap_or(0),
        seats: seated
            .seats
            .iter()
            .map(|seat| RowSeat {
                bot: played_ref(board, seat.version),
                place: seat.place.unwrap_or(0),
                faults: seat.faults,
            })
            .collect(),
    }
}

pub(super) fn match_state(seated: &SeatedMatch) -> RowState {
    let reason = || seated.of.outcome.as_ref().map(|outcome| outcome.reason.clone());
    match seated.of.state {
        MatchState::Planned => RowState::Running,
        MatchState::Played => RowState::Played,
        MatchState::GivenUp => RowState::Void(reason().unwrap_or_default()),
        MatchState::Annulled => {
            let why = seated.of.outcome.as_ref().map(|outcome| outcome.annulled.clone());
            let why = why.filter(|why| !why.is_empty());
            RowState::Annulled(why.unwrap_or_else(|| "none was given".to_owned()))
        }
    }
}

/// Returns what the settings of a game mean, by their names.
pub(super) fn meanings(game: GameId) -> BTreeMap<String, String> {
    let schema = with_game!(game, G => schemars::schema_for!(<G as agon_core::Game>::Rules));
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    let meaning = |(name, property): (&String, &serde_json::Value)| {
        let text = property.get("description")?.as_str()?;
        Some((name.clone(), text.replace('\n', " ")))
    };
    properties.into_iter().flatten().filter_map(meaning).collect()
}

/// Returns the settings of an arena's game: name, value, and meaning.
pub(super) fn settings(settings: &ArenaSettings) -> Vec<(String, String, String)> {
    let shown = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    let mut meanings = meanings(settings.game);
    let values = settings.rules.as_object().into_iter().flatten();
    let setting = |(name, value): (&String, &serde_json::Value)| {
        (name.clone(), shown(value), meanings.remove(name).unwrap_or_default())
    };
    values.map(setting).collect()
}

/// Says who can read sources.
pub(super) fn sources(sources: Sources) -> &'static str {
    match sources {
        Sources::Secret => "Only the author of a bot and organisers can read its sources.",
        Sources::After => "Everybody can read the sources once the season is over.",
        Sources::Open => "Everybody can read the sources.",
    }
}

/// Says what decides the ranks of an arena.
pub(super) fn ranks(ranks: Ranks) -> String {
    let what = match ranks.by {
        RankedBy::LowerEnd => "Ranks follow the lower end of the 95 % interval of ratings.",
        RankedBy::Rating => "Ranks follow ratings.",
    };
    match ranks.least {
        0 => what.to_owned(),
        least => format!(
            "{what} A version has a rank after {}, and after as many more each time it plays again \
             after a pause or after another version.",
            plural(least.into(), "match")
        ),
    }
}

/// Returns a fault's evidence as text.
pub(super) fn evidence(fault: &Fault) -> String {
    let evidence = &fault.evidence;
    let mut text = String::new();
    if let Some(status) = evidence.exit_status {
        text.push_str(&format!("exit status {status}\n"));
    }
    if let Some(signal) = evidence.signal {
        text.push_str(&format!("signal {signal}\n"));
    }
    if !evidence.last_output.is_empty() {
        text.push_str(&format!("it answered: {}\n", evidence.last_output));
    }
    if !evidence.stderr_tail.is_empty() {
        text.push_str(&stderr(&evidence.stderr_tail));
    }
    text
}

/// Returns what a bot wrote to stderr, without the place where the server unpacked it.
pub(super) fn stderr(text: &str) -> String {
    CopyFolder::left_out_of(text)
}

/// Returns the milliseconds of CPU time that a bot has for an answer; there are more for its start.
pub(super) fn time_of_answer(settings: &ArenaSettings) -> u64 {
    let of_game = || with_game!(settings.game, G => <G as HostedGame>::PACE.clock.then);
    settings.matches.time.limit.unwrap_or_else(|| of_game().as_millis() as u64)
}

/// Returns the word for a unit of a game's length, such as "turn".
pub(super) fn turn_name(game: GameId) -> &'static str {
    game.meta().turn_name
}
