//! The functions that the arena calls.

use std::{
    slice,
    sync::{Mutex, MutexGuard},
};

use super::{front, Behind, Decision, Player, Start};
use crate::Bot;

/// The bot, from the start of the match on.
static BOT: Mutex<Option<Bot>> = Mutex::new(None);

fn bot() -> MutexGuard<'static, Option<Bot>> {
    BOT.lock().expect("a panic ends the process")
}

#[no_mangle]
pub extern "C" fn agon_abi() -> u32 {
    front::ABI
}

/// # Safety
/// There are so many bytes of a message.
#[no_mangle]
pub unsafe extern "C" fn agon_start(message: *const u8, length: u32) {
    let message = slice::from_raw_parts(message, length as usize);
    *bot() = Some(Bot::new(&Start::new(&String::from_utf8_lossy(message))));
}

/// # Safety
/// There are so many bytes of a question, and so much room that nobody else uses.
#[no_mangle]
pub unsafe extern "C" fn agon_decide(
    question: *const u8,
    length: u32,
    answers: *mut u8,
    room: u32,
) -> u32 {
    let question = slice::from_raw_parts(question, length as usize);
    let room = slice::from_raw_parts_mut(answers, room as usize);
    let mut bot = bot();
    let bot = bot.as_mut().expect("the arena calls agon_start first");
    let decisions = Decision::all(question);
    let mut behind = Behind::new(room, decisions.len());
    for (number, decision) in decisions.enumerate() {
        let answer = bot.decide(&decision, &mut behind);
        behind.answer(number, answer);
    }
    behind.written()
}

/// Room for questions and answers, which the arena uses again and again until it needs more.
#[cfg(target_arch = "wasm32")]
#[no_mangle]
pub extern "C" fn agon_room(size: u32) -> *mut u64 {
    static ROOM: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let mut room = ROOM.lock().expect("a panic ends the module");
    *room = vec![0; size as usize / 8 + 1];
    room.as_mut_ptr()
}
