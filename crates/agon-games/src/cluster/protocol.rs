//! The game's own protocol for programs: lines of text with integers separated by single spaces.
//! The host in `agon-bots` sends these messages.
//!
//! A [`Session`] remembers which pellets a bot already knows; `page.md` describes the messages.

use std::fmt::Write as _;

use agon_core::Player;

use super::{Answer, COLORS, Cell, Cluster, answer::no_command, own_colors, owner};

/// Time for the first answer of a bot, in milliseconds.
pub const FIRST_ANSWER_MILLISECONDS: u64 = 1000;

/// Time for every other answer of a bot, in milliseconds.
pub const ANSWER_MILLISECONDS: u64 = 100;

/// A hint for authors, who often overlook the empty line after the documented lines.
pub const EMPTY_LINE: &str = "each message ends with an empty line: read it too";

/// What one bot knows so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    player: Player,
    /// The last cell of each pellet that the bot knows, by the pellet's index.
    known: Vec<Cell>,
}

impl Session {
    /// Starts a session: the bot knows nothing yet.
    pub fn new(player: Player) -> Session {
        Session { player, known: vec![] }
    }

    /// The message before the first turn: cells with their neighbours, columns with their top
    /// cells, and the colours of both players with the number of pellets in each bag.
    pub fn init_message(&self, game: &Cluster) -> String {
        let board = game.board();
        let mut text = format!("{}\n", board.cells());
        for cell in 0..board.cells() as Cell {
            let neighbors =
                (0..6).map(|direction| board.neighbor(cell, direction).map_or(-1, i32::from));
            line(&mut text, [i32::from(cell)].into_iter().chain(neighbors));
        }
        line(&mut text, [board.columns()]);
        for column in 0..board.columns() {
            let tops = (0..6).map(|gravity| usize::from(board.top(column, gravity)));
            line(&mut text, [column].into_iter().chain(tops));
        }
        for player in [self.player, super::opponent(self.player)] {
            line(&mut text, [COLORS / 2]);
            for color in own_colors(player) {
                line(&mut text, [u32::from(color), game.rules.bag_size()]);
            }
        }
        text
    }

    /// The message at the start of the bot's turn: what changed since the last message, and its
    /// hand.
    ///
    /// A pellet that the bot does not know is new, even if it has moved since. A known pellet on
    /// another cell is changed.
    pub fn turn_message(&mut self, game: &Cluster) -> String {
        let mut text = format!("{}\n", game.gravity());
        let columns: Vec<_> = game.valid_columns().collect();
        line(&mut text, [columns.len()]);
        columns.iter().for_each(|&(column, top)| line(&mut text, [column, usize::from(top)]));

        let pellets = game.pellets();
        line(&mut text, [pellets.len() - self.known.len()]);
        for (index, pellet) in pellets.iter().enumerate().skip(self.known.len()) {
            let mine = usize::from(owner(pellet.color) == self.player);
            line(&mut text, [index, usize::from(pellet.cell), usize::from(pellet.color), mine]);
        }
        let known = self.known.iter().zip(pellets.iter()).enumerate();
        let changed: Vec<_> = known.filter(|(_, (known, pellet))| **known != pellet.cell).collect();
        line(&mut text, [changed.len()]);
        changed
            .iter()
            .for_each(|&(index, (_, pellet))| line(&mut text, [index, usize::from(pellet.cell)]));

        line(&mut text, [game.hand().len()]);
        game.hand().iter().for_each(|&color| line(&mut text, [color]));
        text.push('\n');
        self.known = pellets.iter().map(|pellet| pellet.cell).collect();
        text
    }
}

fn line<T: ToString>(text: &mut String, numbers: impl IntoIterator<Item = T>) {
    let numbers: Vec<_> = numbers.into_iter().map(|number| number.to_string()).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", numbers.join(" "));
}

/// Reads a bot's answer: one line, with or without its line break.
///
/// # Errors
/// Quotes the line and says what is expected. `FORFEIT` is no command of this protocol.
pub fn parse_answer(line: &[u8]) -> Result<Answer, String> {
    let text = String::from_utf8_lossy(line);
    match text.parse()? {
        Answer::Forfeit => Err(no_command(&text)),
        answer => Ok(answer),
    }
}
