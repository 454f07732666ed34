//! Questions and answers as flat memory for games of the kit, so that native and WebAssembly bots
//! can play them. An answer is a number; the view is JSON.

use agon_core::{ActionMask, Decision, Game};

use super::{Kit, SmallGame};
use crate::batch::{Batch, Bytes, Header, Record, Unusable, append_array, read_records, record};

record! {
    /// What one decision sees.
    pub struct KitQuestion = "agon_kit_question" {
        /// The unit that the decision is about.
        unit: u32,
        /// How many answers there are; they are numbered from 0.
        answers: u32,
        /// Offset of uint8_t[answers]: 1 where the answer is allowed now.
        legal: u32,
        /// Ignored.
        pad: u32,
        /// What the game shows, as JSON.
        view: Bytes,
    }
}

record! {
    /// What is answered to one decision.
    pub struct KitAnswer = "agon_kit_answer" {
        /// 1. 0 is no answer, which is a fault.
        answered: u8,
        /// Ignored.
        pad: [u8; 3],
        /// The number of the answer.
        answer: u32,
    }
}

impl<S: SmallGame> Batch for Kit<S> {
    const HEADER: Header = Header {
        game: S::META.id,
        about: "\
A question lists the allowed answers by number and shows the game as JSON. An answer is a number.",
        constants: &[],
        parts: &[],
        question: KitQuestion::LAYOUT,
        answer: KitAnswer::LAYOUT,
        functions: "",
    };

    const HAS_OWN_FORM: bool = false;

    const FUEL: u64 = 250_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.resize(start + decisions.len() * KitQuestion::SIZE, 0);
        let mut legal = ActionMask::default();
        for (number, &decision) in decisions.iter().enumerate() {
            let view = self.view(decision);
            view.legal_mask(&mut legal);
            let answers = self.answers().len();
            let flags = (0..answers).map(|answer| u8::from(legal.contains(answer)));
            let flags = append_array(flags, out);
            let json = serde_json::to_vec(&view.seen()).expect("views survive JSON");
            let question = KitQuestion {
                unit: decision.unit,
                answers: u32::try_from(answers).expect("games have few answers"),
                legal: flags,
                pad: 0,
                view: Bytes::append(&json, out),
            };
            let at = start + number * KitQuestion::SIZE;
            question.put(&mut out[at..at + KitQuestion::SIZE]);
        }
        KitQuestion::SIZE
    }

    fn answer_room(&self, decisions: &[Decision]) -> usize {
        decisions.len() * KitAnswer::SIZE
    }

    fn read_answers(
        &self,
        _: &[Decision],
        answered: &[u8],
        answers: &mut [S::Answer],
        unusable: &mut dyn FnMut(usize, Unusable),
    ) {
        read_records(answered, answers, unusable, |_, record: KitAnswer| {
            match self.answers().get(record.answer as usize) {
                Some(answer) => (answer.clone(), None),
                None => {
                    let wrong = format!("there is no answer {}", record.answer);
                    (S::Answer::default(), Some(wrong))
                }
            }
        });
    }
}
