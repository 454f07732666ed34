//! Seeds that nobody chose.

use std::io;

use agon_core::Seed;

/// Draws a seed of 53 bits with random numbers of the system.
///
/// Nobody can try them all, and all readers of JSON keep such numbers.
pub fn drawn_seed() -> io::Result<Seed> {
    let lacks = |error| {
        io::Error::other(format!("the system gives no random numbers: {error}; name a seed"))
    };
    Ok(Seed(getrandom::u64().map_err(lacks)? >> 11))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn drawn_seeds_are_too_many_to_try() {
        let drawn: BTreeSet<u64> = (0..64).map(|_| drawn_seed().unwrap().number()).collect();
        assert_eq!(drawn.len(), 64);
        assert!(drawn.iter().all(|&number| number < 1 << 53));
        assert!(drawn.last() > Some(&(1 << 50)), "{drawn:?}");
        // Each bit is drawn.
        let bits = drawn.iter().fold(0, |bits, number| bits | number);
        assert_eq!(bits, (1 << 53) - 1);
    }
}
