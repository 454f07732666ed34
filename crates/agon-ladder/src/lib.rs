//! A ladder that runs until stopped: who plays whom, and how versions of bots stand.
//!
//! A server calls it. [`Ladder::next`] names a match, the server plays it, and [`Ladder::played`]
//! takes the result. [`CountedResults`] make the table that people see.
//!
//! All is pure: no I/O, clock, threads or hash-map order. Random numbers come from a
//! [`Seed`](struct@agon_core::Seed), and floats from `libm`. So the same calls give the same
//! matches on every machine.
//!
//! # Who is next
//! Stride scheduling (Waldspurger & Weihl, "Stride scheduling", MIT/LCS/TM-528, 1995). Each version
//! has a virtual time, [`Entrant::pass`]. A match adds the version's own time, and an equal part of
//! what the players did not take. The version with the least virtual time is the next *subject*.
//! So all get the same time in the long run. A bot that is 100 times slower plays a hundredth as
//! often, and blocks nobody.
//!
//! Newcomers have a fast lane: they come first, until they take half of the time, or more if most
//! versions are newcomers. Their time counts a twentieth, so that they do not have to wait for it
//! later.
//! Each other version keeps at least half of an equal share, however many newcomers there are.
//! Newcomers that are 8 times slower than usual lose these rights.
//!
//! # Against whom
//! Of 32 versions, the subject meets the one with the most information per expected cost. A version
//! that had more than its share of time is chosen less often. A quarter of the matches are drawn at
//! random, which holds the scale of the ratings.
//!
//! # How long does it take?
//! `cargo bench -p agon-ladder`, 2026-11, 2 busy cores, 10 000 versions:
//!
//! | | two players | four players |
//! | --- | ---: | ---: |
//! | [`Ladder::next`] | 20 µs | 100 to 160 µs |
//! | [`Ladder::next`], [`Ladder::begun`] and [`Ladder::played`] | 35 µs | 115 to 230 µs |
//!
//! [`CountedResults::published`] takes 1 to 5 s of CPU time for 10 000 versions
//! (`docs/ratings.md`).
//!
//! # Example
//! ```
//! use agon_core::Seed;
//! use agon_ladder::{Entrant, Ladder, Played, VersionId};
//!
//! let mut ladder = Ladder::new(2, Seed(1));
//! for number in 1..=3 {
//!     ladder.enter(Entrant::new(VersionId(number), number));
//! }
//! for number in 0..10 {
//!     let players = ladder.next(number).expect("two can play");
//!     ladder.begun(&players);
//!     // The version with the smaller number wins.
//!     let places = match players[0] < players[1] {
//!         true => vec![1, 2],
//!         false => vec![2, 1],
//!     };
//!     let played = Played { players, places, wall_us: 1_000, thinking_us: vec![400, 500] };
//!     let _changed = ladder.played(&played)?;
//! }
//! let mu = |number| ladder.get(VersionId(number)).expect("it entered").skill.mu;
//! assert!(mu(1) > mu(2) && mu(2) > mu(3));
//! # Ok::<(), agon_ladder::LadderError>(())
//! ```

pub mod api;
pub mod archive;
mod entrant;
pub mod guide;
mod health;
mod index;
mod ladder;
pub mod ledger;
mod lopsided;
mod opponents;
mod published;

pub use entrant::{Entrant, LadderError, Played, VersionId, next_skill};
pub use health::{Ending, Health};
pub use ladder::Ladder;
pub use lopsided::{Lopsided, Meeting, lopsided};
pub use published::{
    CountedResults, PublishOptions, Published, PublishedRating, PublishedRow, widening,
};
