//! The public log of a ladder: hand-ins, pairings and results that nobody can rewrite unnoticed.
//!
//! The log is a *transparency log*, like those of web certificates: a Merkle tree over its entries
//! (hashes of RFC 6962), served as tiles (C2SP tlog-tiles), with signed checkpoints (C2SP
//! tlog-checkpoint and signed-note). A checkpoint binds the server to all entries before it.
//! Whoever remembers one notices if the server later shows another past.
//!
//! | module | contents |
//! | --- | --- |
//! | `entry` | [`Entry`]: what the log says; [`pack()`]: in few bytes, as a server keeps it |
//! | `tree` | the tree over the entries, and their tiles |
//! | `note` | [`Signer`], [`Head`]: signed checkpoints |
//! | `books` | [`Books`]: what all entries say together; [`Table`], [`Contradiction`] |
//! | `draw` | [`Draw`]: who plays in a final, and the seed of it |
//! | `finals` | [`FinalBook`]: what the log says of finals, and whether it is so |
//! | `follow` | [`Source`]: where a log is read from; [`follow()`]: checks that it only grew |
//! | `audit` | [`audit()`]: checks all entries, tables, and the matches of a [`Sample`] |
//!
//! `docs/ladder-proof.md` is for people.

mod audit;
mod books;
mod draw;
mod entry;
mod finals;
mod follow;
mod note;
pub mod tree;

pub use audit::{
    Audit, Finding, HandedIn, Progress, Proven, Report, Sample, ShownMatch, Terms, audit,
    record_digest,
};
pub use books::{ArenaBook, Books, Contradiction, Played, Table, VersionBook};
pub use draw::{
    Draw, DrawError, FinalEntrant, FinalMatch, FinalTerms, Inputs, LINKS, Link, MOST_MATCHES,
    MOST_STEPS, chain, from_hex, planned_place, to_hex,
};
pub use entry::{Entry, GROUP, MAX_ENTRY, MatchRecord, Pairing, pack, sealed_seed, unpack};
pub use finals::{Drawn, FinalBook, check_draw, check_plan};
pub use follow::{Folder, LogError, Remembered, Source, follow};
pub use note::{Head, Signer, fingerprint, open, succeeded};
