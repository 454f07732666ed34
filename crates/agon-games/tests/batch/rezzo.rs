//! rezzo as flat memory: questions show what views show, and answers come back.

use agon_games::rezzo::batch::AgentQuestion;
use agon_games::rezzo::protocol::{act_byte, write_message};
use agon_games::rezzo::{Answer, Rezzo, Rules};

use super::*;

fn rules() -> Rules {
    Rules { width: 25, height: 25, ..Rules::default() }
}

proptest! {
    #[test]
    fn questions_say_what_messages_to_programs_say(seed: u64, steps in 0..60u64) {
        let game: Rezzo = played(&rules(), seed, steps);
        for decisions in parts(&game) {
            let (_, record) = records::<AgentQuestion>(&ask(&game, decisions), 1)[0];
            let view = game.view(decisions[0]);
            let message = write_message(&view);
            assert_eq!((record.tick, record.ack), (view.tick(), message[0]));
            assert_eq!(u16::from(record.me), decisions[0].player.0);
            assert_eq!(record.cells[12][6], b'0' + record.me, "the agent itself");
            assert_eq!(record.cells.as_flattened(), &message[2..171]);
            assert_eq!(record.damage.as_flattened(), &message[171..]);
        }
    }

    #[test]
    fn answers_come_back(seed: u64, steps in 0..60u64) {
        let game: Rezzo = played(&rules(), seed, steps);
        let fit = |_, answer: &mut Answer| {
            *answer = answer.action().map_or(Answer::Garbage, Answer::from);
        };
        check_answers(&game, seed, fit, |_, answers| {
            vec![answers[0].action().map_or(b'?', act_byte)]
        });
    }
}

#[test]
fn zero_is_silence_and_other_bytes_are_garbage() {
    let game: Rezzo = played(&rules(), 1, 0);
    let decisions = parts(&game).next().unwrap();
    assert_eq!(
        read(&game, decisions, &[0]),
        (vec![Answer::Silence], vec![(0, Unusable::Unanswered)])
    );
    // The game itself complains about it.
    assert_eq!(read(&game, decisions, b"?"), (vec![Answer::Garbage], vec![]));
    assert!(game.illegal(decisions[0], &Answer::Garbage).is_some());
}
