//! Which version of the dialogue between an arena and `agon-jail` this is.

/// A hash (FNV-1a) of the sources that say what is passed on, so that programs of different builds never take one
/// descriptor for another.
pub(crate) const DIALOGUE: [u8; 8] = {
    const SOURCES: [&str; 8] = [
        include_str!("confinement.rs"),
        include_str!("jail.rs"),
        include_str!("lib.rs"),
        include_str!("message.rs"),
        include_str!("order.rs"),
        include_str!("snapshot.rs"),
        include_str!("keeper/init.rs"),
        include_str!("keeper/mod.rs"),
    ];
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut source = 0;
    while source < SOURCES.len() {
        let bytes = SOURCES[source].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        source += 1;
    }
    hash.to_le_bytes()
};
