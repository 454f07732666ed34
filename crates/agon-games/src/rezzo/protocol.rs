//! The game's own protocol for programs: binary messages over their pipes. The host in `agon-bots`
//! sends the messages and collects the replies in an [`Inbox`].
//!
//! To the bot 340 bytes: `ack`, `ts`, 169 cells as characters, 169 damage values. From the bot 2
//! bytes: `ts` and the character of an action.

use thiserror::Error;

use super::answer::{Action, Answer};
use super::position::{VIEWPORT, View};

/// Bytes of a message to a bot.
pub const MESSAGE_BYTES: usize = 2 + 2 * VIEWPORT * VIEWPORT;
/// Bytes of a message from a bot.
pub const REPLY_BYTES: usize = 2;

/// The message to a bot.
pub fn write_message(view: &View<'_>) -> [u8; MESSAGE_BYTES] {
    let mut message = [0; MESSAGE_BYTES];
    message[0] = view.ack().code();
    message[1] = view.ts();
    let (cells, damage) = message[2..].split_at_mut(VIEWPORT * VIEWPORT);
    for ((cell, damage), (forward, right)) in cells.iter_mut().zip(damage).zip(View::places()) {
        // Every cell's character is ASCII.
        *cell = view.cell(forward, right).to_char() as u8;
        *damage = view.damage(forward, right);
    }
    message
}

/// A message from a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The number of the message it answers.
    pub ts: u8,
    /// The action, or the byte that names none.
    pub action: Result<Action, UnknownAct>,
}

/// A byte that names no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {0:#04x} names no action; actions are ' ', '^', '\\', '/', '.', '!'")]
pub struct UnknownAct(pub u8);

/// Reads a message from a bot.
pub fn parse_message(bytes: [u8; REPLY_BYTES]) -> Reply {
    let action = match bytes[1] {
        b' ' => Ok(Action::Nop),
        b'^' => Ok(Action::Advance),
        b'\\' => Ok(Action::TurnLeft),
        b'/' => Ok(Action::TurnRight),
        b'.' => Ok(Action::Build),
        b'!' => Ok(Action::Hit),
        other => Err(UnknownAct(other)),
    };
    Reply { ts: bytes[0], action }
}

/// The byte that names an action in messages from a bot.
pub const fn act_byte(action: Action) -> u8 {
    match action {
        Action::Nop => b' ',
        Action::Advance => b'^',
        Action::TurnLeft => b'\\',
        Action::TurnRight => b'/',
        Action::Build => b'.',
        Action::Hit => b'!',
    }
}

/// Collects the bytes that a bot writes during a tick, in pieces of any size, and makes an
/// [`Answer`] of them.
///
/// The host calls [`begin`](Inbox::begin) when it sends a message, [`feed`](Inbox::feed) with all
/// bytes read, and [`answer`](Inbox::answer) when the tick's time is over or everybody
/// [`has_answer`](Inbox::has_answer).
///
/// ```
/// use agon_games::rezzo::{Answer, protocol::Inbox};
/// let mut inbox = Inbox::default();
/// inbox.begin(7);
/// inbox.feed(b"\x06^\x07"); // too late for tick 6, and half a message for tick 7
/// assert!(!inbox.has_answer());
/// inbox.feed(b"!");
/// assert_eq!(inbox.answer(), Answer::Hit);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inbox {
    ts: u8,
    /// The first byte of a message whose second byte has not arrived. It survives the end of the
    /// tick.
    half: Option<u8>,
    answer: Answer,
    dropped: u64,
    /// The `ts` of a message of this tick that was dropped.
    stray: Option<u8>,
}

impl Inbox {
    /// Starts a tick: from now on messages with this `ts` count.
    pub fn begin(&mut self, ts: u8) {
        *self = Inbox {
            ts,
            half: self.half,
            answer: Answer::Silence,
            dropped: self.dropped,
            stray: None,
        };
    }

    /// Adds bytes from the bot.
    pub fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match self.half.take() {
                None => self.half = Some(byte),
                Some(ts) => self.take(parse_message([ts, byte])),
            }
        }
    }

    /// Whether a message for this tick has arrived.
    pub fn has_answer(&self) -> bool {
        self.answer != Answer::Silence
    }

    /// The answer that the messages of this tick make.
    pub fn answer(&self) -> Answer {
        self.answer
    }

    /// The number of all messages that were dropped because of a wrong `ts`.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The `ts` of a message that was dropped in this tick, and the `ts` of the tick.
    pub fn stray(&self) -> Option<(u8, u8)> {
        Some((self.stray?, self.ts))
    }

    fn take(&mut self, reply: Reply) {
        if reply.ts != self.ts {
            self.stray = Some(reply.ts);
            self.dropped += 1;
            return;
        }
        self.answer = match self.answer {
            Answer::Silence => reply.action.map_or(Answer::Garbage, Answer::from),
            first => Answer::Several(first.action()),
        };
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Decision, Game as _, Player, Seed};
    use proptest::prelude::*;

    use super::*;
    use crate::rezzo::{Rezzo, Rules};

    #[test]
    fn messages_hold_ack_number_cells_and_damage() {
        let rules = Rules { width: 13, height: 13, ..Rules::default() };
        let mut rows = vec![String::new(); 13];
        rows[12] = " .    0".into();
        rows[0] = "a".into();
        rows[11] = "      .".into();
        rows[5] = "1".into();
        let json = serde_json::json!({
            "rows": rows, "tick": 258, "damage": [{"x": 6, "y": 11, "hits": 3}],
            "agents": [{"ack": "INVALID"}, {}]
        });
        let position = serde_json::from_value(json).unwrap();
        let game = Rezzo::from_position(&rules, Seed(0), position).unwrap();
        let message = write_message(&game.view(Decision::new(Player(0), 0)));
        assert_eq!((message.len(), message[0], message[1]), (340, 2, 2));
        assert_eq!(message[2], b'a', "the far left cell comes first");
        assert_eq!(&message[2 + 12 * 13..2 + 169], b" .    0      ");
        assert_eq!(message[2 + 11 * 13 + 6], b'.');
        let damage = &message[2 + 169..];
        assert_eq!(
            (damage[11 * 13 + 6], damage.iter().map(|&d| u32::from(d)).sum::<u32>()),
            (3, 3)
        );
    }

    #[test]
    fn acts_read_back() {
        for action in Action::ALL {
            assert_eq!(parse_message([9, act_byte(action)]), Reply { ts: 9, action: Ok(action) });
        }
        let unknown = parse_message([0, b'x']).action.unwrap_err();
        assert!(unknown.to_string().starts_with("byte 0x78 names no action"));
    }

    #[test]
    fn what_a_tick_amounts_to() {
        for (bytes, answer) in [
            (&b""[..], Answer::Silence),
            (b"\x05", Answer::Silence),
            (b"\x05^", Answer::Advance),
            (b"\x04^\x06^", Answer::Silence),
            (b"\x05?", Answer::Garbage),
            (b"\x05^\x05!", Answer::Several(Some(Action::Advance))),
            (b"\x05^\x05!\x05.", Answer::Several(Some(Action::Advance))),
            (b"\x05?\x05!", Answer::Several(None)),
            (b"\x05!\x04!", Answer::Hit),
        ] {
            let mut inbox = Inbox::default();
            inbox.begin(5);
            inbox.feed(bytes);
            assert_eq!(inbox.answer(), answer, "{bytes:?}");
            assert_eq!(inbox.has_answer(), answer != Answer::Silence);
        }
    }

    #[test]
    fn half_a_message_is_completed_in_the_next_tick() {
        let mut inbox = Inbox::default();
        inbox.begin(255);
        inbox.feed(b"\xff^\x00");
        assert_eq!(inbox.answer(), Answer::Advance);
        inbox.begin(0);
        assert!(!inbox.has_answer());
        inbox.feed(b"/\xff.");
        assert_eq!((inbox.answer(), inbox.dropped()), (Answer::TurnRight, 1));
        assert_eq!(inbox.stray(), Some((0xff, 0)));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            cuts: Vec<u8>,
        ) {
            let byte = |b| if b < 200 { b % 4 } else { b'^' };
            let bytes: Vec<u8> = bytes.into_iter().map(byte).collect();
            let mut whole = Inbox::default();
            whole.begin(1);
            let mut one = whole.clone();
            let mut some = whole.clone();
            whole.feed(&bytes);
            bytes.iter().for_each(|&byte| one.feed(&[byte]));
            let mut rest = &bytes[..];
            for cut in cuts {
                let (now, later) = rest.split_at(usize::from(cut).min(rest.len()));
                some.feed(now);
                rest = later;
            }
            some.feed(rest);
            prop_assert_eq!(&one, &whole);
            prop_assert_eq!(&some, &whole);
        }
    }
}
