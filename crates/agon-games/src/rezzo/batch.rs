//! The question to an agent in a tick, and its answer, as flat memory, for native and WebAssembly
//! bots. The hosts in `agon-bots` send and read these records.

use agon_core::{Decision, Game};

use super::protocol::{act_byte, parse_message};
use super::{Ack, Action, Answer, Rezzo, VIEWPORT, View};
use crate::batch::{Batch, Group, Header, Record, char, number, record};

record! {
    /// What an agent sees: the 13 rows ahead of it, the farthest first, from left to right. The
    /// agent itself is in the middle of the last row, at cells[12][6], and the cell ahead of it is
    /// cells[11][6].
    pub struct AgentQuestion = "rezzo_question" {
        /// The number of this tick, from 0.
        tick: u64,
        /// What became of the answer before: REZZO_OK and so on.
        ack: u8,
        /// Your player's number, from 0: your agent is '0' + me, your flags are 'A' + me, your
        /// geysers 'a' + me, your bases 'n' + me.
        me: u8,
        /// The cells, as characters.
        cells: [[u8; 13]; 13],
        /// The damage of each.
        damage: [[u8; 13]; 13],
        /// 0.
        pad: [u8; 4],
    }
}

record! {
    /// What the agent does.
    pub struct AgentAnswer = "rezzo_answer" {
        /// The character of the action: REZZO_NOP and so on. 0 is no answer.
        action: u8,
    }
}

const _: () = assert!(VIEWPORT == 13, "the records hold the viewport");

impl Batch for Rezzo {
    const HEADER: Header = Header {
        game: "rezzo",
        about: "\
rezzo: a question is one decision, a tick of one agent; a rezzo_question tells what it sees, a
rezzo_answer what it does.",
        constants: &[
            Group {
                doc: "Actions.",
                constants: &[
                    char("REZZO_NOP", act_byte(Action::Nop), "nothing"),
                    char(
                        "REZZO_ADVANCE",
                        act_byte(Action::Advance),
                        "a step ahead onto a blank cell",
                    ),
                    char("REZZO_LEFT", act_byte(Action::TurnLeft), "a turn to the left"),
                    char("REZZO_RIGHT", act_byte(Action::TurnRight), "a turn to the right"),
                    char(
                        "REZZO_BUILD",
                        act_byte(Action::Build),
                        "a step ahead that leaves a conductor",
                    ),
                    char("REZZO_HIT", act_byte(Action::Hit), "damage to the wire or flag ahead"),
                ],
            },
            Group {
                doc: "Cells that are nobody's.",
                constants: &[
                    char("REZZO_BLANK", b' ', "empty ground"),
                    char("REZZO_CONDUCTOR", b'.', "wire at rest"),
                    char("REZZO_ELECTRON", b'*', "wire with the head of a signal"),
                    char("REZZO_TAIL", b',', "wire with the end of a signal"),
                    char("REZZO_PHOTON", b'~', "what is about to become a flag"),
                ],
            },
            Group {
                doc: "Cells of players, plus the player's number.",
                constants: &[
                    char("REZZO_AGENT", b'0', "an agent"),
                    char("REZZO_FLAG", b'A', "a flag"),
                    char("REZZO_GEYSER", b'a', "a source of flags"),
                    char("REZZO_BASE", b'n', "a base"),
                ],
            },
            Group {
                doc: "What became of the answer before.",
                constants: &[
                    number("REZZO_OK", Ack::Ok as u32, "done; or there was none"),
                    number("REZZO_NO_MESSAGE", Ack::NoMessage as u32, "no answer came"),
                    number("REZZO_INVALID", Ack::Invalid as u32, "the action was not possible"),
                    number("REZZO_GARBAGE", Ack::Garbage as u32, "the answer named no action"),
                    number("REZZO_SEVERAL", Ack::Several as u32, "never so for this kind of bot"),
                ],
            },
        ],
        parts: &[],
        question: AgentQuestion::LAYOUT,
        answer: AgentAnswer::LAYOUT,
        functions: "",
    };

    /// Worth 60 ms, the time of a program.
    const FUEL: u64 = 150_000_000;

    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        decisions.iter().for_each(|&decision| observe(&self.view(decision)).append(out));
        AgentQuestion::SIZE
    }

    type AnswerRecord = AgentAnswer;

    /// A byte that names no action becomes [`Answer::Garbage`]; the rules report the fault.
    fn read_answer(&self, _: Decision, record: AgentAnswer, _: &[u8]) -> (Answer, Option<String>) {
        let reply = parse_message([0, record.action]);
        (reply.action.map_or(Answer::Garbage, Answer::from), None)
    }
}

fn observe(view: &View<'_>) -> AgentQuestion {
    let mut question = AgentQuestion {
        tick: view.tick(),
        ack: view.ack().code(),
        me: view.me() - 1,
        cells: [[0; 13]; 13],
        damage: [[0; 13]; 13],
        pad: [0; 4],
    };
    let cells =
        question.cells.as_flattened_mut().iter_mut().zip(question.damage.as_flattened_mut());
    for ((cell, damage), (forward, right)) in cells.zip(View::places()) {
        // Every cell's character is ASCII.
        *cell = view.cell(forward, right).to_char() as u8;
        *damage = view.damage(forward, right);
    }
    question
}
