//! Writes the question file for a bot's runner: all cells that it sees, as JSON. A field can have a
//! million cells, so the text is assembled by hand.

use std::io::{self, Write};

use serde_json::Value;

use super::{View, view::Run};

/// Bytes to collect before they are written to `out`. There are few calls, and the text is still in
/// the cache.
const CHUNK: usize = 128 << 10;

/// Bytes of a piece that are always copied. Most pieces are shorter, and a copy of a fixed size
/// needs no call.
const PIECE: usize = 48;

/// The most bytes of a cell besides its head: two numbers, the other pieces, and the surplus of the
/// copies.
const REST: usize = 4 * PIECE;

/// The most cells of a run.
const RUN: usize = 64;

/// Writes a runner's question file. `names` are the names of all players; `blob` is what the bot
/// saved last.
///
/// A large field has a million cells, some 47 bytes each. So pieces that repeat, such as an owner's
/// name, are assembled once, and nothing is formatted or collected for a single cell.
///
/// # Errors
/// Those of `out`.
///
/// # Panics
/// If a player has no name.
pub fn send_question(
    view: &View<'_>,
    names: &[String],
    blob: &Value,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writer = QuestionWriter::new(names);
    let mut sent = Ok(());
    view.visit_visible(|run| {
        if writer.at > CHUNK && sent.is_ok() {
            sent = writer.send(out);
        }
        if sent.is_ok() {
            writer.cells(run);
        }
    });
    sent?;
    writer.finish(&serde_json::to_vec(blob)?);
    writer.send(out)
}

/// A piece of text that repeats.
struct Piece {
    first: [u8; PIECE],
    /// The text after the first bytes.
    rest: Vec<u8>,
    length: usize,
}

impl Piece {
    fn new(text: &[u8]) -> Piece {
        let (start, rest) = text.split_at(text.len().min(PIECE));
        let mut first = [0; PIECE];
        first[..start.len()].copy_from_slice(start);
        Piece { first, rest: rest.to_vec(), length: text.len() }
    }

    /// The text before the units: `,{"owner":"alice","units":`. `name` is JSON.
    fn head(name: &[u8]) -> Piece {
        Piece::new(&[b",{\"owner\":", name, b",\"units\":"].concat())
    }

    /// The text after the column.
    fn end(y: u16) -> Piece {
        Piece::new(format!(",\"y\":{y}}}").as_bytes())
    }
}

/// Writes the question into a buffer.
struct QuestionWriter {
    /// The text before the units, for each player and for an empty cell.
    heads: Vec<Piece>,
    nobody: Piece,
    /// The text between units and column.
    middle: Piece,
    /// The text after the column in this row.
    end: Piece,
    row: u16,
    /// Text that is not written to `out` yet; the bytes from `at` on mean nothing.
    text: Vec<u8>,
    at: usize,
    /// Where the list starts, until there is a cell in it.
    list: Option<usize>,
}

impl QuestionWriter {
    fn new(names: &[String]) -> QuestionWriter {
        let json = |name: &String| serde_json::to_vec(name).expect("text can always be written");
        let heads: Vec<Piece> = names.iter().map(|name| Piece::head(&json(name))).collect();
        let nobody = Piece::head(b"null");
        let middle = Piece::new(b",\"x\":");
        let end = Piece::end(0);
        let longest = heads.iter().map(|head| head.length).max().unwrap_or(0);
        let text = vec![0; CHUNK + RUN * (longest.max(PIECE) + REST)];
        let mut writer =
            QuestionWriter { heads, nobody, middle, end, row: 0, text, at: 0, list: None };
        put(&mut writer.text, &mut writer.at, &Piece::new(b"{\"cells\":"));
        writer.list = Some(writer.at);
        writer
    }

    /// Writes the collected text to `out`.
    fn send(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.text[..std::mem::take(&mut self.at)])
    }

    /// Writes cells that lie side by side.
    fn cells(&mut self, run: Run<'_>) {
        let (x, y) = run.start();
        if y != self.row {
            self.row = y;
            self.end = Piece::end(y);
        }
        let QuestionWriter { heads, nobody, middle, end, text, at, .. } = self;
        let mut cell = |head, units, x: u16| {
            put(text, at, head);
            number(text, at, units);
            put(text, at, middle);
            number(text, at, x.into());
            put(text, at, end);
        };
        match run {
            Run::Empty { length, .. } => (x..x + length).for_each(|x| cell(nobody, 0, x)),
            Run::Occupied { owners, units, .. } => {
                for (x, (owner, &units)) in (x..).zip(owners.iter().zip(units)) {
                    cell(&heads[owner.index()], units, x);
                }
            }
        }
        if let Some(list) = self.list.take() {
            // Replaces the comma before the first cell.
            self.text[list] = b'[';
        }
    }

    /// Writes the text after the cells.
    fn finish(&mut self, blob: &[u8]) {
        self.text.truncate(self.at);
        let end = if self.list.is_none() { "]" } else { "[]" };
        for part in [end.as_bytes(), b",\"blob\":", blob, b"}"] {
            self.text.extend_from_slice(part);
        }
        self.at = self.text.len();
    }
}

#[inline(always)]
fn put(text: &mut [u8], at: &mut usize, piece: &Piece) {
    text[*at..*at + PIECE].copy_from_slice(&piece.first);
    if !piece.rest.is_empty() {
        text[*at + PIECE..*at + piece.length].copy_from_slice(&piece.rest);
    }
    *at += piece.length;
}

/// Writes a number in decimal, four digits at a time.
#[inline(always)]
fn number(text: &mut [u8], at: &mut usize, number: u64) {
    if number >= 10_000 {
        return large_number(text, at, number);
    }
    let zeros = u32::from(number < 10) + u32::from(number < 100) + u32::from(number < 1_000);
    text[*at..*at + 4].copy_from_slice(&(digits(number as u32) >> (8 * zeros)).to_le_bytes());
    *at += 4 - zeros as usize;
}

fn large_number(text: &mut [u8], at: &mut usize, large: u64) {
    number(text, at, large / 10_000);
    text[*at..*at + 4].copy_from_slice(&digits((large % 10_000) as u32).to_le_bytes());
    *at += 4;
}

/// Four digits, the first one in the lowest byte.
#[inline(always)]
fn digits(number: u32) -> u32 {
    let (high, low) = (number / 100, number % 100);
    u32::from_le_bytes([high / 10, high % 10, low / 10, low % 10].map(|digit| b'0' + digit as u8))
}

#[cfg(test)]
mod tests {
    use agon_core::{Decision, Game, Player, Seed};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::binfection::{Binfection, Cell, Position, Rules};

    fn question(game: &Binfection, names: &[String], blob: &Value) -> String {
        let mut text = Vec::new();
        let view = game.view(Decision::new(Player(0), 0));
        send_question(&view, names, blob, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// The same text, made from JSON values.
    fn plainly(game: &Binfection, names: &[String], blob: &Value) -> String {
        let cell = |Cell { x, y, owner, units }: Cell| {
            let owner = owner.map(|player| &names[player.index()]);
            json!({"owner": owner, "units": units, "x": x, "y": y})
        };
        let seen = game.view(Decision::new(Player(0), 0)).seen();
        json!({"cells": seen.into_iter().map(cell).collect::<Vec<_>>(), "blob": blob}).to_string()
    }

    fn game(side: u32, mut cells: Vec<Cell>) -> Binfection {
        cells.extend([0, 1].map(|n| Cell {
            x: side - 1,
            y: n,
            owner: Some(Player(n as u16)),
            units: 7,
        }));
        cells.sort_by_key(|cell| (cell.y, cell.x));
        cells.dedup_by_key(|cell| (cell.y, cell.x));
        let rules = Rules {
            field_width: side,
            field_height: side,
            warriors_limit: 1_000_000_000_000,
            ..Rules::default()
        };
        let position = Position { turn: 0, players: 2, cells, fallen: Vec::new() };
        Binfection::from_position(&rules, Seed(0), position).unwrap()
    }

    proptest! {
        #[test]
        fn the_text_is_that_of_values(
            cells in proptest::collection::vec((0u32..70, 0u32..70, 0u16..2, 0u32..40), 0..200),
            names in proptest::collection::vec(".{1,60}", 2),
        ) {
            let cell = |(x, y, owner, size): (u32, u32, u16, u32)| {
                let units = (1u64 << size).min(1_000_000_000_000);
                Cell { x, y, owner: Some(Player(owner)), units }
            };
            let game = game(70, cells.into_iter().map(cell).collect());
            let blob = json!({"n": [1, "two"]});
            prop_assert_eq!(question(&game, &names, &blob), plainly(&game, &names, &blob));
        }
    }

    fn large() -> (Binfection, [String; 2]) {
        let cell = |n: u32| Cell {
            x: n % 150,
            y: n / 150,
            owner: Some(Player(0)),
            units: u64::from(n) + 1,
        };
        (game(1500, (0..15_000).map(cell).collect()), ["alice".to_owned(), "bob".to_owned()])
    }

    #[test]
    fn a_large_field_is_written_in_several_parts() {
        let (game, names) = large();
        let text = question(&game, &names, &json!({}));
        assert!(text.len() > 4 * CHUNK);
        assert_eq!(text, plainly(&game, &names, &json!({})));
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let (game, names) = large();
        let view = game.view(Decision::new(Player(0), 0));
        let length = question(&game, &names, &json!({})).len();
        for room in [20, CHUNK, 3 * CHUNK, length - 1] {
            let mut room = vec![0; room];
            let error =
                send_question(&view, &names, &json!({}), &mut room.as_mut_slice()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        }
        send_question(&view, &names, &json!({}), &mut vec![0; length].as_mut_slice()).unwrap();
    }
}
