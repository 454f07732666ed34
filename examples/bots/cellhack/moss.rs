//! moss: rests, and splits into the free place with the fewest neighbours of its own.
//!
//! A WebAssembly bot in Rust without the standard library. Build it and play:
//!
//!     rustup target add wasm32-unknown-unknown
//!     rustc --target wasm32-unknown-unknown --crate-type cdylib -C opt-level=s \
//!         -C strip=debuginfo -C panic=abort examples/bots/cellhack/moss.rs -o moss.wasm
//!     agon play cellhack moss.wasm builtin:grower
//!
//! In a project of your own, with `crate-type = ["cdylib"]` in its Cargo.toml, that is
//! `cargo build --release --target wasm32-unknown-unknown`, and you may use the standard library.
#![no_std]

use core::{arch::wasm32, panic::PanicInfo, slice};

/// `agon_question`: what stands in front of the cells.
#[repr(C)]
pub struct Question {
    decisions: u32,
    player: u32,
    step: u64,
    turn: u64,
    stride: u32,
    reserved: u32,
}

/// `cellhack_question`
#[repr(C)]
pub struct Cell {
    env: [u8; 9],
    energy: u8,
    pad: [u8; 6],
    memory: u64,
}

/// `cellhack_answer`
#[repr(C)]
pub struct Answer {
    action: u8,
    pad: [u8; 7],
    memory: u64,
}

const REST: u8 = 1;
const SPLIT: u8 = 0x30;
const EAT: u8 = 0x10;
const ROCK: u8 = 255;

/// A cell needs more energy to split.
const MIN_SPLIT: u8 = 40;

/// Up, left, right, down: a direction's number is its index in `env`. With each, the three places
/// on that side.
const SIDES: [(u8, [usize; 3]); 4] =
    [(1, [0, 1, 2]), (3, [0, 3, 6]), (5, [2, 5, 8]), (7, [6, 7, 8])];

#[no_mangle]
pub extern "C" fn agon_abi() -> u32 {
    1
}

/// New pages at the end of the memory: the arena asks again only when it needs more.
#[no_mangle]
pub extern "C" fn agon_room(size: usize) -> usize {
    const PAGE: usize = 65536;
    match wasm32::memory_grow::<0>((size + PAGE - 1) / PAGE) {
        usize::MAX => 0,
        pages => pages * PAGE,
    }
}

/// # Safety
/// The arena passes a question and room for its answers, both in what `agon_room` gave.
#[no_mangle]
pub unsafe extern "C" fn agon_decide(
    question: *const Question,
    _length: usize,
    answers: *mut Answer,
    _room: usize,
) -> usize {
    let count = (*question).decisions as usize;
    let cells = slice::from_raw_parts(question.add(1).cast::<Cell>(), count);
    let answers = slice::from_raw_parts_mut(answers, count);
    for (cell, answer) in cells.iter().zip(answers.iter_mut()) {
        let action = decide(&cell.env, cell.energy);
        *answer = Answer { action, pad: [0; 7], memory: cell.memory + 1 };
    }
    count * core::mem::size_of::<Answer>()
}

fn decide(env: &[u8; 9], energy: u8) -> u8 {
    let own = env[4];
    let neighbours =
        |places: &[usize; 3]| places.iter().filter(|&&place| env[place] == own).count();
    let free = SIDES.iter().filter(|(direction, _)| env[usize::from(*direction)] == 0);
    if let Some((direction, _)) = free.min_by_key(|(_, places)| neighbours(places)) {
        return if energy > MIN_SPLIT + 4 { SPLIT + direction } else { REST };
    }
    let enemy = |place: u8| place != own && place != ROCK;
    let bitten = SIDES.iter().find(|(direction, _)| enemy(env[usize::from(*direction)]));
    bitten.map_or(REST, |(direction, _)| EAT + direction)
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    wasm32::unreachable()
}
