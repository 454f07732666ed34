//! The places of the blocks in a replay file: from its index, or found by a walk through the file.
//!
//! A reader finds the block of a step here. The walk makes truncated files readable.

use agon_core::codec::{put_varint, take_bytes};
use agon_games::any::{AnyAnswers, GameKind};

use crate::replay::file::{Damage, DifferenceKind, Problem};
use crate::replay::format::{
    BLOCK_HEAD, BlockKind, END_MAGIC, FIRST_BLOCK, FOOTER, MAX_STREAM, Packer, peek_block,
    read_block, take_hash, take_number, take_stream,
};

/// A block's place and contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRef {
    pub(crate) kind: BlockKind,
    pub(crate) offset: u64,
    /// Steps before the block.
    pub(crate) first: u64,
    /// Steps and answers in it; 0 for other kinds of blocks.
    pub(crate) steps: u64,
    pub(crate) decisions: u64,
}

/// All blocks of a file except the index, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) blocks: Vec<BlockRef>,
    pub(crate) steps: u64,
    pub(crate) decisions: u64,
    /// The offset of the next block.
    pub(crate) end: u64,
    pub(crate) damage: Option<Damage>,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { end: FIRST_BLOCK, ..Table::default() }
    }

    /// Notes the next block, `length` bytes in all, with its steps and decisions.
    pub(crate) fn add(&mut self, kind: BlockKind, length: u64, steps: u64, decisions: u64) {
        self.blocks.push(BlockRef { kind, offset: self.end, first: self.steps, steps, decisions });
        self.end = self.end.saturating_add(length);
        self.steps = self.steps.saturating_add(steps);
        self.decisions = self.decisions.saturating_add(decisions);
    }

    pub(crate) fn of_kind(&self, kind: BlockKind) -> impl DoubleEndedIterator<Item = &BlockRef> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }

    /// Returns the table of `file`, which starts with the magic and a good header.
    pub(crate) fn of_file(file: &[u8]) -> Table {
        Table::from_index(file).unwrap_or_else(|| Table::scan(file))
    }

    /// Returns the payload of the index.
    pub(crate) fn index_payload(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (i, block) in self.blocks.iter().enumerate() {
            let end = self.blocks.get(i + 1).map_or(self.end, |next| next.offset);
            out.push(block.kind as u8);
            put_varint(&mut out, end - block.offset);
            if block.kind == BlockKind::Steps {
                put_varint(&mut out, block.steps);
                put_varint(&mut out, block.decisions);
            }
        }
        out
    }

    /// Returns the table of a file whose index lists exactly its blocks; otherwise `None`.
    ///
    /// Only the heads of the blocks are read here, to check that nothing lies between them and none
    /// is listed twice. Their checksums are checked when they are read.
    fn from_index(file: &[u8]) -> Option<Table> {
        let (rest, footer) = file.split_last_chunk::<FOOTER>()?;
        let (mut at, magic) = footer.split_at(8);
        let offset = take_hash(&mut at).ok()?;
        let (kind, payload) = read_block(rest, offset).ok()?;
        let fills_file = offset + (BLOCK_HEAD + payload.len()) as u64 == rest.len() as u64;
        if magic != END_MAGIC || kind != BlockKind::Index || !fills_file {
            return None;
        }
        let mut table = Table::new();
        while !table.has_ending() {
            table.next_block(file, peek_block).ok()?;
        }
        (table.end == offset && table.index_payload() == payload).then_some(table)
    }

    /// Walks through the blocks of a file without a good index.
    ///
    /// It ends at the result or the first damage.
    fn scan(file: &[u8]) -> Table {
        let mut table = Table::new();
        let mut problem = Problem::Index;
        while !table.has_ending() {
            if let Err(earlier) = table.next_block(file, read_block) {
                problem = earlier;
                break;
            }
        }
        table.damage = Some(Damage { offset: table.end, good_steps: table.steps, problem });
        table
    }

    /// Returns whether the result has been seen; only the index may follow it.
    fn has_ending(&self) -> bool {
        self.blocks.last().is_some_and(|last| last.kind == BlockKind::Ending)
    }

    /// Notes the block after the last one.
    fn next_block(&mut self, file: &[u8], read: ReadBlock) -> Result<(), Problem> {
        if self.end == file.len() as u64 {
            return Err(Problem::Unfinished);
        }
        let (kind, payload) = read(file, self.end)?;
        let mut steps = 0;
        let mut decisions = 0;
        match kind {
            BlockKind::Header if !self.blocks.is_empty() => {
                return Err(Problem::Malformed("there is a second header"));
            }
            BlockKind::Header | BlockKind::Ending => {}
            _ if self.blocks.last().is_some_and(|last| last.kind == BlockKind::Diagnosis) => {
                return Err(Problem::Malformed(
                    "a block comes between the diagnosis and the result",
                ));
            }
            BlockKind::Key
                if self
                    .of_kind(BlockKind::Key)
                    .next_back()
                    .is_some_and(|key| key.first == self.steps) =>
            {
                return Err(Problem::Malformed("there is a second key frame of a state"));
            }
            BlockKind::Index => {
                return Err(Problem::Malformed("the index comes before the result"));
            }
            BlockKind::Steps => {
                let head = StepsHead::take(&mut &*payload)?;
                if head.first != self.steps {
                    return Err(Problem::Malformed("steps are missing"));
                }
                (steps, decisions) = (head.steps, head.decisions);
            }
            _ => {}
        }
        self.add(kind, (BLOCK_HEAD + payload.len()) as u64, steps, decisions);
        Ok(())
    }

    /// Returns the payload of a block of this table.
    pub(crate) fn payload<'f>(&self, file: &'f [u8], block: &BlockRef) -> Result<&'f [u8], Damage> {
        let wrong_kind = Problem::Malformed("the index names another kind of block");
        match read_block(file, block.offset) {
            Ok((kind, payload)) if kind == block.kind => Ok(payload),
            Ok(_) => Err(block.damage(wrong_kind)),
            Err(problem) => Err(block.damage(problem)),
        }
    }

    /// Returns the contents of a block that is one stream, of at most `most` bytes.
    pub(crate) fn stream(
        &self,
        file: &[u8],
        block: &BlockRef,
        most: usize,
    ) -> Result<Vec<u8>, Damage> {
        let payload = self.payload(file, block)?;
        only_stream(payload, most).map_err(|problem| block.damage(problem))
    }
}

/// Finds the block at an offset: [`read_block`] or [`peek_block`].
type ReadBlock = fn(&[u8], u64) -> Result<(BlockKind, &[u8]), Problem>;

/// Returns the contents of a payload that is one stream.
pub(crate) fn only_stream(mut payload: &[u8], most: usize) -> Result<Vec<u8>, Problem> {
    let contents = take_stream(&mut payload, most)?;
    if payload.is_empty() {
        Ok(contents)
    } else {
        Err(Problem::Malformed("bytes follow a block's contents"))
    }
}

impl BlockRef {
    /// Describes damage in this block.
    pub(crate) fn damage(&self, problem: Problem) -> Damage {
        Damage { offset: self.offset, good_steps: self.first, problem }
    }
}

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
    pub(crate) fn push(&mut self, answers: &AnyAnswers, hash: u64) {
        self.decisions += answers.len() as u64;
        self.hashes.push(hash);
        put_varint(&mut self.counts, answers.len() as u64);
        answers.encode(&mut self.answers);
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
    pub(crate) fn take_answers(
        &mut self,
        count: u64,
        answers: &mut AnyAnswers,
    ) -> Result<(), DifferenceKind> {
        let input = &mut &self.answers[self.answers_at..];
        let read = answers.decode(count, input);
        read.map_err(|source| DifferenceKind::Answer { answer: answers.len() as u64, source })?;
        self.answers_at = self.answers.len() - input.len();
        self.taken += 1;
        Ok(())
    }

    /// Reads the answers of at most `most` steps, but not very many at once, and returns whether
    /// they can be read.
    pub(crate) fn take_ahead(
        &mut self,
        most: u64,
        kind: &dyn GameKind,
        steps: &mut Vec<AnyAnswers>,
    ) -> bool {
        let mut count = 0;
        while (steps.len() as u64) < most.min(256) && count < 1 << 16 && !self.is_done() {
            let mut answers = kind.no_answers();
            let Ok(more) = self.take_count() else { return false };
            if self.take_answers(more, &mut answers).is_err() {
                return false;
            }
            count += more;
            steps.push(answers);
        }
        true
    }

    /// Compares the hashes after the next steps, of which this block has as many.
    pub(crate) fn check_ahead(&self, hashes: &[u64]) -> bool {
        hashes.iter().zip(self.taken + 1..).all(|(&hash, taken)| self.check_at(taken, hash).is_ok())
    }

    /// Compares the hash of the state after the last step taken.
    pub(crate) fn check(&self, hash: u64) -> Result<(), DifferenceKind> {
        self.check_at(self.taken, hash)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the hash of each step is in memory")]
    fn check_at(&self, taken: u64, hash: u64) -> Result<(), DifferenceKind> {
        let index = taken as usize - 1;
        let mut bytes = [0; 8];
        bytes[..self.width].copy_from_slice(&self.hashes[index * self.width..][..self.width]);
        let stored = u64::from_le_bytes(bytes);
        let (stored, width) =
            if taken == self.head.steps { (self.last_hash, 8) } else { (stored, self.width) };
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
