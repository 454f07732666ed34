//! binfection as flat memory: questions show what views show, and answers come back.

use agon_core::Player;
use agon_games::binfection::batch::{FieldAnswer, FieldCell, FieldMove, FieldQuestion};
use agon_games::binfection::{Answer, Binfection, Cell, Direction, Move, Rules};

use super::*;

fn rules() -> Rules {
    Rules { field_width: 9, field_height: 7, spawns_number: 3, ..Rules::default() }
}

fn encode(moves: &[Move]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let count = moves.len() as u32;
    let moves_offset = FieldAnswer::SIZE as u32;
    FieldAnswer { answered: 1, pad: [3; 3], moves: count, moves_offset }.append(&mut bytes);
    for order in moves {
        let x = order.x as u16;
        let y = order.y as u16;
        let direction = order.direction.into();
        FieldMove { x, y, direction, pad: [3; 3] }.append(&mut bytes);
    }
    bytes
}

proptest! {
    #[test]
    fn questions_say_what_views_say(seed: u64, steps in 0..20u64) {
        let game: Binfection = played(&rules(), seed, steps);
        for decisions in parts(&game) {
            let question = ask(&game, decisions);
            let (_, record) = records::<FieldQuestion>(&question, 1)[0];
            let view = game.view(decisions[0]);
            assert_eq!(record.own_cells as usize, view.own().len());
            let start = record.cells_offset as usize;
            let cell = |i| at::<FieldCell>(&question.0, start + i * FieldCell::SIZE);
            let cells: Vec<Cell> = (0..record.cells as usize).map(cell).map(|cell| Cell {
                x: cell.x.into(),
                y: cell.y.into(),
                owner: cell.owner.checked_sub(1).map(Player),
                units: cell.units,
            }).collect();
            assert_eq!(cells, view.seen());
        }
    }

    #[test]
    fn answers_come_back(seed: u64, steps in 0..20u64) {
        let game: Binfection = played(&rules(), seed, steps);
        // More moves than own cells make no sense.
        let fit = |decision, answer: &mut Answer| {
            answer.moves.truncate(game.view(decision).own().len());
        };
        check_answers(&game, seed, fit, |_, answers| encode(&answers[0].moves));
    }
}

#[test]
fn a_move_that_goes_nowhere_is_left_out() {
    let game: Binfection = played(&rules(), 1, 0);
    let decisions = parts(&game).next().unwrap();
    let order = |x| Move { x, y: 1, direction: Direction::Left };
    let mut bytes = encode(&[order(1), order(2), order(3)]);
    bytes[FieldAnswer::SIZE + FieldMove::SIZE + 4] = 4;
    let (answers, unusable) = read(&game, decisions, &bytes);
    assert_eq!(answers, [Answer { moves: vec![order(1), order(3)] }]);
    let [(0, Unusable::Garbage(why))] = &unusable[..] else { panic!("{unusable:?}") };
    assert!(why.starts_with("move 1 is left out: direction 4 is not 0 (up)"), "{why}");
}

#[test]
fn moves_beyond_what_is_written_do_not_count() {
    let game: Binfection = played(&rules(), 1, 0);
    let decisions = parts(&game).next().unwrap();
    for (moves, moves_offset) in
        [(2, 12), (u32::MAX, 12), (1, u32::MAX), (u32::MAX, u32::MAX), (0, 21)]
    {
        let mut bytes = encode(&[Move { x: 1, y: 1, direction: Direction::Up }]);
        FieldAnswer { answered: 1, pad: [0; 3], moves, moves_offset }
            .put(&mut bytes[..FieldAnswer::SIZE]);
        let (answers, unusable) = read(&game, decisions, &bytes);
        assert_eq!(answers, [Answer::default()]);
        let [(0, Unusable::Garbage(why))] = &unusable[..] else { panic!("{unusable:?}") };
        assert!(why.ends_with("outside of the 20 bytes written; nothing moves"), "{why}");
    }
}
