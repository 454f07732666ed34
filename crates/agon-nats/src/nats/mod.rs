//! All that is said to a NATS server: only the files here use `async-nats`.
//!
//! | on the server | what it holds | file |
//! | --- | --- | --- |
//! | stream `AGON_JOBS`, `agon.jobs.LANE.CLASS.RUN` | batches of matches; one consumer for each lane and class | `jobs` |
//! | stream `AGON_RESULTS`, `agon.results.RUN` | results; one consumer for each run | `results` |
//! | stream `AGON_RETURNS`, `agon.returns.DIGEST.N` | results that are too large for a message, in parts | `returns` |
//! | stream `AGON_RUNS`, `agon.runs.RUN` | who leads a run | `leader` |
//! | object store `agon-blobs` | bots, by digest | `blobs` |
//! | subject `agon.beats` | workers say that they live; nothing is kept | `results` |
//! | subject `agon.queues` | coordinators say that there is a new consumer of batches; nothing is kept | `results` |
//! | subject `agon.roll-call` | somebody asks which workers there are; nothing is kept | `results` |
//! | subject `agon.status.RUN` | coordinators say how their runs stand; nothing is kept | `results` |
//!
//! The coordinator makes streams and consumers; workers only use them. `connection` has the
//! connection, `streams` makes the streams, `room` as large as
//! the server has room for, `identity` has the signatures of messages, and
//! `delivery` a message that must be acknowledged.

mod blobs;
mod connection;
mod delivery;
mod identity;
mod jobs;
mod leader;
mod results;
mod returns;
mod room;
mod streams;

pub(crate) use blobs::BLOBS;
pub(crate) use connection::{JOBS, Line, Nats, RESULTS, RETURNS, RUNS};
pub(crate) use delivery::{ACK_WAIT, Delivery};
#[cfg(test)]
pub(crate) use identity::{Identity, MOST_HEADERS, expiry_of};
pub(crate) use identity::{REVOCATIONS, REVOCATIONS_TYPE, ROLE_TAG, Refusal, inbox_of, user_of};
pub(crate) use jobs::{JobQueue, Queue};
pub(crate) use results::{BEATS, Beats, QUEUES, ROLL_CALL, Said};
pub(crate) use returns::MOST_RETURN;
pub(crate) use streams::Made;
