//! Tests of batches as flat memory: questions show what views show, answers come back, and no bytes
//! cause a panic.
// A failing test may panic anywhere.
#![allow(clippy::unwrap_used)]

mod amoebas;
mod binfection;
mod cellhack;
mod cluster;
mod rezzo;

use agon_core::{Decision, Game, GameExt, Seed, runs_by_player};
use agon_games::batch::{Batch, Bytes, Question, Record, Unusable, question};
use agon_games::{GameId, Presets, with_game};
use proptest::prelude::*;

/// A game after some scripted steps.
fn played<G: Game>(rules: &G::Rules, seed: u64, steps: u64) -> G {
    let mut game = G::new(rules, 2, Seed(seed)).unwrap();
    for step in 0..steps {
        let answers = game.scripted_answers(Seed(seed), step);
        let mut next = game.clone();
        next.step(&answers);
        if next.is_over() {
            break;
        }
        game = next;
    }
    game
}

/// The decisions of each player.
fn parts<G: Game>(game: &G) -> impl Iterator<Item = &[Decision]> {
    runs_by_player(game.decisions()).map(|(_, range)| &game.decisions()[range])
}

/// The question about some decisions, whose front must be right, and its records.
fn ask<G: Batch>(game: &G, decisions: &[Decision]) -> (Vec<u8>, usize) {
    let mut bytes = vec![1, 2, 3];
    question(game, 7, decisions, &mut bytes);
    let front: Question = at(&bytes, 0);
    let Question { stride, .. } = front;
    let expected = Question {
        decisions: decisions.len() as u32,
        player: decisions[0].player.0.into(),
        step: 7,
        turn: game.progress().turn,
        stride,
        reserved: 0,
    };
    assert_eq!(front, expected);
    assert!(bytes.len() >= Question::SIZE + decisions.len() * stride as usize);
    (bytes, stride as usize)
}

/// A record in a message.
fn at<R: Record>(message: &[u8], offset: usize) -> R {
    R::get(&message[offset..offset + R::SIZE])
}

/// The record of each decision, and where it begins.
fn records<R: Record>((bytes, stride): &(Vec<u8>, usize), count: usize) -> Vec<(usize, R)> {
    (0..count)
        .map(|i| Question::SIZE + i * stride)
        .map(|offset| (offset, at(bytes, offset)))
        .collect()
}

/// Little-endian numbers of two bytes.
fn shorts(message: &[u8], offset: u32, count: usize) -> Vec<u16> {
    let bytes = &message[offset as usize..][..2 * count];
    bytes.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect()
}

/// What a game makes of bytes: the answers, and what is wrong with which.
fn read<G: Batch>(
    game: &G,
    decisions: &[Decision],
    bytes: &[u8],
) -> (Vec<G::Answer>, Vec<(usize, Unusable)>) {
    let mut answers = vec![G::Answer::default(); decisions.len()];
    let mut unusable = Vec::new();
    game.read_answers(decisions, bytes, &mut answers, &mut |i, why| unusable.push((i, why)));
    (answers, unusable)
}

/// Scripted answers, which `fit` makes such as flat memory can express and `encode` makes bytes of,
/// are read back.
fn check_answers<G: Batch>(
    game: &G,
    seed: u64,
    fit: impl Fn(Decision, &mut G::Answer),
    encode: impl Fn(&[Decision], &[G::Answer]) -> Vec<u8>,
) {
    let mut all = game.scripted_answers(Seed(seed), 1000);
    game.decisions().iter().zip(&mut all).for_each(|(&decision, answer)| fit(decision, answer));
    for (_, range) in runs_by_player(game.decisions()) {
        let decisions = &game.decisions()[range.clone()];
        let answers = &all[range];
        let bytes = encode(decisions, answers);
        assert!(bytes.len() <= game.answer_room(decisions), "there is room for sensible answers");
        let (read, unusable) = read(game, decisions, &bytes);
        assert_eq!(read, answers);
        // Default answers of some games mean that none came.
        for (i, why) in unusable {
            assert_eq!((&answers[i], why), (&G::Answer::default(), Unusable::Unanswered));
        }
    }
}

/// Whatever a bot writes, an answer that it did not give stays default, and is reported.
fn check_any_bytes<G: Batch + Presets>(seed: u64, mut bytes: Vec<u8>, grow: usize) {
    let game: G = played(&serde_json::from_str(G::TINY).unwrap(), seed, seed % 5);
    for decisions in parts(&game) {
        let size = G::HEADER.answer.size;
        bytes.resize(bytes.len() + grow * size, seed as u8);
        let (answers, unusable) = read(&game, decisions, &bytes);
        assert!(unusable.is_sorted_by(|a, b| a.0 < b.0), "in order, each once");
        for (i, answer) in answers.iter().enumerate() {
            let answered = bytes.len() >= (i + 1) * size && bytes[i * size] != 0;
            let reported = unusable.iter().find(|(at, _)| *at == i).map(|(_, why)| why);
            assert_eq!(reported == Some(&Unusable::Unanswered), !answered);
            assert!(answered || *answer == G::Answer::default());
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_answers_or_reported(bytes: Vec<u8>, seed: u64, grow in 0..4usize) {
        for id in GameId::OWN {
            with_game!(id, G => check_any_bytes::<G>(seed, bytes.clone(), grow));
        }
    }

    #[test]
    fn bytes_are_found_or_refused(offset in 0..20u32, length in 0..20u32, huge: (u32, u32)) {
        let message: Vec<u8> = (0..10).collect();
        let found = Bytes { offset, length }.of(&message);
        match (offset, length) {
            (0, 0) => assert_eq!(found, Ok(None)),
            (0, _) => assert!(found.unwrap_err().contains("stands for none")),
            _ if offset + length <= 10 => {
                let range = offset as usize..(offset + length) as usize;
                assert_eq!(found, Ok(Some(&message[range])));
            }
            _ => assert!(found.unwrap_err().contains("outside of the 10 bytes")),
        }
        let _ = Bytes { offset: huge.0, length: huge.1 }.of(&message);
    }
}

#[test]
fn every_game_reads_what_it_has_room_for() {
    for id in GameId::OWN {
        with_game!(id, G => {
            let game: G = played(&serde_json::from_str(<G as Presets>::TINY).unwrap(), 1, 3);
            let decisions = parts(&game).next().unwrap();
            assert!(game.answer_room(decisions) >= decisions.len() * G::HEADER.answer.size);
            assert_eq!(G::HEADER.game, G::META.id);
            assert_eq!(G::HEADER.answer.fields[0].c_type, "uint8_t", "the first byte tells whether \
                it is answered");
        });
    }
}
