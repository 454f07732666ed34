//! Texts that the scenes of all games share: title, player lines, numbers, places. Each game's
//! `scene.rs` uses them.

use agon_core::{Blob, Game, GameExt, Player};

use super::{Ink, Place, PlayerLine};

/// "turn 12 of 500", with the game's own name of a turn; once the game is over, why it ended.
pub(crate) fn title<G: Game>(game: &G) -> String {
    // A standing may look at the whole board, which is too slow for every frame.
    if game.is_over()
        && let Some(outcome) = game.standing().outcome
    {
        return format!("over: {}", outcome.reason);
    }
    let name = G::META.turn_name;
    let progress = game.progress();
    match progress.limit {
        Some(limit) => format!("{name} {} of {limit}", progress.turn),
        None => format!("{name} {}", progress.turn),
    }
}

/// A line for each player, with the text of `score`; no player is marked as to move.
pub(crate) fn player_lines<G: Game>(game: &G, score: impl Fn(Player) -> String) -> Vec<PlayerLine> {
    let line = |player| PlayerLine {
        ink: Ink::player(player),
        score: score(player),
        hand: Vec::new(),
        to_move: false,
        out: game.is_out(player),
    };
    Player::all(game.players()).map(line).collect()
}

/// A number with its thousands apart: "40 210".
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun: "1 cell", "40 210 cells".
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}

/// A place of a grid as "3, 4": column and row.
pub(crate) fn grid_place(place: Place, width: u32) -> String {
    format!("{}, {}", place % width, place / width)
}

/// Bytes of a bot, short enough for a line: as text if they are text, otherwise in hexadecimal
/// digits.
pub(crate) fn blob(blob: &Blob) -> String {
    const MAX_SHOWN: usize = 40;
    let printable = |text: &&str| !text.contains(agon_text::is_hidden);
    let shown = match blob.text().filter(printable) {
        Some(text) => format!("\"{text}\""),
        None => blob.bytes().iter().take(MAX_SHOWN).map(|byte| format!("{byte:02x}")).collect(),
    };
    match shown.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &shown[..end], blob.bytes().len()),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_told_apart() {
        let texts = [0, 999, 1_000, 40_210, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1 000", "40 210", "1 234 567"]);
    }

    #[test]
    fn one_thing_is_singular() {
        let texts = [0, 1, 2, 1_001].map(|number| counted(number, "cell"));
        assert_eq!(texts, ["0 cells", "1 cell", "2 cells", "1 001 cells"]);
    }

    #[test]
    fn bytes_are_shown_in_one_line() {
        let long = "x".repeat(50);
        let shown = ["home", long.as_str(), "a\nb", ""].map(|text| blob(&Blob::from(text)));
        let cut = format!("\"{}... (50 bytes)", "x".repeat(39));
        assert_eq!(shown, ["\"home\"", cut.as_str(), "610a62", "\"\""]);
        assert_eq!(blob(&Blob::from(vec![0xFF; 30])), format!("{}... (30 bytes)", "ff".repeat(20)));
    }
}
