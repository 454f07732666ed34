//! amoebas as flat memory: questions show what views show, and answers come back.

use agon_core::Blob;
use agon_games::amoebas::batch::{
    AmoebaAnswer, AmoebaCell, AmoebaQuestion, DIVIDE, HIT, MOVE, REST,
};
use agon_games::amoebas::{Amoebas, Answer, Baggage, Command, Dir, Rules};

use super::*;

fn rules(world_size: u32, view_distance: u32) -> Rules {
    Rules { world_size, view_distance, ..Rules::default() }
}

/// Answers as a bot would write them: the records, then all bytes.
fn encode(answers: &[Answer]) -> Vec<u8> {
    let mut bytes = vec![0; answers.len() * AmoebaAnswer::SIZE];
    for (i, answer) in answers.iter().enumerate() {
        let (command, Baggage { data, function, child_data }) = answer.clone().into_parts();
        let (action, dir) = match command {
            Command::Fault => continue,
            Command::Rest => (REST, 99),
            Command::Move { dir } => (MOVE, dir.number()),
            Command::Hit { dir } => (HIT, dir.number()),
            Command::Divide { dir } => (DIVIDE, dir.number()),
        };
        let mut put = |blob: Option<Blob>| {
            blob.map_or(Bytes::NONE, |blob| Bytes::append(blob.bytes(), &mut bytes))
        };
        let [data, child_data, function] = [data, child_data, function].map(&mut put);
        let record = AmoebaAnswer { action, dir, pad: [5; 2], data, child_data, function };
        record.put(&mut bytes[i * AmoebaAnswer::SIZE..(i + 1) * AmoebaAnswer::SIZE]);
    }
    bytes
}

fn same(message: &[u8], bytes: Bytes, blob: Option<&Blob>) {
    assert_eq!(bytes.of(message), Ok(blob.map(Blob::bytes)));
}

proptest! {
    #[test]
    fn questions_say_what_views_say(
        seed: u64,
        size in 3..20u32,
        reach in 1..4u32,
        steps in 0..400u64,
    ) {
        let game: Amoebas = played(&rules(size, reach), seed, steps);
        for decisions in parts(&game) {
            let question = ask(&game, decisions);
            let message = &question.0;
            let records = records::<AmoebaQuestion>(&question, decisions.len());
            for (&decision, (offset, record)) in decisions.iter().zip(records) {
                let view = game.view(decision);
                let numbers = [record.energy, record.health, record.species, record.view_distance];
                assert_eq!(
                    numbers.map(u32::from),
                    [view.energy(), view.health(), decision.player.0.into(), reach]
                );
                same(message, record.data, view.data());
                same(message, record.function, view.function());
                let mut offset = offset + AmoebaQuestion::SIZE;
                let reach = reach as i32;
                let row = |dy| (-reach..=reach).map(move |dx| (dy, dx));
                for (dy, dx) in (-reach..=reach).flat_map(row) {
                    let record = at::<AmoebaCell>(message, offset);
                    let cell = view.cell(dx, dy).unwrap();
                    offset += AmoebaCell::SIZE;
                    assert_eq!(u32::from(record.fuel), cell.fuel());
                    let occupant = cell
                        .occupant()
                        .map_or((0, 0, 0), |o| (o.species().0 + 1, o.energy(), o.health()));
                    assert_eq!(
                        (record.occupant, record.energy.into(), record.health.into()),
                        occupant
                    );
                    let data = cell.occupant().and_then(|occupant| occupant.data());
                    same(message, record.data, data);
                }
            }
        }
    }

    #[test]
    fn answers_come_back(seed: u64, steps in 0..400u64) {
        let game: Amoebas = played(&rules(15, 2), seed, steps);
        check_answers(&game, seed, |_, _| (), |_, answers| encode(answers));
    }
}

/// Answers of a few bytes each may refer to the same megabyte: only as much of it is taken as
/// breaks the rules.
#[test]
fn the_same_long_data_of_all_are_not_copied_for_each() {
    let game: Amoebas = played(&rules(15, 2), 1, 40);
    let decisions = game.decisions();
    let mut written = vec![0; decisions.len() * AmoebaAnswer::SIZE];
    let long = Bytes::append(&vec![b'x'; 1 << 20], &mut written);
    let record = AmoebaAnswer {
        action: DIVIDE,
        dir: 0,
        pad: [0; 2],
        data: long,
        child_data: long,
        function: long,
    };
    for place in written[..decisions.len() * AmoebaAnswer::SIZE].chunks_mut(AmoebaAnswer::SIZE) {
        record.put(place);
    }
    let mut answers = vec![Answer::default(); decisions.len()];
    game.read_answers(decisions, &written, &mut answers, &mut |i, unusable| {
        panic!("{i}: {unusable:?}")
    });
    for (&decision, answer) in decisions.iter().zip(&answers) {
        let lengths: Vec<usize> = answer.blobs().map(|(_, blob)| blob.bytes().len()).collect();
        assert_eq!(lengths, [game.rules().data_limit as usize + 1; 3]);
        assert!(game.illegal(decision, answer).is_some());
    }
}

/// In the smallest world with the widest view each cell is seen 49 times, and its data are told
/// once.
#[test]
fn data_of_a_cell_are_told_once() {
    let data = "x".repeat(1000);
    let position = format!(
        r#"{{"players":2,"amoebas":[
        {{"x":0,"y":0,"species":1,"energy":57,"health":10,"data":"{data}"}},
        {{"x":1,"y":1,"species":1,"energy":57,"health":10,"acted":true,"data":"{data}"}}]}}"#
    );
    let position = serde_json::from_str(&position).unwrap();
    let game = Amoebas::from_position(&rules(3, 10), Seed(1), position).unwrap();
    let (message, stride) = ask(&game, game.decisions());
    assert_eq!(message.len(), Question::SIZE + stride + 2 * 1000);
    assert_eq!(stride, AmoebaQuestion::SIZE + 441 * AmoebaCell::SIZE);
}

#[test]
fn none_and_empty_are_different() {
    let game: Amoebas = played(&rules(9, 1), 1, 0);
    let decisions = parts(&game).next().unwrap();
    let empty = Blob::from("");
    let baggage = Baggage { data: Some(empty.clone()), function: Some(empty), child_data: None };
    let answer = Answer::new(Command::Divide { dir: Dir::E }, baggage);
    assert_eq!(read(&game, decisions, &encode(std::slice::from_ref(&answer))).0, [answer]);
}
