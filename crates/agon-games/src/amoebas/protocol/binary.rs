//! A batch as flat memory, all numbers little-endian, for bots that read structs.
//!
//! | part | content |
//! | --- | --- |
//! | header, 8 bytes | `u32` number of amoebas, `u16` view distance, `u16` species |
//! | per amoeba, 24 bytes | `u16` energy, `u16` health, `u32` 0, then `u32` offset and `u32` length of its data, and of its function |
//! | … and its window, 16 bytes a cell | row by row from the north-west: `u16` fuel, `u16` occupant (0: none, else species + 1), `u16` energy, `u16` health, `u32` offset and `u32` length of data |
//! | bytes | what the offsets point to, counted from the start of the message |
//!
//! A length of 0xFFFFFFFF means that there are no bytes at all, as opposed to an empty string. The answers are
//! [`Wire`] codes back to back.

use agon_core::{Blob, Decision, DecodeError, Game, Wire};

use crate::amoebas::{Amoebas, Answer, View};

/// Length that stands for "none".
pub const NONE: u32 = u32::MAX;

/// Appends the question about `decisions`, which belong to one player.
///
/// # Panics
/// If `out` is not empty, `decisions` is empty, or one of them is not wanted now.
pub fn write_question(game: &Amoebas, decisions: &[Decision], out: &mut Vec<u8>) {
    assert!(out.is_empty(), "offsets count from the start of the message");
    let side = 2 * game.rules().view_distance as usize + 1;
    let fixed = 8 + decisions.len() * (24 + 16 * side * side);
    out.reserve(fixed);
    let mut message = Message { out, tail: Vec::new(), tail_start: fixed };
    message.long(decisions.len() as u32);
    message.short(game.rules().view_distance);
    message.short(decisions[0].player.0.into());
    for &decision in decisions {
        message.amoeba(&game.view(decision));
    }
    let Message { out, tail, .. } = message;
    debug_assert_eq!(out.len(), fixed);
    out.extend_from_slice(&tail);
}

struct Message<'a> {
    out: &'a mut Vec<u8>,
    tail: Vec<u8>,
    tail_start: usize,
}

impl Message<'_> {
    fn amoeba(&mut self, view: &View<'_>) {
        self.short(view.energy());
        self.short(view.health());
        self.long(0);
        self.blob(view.data());
        self.blob(view.function());
        let reach = view.view_distance();
        for (dy, dx) in (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dy, dx))) {
            let Some(cell) = view.cell(dx, dy) else { continue };
            self.short(cell.fuel());
            match cell.occupant() {
                None => self.out.extend_from_slice(&[0; 6]),
                Some(other) => {
                    self.short(u32::from(other.species().0) + 1);
                    self.short(other.energy());
                    self.short(other.health());
                }
            }
            self.blob(cell.occupant().and_then(|other| other.data()));
        }
    }

    /// All amounts of the game fit 16 bits.
    fn short(&mut self, value: u32) {
        self.out.extend_from_slice(&(value as u16).to_le_bytes());
    }

    fn long(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    fn blob(&mut self, blob: Option<&Blob>) {
        let offset = (self.tail_start + self.tail.len()) as u32;
        let (offset, length) = blob.map_or((0, NONE), |blob| (offset, blob.bytes().len() as u32));
        self.long(offset);
        self.long(length);
        self.tail.extend_from_slice(blob.map_or(&[], Blob::bytes));
    }
}

/// Reads `count` answers, which must fill `bytes`.
///
/// # Errors
/// If one of them cannot be read, with its number from 0, or if bytes are left over (the number is then `count`).
pub fn read_answers(mut bytes: &[u8], count: usize) -> Result<Vec<Answer>, (usize, DecodeError)> {
    let mut answers = Vec::with_capacity(count.min(bytes.len()));
    for number in 0..count {
        answers.push(Answer::decode(&mut bytes).map_err(|error| (number, error))?);
    }
    match bytes.first() {
        None => Ok(answers),
        Some(&byte) => Err((count, DecodeError::Unknown(byte))),
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;
    use proptest::prelude::*;

    use super::*;
    use crate::amoebas::{Dir, Rules};

    #[test]
    fn a_question_byte_by_byte() {
        let rules = Rules { world_size: 9, view_distance: 1, ..Rules::default() };
        let position = r#"{"players":2,"amoebas":[
            {"x":0,"y":0,"species":1,"energy":57,"health":10,"data":"me"},
            {"x":8,"y":0,"species":0,"energy":300,"health":6,"data":"","acted":true}]}"#;
        let rules = Rules { max_amoeba_energy: 300, ..rules };
        let game = Amoebas::from_position(&rules, Seed(1), serde_json::from_str(position).unwrap()).unwrap();
        let mut bytes = Vec::new();
        write_question(&game, game.decisions(), &mut bytes);
        assert_eq!(bytes.len(), 8 + 24 + 9 * 16 + 2 * "me".len());
        assert_eq!(bytes[..8], [1, 0, 0, 0, 1, 0, 1, 0]);
        assert_eq!(bytes[8..24], [57, 0, 10, 0, 0, 0, 0, 0, 176, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[24..32], [0, 0, 0, 0, 255, 255, 255, 255]);
        let cell = |number: usize| &bytes[32 + 16 * number..48 + 16 * number];
        assert_eq!(cell(0), [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]);
        assert_eq!(cell(3), [100, 0, 1, 0, 44, 1, 6, 0, 178, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(cell(4)[..8], [100, 0, 2, 0, 57, 0, 10, 0]);
        assert_eq!(&bytes[176..], b"meme");
    }

    #[test]
    fn answers_are_counted() {
        let mut bytes = Vec::new();
        Answer::REST.encode(&mut bytes);
        Answer::hit(Dir::S).encode(&mut bytes);
        assert_eq!(read_answers(&bytes, 2).unwrap(), [Answer::REST, Answer::hit(Dir::S)]);
        assert_eq!(read_answers(&bytes, 3), Err((2, DecodeError::Truncated)));
        assert_eq!(read_answers(&bytes, 1), Err((1, DecodeError::Unknown(bytes[1]))));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, count in 0..1000usize) {
            let _ = read_answers(&bytes, count);
        }
    }
}
