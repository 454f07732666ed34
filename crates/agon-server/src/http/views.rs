//! From records to the types of the API, which pages show, too.

use std::collections::BTreeMap;

use agon_bots::{CopyFolder, hosting};
use agon_core::Fault;
use agon_ladder::api::{
    self, ArenaSummary, BotRef, BotState, BotSummary, FaultCount, LeaderboardRow, MatchSummary,
    Phase, RankRange, SeatSummary, Tally, VersionState, VersionSummary, ZonedTime,
};

use super::{entry::closed, parts::names::unknown, prelude::*};
use crate::store::matches::{MatchState, Outcome, Seat, hash_text};
use crate::store::versions::{Brief, State, Version};
use crate::{ranking::Ranked, store::arenas::Season, store::bots::Bot};

/// After this time, in milliseconds, pages have the last result of a final.
const SETTLED: i64 = 5_000;

/// Finds an arena by its name in addresses.
pub(super) fn arena(app: &App, slug: &str) -> Shown<ArenaHandle> {
    app.arena(slug).ok_or_else(|| not_found("arena"))
}

/// Finds a bot of an arena by its name in addresses.
pub(super) fn bot<'a>(board: &'a Board, slug: &str) -> Shown<&'a BoardBot> {
    board.bot(slug).ok_or_else(|| not_found("bot"))
}

/// Finds a bot as it is stored now: the board may be older than the change that led here.
pub(super) async fn stored(app: &App, arena: &ArenaHandle, slug: &str) -> Shown<Bot> {
    app.store.bot(arena.id(), slug).await?.ok_or_else(|| not_found("bot"))
}

/// Returns whether somebody may know of a version: what was refused is between the author and the
/// server.
pub(super) fn is_known(bot: &Bot, state: State, visitor: &Visitor) -> bool {
    visitor.may_see(bot.owner) || state != State::Refused
}

fn phase(arena: &Arena) -> Phase {
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

/// Returns what all pages of an arena show.
pub(super) fn head(arena: &ArenaHandle, board: &Board, visitor: &Visitor) -> Head {
    let of = arena.get();
    let person = visitor.person.as_ref();
    let own = person.and_then(|person| board.own_bot(person.id));
    let extension = person.and_then(|person| board.extensions.get(&person.id).copied());
    let closed = closed(arena, own.map(|bot| &bot.bot), Arrival::now(), extension);
    let arena = ArenaSummary {
        id: arena.id(),
        slug: of.slug.clone(),
        title: of.title.clone(),
        game: of.settings.game.meta().id.to_owned(),
        phase: match of.settings.final_of {
            Some(of) if board.matches >= of.matches => Phase::Over,
            // Some of its matches do not count, and there are no others.
            Some(_) if arena.is_exhausted(now() - SETTLED) => Phase::Over,
            _ => phase(&of),
        },
        deadline: of.settings.season.deadline.map(time),
        bots: board.playing.len() as u64,
        matches: board.matches,
        published: board.published.is_some(),
        own_bot: own.map(|bot| bot.bot.slug.clone()),
    };
    Head {
        arena,
        offset: of.settings.season.offset,
        can_hand_in: closed.is_none() && person.is_none_or(|person| person.role >= Role::Author),
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

/// Returns the bot of a version that played, if the board has it: it may be erased, or the board
/// is not up to date yet.
pub(super) fn played(board: &Board, version: i64) -> Option<BotRef> {
    let (bot, brief) = board.version(version)?;
    Some(named(bot, Some(brief.number)))
}

/// Does the same, and calls one that the board does not have just a bot.
pub(super) fn played_or_unknown(board: &Board, version: i64) -> BotRef {
    played(board, version).unwrap_or_else(unknown)
}

/// Returns whether a bot plays; and why not, if somebody has stopped it.
pub(super) fn bot_state(bot: &BoardBot) -> (BotState, Option<String>) {
    match (&bot.bot.stopped, bot.bot.active) {
        (Some(stopped), _) if stopped.by == StoppedBy::Organiser => {
            (BotState::Disqualified, Some(stopped.why.clone()))
        }
        (Some(stopped), _) => (BotState::Paused, Some(stopped.why.clone())),
        (None, None) => (BotState::NoVersion, None),
        (None, Some(_)) => (BotState::Playing, None),
    }
}

/// Returns what lists show of a bot.
pub(super) fn bot_summary(
    board: &Board,
    bot: &BoardBot,
    active: Option<&Brief>,
    visitor: &Visitor,
) -> BotSummary {
    let (state, reason) = bot_state(bot);
    let tally = |of: &Brief| Tally { wins: of.wins, ties: of.ties, losses: of.losses };
    BotSummary {
        id: bot.bot.id,
        bot: named(bot, active.map(|version| version.number)),
        state,
        reason,
        rank: bot.rank,
        owed: bot.owed,
        rating: active.and_then(|version| board.live.get(&version.id)).copied(),
        matches: active.map_or(0, |version| version.matches),
        tally: active.map(tally).unwrap_or_default(),
        faults: active.map_or(0, |version| version.faults),
        language: active.map(|version| version.language.clone()),
        created: time(bot.bot.created),
        own: visitor.is(bot.bot.owner),
    }
}

/// Returns the row of a bot in a table.
pub(super) fn row(board: &Board, ranked: &Ranked, visitor: &Visitor) -> Option<LeaderboardRow> {
    let (bot, version) = board.version(ranked.version)?;
    Some(LeaderboardRow {
        rank: ranked.rank,
        owed: ranked.owed,
        ranks: ranked.ranks.map(|(best, worst)| RankRange { best, worst }),
        bot: named(bot, Some(version.number)),
        rating: ranked.rating,
        matches: ranked.matches,
        tally: ranked.results.into(),
        faults: version.faults,
        language: version.language.clone(),
        own: visitor.is(bot.bot.owner),
    })
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

/// Returns what lists show of a version.
pub(super) fn version_summary(
    board: &Board,
    version: &Version,
    active: Option<i64>,
) -> VersionSummary {
    let is_active = active == Some(version.id);
    let play = &version.play;
    VersionSummary {
        id: version.id,
        number: version.number,
        state: version_state(version.state, is_active, play.matches > 0),
        active: is_active,
        created: time(version.created),
        message: version.message.clone(),
        language: version.language.clone(),
        rating: board.live.get(&version.id).copied(),
        matches: play.matches,
        tally: Tally { wins: play.wins, ties: play.ties, losses: play.losses },
        faults: play.faults,
    }
}

/// Returns what became of a match, and why it does not count.
fn match_state(seated: &SeatedMatch) -> (api::MatchState, Option<String>) {
    let outcome = seated.of.outcome.as_ref();
    match seated.of.state {
        MatchState::Planned => (api::MatchState::Running, None),
        MatchState::Played => (api::MatchState::Played, None),
        MatchState::GivenUp => {
            (api::MatchState::Void, Some(outcome.map(|it| it.reason.clone()).unwrap_or_default()))
        }
        MatchState::Annulled => {
            let why = outcome.map(|it| it.annulled.clone()).filter(|why| !why.is_empty());
            (api::MatchState::Annulled, Some(why.unwrap_or_else(|| "none was given".to_owned())))
        }
    }
}

/// Returns what lists show of a match.
pub(super) fn match_summary(board: &Board, seated: &SeatedMatch) -> MatchSummary {
    let of = &seated.of;
    let (state, reason) = match_state(seated);
    let seats = seated.seats.iter().map(|seat| SeatSummary {
        bot: played(board, seat.version),
        place: seat.place,
        faults: seat.faults,
    });
    MatchSummary {
        number: of.number,
        state,
        reason,
        planned: time(of.planned),
        played: of.played.map(time),
        turns: of.turns,
        seats: seats.collect(),
    }
}

/// Returns for each seat whether the visitor may see what its bot wrote.
pub(super) fn may_see(board: &Board, seated: &SeatedMatch, visitor: &Visitor) -> Vec<bool> {
    let may_see =
        |version: i64| visitor.may_see(board.version(version).and_then(|(bot, _)| bot.bot.owner));
    seated.seats.iter().map(|seat| may_see(seat.version)).collect()
}

/// Returns all about a match that the visitor may see.
pub(super) fn whole_match(
    arena: &ArenaHandle,
    seated: &SeatedMatch,
    visitor: &Visitor,
) -> api::Match {
    let board = arena.board();
    let of = &seated.of;
    let outcome = of.outcome.clone().unwrap_or_default();
    let (state, reason) = match_state(seated);
    let may_see = may_see(&board, seated, visitor);
    let seat = |seat: &Seat| api::Seat {
        seat: seat.seat as u32,
        bot: played(&board, seat.version),
        own: board.version(seat.version).is_some_and(|(bot, _)| visitor.is(bot.bot.owner)),
        place: seat.place,
        faults: seat_faults(&outcome, seat),
        cpu_us: seat.cpu_us,
        decisions: seat.decisions,
        rating: seat.rating,
        cost: seat.cost.filter(|_| may_see[seat.seat]).map(|cost| api::SeatCost {
            median_ns: cost.median,
            p99_ns: cost.p99,
            max_ns: cost.most,
            memory_bytes: cost.memory,
        }),
    };
    let may_see = |seat: usize| may_see.get(seat) == Some(&true);
    let total: u64 = seated.seats.iter().map(|seat| seat.faults).sum();
    let listed: u64 = outcome.faults.iter().map(|fault| fault.count).sum();
    api::Match {
        number: of.number,
        state,
        reason,
        planned: time(of.planned),
        played: of.played.map(time),
        ms: of.ms,
        turns: of.turns,
        // Nobody knows it before, so that nobody tells a bot.
        seed: (of.state != MatchState::Planned).then(|| of.seed.to_string()),
        ending: Some(outcome.reason.clone()).filter(|ending| !ending.is_empty()),
        void_tries: outcome.void as u64,
        state_hash: of.state_hash.map(hash_text),
        machine: outcome.machine.as_ref().map(|machine| api::Machine {
            worker: machine.worker.clone(),
            limits_percent: machine.scale,
        }),
        seats: seated.seats.iter().map(seat).collect(),
        faults: outcome.faults.iter().map(|of| fault(of, may_see(of.player.index()))).collect(),
        more_faults: total.saturating_sub(listed),
        replay: of.replay.is_some(),
        page: format!("{}/arenas/{}/matches/{}", visitor.base, arena.get().slug, of.number),
    }
}

/// Returns a fault, with its evidence for those who may see it.
pub(super) fn fault(fault: &Fault, may_see: bool) -> api::Fault {
    api::Fault {
        step: fault.step,
        seat: fault.player.index() as u32,
        kind: fault.kind.words().to_owned(),
        detail: fault.detail.clone(),
        count: fault.count,
        evidence: may_see.then(|| evidence(fault)),
    }
}

/// Returns the faults of a seat by kind.
fn seat_faults(outcome: &Outcome, seat: &Seat) -> Vec<FaultCount> {
    let count = |kind: &str, count: u64| FaultCount { kind: kind.to_owned(), count, example: None };
    let own = outcome.faults.iter().filter(|fault| fault.player.index() == seat.seat);
    let mut all: Vec<FaultCount> =
        own.map(|fault| count(fault.kind.words(), fault.count)).collect();
    // If an author was erased, only their number is left.
    let known: u64 = all.iter().map(|fault| fault.count).sum();
    let unknown = seat.faults.saturating_sub(known);
    all.extend((unknown > 0).then(|| count("fault without details", unknown)));
    all
}

/// Returns a fault's evidence as text.
fn evidence(fault: &Fault) -> String {
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

/// Returns the settings of an arena's game with their meanings.
pub(super) fn settings(settings: &ArenaSettings) -> Vec<api::Setting> {
    let schema = settings.game.kind().rules_schema();
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    let meaning = |(name, property): (&String, &serde_json::Value)| {
        let text = property.get("description")?.as_str()?;
        Some((name.clone(), text.replace('\n', " ")))
    };
    let mut meanings: BTreeMap<String, String> =
        properties.into_iter().flatten().filter_map(meaning).collect();
    let values = settings.rules.as_object().into_iter().flatten();
    let setting = |(name, value): (&String, &serde_json::Value)| api::Setting {
        name: name.clone(),
        value: value.clone(),
        meaning: meanings.remove(name).unwrap_or_default(),
    };
    values.map(setting).collect()
}

/// Returns the milliseconds of CPU time that a bot has for an answer; there are more for its start.
pub(super) fn time_of_answer(settings: &ArenaSettings) -> u64 {
    let of_game = || hosting(settings.game.kind()).pace.clock.then;
    settings.matches.time.limit.unwrap_or_else(|| of_game().as_millis() as u64)
}
