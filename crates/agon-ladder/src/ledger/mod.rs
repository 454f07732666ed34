//! The public log of a ladder: hand-ins, pairings and results that nobody can rewrite unnoticed.
//!
//! The log is a *transparency log*, like those of web certificates: a Merkle tree over its entries
//! (hashes of RFC 6962), served as tiles (C2SP tlog-tiles), with signed checkpoints (C2SP
//! tlog-checkpoint and signed-note). A checkpoint binds the server to all entries before it.
//! Whoever remembers one notices if the server later shows another past.
//!
//! | module | contents |
//! | --- | --- |
//! | `entry` | [`Entry`]: what the log says |
//! | `packed` | [`pack()`], [`unpack()`]: entries in few bytes, as a server keeps them |
//! | `tree` | the tree over the entries, and their tiles |
//! | `note` | [`Signer`], [`Head`]: signed checkpoints |
//! | `books` | [`Books`]: what all entries say together; [`Table`] |
//! | `draw` | [`Draw`]: who plays in a final, and the seed of it |
//! | `final_book`, `finals` | [`FinalBook`]: what the log says of finals, and whether it is so |
//! | `contradiction` | [`Contradiction`]: entries that cannot be true together |
//! | `record` | [`record_digest`]: what a replay says of a match |
//! | `source` | [`Source`]: where a log is read from |
//! | `follow` | [`follow()`]: checks that a log only grew |
//! | `audit` | [`audit()`]: checks all entries, tables, and matches |
//! | `sample` | [`Sample`]: which matches are played again; [`HandedIn`] |
//! | `proof` | [`Proven`]: a match that was played again |
//!
//! `docs/ladder-proof.md` is for people.

mod audit;
mod books;
mod contradiction;
mod draw;
mod entry;
mod final_book;
mod finals;
mod follow;
mod note;
mod packed;
mod proof;
mod record;
mod sample;
mod source;
pub mod tree;

pub use audit::{Audit, AuditError, Finding, Progress, Report, ShownMatch, audit, audit_with};
pub use books::{ArenaBook, Books, Played, Table, VersionBook};
pub use contradiction::Contradiction;
pub use draw::{
    Draw, DrawError, FinalEntrant, FinalMatch, FinalTerms, Inputs, LINKS, Link, MOST_MATCHES,
    MOST_STEPS, chain, final_matches, from_hex, planned_place, to_hex,
};
pub use entry::{Entry, EntryError, GROUP, MAX_ENTRY, MatchRecord, Pairing, sealed_seed};
pub use final_book::{Drawn, FinalBook};
pub use finals::{check_draw, check_plan};
pub use follow::{FollowError, Remembered, follow};
pub use note::{Head, NoteError, Signer, fingerprint, open, succeeded};
pub use packed::{UnpackError, pack, unpack};
pub use proof::{Proven, Terms};
pub use record::record_digest;
pub use sample::{HandedIn, Sample};
pub use source::{ConsistencyError, Folder, Source, SourceError, check_consistency};
