//! Questions and answers as flat memory.

use agon_core::Decision;

use super::{Amoebas, Answer};
use crate::batch::{Batch, Header, Unusable};

impl Batch for Amoebas {
    const HEADER: Header = Header { game: "amoebas", about: &[], constants: &[], records: &[] };

    const FUEL: u64 = 250_000_000;

    fn write_decisions(&self, _: &[Decision], _: &mut Vec<u8>) -> usize {
        todo!()
    }

    fn answer_room(&self, _: &[Decision]) -> usize {
        todo!()
    }

    fn read_answers(&self, _: &[Decision], _: &[u8], _: &mut [Answer], _: &mut dyn FnMut(usize, Unusable)) {
        todo!()
    }
}
