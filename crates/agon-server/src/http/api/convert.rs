//! From records to the types of replies.

use agon_ladder::api;
use agon_ladder_pages::model;

use crate::{
    arena_handle::ArenaHandle,
    board::{Board, BoardBot},
    http::{
        matches::may_see,
        views,
        visitor::{Visitor, time},
    },
    store::{
        arenas::{RankedBy, Ranks},
        bots::DISABLED,
        matches::{MatchState, SeatedMatch, hash_text},
        versions::{Brief, State, Version},
    },
};

/// Writes a time as RFC 3339 says.
pub(super) fn at(ms: i64) -> String {
    time(ms).machine()
}

/// Returns the bot of a version that played, if the board has it.
pub(super) fn played(board: &Board, version: i64) -> Option<api::BotRef> {
    let (bot, brief) = board.version(version)?;
    Some(views::named(bot, Some(brief.number)))
}

pub(super) fn ranks(ranks: Ranks) -> api::Ranks {
    api::Ranks {
        by: match ranks.by {
            RankedBy::LowerEnd => api::RankedBy::LowerEnd,
            RankedBy::Rating => api::RankedBy::Rating,
        },
        least: ranks.least,
    }
}

pub(super) fn arena_summary(arena: &ArenaHandle, visitor: &Visitor) -> api::ArenaSummary {
    let board = arena.board();
    let head = views::head(arena, &board, visitor);
    api::ArenaSummary {
        id: arena.id(),
        slug: head.slug,
        title: head.title,
        game: head.game,
        phase: head.phase,
        deadline: head.deadline.map(|deadline| deadline.at.machine()),
        bots: head.bots,
        matches: head.matches,
        published: head.published,
        own_bot: head.own_bot,
    }
}

pub(super) fn bot_summary(
    board: &Board,
    bot: &BoardBot,
    active: Option<&Brief>,
    visitor: &Visitor,
) -> api::BotSummary {
    let (state, reason) = match views::bot_state(bot) {
        model::BotState::Plays => (api::BotState::Playing, None),
        model::BotState::NoVersion => (api::BotState::NoVersion, None),
        model::BotState::Paused(why) => (api::BotState::Paused, Some(why)),
        model::BotState::Disabled => (api::BotState::Paused, Some(DISABLED.to_owned())),
        model::BotState::Disqualified(why) => (api::BotState::Disqualified, Some(why)),
    };
    api::BotSummary {
        id: bot.bot.id,
        bot: views::named(bot, active.map(|version| version.number)),
        state,
        reason,
        rank: bot.rank,
        owed: bot.owed,
        rating: active.and_then(|version| board.live.get(&version.id)).map(views::rating_of),
        matches: active.map_or(0, |version| version.matches),
        tally: active.map(views::tally).unwrap_or_default(),
        faults: active.map_or(0, |version| version.faults),
        language: active.map(|version| version.language.clone()),
        created: at(bot.bot.created),
        own: visitor.is(bot.bot.owner),
    }
}

pub(super) fn version_state(state: State, is_active: bool, has_played: bool) -> api::VersionState {
    match views::version_state(state, is_active, has_played) {
        model::VersionState::Queued => api::VersionState::Queued,
        model::VersionState::Building => api::VersionState::Building,
        model::VersionState::Checking => api::VersionState::Checking,
        model::VersionState::Failed => api::VersionState::Failed,
        model::VersionState::Retired => api::VersionState::Retired,
        // An excluded bot says so itself.
        model::VersionState::Ready | model::VersionState::Disqualified => api::VersionState::Ready,
    }
}

pub(super) fn version_summary(
    board: &Board,
    version: &Version,
    active: Option<i64>,
) -> api::VersionSummary {
    let is_active = active == Some(version.id);
    let play = &version.play;
    api::VersionSummary {
        id: version.id,
        number: version.number,
        state: version_state(version.state, is_active, play.matches > 0),
        active: is_active,
        created: at(version.created),
        message: version.message.clone(),
        language: version.language.clone(),
        rating: board.live.get(&version.id).map(views::rating_of),
        matches: play.matches,
        tally: api::Tally { wins: play.wins, ties: play.ties, losses: play.losses },
        faults: play.faults,
    }
}

/// Returns what became of a match, and why it does not count.
fn match_state(seated: &SeatedMatch) -> (api::MatchState, Option<String>) {
    match views::match_state(seated) {
        model::MatchState::Played => (api::MatchState::Played, None),
        model::MatchState::Running => (api::MatchState::Running, None),
        model::MatchState::Void(why) => (api::MatchState::Void, Some(why)),
        model::MatchState::Annulled(why) => (api::MatchState::Annulled, Some(why)),
    }
}

pub(super) fn match_summary(board: &Board, seated: &SeatedMatch) -> api::MatchSummary {
    let of = &seated.of;
    let (state, reason) = match_state(seated);
    let seats = seated.seats.iter().map(|seat| api::SeatSummary {
        bot: played(board, seat.version),
        place: seat.place,
        faults: seat.faults,
    });
    api::MatchSummary {
        number: of.number,
        state,
        reason,
        planned: at(of.planned),
        played: of.played.map(at),
        turns: of.turns,
        seats: seats.collect(),
    }
}

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
    let seat = |seat: &crate::store::matches::Seat| {
        let own = outcome.faults.iter().filter(|fault| fault.player.index() == seat.seat);
        api::Seat {
            seat: seat.seat as u32,
            bot: played(&board, seat.version),
            own: board.version(seat.version).is_some_and(|(bot, _)| visitor.is(bot.bot.owner)),
            place: seat.place,
            faults: own
                .map(|fault| api::FaultCount {
                    kind: fault.kind.words().to_owned(),
                    count: fault.count,
                })
                .collect(),
            cpu_us: seat.cpu_us,
            decisions: seat.decisions,
            rating: seat.rating,
            cost: seat.cost.filter(|_| may_see[seat.seat]).map(|cost| api::SeatCost {
                median_ns: cost.median,
                p99_ns: cost.p99,
                max_ns: cost.most,
                memory_bytes: cost.memory,
            }),
        }
    };
    let fault = |fault: &agon_core::Fault| api::Fault {
        step: fault.step,
        seat: fault.player.index() as u32,
        kind: fault.kind.words().to_owned(),
        detail: fault.detail.clone(),
        count: fault.count,
        evidence: (may_see.get(fault.player.index()) == Some(&true))
            .then(|| views::evidence(fault)),
    };
    let total: u64 = seated.seats.iter().map(|seat| seat.faults).sum();
    let listed: u64 = outcome.faults.iter().map(|fault| fault.count).sum();
    api::Match {
        number: of.number,
        state,
        reason,
        planned: at(of.planned),
        played: of.played.map(at),
        ms: of.ms,
        turns: of.turns,
        seed: (of.state != MatchState::Planned).then(|| of.seed.to_string()),
        ending: Some(outcome.reason.clone()).filter(|ending| !ending.is_empty()),
        void_tries: outcome.void as u64,
        state_hash: of.state_hash.map(hash_text),
        runtimes: of.runtimes.clone(),
        machine: outcome.machine.as_ref().map(|machine| api::Machine {
            worker: machine.worker.clone(),
            limits_percent: machine.scale,
        }),
        seats: seated.seats.iter().map(seat).collect(),
        faults: outcome.faults.iter().map(fault).collect(),
        more_faults: total.saturating_sub(listed),
        replay: of.replay.is_some(),
        page: format!("{}/arenas/{}/matches/{}", visitor.base, arena.get().slug, of.number),
    }
}
