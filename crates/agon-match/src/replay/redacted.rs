//! Copies of replays without what bots wrote, for people who are not their authors.
//!
//! A ladder server publishes them. The match itself is the same: it is verified as before.

use agon_core::{Evidence, Fault, Player};
use thiserror::Error;

use crate::replay::{
    Diagnosis, Replay, WriteError,
    error::{Damage, Problem},
    format::{BlockKind, END_MAGIC, MAGIC, VERSION, write_block},
    header,
    stream::{MAX_STREAM, Packer},
    table::{BlockRef, Table},
};

/// Why a replay cannot be copied.
#[derive(Debug, Error)]
pub enum RedactError {
    /// The replay is damaged.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The copy cannot be made.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Replay {
    /// Returns a copy without what bots wrote: their stderr, the evidence of their faults, and what
    /// their decisions cost. `keeps` names the players of whom all stays.
    ///
    /// Faults stay with their kinds and one sentence each. The copy of a replay without a result
    /// has none either.
    ///
    /// # Errors
    /// If the replay is damaged.
    pub fn redacted(&self, keeps: impl Fn(Player) -> bool) -> Result<Vec<u8>, RedactError> {
        self.copied(|replay, block, packer| match block.kind {
            BlockKind::Faults => {
                let faults = replay.faults_of(block)?;
                Ok(Some(packed(packer, &redacted_faults(faults, &keeps)?)?))
            }
            BlockKind::Diagnosis => {
                let Some(Diagnosis { mut bots }) = replay.diagnosis()? else { return Ok(None) };
                bots.retain(|bot| keeps(bot.player));
                if bots.is_empty() {
                    return Ok(None);
                }
                let text = serde_json::to_vec(&Diagnosis { bots }).map_err(WriteError::from)?;
                Ok(Some(packed(packer, &text)?))
            }
            _ => Ok(Some(replay.table().payload(replay.file(), block)?.to_vec())),
        })
    }

    /// Returns a copy with other payloads; `copy` leaves a block out if it returns `None`.
    fn copied(
        &self,
        copy: impl Fn(&Replay, &BlockRef, &mut Packer) -> Result<Option<Vec<u8>>, RedactError>,
    ) -> Result<Vec<u8>, RedactError> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        let mut table = Table::new();
        let mut packer = Packer::new().map_err(WriteError::from)?;
        for block in &self.table().blocks {
            let Some(payload) = copy(self, block, &mut packer)? else { continue };
            let length = write_block(&mut out, table.end, block.kind, &payload);
            let length = length.map_err(WriteError::from)?;
            table.add(block.kind, length, block.steps, block.decisions);
        }
        if table.of_kind(BlockKind::Ending).next().is_some() {
            let index = table.index_payload();
            write_block(&mut out, table.end, BlockKind::Index, &index).map_err(WriteError::from)?;
            out.extend_from_slice(&table.end.to_le_bytes());
            out.extend_from_slice(&END_MAGIC);
        }
        Ok(out)
    }

    /// Returns the text of the header.
    fn header_stream(&self) -> Result<Vec<u8>, Damage> {
        let block = &self.table().blocks[0];
        self.table().stream(self.file(), block, MAX_STREAM)
    }

    /// Returns a copy in which the bots have other names, in order of player number.
    ///
    /// # Errors
    /// If the header cannot be written again.
    ///
    /// # Panics
    /// If there are fewer names than players.
    pub fn renamed(&self, names: &[String]) -> Result<Vec<u8>, RedactError> {
        self.copied(|replay, block, packer| match block.kind {
            BlockKind::Header => {
                let text = header::renamed(&replay.header_stream()?, names);
                Ok(Some(packed(packer, &text.map_err(WriteError::from)?)?))
            }
            _ => Ok(Some(replay.table().payload(replay.file(), block)?.to_vec())),
        })
    }

    /// Returns what the file says of the match, whoever it was copied for: all but the names of the
    /// bots, what they wrote, and evidence of faults.
    ///
    /// It is the same for a replay and its copies ([`Replay::redacted`], [`Replay::renamed`]).
    ///
    /// # Errors
    /// If the replay is damaged.
    pub fn record(&self) -> Result<Vec<u8>, Damage> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        let mut add = |kind: BlockKind, payload: &[u8]| {
            out.push(kind as u8);
            out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
            out.extend_from_slice(payload);
        };
        for block in &self.table().blocks {
            match block.kind {
                BlockKind::Header => {
                    let text = header::record(&self.header_stream()?);
                    let damage = || block.damage(Problem::Malformed("the header cannot be read"));
                    add(block.kind, &text.map_err(|_| damage())?);
                }
                BlockKind::Faults | BlockKind::Diagnosis | BlockKind::Index => {}
                _ => add(block.kind, self.table().payload(self.file(), block)?),
            }
        }
        Ok(out)
    }

    fn faults_of(&self, block: &BlockRef) -> Result<Vec<Fault>, Damage> {
        let text = self.table().stream(self.file(), block, crate::replay::replay::MAX_FAULTS)?;
        let faults: Result<Vec<Fault>, _> =
            serde_json::Deserializer::from_slice(&text).into_iter().collect();
        faults.map_err(|_| block.damage(Problem::Malformed("a fault cannot be read")))
    }
}

fn redacted_faults(
    faults: Vec<Fault>,
    keeps: &impl Fn(Player) -> bool,
) -> Result<Vec<u8>, WriteError> {
    let mut text = Vec::new();
    for mut fault in faults {
        if !keeps(fault.player) {
            // How a process ended is no secret, and says what went wrong.
            let Evidence { exit_status, signal, unit, .. } = fault.evidence;
            fault.evidence = Evidence { exit_status, signal, unit, ..Evidence::default() };
        }
        serde_json::to_writer(&mut text, &fault)?;
        text.push(b'\n');
    }
    Ok(text)
}

fn packed(packer: &mut Packer, plain: &[u8]) -> Result<Vec<u8>, WriteError> {
    let mut payload = Vec::new();
    packer.put(&mut payload, plain)?;
    Ok(payload)
}
