//! Runs the same code compiled for each vector unit that a processor may have.
//!
//! A program for every x86-64 processor may use vectors of 128 bits only. Code that gains from
//! wider ones is written once, plainly, as a [`Kernel`]; [`Level::run`] compiles it for each
//! [`Level`], and the compiler turns its loops into the vector code of that level. All levels do
//! the same on integers, so results never depend on the machine. The games in `agon-games` run
//! their rules on large boards this way.
//!
//! ```
//! use agon_games::simd::{Kernel, Level};
//!
//! struct Sum<'a>(&'a [u32]);
//!
//! impl Kernel for Sum<'_> {
//!     type Output = u32;
//!
//!     #[inline(always)]
//!     fn run(self) -> u32 {
//!         self.0.iter().fold(0, |sum, n| sum.wrapping_add(*n))
//!     }
//! }
//!
//! for level in Level::available() {
//!     assert_eq!(level.run(Sum(&[1, 2, 3])), 6);
//! }
//! ```

use std::{fmt, sync::OnceLock};

/// The environment variable that forbids all levels above the one that it names, such as `avx2`.
pub const VARIABLE: &str = "AGON_SIMD";

/// Code that gains from wide vectors.
pub trait Kernel {
    /// The result.
    type Output;

    /// Computes the result.
    ///
    /// Mark it `#[inline(always)]`, and everything that it calls in its inner loops: only inlined
    /// code is compiled for the level. Use integers only, so that all levels agree.
    fn run(self) -> Self::Output;
}

/// A set of vector instructions, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Every processor of the architecture has it: on x86-64, vectors of 128 bits (SSE2).
    Portable,
    /// Vectors of 256 bits: AVX2, with the bit instructions of the same processors.
    Avx2,
    /// Vectors of 512 bits: AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Level {
    /// All levels.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Returns the name, as in the environment variable.
    pub fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// Returns whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("lzcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// Returns the levels of this processor, the least first.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Returns the best level of this processor that [`VARIABLE`] allows. Looks it up once.
    ///
    /// # Panics
    /// If the variable names no level, because a misspelt name should not go unnoticed.
    pub fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let most = std::env::var(VARIABLE).map_or(Level::Avx512, |name| {
                let named = Level::ALL.into_iter().find(|level| level.name() == name);
                named.unwrap_or_else(|| {
                    panic!("{VARIABLE} is `{name}`, not `portable`, `avx2` or `avx512`")
                })
            });
            Level::available().filter(|&level| level <= most).last().unwrap_or(Level::Portable)
        })
    }

    /// Runs a kernel that is compiled for this level.
    ///
    /// # Panics
    /// If the processor does not have it.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Level::Portable => kernel.run(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                assert!(self.is_available(), "this processor has no AVX2");
                // SAFETY: the processor has all that the function is compiled for.
                #[allow(unsafe_code)]
                unsafe {
                    avx2(kernel)
                }
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                assert!(self.is_available(), "this processor has no AVX-512");
                // SAFETY: the processor has all that the function is compiled for.
                #[allow(unsafe_code)]
                unsafe {
                    avx512(kernel)
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => panic!("{self} is for x86-64 only"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that each level vectorises differently.
    struct Mixed<'a>(&'a [u64]);

    impl Kernel for Mixed<'_> {
        type Output = u64;

        #[inline(always)]
        fn run(self) -> u64 {
            self.0
                .iter()
                .map(|n| n.rotate_left(7) ^ n.wrapping_mul(5) & !(n >> 3))
                .fold(0, u64::wrapping_add)
        }
    }

    #[test]
    fn all_levels_agree() {
        let numbers: Vec<u64> =
            (0..1003u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
        let expected = Mixed(&numbers).run();
        let levels: Vec<Level> = Level::available().collect();
        assert_eq!(levels[0], Level::Portable);
        for level in levels {
            assert_eq!(level.run(Mixed(&numbers)), expected, "{level}");
        }
    }

    #[test]
    fn the_best_level_is_available() {
        assert!(Level::best().is_available());
    }
}
