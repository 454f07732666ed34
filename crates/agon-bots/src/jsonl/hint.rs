//! Hints in the faults of programs that speak JSON Lines, or should: text for people, and answers
//! of the game's own protocol.

use agon_core::{Fault, FaultKind};

use crate::{
    HostedGame,
    hints::{self, PRINT_TO_STDERR, Typed},
};

/// Returns what is probably wrong with a line that is no JSON object.
///
/// `typed` is the program as a person named it, as long as it may speak another protocol.
pub(super) fn line_hint<G: HostedGame>(typed: Option<&Typed>, line: &[u8]) -> Option<String> {
    if line.trim_ascii_start().first() == Some(&b'{') {
        return None;
    }
    match (G::OWN_ANSWER, typed) {
        (Some(is_own), Some(typed)) if is_own(line) => Some(typed.own()),
        _ => Some(PRINT_TO_STDERR.to_owned()),
    }
}

/// Adds the game's own protocol to the fault of a program that has not answered well so far.
///
/// `waiting` is its output without a line feed, as in a protocol without lines.
pub(super) fn hint_at_own<G: HostedGame>(fault: &mut Fault, typed: &Typed, waiting: &[u8]) {
    let Some(is_own) = G::OWN_ANSWER else { return };
    match fault.kind {
        FaultKind::Timeout if is_own(waiting) => hints::add(fault, &typed.own()),
        FaultKind::Crash => typed.hint_at_own(fault),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use agon_games::{cellhack::Cellhack, cluster::Cluster, rezzo::Rezzo};

    use super::*;

    #[test]
    fn a_line_of_the_games_protocol_gets_a_proposal() {
        let typed = Typed::new("python3 bot.py", None, Vec::new(), None);
        let own = Some("did you mean `python3 bot.py`?".to_owned());
        let stderr = Some(PRINT_TO_STDERR.to_owned());
        assert_eq!(line_hint::<Cluster>(Some(&typed), b"PLACE 3 1"), own);
        assert_eq!(line_hint::<Cluster>(Some(&typed), b"thinking"), stderr);
        assert_eq!(line_hint::<Cluster>(None, b"PLACE 3 1"), stderr);
        assert_eq!(line_hint::<Cellhack>(Some(&typed), b"PLACE 3 1"), stderr);
        assert_eq!(line_hint::<Cluster>(Some(&typed), br#" {"step": 0}"#), None);
    }

    #[test]
    fn answers_without_lines_get_a_proposal() {
        let typed = Typed::new("./bot", None, Vec::new(), None);
        let hinted = |kind, waiting: &[u8]| {
            let evidence = Default::default();
            let detail = String::new();
            let player = agon_core::Player(0);
            let mut fault = Fault { player, step: 0, kind, detail, evidence, count: 1 };
            hint_at_own::<Rezzo>(&mut fault, &typed, waiting);
            fault.detail
        };
        assert_eq!(hinted(FaultKind::Timeout, b"\x22^"), "; did you mean `./bot`?");
        assert_eq!(hinted(FaultKind::Timeout, b""), "");
        assert_eq!(hinted(FaultKind::Timeout, b"{\"step\""), "");
        assert_eq!(hinted(FaultKind::Crash, b"\x22^"), "");
    }
}
