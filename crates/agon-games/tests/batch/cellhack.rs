//! cellhack as flat memory: questions show what views show, and answers come back.

use agon_games::cellhack::batch::{CellAnswer, CellQuestion};
use agon_games::cellhack::{Answer, Cellhack, Rules};

use super::*;

fn rules() -> Rules {
    Rules { width: 9, height: 7, ..Rules::default() }
}

proptest! {
    #[test]
    fn questions_say_what_views_say(seed: u64, steps in 0..30u64) {
        let game: Cellhack = played(&rules(), seed, steps);
        for decisions in parts(&game) {
            let records = records::<CellQuestion>(&ask(&game, decisions), decisions.len());
            for (&decision, (_, record)) in decisions.iter().zip(records) {
                let view = game.view(decision);
                assert_eq!(
                    (record.env, record.energy, record.memory),
                    (view.env().0, view.energy(), view.memory())
                );
            }
        }
    }

    #[test]
    fn answers_come_back(seed: u64, steps in 0..30u64) {
        let game: Cellhack = played(&rules(), seed, steps);
        // A memory that stays as it is counts as none.
        let fit = |decision, answer: &mut Answer| {
            answer.memory = answer.memory.filter(|&memory| memory != game.view(decision).memory());
        };
        check_answers(&game, seed, fit, |decisions, answers| {
            let mut bytes = Vec::new();
            for (&decision, answer) in decisions.iter().zip(answers) {
                let memory = answer.memory.unwrap_or(game.view(decision).memory());
                CellAnswer { action: answer.action.byte(), pad: [9; 7], memory }.append(&mut bytes);
            }
            bytes
        });
    }
}
