//! rambler: walks on, turns to where there is room, and hits the flags of others.
//!
//! A native library without any dependency:
//!
//!     rustc --edition 2024 -O --crate-type cdylib rambler.rs -o rambler.so
//!     agon play rezzo ./rambler.so builtin:wanderer
//!
//! The structs are those of `agon/bot.h` and `agon/rezzo.h`.

use std::slice;

#[repr(C)]
struct Question {
    decisions: u32,
    player: u32,
    step: u64,
    turn: u64,
    stride: u32,
    reserved: u32,
    agent: Agent,
}

#[repr(C)]
struct Agent {
    tick: u64,
    ack: u8,
    me: u8,
    cells: [[u8; 13]; 13],
    damage: [[u8; 13]; 13],
}

const ACK_OK: u8 = 0;

#[unsafe(no_mangle)]
pub extern "C" fn agon_abi() -> u32 {
    1
}

/// # Safety
/// The arena passes a question of rezzo, and room for an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_decide(
    question: *const u8,
    _: u32,
    answers: *mut u8,
    room: u32,
) -> u32 {
    // A question of rezzo is always about one agent.
    let question = unsafe { &*question.cast::<Question>() };
    let answers = unsafe { slice::from_raw_parts_mut(answers, room as usize) };
    answers[0] = decide(&question.agent);
    1
}

fn decide(agent: &Agent) -> u8 {
    let ahead = agent.cells[11][6];
    let [left, right] = [agent.cells[12][5], agent.cells[12][7]];
    let foreign_flag = (b'A'..=b'J').contains(&ahead) && ahead != b'A' + agent.me;
    // Now and then a turn for no reason, or it would walk in circles around a torus.
    let whim = agent.tick.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 59 == 0;
    match ahead {
        _ if foreign_flag => b'!',
        b' ' if agent.ack == ACK_OK && !whim => b'^',
        _ if left == b' ' && right != b' ' => b'\\',
        _ if right == b' ' && left != b' ' => b'/',
        _ if agent.tick / 16 % 2 == 0 => b'\\',
        _ => b'/',
    }
}
