//! Questions and answers as flat memory for games of the kit, so that native and WebAssembly bots
//! can play them. An answer is a number; the view is JSON.

use std::time::Duration;

use agon_core::{ActionMask, Decision, Game, Player};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Kit, SmallGame, View};
use crate::batch::{Batch, Bytes, Header, Record, append_array, record, write_records};
use crate::jsonl::{JsonGame, NoSetup};

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
        let mut legal = ActionMask::default();
        write_records(decisions, out, |decision, out| {
            let view = self.view(decision);
            view.legal_mask(&mut legal);
            let answers = self.answers().len();
            let flags = (0..answers).map(|answer| u8::from(legal.contains(answer)));
            let flags = append_array(flags, out);
            let json = serde_json::to_vec(&view.seen()).expect("views survive JSON");
            KitQuestion {
                unit: decision.unit,
                answers: u32::try_from(answers).expect("games have few answers"),
                legal: flags,
                pad: 0,
                view: Bytes::append(&json, out),
            }
        })
    }

    type AnswerRecord = KitAnswer;

    fn read_answer(&self, _: Decision, record: KitAnswer, _: &[u8]) -> (S::Answer, Option<String>) {
        match self.answers().get(record.answer as usize) {
            Some(answer) => (answer.clone(), None),
            None => (S::Answer::default(), Some(format!("there is no answer {}", record.answer))),
        }
    }
}

/// What one decision sees.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Observation")]
pub struct Observation<V, A> {
    /// The unit that the decision is about.
    pub unit: u32,
    /// The answers that are allowed now. Send one of them back, as it is.
    pub legal: Vec<A>,
    /// What the game shows.
    pub view: V,
}

impl<S: SmallGame> JsonGame for Kit<S> {
    const LISTS_LEGAL: bool = true;

    const FIRST_ANSWER: Duration = S::FIRST_ANSWER;

    const LATER_ANSWERS: Duration = S::LATER_ANSWERS;

    type Setup = NoSetup;
    type Observation<'a> = Observation<S::View, S::Answer>;
    type Reply = S::Answer;

    fn setup(&self, _: Player) -> NoSetup {
        NoSetup {}
    }

    fn observe<'a>(view: &View<'a, S>) -> Observation<S::View, S::Answer>
    where
        Self: 'a,
    {
        Observation {
            unit: view.decision().unit,
            legal: view.legal_answers().cloned().collect(),
            view: view.seen(),
        }
    }

    fn answer_from(reply: S::Answer) -> S::Answer {
        reply
    }

    fn reply_for(answer: S::Answer) -> Option<S::Answer> {
        Some(answer)
    }
}
