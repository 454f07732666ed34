//! Small marks with words. Each has a word or a sign besides its colour.

use agon_ladder::api::{BotState, ExaminationStatus, MatchState, Phase, StageState, VersionState};
use maud::{Markup, html};

use crate::store::bots::DISABLED;

/// Writes a mark of a kind: `good`, `bad`, `warn`, `busy` or `plain`.
fn badge(kind: &str, sign: &str, words: &str) -> Markup {
    html! {
        span class={ "badge " (kind) } {
            @if !sign.is_empty() { span aria-hidden="true" { (sign) } " " }
            (words)
        }
    }
}

/// Writes a plain mark.
pub(crate) fn plain(words: &str) -> Markup {
    badge("plain", "", words)
}

/// Writes the mark of what belongs to the viewer.
pub(crate) fn own(words: &str) -> Markup {
    badge("own", "", words)
}

/// Writes how many bosses a bot has left behind.
pub(crate) fn stars(count: usize) -> Markup {
    let words = match count {
        1 => "certainly stronger than one of Agon's bots".to_owned(),
        _ => format!("certainly stronger than {count} of Agon's bots"),
    };
    html! {
        span.stars title=(words) {
            span aria-hidden="true" { "★" (count) }
            span.unseen { (words) }
        }
    }
}

/// Writes a boss as a milestone.
pub(crate) fn milestone(boss: &str, is_reached: bool) -> Markup {
    if is_reached { badge("good", "★", boss) } else { badge("plain", "☆", boss) }
}

/// Writes the phase of an arena.
pub(crate) fn phase(phase: Phase) -> Markup {
    match phase {
        Phase::Open => badge("good", "●", phase.words()),
        Phase::Planned | Phase::Paused => badge("warn", "◌", phase.words()),
        Phase::Frozen => badge("busy", "◐", phase.words()),
        Phase::Over => badge("plain", "■", phase.words()),
    }
}

/// Writes the state of a version.
pub(crate) fn version(state: VersionState) -> Markup {
    match state {
        VersionState::Queued => badge("plain", "…", state.name()),
        VersionState::Building | VersionState::Checking => badge("busy", "◐", state.name()),
        VersionState::Ready => badge("good", "✓", state.name()),
        VersionState::Failed => badge("bad", "✗", state.name()),
        VersionState::Retired => badge("plain", "", state.name()),
    }
}

/// Writes that an organiser disqualified something.
pub(crate) fn disqualified() -> Markup {
    badge("bad", "✗", "disqualified")
}

/// Writes the state of a bot, if it does not play, with the reason.
pub(crate) fn bot(state: BotState, reason: Option<&str>) -> Markup {
    match state {
        BotState::Playing => html! {},
        BotState::NoVersion => badge("plain", "…", "no version is ready"),
        BotState::Paused if reason == Some(DISABLED) => badge("plain", "‖", "account disabled"),
        BotState::Paused => badge("warn", "‖", "paused"),
        BotState::Disqualified => disqualified(),
    }
}

/// Returns the reason why a bot does not play, unless its badge says it.
pub(crate) fn told(reason: Option<&str>) -> &str {
    reason.filter(|reason| *reason != DISABLED).unwrap_or_default()
}

/// Writes the state of a match, if it is not simply played.
pub(crate) fn match_state(state: MatchState) -> Markup {
    match state {
        MatchState::Played => html! {},
        MatchState::Running => badge("busy", "◐", "running"),
        MatchState::Void => badge("warn", "!", "void"),
        MatchState::Annulled => badge("bad", "✗", "annulled"),
    }
}

/// Writes how an examination went.
pub(crate) fn examination(status: ExaminationStatus) -> Markup {
    match status {
        ExaminationStatus::Passed => badge("good", "✓", "passed"),
        ExaminationStatus::Warning => badge("warn", "!", "warning"),
        ExaminationStatus::Failed => badge("bad", "✗", "failed"),
        ExaminationStatus::NotApplicable => badge("plain", "–", "not applicable"),
    }
}

/// Writes how far a stage is.
pub(crate) fn stage(state: StageState) -> Markup {
    match state {
        StageState::Waiting => badge("plain", "…", "waits"),
        StageState::Running => badge("busy", "◐", "running"),
        StageState::Done => badge("good", "✓", "done"),
        StageState::Failed => badge("bad", "✗", "failed"),
        StageState::Skipped => badge("plain", "–", "not needed"),
    }
}

/// Writes the result of a match for one bot: its place, and who was level.
pub(crate) fn result(won: bool, tied: bool) -> Markup {
    match (won, tied) {
        (_, true) => badge("plain", "=", "tied"),
        (true, false) => badge("good", "▲", "won"),
        (false, false) => badge("bad", "▼", "lost"),
    }
}
