//! State hashes: the same number on every platform and in every version of Agon.
//!
//! Games compute them and replays record them, so that a replay can be verified later.
//!
//! The hash of a board is the wrapping sum of [`cell_hash`] over its cells. A game can update it as
//! cells change instead of computing it again. The few numbers beside the board go through a
//! [`Fold`].

/// Mixes 64 bits so that each input bit sways every output bit (the finaliser of SplitMix64).
#[inline]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Returns the part of one cell in the hash of a board. Sum the parts with `wrapping_add`.
#[inline]
pub const fn cell_hash(index: u64, content: u64) -> u64 {
    mix(mix(index.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ content)
}

/// Returns the BLAKE3 digest of bytes, which stands for them: nobody finds others with the same.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    blake3::hash(bytes).into()
}

/// A hash over a sequence of numbers; order and length matter.
#[derive(Clone, Debug)]
pub struct Fold {
    state: u64,
    length: u64,
}

impl Default for Fold {
    fn default() -> Fold {
        Fold::new()
    }
}

impl Fold {
    /// Starts with an empty sequence.
    pub const fn new() -> Fold {
        Fold { state: 0x6A09_E667_F3BC_C908, length: 0 }
    }

    /// Appends a number.
    #[inline]
    pub const fn add(&mut self, value: u64) {
        self.state = mix(self.state.rotate_left(23) ^ mix(value ^ 0x2545_F491_4F6C_DD1D));
        self.length += 1;
    }

    /// Appends bytes and their number.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        self.add(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    /// Returns the hash of the sequence so far.
    pub const fn finish(&self) -> u64 {
        mix(self.state ^ self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(values: &[u64]) -> u64 {
        let mut fold = Fold::new();
        values.iter().for_each(|&v| fold.add(v));
        fold.finish()
    }

    #[test]
    fn order_and_length_matter() {
        assert_ne!(fold(&[1, 2]), fold(&[2, 1]));
        assert_ne!(fold(&[0]), fold(&[0, 0]));
        assert_ne!(fold(&[]), fold(&[0]));
    }

    #[test]
    fn bytes_are_told_apart_by_length() {
        let of = |bytes: &[u8]| {
            let mut fold = Fold::new();
            fold.add_bytes(bytes);
            fold.finish()
        };
        assert_ne!(of(b""), of(b"\0"));
        assert_ne!(of(b"abc"), of(b"abc\0"));
    }

    #[test]
    fn hashes_never_change() {
        assert_eq!(fold(&[1, 2, 3]), 7_465_560_574_168_268_800);
        assert_eq!(cell_hash(1, 2), 583_880_340_377_267_059);
    }
}
