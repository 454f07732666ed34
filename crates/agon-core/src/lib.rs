//! The base of Agon: the [`Game`] trait and small types that all other crates share.
//!
//! A [`Game`] is pure: no I/O, no clock, no threads, no global randomness. At any time it names the
//! [`Decision`]s that it wants now. These are independent of each other, so a referee may ask them
//! in any order, in parallel or in one message per bot.
//!
//! | module | contents |
//! | --- | --- |
//! | [`game`] | the [`Game`] trait, [`GameExt`] with methods derived from it |
//! | [`actions`] | [`LegalActions`]: the numbered actions of a decision, and which are legal |
//! | [`decision`] | [`Player`], [`Decision`] |
//! | [`seed`] | [`Seed`](struct@Seed), [`Rng`]: random streams drawn from (seed, purpose, turn) |
//! | [`hash`] | state hashes |
//! | [`standing`] | scores, places, outcome |
//! | [`fault`] | faults of bots, with evidence; exit statuses and signals in words |
//! | [`builtin`] | built-in bots and their parameters, questions to a person, what is known of a bot |
//! | [`blob`] | bytes that bots attach to their units |
//! | [`codec`] | compact encoding of answers |
//! | [`error`] | errors with all reasons, "did you mean" |

pub mod actions;
pub mod blob;
pub mod builtin;
pub mod codec;
pub mod decision;
pub mod error;
pub mod fault;
pub mod game;
pub mod hash;
pub mod seed;
pub mod standing;
pub mod text;

pub use actions::{ActionError, ActionMask, LegalActions};
pub use blob::Blob;
pub use builtin::{BotInfo, Builtin, Coverage, Param, ParamError, Params, Policy};
pub use codec::{Codec, DecodeError};
pub use decision::{Decision, Player, runs_by_player};
pub use error::{Problem, SetupError, did_you_mean};
pub use fault::{Evidence, Fault, FaultKind, exit_words, signal_name, signal_words};
pub use game::{Game, GameExt, Meta, Progress, Settings};
pub use hash::{Fold, cell_hash, digest, mix};
pub use seed::{ParseSeedError, Purpose, QuickStreams, Rng, Seed};
pub use standing::{Outcome, PlayerStanding, Standing};
