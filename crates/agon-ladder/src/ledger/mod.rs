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
//! | `books` | [`Books`]: what all entries say together; [`Table`], [`Contradiction`] |
//! | `draw` | [`Draw`]: who plays in a final, and the seed of it |
//! | `finals` | [`FinalBook`]: what the log says of finals, and whether it is so |
//! | `source` | [`Source`]: where a log is read from |
//! | `follow` | [`follow()`]: checks that a log only grew |
//! | `audit` | [`audit()`]: checks all entries, tables, and the matches of a [`Sample`] |
//! | `proof` | [`Proven`]: a match that was played again |
//!
//! `docs/ladder-proof.md` is for people.

mod audit;
mod books;
mod draw;
mod entry;
mod finals;
mod follow;
mod note;
mod packed;
mod proof;
mod source;
pub mod tree;

pub use audit::{
    Audit, AuditError, Finding, HandedIn, Progress, Report, Sample, ShownMatch, audit, audit_with,
};
pub use books::{ArenaBook, Books, Contradiction, Played, Table, VersionBook};
pub use draw::{
    Draw, DrawError, FinalEntrant, FinalMatch, FinalTerms, Inputs, LINKS, Link, MOST_MATCHES,
    MOST_STEPS, chain, final_matches, from_hex, planned_place, to_hex,
};
pub use entry::{Entry, EntryError, GROUP, MAX_ENTRY, MatchRecord, Pairing, sealed_seed};
pub use finals::{Drawn, FinalBook, check_draw, check_plan};
pub use follow::{FollowError, Remembered, follow};
pub use note::{Head, NoteError, Signer, fingerprint, open, succeeded};
pub use packed::{UnpackError, pack, unpack};
pub use proof::{Proven, Terms, record_digest};
pub use source::{ConsistencyError, Folder, Source, SourceError, check_consistency};
