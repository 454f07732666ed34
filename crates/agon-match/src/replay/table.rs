//! The places of the blocks in a replay file: from its index, or found by a walk through the file.
//!
//! A reader finds the block of a step here. The walk makes truncated files readable.

use agon_core::codec::put_varint;

use crate::replay::{
    error::{Damage, Problem},
    format::{
        BLOCK_HEAD, BlockKind, END_MAGIC, FIRST_BLOCK, FOOTER, peek_block, read_block, take_hash,
    },
    steps::StepsHead,
    stream::take_stream,
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
