//! Helpers of these tests: matches to record, and a second reader and writer of the container.
//!
//! They follow `docs/replay-format.md` alone.
#![allow(dead_code, reason = "each test file uses its part")]

use agon_core::{BotInfo, Evidence, Fault, FaultKind, Game, Player, Seed};
use agon_games::any::{AnyAnswers, AnyGame, GameKind, kind_of};
use agon_match::replay::{
    BotRecord, BotTotals, Diagnosis, End, FaultTally, LeftOut, Replay, Spread, Talk, TurnCost,
    TurnTalk, Writer,
};
use agon_testkit::bare::Bare;
use agon_testkit::toy::{Toy, ToyAnswer, ToyRules};

/// Makes a toy game with `counters` per player that lasts `turns`.
pub(crate) fn toy(players: usize, counters: u32, turns: u64, seed: u64) -> AnyGame {
    any(Toy::new(&ToyRules { turns, counters, full: 1_000_000 }, players, Seed(seed)).unwrap())
}

/// Wraps a toy game.
pub(crate) fn any(toy: Toy) -> AnyGame {
    AnyGame::of(Bare(toy))
}

/// Returns the toy game as a game.
pub(crate) fn toys() -> &'static dyn GameKind {
    kind_of::<Bare<Toy>>()
}

/// Returns answers of the toy game, each of which adds so much.
pub(crate) fn adding(added: impl IntoIterator<Item = u8>) -> AnyAnswers {
    AnyAnswers::of::<Bare<Toy>>(added.into_iter().map(ToyAnswer).collect())
}

/// Makes players with names.
pub(crate) fn bots(players: usize) -> Vec<BotInfo> {
    (0..players).map(|p| BotInfo::new(format!("bot {p}"), "builtin")).collect()
}

/// Makes a fault of player 0 in `step`.
pub(crate) fn fault(step: u64) -> Fault {
    let evidence = Evidence { stderr_tail: "it hurts".into(), ..Evidence::default() };
    let player = Player(0);
    let kind = FaultKind::Timeout;
    Fault { player, step, kind, detail: "took 2 s of 1 s".into(), evidence, count: 3 }
}

/// Makes the diagnosis of player 0, the only one with a process.
pub(crate) fn diagnosis() -> Diagnosis {
    let times = Spread { mean_ns: 5, median_ns: 4, p99_ns: 9, max_ns: 9, max_step: 2 };
    let totals = BotTotals {
        processes: 1,
        signal: Some(11),
        peak_memory: Some(1 << 20),
        cpu_us: Some(7),
        answers: 2,
        decisions: 3,
        cpu_per_decision: Some(times),
        stderr_bytes: 30,
        ..BotTotals::default()
    };
    let talk =
        |step, text: &str| TurnTalk { step, bytes: text.len() as u64, text: text.to_owned() };
    let left_out = LeftOut { turns: 1, bytes: 4 };
    let stderr =
        Talk { first: vec![talk(Some(0), "hello\n")], left_out, last: vec![talk(None, "bye")] };
    let slowest = vec![TurnCost { step: 2, decisions: 1, cpu_us: Some(9), wall_us: 10 }];
    Diagnosis { bots: vec![BotRecord { player: Player(0), totals, slowest, stderr }] }
}

/// Records scripted answers to the end of the game, or for `limit` steps.
///
/// There is a fault every `faults` steps, and then a diagnosis.
pub(crate) fn record(mut game: AnyGame, script: u64, limit: u64, faults: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &game, &bots(game.players())).unwrap();
    let mut step = 0;
    let mut count = 0;
    while !game.is_over() && step < limit {
        let answers = game.scripted_answers(Seed(script), step);
        if faults > 0 && step % faults == 0 {
            writer.fault(&fault(step)).unwrap();
            count += 3;
        }
        game.step(&answers);
        writer.step(&answers, &game).unwrap();
        step += 1;
    }
    let end = if game.is_over() { End::Over } else { End::Limit };
    let tally = FaultTally { player: Player(0), kind: FaultKind::Timeout, count };
    if faults > 0 {
        writer.diagnosis(&diagnosis()).unwrap();
    }
    writer.finish(&game, end, &[tally]).unwrap()
}

/// Opens a replay from bytes.
pub(crate) fn open(file: &[u8]) -> Replay {
    Replay::open(file).unwrap()
}

/// A block: its kind and payload.
pub(crate) type Block = (u8, Vec<u8>);

/// Returns the blocks of a good file up to the index.
pub(crate) fn blocks(file: &[u8]) -> Vec<Block> {
    let mut at = 9;
    let mut blocks = Vec::new();
    while file[at] != 6 {
        let length = u32::from_le_bytes(file[at + 1..at + 5].try_into().unwrap()) as usize;
        let payload = &file[at + 13..at + 13 + length];
        assert_eq!(file[at + 5..at + 13], checksum(at, file[at], payload), "block at {at}");
        blocks.push((file[at], payload.to_vec()));
        at += 13 + length;
    }
    blocks
}

/// Makes a file of these blocks, without index and footer.
pub(crate) fn file_of(blocks: &[Block]) -> Vec<u8> {
    let mut file = b"\x8FAGON\r\n\x1A\x01".to_vec();
    blocks.iter().for_each(|block| put_block(&mut file, block));
    file
}

fn put_block(file: &mut Vec<u8>, (kind, payload): &Block) {
    let sum = checksum(file.len(), *kind, payload);
    file.push(*kind);
    file.extend((payload.len() as u32).to_le_bytes());
    file.extend(sum);
    file.extend(payload);
}

fn checksum(offset: usize, kind: u8, payload: &[u8]) -> [u8; 8] {
    let covered = [&(offset as u64).to_le_bytes()[..], &[kind], payload].concat();
    blake3::hash(&covered).as_bytes()[..8].try_into().unwrap()
}

/// An entry of the index: kind, length in the file, and numbers of steps and answers.
pub(crate) type Entry = (u8, usize, Option<(u64, u64)>);

/// Returns the entries of the index for these blocks.
pub(crate) fn entries(blocks: &[Block]) -> Vec<Entry> {
    let entry = |(kind, payload): &Block| {
        let input = &mut payload.as_slice();
        let counts = (*kind == 2).then(|| (varint(input), varint(input), varint(input)));
        (*kind, 13 + payload.len(), counts.map(|(_, steps, decisions)| (steps, decisions)))
    };
    blocks.iter().map(entry).collect()
}

/// Appends this index and the footer to a file.
pub(crate) fn with_index(mut file: Vec<u8>, entries: &[Entry]) -> Vec<u8> {
    let mut payload = Vec::new();
    for &(kind, length, counts) in entries {
        payload.push(kind);
        put_varint(&mut payload, length as u64);
        if let Some((steps, decisions)) = counts {
            put_varint(&mut payload, steps);
            put_varint(&mut payload, decisions);
        }
    }
    let at = file.len();
    put_block(&mut file, &(6, payload));
    file.extend((at as u64).to_le_bytes());
    file.extend(b"AGON-END");
    file
}

/// Makes a complete file of these blocks.
pub(crate) fn whole_file_of(blocks: &[Block]) -> Vec<u8> {
    with_index(file_of(blocks), &entries(blocks))
}

/// Appends a varint.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a varint.
pub(crate) fn varint(input: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = input[0];
        *input = &input[1..];
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// Takes a stream.
pub(crate) fn stream(input: &mut &[u8]) -> Vec<u8> {
    let length = varint(input) as usize;
    let stored = varint(input) as usize;
    let (bytes, rest) = input.split_at(stored);
    *input = rest;
    if stored == length { bytes.to_vec() } else { zstd::bulk::decompress(bytes, length).unwrap() }
}

/// Makes a stream of these bytes, compressed if there are many.
pub(crate) fn stream_of(plain: &[u8]) -> Vec<u8> {
    let packed = (plain.len() > 1_000).then(|| zstd::bulk::compress(plain, 1).unwrap());
    let stored = packed.as_deref().unwrap_or(plain);
    let mut bytes = Vec::new();
    put_varint(&mut bytes, plain.len() as u64);
    put_varint(&mut bytes, stored.len() as u64);
    bytes.extend(stored);
    bytes
}

/// Changes the text of a block that is one stream.
pub(crate) fn edited((kind, payload): &Block, edit: impl Fn(String) -> String) -> Block {
    let text = edit(String::from_utf8(stream(&mut payload.as_slice())).unwrap());
    (*kind, stream_of(text.as_bytes()))
}
