//! Computes a number that identifies the messages between the arena and one of its programs.
//!
//! A program sends it when it starts. So the arena notices a program of another build before either
//! misreads a message.

/// Returns a hash (FNV-1a) of the sources that define the messages.
///
/// Both sides are built from these sources. Programs of different builds have different numbers.
pub const fn dialogue(sources: &[&str]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut source = 0;
    while source < sources.len() {
        let bytes = sources[source].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        source += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_known_hash() {
        // Draft-eastlake-fnv-17, appendix C: the empty string, "a", "foobar".
        assert_eq!(dialogue(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(dialogue(&["a"]), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(dialogue(&["foo", "bar"]), 0x8594_4171_f739_67e8);
    }
}
