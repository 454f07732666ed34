//! Finds the bot whose lateness makes a match void again and again.

use agon_core::Player;
use agon_match::Suspect;

/// Returns the bot that alone was late in all earlier attempts, once they are enough.
///
/// Otherwise a bot that finds a way to make the arena stand still could undo a match for ever.
pub(crate) fn suspect(late_alone: &[Option<Player>]) -> Option<Suspect> {
    let player = (*late_alone.last()?)?;
    let attempts = late_alone.iter().rev().take_while(|late| **late == Some(player)).count();
    (attempts >= Suspect::ATTEMPTS).then_some(Suspect { player, attempts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_alone_was_late_again_and_again_is_suspect() {
        let suspect = |late: &[i32]| {
            let late: Vec<_> =
                late.iter().map(|&player| u16::try_from(player).ok().map(Player)).collect();
            suspect(&late).map(|suspect| (suspect.player.0, suspect.attempts))
        };
        assert_eq!([suspect(&[]), suspect(&[1]), suspect(&[1, 0])], [None; 3]);
        assert_eq!([suspect(&[-1, -1]), suspect(&[1, 1, -1]), suspect(&[1, -1, 1])], [None; 3]);
        assert_eq!(suspect(&[1, 1]), Some((1, 2)));
        assert_eq!(suspect(&[-1, 0, 1, 1, 1]), Some((1, 3)));
    }
}
