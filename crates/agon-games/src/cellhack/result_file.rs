//! Reads and writes the replay file of other cellhack tools: all states of a match, one after the
//! other. `agon play --replay-cellhack` and `agon replay export --cellhack` write it.
//!
//! A text header `width: W`, `height: H`, `players: a, b, c`, each line with a line feed, and one
//! zero byte; then, for the start and after every turn, `W × H` records row by row: owner `u8`,
//! energy `u8`, memory `u64`, little-endian and without padding.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "files are foreign bytes, whose numbers must not change unnoticed"
)]

use std::io::{self, Write};

use agon_core::SetupError;

use super::{Cellhack, ROCK, rules::MAX_PLACES};

/// Bytes of a record.
const RECORD_LEN: usize = 10;

/// Longer headers are refused; 254 names fit easily.
const MAX_HEADER: usize = 1 << 16;

/// The header of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// Names of the players, in order of player number.
    pub players: Vec<String>,
}

impl Header {
    /// Makes the header of a match, with names that fit the format.
    ///
    /// Commas, line feeds and zero bytes have a meaning in the header. So these and other control
    /// characters become `_`, and so does a name of blanks only.
    pub fn new(game: &Cellhack, names: &[String]) -> Header {
        let fit = |name: &String| {
            let name = name.replace(|c: char| c == ',' || c.is_control(), "_");
            if name.trim().is_empty() { "_".to_owned() } else { name.trim().to_owned() }
        };
        let Cellhack { rules, .. } = game;
        Header {
            width: rules.width,
            height: rules.height,
            players: names.iter().map(fit).collect(),
        }
    }
}

/// One place in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// 0 for no cell, [`ROCK`], or a player's number plus one.
    pub owner: u8,
    /// The energy; 255 stands for all that does not fit a byte. Places without a cell may show old
    /// values.
    pub energy: u8,
    /// The memory. Places without a cell may show old values.
    pub memory: u64,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// Names of the players, in order of player number.
    pub players: Vec<String>,
    /// All complete frames: the start and the state after every turn, row by row.
    pub frames: Vec<Vec<Record>>,
    /// The rest of an incomplete last frame, if the file was cut off.
    pub cut_off: Option<CutOff>,
}

/// Where a file was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// Byte at which the incomplete frame starts.
    pub offset: usize,
    /// Bytes of it that are in the file.
    pub bytes: usize,
}

/// Writes the header.
///
/// # Errors
/// Those of `out`.
pub fn write_header(header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let Header { width, height, players } = header;
    write!(out, "width: {width}\nheight: {height}\nplayers: {}\n\0", players.join(", "))
}

/// Appends the current state. Call it for the start and after every turn.
///
/// # Errors
/// Those of `out`.
pub fn write_frame(game: &Cellhack, out: &mut dyn Write) -> io::Result<()> {
    let board = &game.board;
    let mut bytes = Vec::with_capacity(board.owner.len() * RECORD_LEN);
    for ((&owner, &energy), memory) in board.owner.iter().zip(&board.energy).zip(&board.memory) {
        bytes.extend([owner, u8::try_from(energy).unwrap_or(u8::MAX)]);
        bytes.extend(memory.to_le_bytes());
    }
    out.write_all(&bytes)
}

/// Reads a file. A last frame that is not complete is left out and reported in the result.
///
/// # Errors
/// If the header cannot be read, or a cell belongs to a player that it does not name. The error
/// names the byte.
pub fn read(bytes: &[u8]) -> Result<ResultFile, SetupError> {
    let limit = bytes.len().min(MAX_HEADER);
    let end = bytes[..limit].iter().position(|&b| b == 0);
    let no_end = || wrong(limit, "no zero byte so far, which would end the header");
    let end = end.ok_or_else(no_end)?;
    let Header { width, height, players } = read_header(&bytes[..end])?;
    let frame_len = (width * height) as usize * RECORD_LEN;
    let mut frames = Vec::new();
    let mut offset = end + 1;
    while let Some(frame) = bytes[offset..].get(..frame_len) {
        frames.push(read_frame(frame, offset, players.len())?);
        offset += frame_len;
    }
    let rest = bytes.len() - offset;
    let cut_off = (rest > 0).then_some(CutOff { offset, bytes: rest });
    Ok(ResultFile { width, height, players, frames, cut_off })
}

/// Makes an error about the bytes from an offset on.
fn wrong(offset: usize, reason: impl Into<String>) -> SetupError {
    SetupError::new(format!("byte {offset}"), reason)
}

fn read_header(bytes: &[u8]) -> Result<Header, SetupError> {
    let text =
        str::from_utf8(bytes).map_err(|e| wrong(e.valid_up_to(), "this is no UTF-8 text"))?;
    let mut offset = 0;
    let mut lines = text.split('\n');
    let mut field = |key: &str| {
        let line = lines.next().unwrap_or_default();
        let start = offset;
        offset += line.len() + 1;
        let value = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')).map(str::trim);
        let error = || wrong(start, format!("`{key}: ...` was expected, not `{}`", short(line)));
        value.map(|value| (start, value)).ok_or_else(error)
    };
    let mut size = |key: &str| {
        let (start, value) = field(key)?;
        let number: Option<u32> = value.parse().ok();
        let number = number.filter(|&n| (1..=MAX_PLACES).contains(&n.into()));
        let error = || {
            wrong(start, format!("{key} `{}` is no number from 1 to {MAX_PLACES}", short(value)))
        };
        number.ok_or_else(error)
    };
    let (width, height) = (size("width")?, size("height")?);
    let places = u64::from(width) * u64::from(height);
    if places > MAX_PLACES {
        return Err(wrong(
            0,
            format!("{width} × {height} are {places} places, more than {MAX_PLACES}"),
        ));
    }
    let (start, names) = field("players")?;
    let players: Vec<String> = names.split(", ").map(str::to_owned).collect();
    if players.len() >= ROCK.into() {
        return Err(wrong(start, format!("{} players are more than 254", players.len())));
    }
    Ok(Header { width, height, players })
}

/// The beginning of a text, for messages.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

fn read_frame(bytes: &[u8], offset: usize, players: usize) -> Result<Vec<Record>, SetupError> {
    let record = |(i, record): (usize, &[u8; RECORD_LEN])| {
        let &[owner, energy, memory @ ..] = record;
        if owner != ROCK && usize::from(owner) > players {
            let reason = format!("a cell of player {owner}, but the header names {players}");
            return Err(wrong(offset + i * RECORD_LEN, reason));
        }
        Ok(Record { owner, energy, memory: u64::from_le_bytes(memory) })
    };
    let (records, _) = bytes.as_chunks();
    records.iter().enumerate().map(record).collect()
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Seed};
    use proptest::prelude::*;

    use super::*;
    use crate::cellhack::Rules;

    fn file(turns: u64) -> (Cellhack, Vec<u8>) {
        let rules = Rules { width: 6, height: 5, ..Rules::default() };
        let mut game = Cellhack::new(&rules, 2, Seed(3)).unwrap();
        let mut out = Vec::new();
        let names = ["left".to_owned(), "a, b\nc".to_owned()];
        write_header(&Header::new(&game, &names), &mut out).unwrap();
        write_frame(&game, &mut out).unwrap();
        for turn in 0..turns {
            game.step(&game.scripted_answers(Seed(4), turn));
            write_frame(&game, &mut out).unwrap();
        }
        (game, out)
    }

    fn refused(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back() {
        let (game, bytes) = file(9);
        let file = read(&bytes).unwrap();
        assert_eq!((file.width, file.height, file.frames.len()), (6, 5, 10));
        assert_eq!(file.players, ["left", "a_ b_c"]);
        assert_eq!(file.cut_off, None);
        for (index, record) in file.frames[9].iter().enumerate() {
            let (owner, energy, memory) = game.place(index);
            assert_eq!(*record, Record { owner, energy: energy.min(255) as u8, memory });
        }
    }

    #[test]
    fn a_name_of_blanks_is_still_a_name() {
        let game = Cellhack::new(&Rules::default(), 2, Seed(3)).unwrap();
        let mut out = Vec::new();
        write_header(&Header::new(&game, &["a".to_owned(), " ".to_owned()]), &mut out).unwrap();
        assert_eq!(read(&out).unwrap().players, ["a", "_"]);
    }

    #[test]
    fn a_cut_off_frame_keeps_those_before() {
        let (_, bytes) = file(2);
        let file = read(&bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(file.frames.len(), 2);
        assert_eq!(file.cut_off, Some(CutOff { offset: bytes.len() - 300, bytes: 299 }));
    }

    #[test]
    fn errors_tell_the_place() {
        assert_eq!(refused(b"width: 3"), "byte 8: no zero byte so far, which would end the header");
        assert_eq!(
            refused(b"width: 3\nheihgt: 3\n\0"),
            "byte 9: `height: ...` was expected, not `heihgt: 3`"
        );
        assert_eq!(refused(b"width: -3\n\0"), "byte 0: width `-3` is no number from 1 to 4194304");
        assert_eq!(
            refused(b"width: 4000000\nheight: 4000000\n\0"),
            "byte 0: 4000000 × 4000000 are 16000000000000 places, more than 4194304"
        );
        assert_eq!(
            refused(b"width: 1\nheight: 1\nplayers: a, b\n\0\x03abcdefghi"),
            "byte 34: a cell of player 3, but the header names 2"
        );
        let many = format!("width: 1\nheight: 1\nplayers: {}\n\0", vec!["x"; 255].join(", "));
        assert_eq!(refused(many.as_bytes()), "byte 19: 255 players are more than 254");
        assert_eq!(refused(b"wid\xFF\0"), "byte 3: this is no UTF-8 text");
    }

    proptest! {
        #[test]
        fn foreign_bytes_never_panic(tail: Vec<u8>, width in 0u64..20, height in 0u64..u64::MAX) {
            let _ = read(&tail);
            let header = format!("width: {width}\nheight: {height}\nplayers: a\n\0");
            let _ = read(&[header.as_bytes(), &tail].concat());
        }
    }
}
