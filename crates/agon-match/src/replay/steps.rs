//! Blocks of steps in a replay: number of answers per step, answers, and a check of each state.
//!
//! The writer fills them while a match is played; the cursor reads them.

use agon_core::{
    Codec,
    codec::{put_varint, take_bytes},
};

use crate::replay::{
    error::{DifferenceKind, Problem},
    format::{take_hash, take_number},
    stream::{MAX_STREAM, Packer, take_stream},
};

/// The most bytes of a varint, which has at most 64 bits.
const MAX_VARINT: usize = 10;

/// A block being filled.
#[derive(Debug, Default)]
pub(crate) struct StepsBuffer {
    pub(crate) first: u64,
    pub(crate) decisions: u64,
    hashes: Vec<u64>,
    counts: Vec<u8>,
    answers: Vec<u8>,
}

impl StepsBuffer {
    /// Clears the block; its first step will be `first`.
    pub(crate) fn restart_at(&mut self, first: u64) {
        (self.first, self.decisions) = (first, 0);
        self.hashes.clear();
        self.counts.clear();
        self.answers.clear();
    }

    /// Appends a step: its answers and the hash of the state they lead to.
    pub(crate) fn push<A: Codec>(&mut self, answers: &[A], hash: u64) {
        self.decisions += answers.len() as u64;
        self.hashes.push(hash);
        put_varint(&mut self.counts, answers.len() as u64);
        A::encode_all(answers, &mut self.answers);
    }

    pub(crate) fn steps(&self) -> u64 {
        self.hashes.len() as u64
    }

    /// Returns the bytes of the answers.
    pub(crate) fn answer_bytes(&self) -> usize {
        self.answers.len()
    }

    /// Writes the block's payload to `out`. The block must not be empty.
    pub(crate) fn put_payload(
        &self,
        packer: &mut Packer,
        out: &mut Vec<u8>,
    ) -> std::io::Result<()> {
        let width = hash_width(self.steps(), self.decisions);
        put_varint(out, self.first);
        put_varint(out, self.steps());
        put_varint(out, self.decisions);
        out.push(width);
        let kept = usize::from(width);
        self.hashes.iter().for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()[..kept]));
        out.extend_from_slice(&self.hashes.last().copied().unwrap_or_default().to_le_bytes());
        packer.put(out, &self.counts)?;
        packer.put(out, &self.answers)
    }
}

/// Returns the number of bytes kept of each hash.
///
/// It is half a byte per decision, so that the hashes stay small beside the answers.
fn hash_width(steps: u64, decisions: u64) -> u8 {
    (decisions / steps.max(1) / 2).clamp(1, 8) as u8
}

/// The first part of a block, before its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepsHead {
    pub(crate) first: u64,
    pub(crate) steps: u64,
    pub(crate) decisions: u64,
}

impl StepsHead {
    /// Takes the head off the front of a payload.
    pub(crate) fn take(input: &mut &[u8]) -> Result<StepsHead, Problem> {
        let first = take_number(input)?;
        let steps = take_number(input)?;
        let decisions = take_number(input)?;
        // Every step has at least one byte of hash, so the file's size limits the number of steps.
        if steps == 0 || steps > input.len() as u64 {
            return Err(Problem::Malformed("a block has an impossible number of steps"));
        }
        Ok(StepsHead { first, steps, decisions })
    }
}

/// A block being read.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub(crate) head: StepsHead,
    width: usize,
    hashes: Vec<u8>,
    last_hash: u64,
    counts: Vec<u8>,
    answers: Vec<u8>,
    /// The number of steps taken, and the places reached in `counts` and `answers`.
    taken: u64,
    counts_at: usize,
    answers_at: usize,
    /// Answers that the head promises and that no step has had yet.
    left: u64,
}

impl Steps {
    pub(crate) fn read(payload: &[u8]) -> Result<Steps, Problem> {
        let input = &mut &*payload;
        let head = StepsHead::take(input)?;
        let cut = |_| Problem::Malformed("the hashes are cut");
        let width = usize::from(take_bytes(input, 1).map_err(cut)?[0]);
        if !(1..=8).contains(&width) {
            return Err(Problem::Malformed("hashes have 1 to 8 bytes"));
        }
        let size = usize::try_from(head.steps).ok().and_then(|steps| steps.checked_mul(width));
        let size = size.ok_or(Problem::Malformed("a block has an impossible number of steps"))?;
        let hashes = take_bytes(input, size).map_err(cut)?.to_vec();
        let last_hash = take_hash(input)?;
        let counts = take_stream(input, (hashes.len() / width).saturating_mul(MAX_VARINT))?;
        let answers = take_stream(input, MAX_STREAM)?;
        if !input.is_empty() {
            return Err(Problem::Malformed("a block of steps is too long"));
        }
        let taken = 0;
        let counts_at = 0;
        let answers_at = 0;
        let left = head.decisions;
        Ok(Steps {
            head,
            width,
            hashes,
            last_hash,
            counts,
            answers,
            taken,
            counts_at,
            answers_at,
            left,
        })
    }

    /// Returns whether all steps were taken.
    pub(crate) fn is_done(&self) -> bool {
        self.taken == self.head.steps
    }

    /// Checks that nothing is left after the last step.
    pub(crate) fn check_end(&self) -> Result<(), Problem> {
        if self.counts_at < self.counts.len() || self.answers_at < self.answers.len() {
            return Err(Problem::Malformed("a block has more answers than its steps"));
        }
        if self.left > 0 {
            return Err(Problem::Malformed("a block has fewer answers than it says"));
        }
        Ok(())
    }

    /// Takes the number of answers of the next step.
    pub(crate) fn take_count(&mut self) -> Result<u64, Problem> {
        let input = &mut &self.counts[self.counts_at..];
        let count = take_number(input)?;
        // The file's claims must not decide how much memory is used.
        let too_many = Problem::Malformed("a block has more answers than it says");
        self.left = self.left.checked_sub(count).ok_or(too_many)?;
        self.counts_at = self.counts.len() - input.len();
        Ok(count)
    }

    /// Reads the answers of the next step, `count` of them.
    pub(crate) fn take_answers<A: Codec>(
        &mut self,
        count: u64,
        answers: &mut Vec<A>,
    ) -> Result<(), DifferenceKind> {
        answers.clear();
        let input = &mut &self.answers[self.answers_at..];
        let read = A::decode_all(input, count, answers);
        read.map_err(|source| DifferenceKind::Answer { answer: answers.len() as u64, source })?;
        self.answers_at = self.answers.len() - input.len();
        self.taken += 1;
        Ok(())
    }

    /// Compares the hash of the state after the last step taken.
    #[expect(clippy::cast_possible_truncation, reason = "the hash of each step is in memory")]
    pub(crate) fn check(&self, hash: u64) -> Result<(), DifferenceKind> {
        let index = self.taken as usize - 1;
        let mut bytes = [0; 8];
        bytes[..self.width].copy_from_slice(&self.hashes[index * self.width..][..self.width]);
        let stored = u64::from_le_bytes(bytes);
        let (stored, width) =
            if self.is_done() { (self.last_hash, 8) } else { (stored, self.width) };
        let found = hash & (u64::MAX >> (64 - 8 * width));
        if found == stored {
            return Ok(());
        }
        Err(DifferenceKind::Hash { expected: stored, found, bytes: width })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_take_half_a_byte_per_decision() {
        let cases = [(100, 100, 1), (100, 400, 2), (100, 1_000, 5), (100, 100_000, 8), (10, 0, 1)];
        for (steps, decisions, width) in cases {
            assert_eq!(
                hash_width(steps, decisions),
                width,
                "{decisions} decisions in {steps} steps"
            );
        }
    }
}
