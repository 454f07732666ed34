//! The messages between the arena and a game's module: numbers in little-endian order, and bytes
//! behind their length. `docs/game-abi.md` describes them.

use thiserror::Error;

/// The version of this interface; a game's module returns it from its function `agon_abi`.
pub const GAME_ABI: u32 = 1001;

/// Stands for the default answer, which is played after a fault.
pub const DEFAULT_ANSWER: u32 = u32::MAX;

/// The most bytes of a position.
pub const MAX_POSITION: usize = 1 << 20;

/// The most bytes of a reply.
pub const MAX_REPLY: usize = 4 << 20;

/// What the arena asks of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Op {
    /// The forms of positions and views.
    About = 0,
    /// All answers that could ever be legal.
    Answers = 1,
    /// The start of a match.
    Start = 2,
    /// A match from a position.
    Load = 3,
    /// Steps from a position on.
    Step = 4,
    /// What some decisions see.
    Look = 5,
    /// How the players stand.
    Standing = 6,
    /// A picture.
    Scene = 7,
    /// A position as JSON.
    Json = 8,
}

impl Op {
    /// All of them, in order of their numbers.
    pub const ALL: [Op; 9] = [
        Op::About,
        Op::Answers,
        Op::Start,
        Op::Load,
        Op::Step,
        Op::Look,
        Op::Standing,
        Op::Scene,
        Op::Json,
    ];
}

/// A message that is not as it should be; the text says what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

macro_rules! numbers {
    ($($number:ident)*) => {
        impl Writer {
            $(
                /// Appends a number.
                pub fn $number(&mut self, value: $number) {
                    self.0.extend_from_slice(&value.to_le_bytes());
                }
            )*
        }

        impl Reader<'_> {
            $(
                /// Takes a number.
                ///
                /// # Errors
                /// If too few bytes are left.
                pub fn $number(&mut self) -> Result<$number, Malformed> {
                    self.array().map($number::from_le_bytes)
                }
            )*
        }
    };
}

numbers! { u8 u16 u32 u64 i64 }

/// A message that is being written.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends a number of things that follow.
    ///
    /// # Panics
    /// If there are four billions.
    pub fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).expect("messages are far shorter than 4 GiB"));
    }

    /// Appends bytes, or a text, behind their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }
}

/// A message that is being read.
#[derive(Clone, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

/// The message ends too early.
const TOO_SHORT: Malformed = Malformed("the message ends too early");

impl<'a> Reader<'a> {
    /// Takes some bytes.
    ///
    /// # Errors
    /// If there are fewer, here and below.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Takes a number of things that follow, each of at least `size` bytes. So a lie about it takes
    /// no memory.
    pub fn count(&mut self, size: usize) -> Result<usize, Malformed> {
        let count = self.u32()? as usize;
        if count.checked_mul(size.max(1)).is_none_or(|bytes| bytes > self.0.len()) {
            return Err(TOO_SHORT);
        }
        Ok(count)
    }

    /// Takes bytes behind their length.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    /// Takes a text behind its length.
    ///
    /// # Errors
    /// If it is no UTF-8.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        str::from_utf8(self.bytes()?).map_err(|_| Malformed("a text is no UTF-8"))
    }

    /// Checks that nothing follows.
    ///
    /// # Errors
    /// If something does.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("the message is too long")) }
    }
}
