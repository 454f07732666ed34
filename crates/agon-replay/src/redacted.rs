//! Copies of replays without what bots wrote, for people who are not their authors.
//!
//! A ladder server publishes them. The match itself is the same: it is verified as before.

use agon_core::{Evidence, Fault, Player};
use thiserror::Error;

use crate::{
    Diagnosis, Replay, WriteError,
    error::{Damage, Problem},
    format::{BlockKind, END_MAGIC, MAGIC, VERSION, write_block},
    stream::Packer,
    table::Table,
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
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        let mut table = Table::new();
        let mut packer = Packer::new().map_err(WriteError::from)?;
        let file = self.file();
        for block in &self.table().blocks {
            let payload = match block.kind {
                BlockKind::Faults => {
                    let faults = self.faults_of(block)?;
                    packed(&mut packer, &redacted_faults(faults, &keeps)?)?
                }
                BlockKind::Diagnosis => {
                    let Some(Diagnosis { mut bots }) = self.diagnosis()? else { continue };
                    bots.retain(|bot| keeps(bot.player));
                    if bots.is_empty() {
                        continue;
                    }
                    let text = serde_json::to_vec(&Diagnosis { bots }).map_err(WriteError::from)?;
                    packed(&mut packer, &text)?
                }
                _ => self.table().payload(file, block)?.to_vec(),
            };
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

    fn faults_of(&self, block: &crate::table::BlockRef) -> Result<Vec<Fault>, Damage> {
        let text = self.table().stream(self.file(), block, crate::replay::MAX_FAULTS)?;
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
