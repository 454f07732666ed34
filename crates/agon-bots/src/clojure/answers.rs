//! Decodes the answers of amoebas from words of memory; `agon/host.clj` in the JVM writes them.
//!
//! The memory has these parts, one after another:
//! - Three words: the number of faults, the number of texts, and the word at which their
//!   list starts.
//! - Four words for each species: nanoseconds of CPU time, bytes printed, the number of a text, and
//!   1 if the species is out from now on. The text is the end of the printed bytes. The species'
//!   decisions follow, four words each (see `agon/decide.clj`).
//! - Five words for each fault: player and kind (32 bits each), index of the decision, count, and
//!   the numbers of two texts, from 1. These are the event and the species' output.
//! - A word for each text, with its offset in bytes and its length.
//! - The texts.
//!
//! Nothing of it is trusted: a species that writes there gets a fault. Any number of references may
//! share one text, so only a sensible length of each text is read.

use std::time::Duration;

use agon_core::{Blob, Fault, FaultKind};
use agon_games::amoebas::{Answer, Baggage, Command, Dir};

use super::question::{Part, Question};
use crate::process::{FaultSite, printable};

const FRONT: usize = 3;
const SPENT: usize = 4;
const ANSWER: usize = 4;
const FAULT: usize = 5;

/// The number of kinds of faults; a species has at most one of each.
const KINDS: u64 = 5;

/// The most bytes of a fault's text; a fault has two.
const FAULT_TEXT: usize = 64 << 10;

/// References above this number mean a text of the answer.
const OWN_TEXT: u64 = 1 << 62;

/// Answers and faults of a species.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) part: Part,
    pub(super) answers: Vec<Answer>,
    pub(super) faults: Vec<Fault>,
    /// CPU time of its decisions.
    pub(super) cpu: Duration,
    /// The number of bytes it has printed, and the last of them.
    pub(super) printed: (u64, Vec<u8>),
    /// Whether it gets no more questions.
    pub(super) out: bool,
}

/// The written words, and the texts that they refer to.
struct Written<'a> {
    words: Vec<u64>,
    bytes: &'a [u8],
    question: &'a Question,
}

/// Reads the answers to a question.
///
/// # Errors
/// With the problem, if the bytes are no answers.
pub(super) fn read(question: &Question, bytes: &[u8]) -> Result<Vec<Decided>, String> {
    let words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let written = Written { words, bytes, question };
    let mut at = FRONT;
    let mut decided = Vec::new();
    for part in &question.parts {
        let cpu = Duration::from_nanos(written.word(at)?);
        let bytes = written.word(at + 1)?;
        let text = written.word(at + 2)?;
        let printed =
            (bytes, if text == 0 { Vec::new() } else { end(written.text(text)?).to_vec() });
        let out = written.word(at + 3)? != 0;
        at += SPENT;
        let answers = (0..part.units.len())
            .map(|i| written.answer(at + i * ANSWER))
            .collect::<Result<_, _>>()?;
        at += part.units.len() * ANSWER;
        decided.push(Decided {
            part: part.clone(),
            answers,
            faults: Vec::new(),
            cpu,
            printed,
            out,
        });
    }
    let faults = written.word(0)?;
    if faults > KINDS * decided.len() as u64 {
        return Err(format!("{faults} faults are too many"));
    }
    for fault in 0..faults as usize {
        written.fault(at + fault * FAULT, &mut decided)?;
    }
    Ok(decided)
}

impl Written<'_> {
    fn word(&self, at: usize) -> Result<u64, String> {
        self.words
            .get(at)
            .copied()
            .ok_or_else(|| format!("the {} words written are too few", self.words.len()))
    }

    fn answer(&self, at: usize) -> Result<Answer, String> {
        let word = self.word(at)?;
        let dir =
            || Dir::new((word >> 8) as u8).ok_or_else(|| format!("{} is no direction", word >> 8));
        let command = match word as u8 {
            0 => return Ok(Answer::FAULT),
            1 => Command::Rest,
            2 => Command::Move { dir: dir()? },
            3 => Command::Hit { dir: dir()? },
            4 => Command::Divide { dir: dir()? },
            other => return Err(format!("{other} is no action")),
        };
        let mut baggage = Baggage { data: self.blob(at + 1)?, ..Baggage::default() };
        if let Command::Divide { .. } = command {
            (baggage.child_data, baggage.function) = (self.blob(at + 2)?, self.blob(at + 3)?);
        }
        Ok(Answer::new(command, baggage))
    }

    /// Returns the text that a word refers to.
    fn blob(&self, at: usize) -> Result<Option<Blob>, String> {
        match self.word(at)? {
            0 => Ok(None),
            number @ 1..=OWN_TEXT => {
                let blob = self.question.blob(number);
                blob.cloned().map(Some).ok_or_else(|| format!("the question had no blob {number}"))
            }
            number => {
                let bytes = self.text(number - OWN_TEXT)?;
                Ok(Some(Baggage::blob(bytes, self.question.data_limit)))
            }
        }
    }

    /// Returns a text by its number.
    fn text(&self, number: u64) -> Result<&[u8], String> {
        let none = || format!("there is no text {number}");
        let index = number
            .checked_sub(1)
            .filter(|&index| self.words.get(1).is_some_and(|&texts| index < texts));
        let at = self.word(2)?.checked_add(index.ok_or_else(none)?).ok_or_else(none)?;
        let word = self.word(at as usize)?;
        let start = (word & 0xFFFF_FFFF) as usize;
        self.bytes.get(start..start + (word >> 32) as usize).ok_or_else(none)
    }

    fn fault(&self, at: usize, decided: &mut [Decided]) -> Result<(), String> {
        let who = self.word(at)?;
        let kind = match who >> 32 {
            1 => FaultKind::Timeout,
            2 => FaultKind::Crash,
            3 => FaultKind::Garbage,
            4 => FaultKind::Memory,
            5 => FaultKind::Exception,
            other => return Err(format!("{other} is no kind of fault")),
        };
        let of = |decided: &&mut Decided| u64::from(decided.part.player.0) == who & 0xFFFF_FFFF;
        let Some(Decided { part, faults, .. }) = decided.iter_mut().find(of) else {
            return Err(format!("player {} was not asked", who & 0xFFFF_FFFF));
        };
        let text = |at: usize| self.text(self.word(at)?);
        let detail = text(at + 3)?;
        let detail = String::from_utf8_lossy(&detail[..detail.len().min(FAULT_TEXT)]).into_owned();
        let mut fault = FaultSite { player: part.player, step: part.step }.fault(kind, detail);
        fault.evidence.unit = part.units.get(self.word(at + 1)? as usize).copied();
        fault.evidence.stderr_tail = printable(end(text(at + 4)?), &['\n', '\t']);
        fault.count = self.word(at + 2)?.clamp(1, part.units.len() as u64);
        faults.push(fault);
        Ok(())
    }
}

/// Returns the end of a species' output.
fn end(text: &[u8]) -> &[u8] {
    &text[text.len().saturating_sub(FAULT_TEXT)..]
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Purpose, Seed};
    use agon_games::amoebas::{Amoebas, Rules};
    use agon_games::any::AnyGame;

    use super::{super::question::Home, *};
    use crate::BatchPart;

    /// Makes a question about one amoeba without data.
    fn question() -> Question {
        let game = Amoebas::new(&Rules::default(), 1, Seed(1)).expect("the rules are sound");
        let game = AnyGame::of(game);
        let part = BatchPart {
            game: &game,
            step: 4,
            player: game.decisions()[0].player,
            decisions: game.decisions(),
        };
        let mut question = Question::default();
        question.add(part, 1, 1000, |_| Home::Here);
        question
    }

    /// Makes an answer and a fault.
    ///
    /// The amoeba divides to the east, both have data, `a` and `bc`; the fault says `a`.
    fn words() -> Vec<u64> {
        let spent = [7_000, 1, 1, 1];
        let answer = [4 | (3 << 8), OWN_TEXT + 1, OWN_TEXT + 2, 0];
        let fault = [5 << 32, 0, 1, 1, 2];
        let texts = [(18 * 8) | (1 << 32), (18 * 8 + 1) | (2 << 32)];
        [&[1, 2, 16][..], &spent, &answer, &fault, &texts].concat()
    }

    fn bytes(words: &[u64], texts: &[u8]) -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        words.chain(texts.iter().copied()).collect()
    }

    #[test]
    fn answers_and_faults_are_read() {
        let decided = read(&question(), &bytes(&words(), b"abc")).expect("they are sound");
        let [Decided { answers, faults, cpu, printed, out: true, .. }] = decided.as_slice() else {
            panic!("one species, which is out: {decided:?}")
        };
        let blob = |text: &str| Some(Blob::from(text));
        let baggage = Baggage { data: blob("a"), function: None, child_data: blob("bc") };
        assert_eq!(answers, &[Answer::new(Command::Divide { dir: Dir::E }, baggage)]);
        let [fault] = faults.as_slice() else { panic!("one fault: {faults:?}") };
        assert_eq!(
            (fault.kind, &*fault.detail, fault.step, fault.count),
            (FaultKind::Exception, "a", 4, 1)
        );
        assert_eq!(fault.evidence.stderr_tail, "bc");
        assert_eq!((*cpu, printed), (Duration::from_nanos(7_000), &(1, b"a".to_vec())));
    }

    #[test]
    fn of_long_texts_only_so_much_is_taken() {
        let mut words = words();
        // All refer to the same text.
        (words[8], words[9]) = (OWN_TEXT + 1, OWN_TEXT + 1);
        words[15] = 1;
        words[16] = (18 * 8) | (1_000_000 << 32);
        let decided =
            read(&question(), &bytes(&words, &vec![b'a'; 1_000_000])).expect("they are sound");
        let limit = Rules::default().data_limit as usize;
        let lengths: Vec<usize> =
            decided[0].answers[0].blobs().map(|(_, blob)| blob.bytes().len()).collect();
        assert_eq!(lengths, [limit + 1; 2], "so that they break the rules");
        let Decided { faults, printed, .. } = &decided[0];
        let evidence = &faults[0].evidence.stderr_tail;
        assert_eq!(
            (faults[0].detail.len(), evidence.len(), printed.1.len()),
            (FAULT_TEXT, FAULT_TEXT, FAULT_TEXT)
        );
    }

    #[test]
    fn a_species_has_one_fault_of_a_kind() {
        let mut words = words();
        words[0] = KINDS + 1;
        let error = read(&question(), &bytes(&words, b"abc")).expect_err("there is one species");
        assert_eq!(error, "6 faults are too many");
    }

    #[test]
    fn whatever_is_written_is_read_or_refused() {
        let question = question();
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut words = words();
            for _ in 0..=rng.index(3) {
                let at = rng.index(words.len());
                words[at] = match rng.index(4) {
                    0 => rng.bits(),
                    1 => rng.below(20),
                    2 => words[at] ^ (1 << rng.index(64)),
                    _ => u64::MAX,
                };
            }
            words.truncate(1 + rng.index(2 * words.len()));
            refused += u32::from(read(&question, &bytes(&words, b"abc")).is_err());
        }
        assert!((1_000..19_000).contains(&refused), "{refused}");
    }
}
