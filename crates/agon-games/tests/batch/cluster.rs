//! cluster as flat memory: questions show what views show, and answers come back.

use agon_games::cluster::batch::{
    ClusterAnswer, ClusterQuestion, EMPTY, FORFEIT, NO_CELL, PLACE, ROTATE,
};
use agon_games::cluster::{Answer, Cluster, Rules};

use super::*;

fn encode(answer: &Answer) -> Vec<u8> {
    let mut record = ClusterAnswer { action: FORFEIT, color: 7, column: 7, cycles: 7, pad: [7; 3] };
    match *answer {
        Answer::Place { column, color } => {
            (record.action, record.column, record.color) = (PLACE, column, color)
        }
        Answer::Rotate { cycles } => (record.action, record.cycles) = (ROTATE, cycles),
        Answer::Forfeit => {}
    }
    let mut bytes = Vec::new();
    record.append(&mut bytes);
    bytes
}

proptest! {
    #[test]
    fn questions_say_what_views_say(seed: u64, side in 3..9u32, steps in 0..40u64) {
        let game: Cluster = played(&Rules { side, ..Rules::default() }, seed, steps);
        let decisions = game.decisions();
        let question = ask(&game, decisions);
        let (_, record) = records::<ClusterQuestion>(&question, 1)[0];
        let view = game.view(decisions[0]);
        let message = question.0;
        let board = view.board();
        let me = decisions[0].player.0 as u8;
        assert_eq!(
            (record.cells as usize, record.columns as usize),
            (board.cells(), board.columns())
        );
        assert_eq!(
            (u32::from(record.side), u32::from(record.run_length)),
            (side, view.run_length())
        );
        assert_eq!((record.gravity, record.burnt), (view.gravity(), view.burnt()));
        assert_eq!((record.own_colors, record.other_colors), ([me, me + 2], [1 - me, 3 - me]));
        assert_eq!(view.bags(), [(me, record.bags[0]), (me + 2, record.bags[1])]);
        let (hand, rest) = record.hand.split_at(record.hand_size.into());
        assert_eq!(hand, view.hand());
        assert!(rest.iter().all(|&color| color == EMPTY));
        let neighbors = shorts(&message, record.neighbors, 6 * board.cells());
        let colors = &message[record.colors as usize..][..board.cells()];
        for cell in 0..board.cells() as u16 {
            let around = std::array::from_fn(|d| board.neighbor(cell, d as u8).unwrap_or(NO_CELL));
            assert_eq!(neighbors.as_chunks::<6>().0[usize::from(cell)], around);
            assert_eq!(colors[usize::from(cell)], view.pellets().color_at(cell).unwrap_or(EMPTY));
        }
        let tops = shorts(&message, record.tops, 6 * board.columns());
        for column in 0..board.columns() {
            assert_eq!(
                tops.as_chunks::<6>().0[column],
                std::array::from_fn(|g| board.top(column, g as u8))
            );
        }
    }

    #[test]
    fn answers_come_back(seed: u64, steps in 0..40u64) {
        let game: Cluster = played(&Rules { side: 3, ..Rules::default() }, seed, steps);
        check_answers(&game, seed, |_, _| (), |_, answers| encode(&answers[0]));
    }
}

#[test]
fn an_unknown_action_forfeits() {
    let game: Cluster = played(&Rules::default(), 1, 0);
    let (answers, unusable) = read(&game, game.decisions(), &[9; 8]);
    assert_eq!(answers, [Answer::Forfeit]);
    assert_eq!(unusable, [(0, Unusable::Garbage("9 is no action; it counts as FORFEIT".into()))]);
}
