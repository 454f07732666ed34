//! All that is said to a NATS server: only the files here use `async-nats`.
//!
//! | on the server | what it holds | file |
//! | --- | --- | --- |
//! | stream `AGON_JOBS`, `agon.jobs.LANE.CLASS.RUN` | batches of matches; one consumer for each lane and class | `jobs` |
//! | stream `AGON_RESULTS`, `agon.results.RUN` | results; one consumer for each run | `results` |
//! | stream `AGON_RETURNS`, `agon.returns.DIGEST.N` | results that are too large for a message, in parts | `results` |
//! | stream `AGON_RUNS`, `agon.runs.RUN` | who leads a run | `lease` |
//! | object store `agon-blobs` | bots, by digest | `blobs` |
//! | subject `agon.beats` | workers say that they live; nothing is kept | `results` |
//! | subject `agon.queues` | coordinators say that there is a new consumer of batches; nothing is kept | `results` |
//! | subject `agon.roll-call` | somebody asks which workers there are; nothing is kept | `results` |
//! | subject `agon.status.RUN` | coordinators say how their runs stand; nothing is kept | `results` |
//!
//! The coordinator makes streams and consumers; workers only use them. `connection` has the
//! connection, `streams` makes the streams, and `identity` has the signatures of messages.

mod blobs;
mod connection;
mod identity;
mod jobs;
mod lease;
mod results;
mod streams;

pub(crate) use async_nats::{Message, Subscriber};
pub(crate) use blobs::BLOBS;
pub(crate) use connection::{JOBS, Line, Nats, RESULTS, RETURNS, RUNS};

#[cfg(test)]
pub(crate) use identity::{Identity, MOST_HEADERS, expiry_of};
pub(crate) use identity::{
    Purpose, REVOCATIONS, REVOCATIONS_TYPE, ROLE_TAG, Refusal, claims_in, inbox_of, sign_claims,
    user_of,
};
pub(crate) use jobs::{Delivery, JobQueue, MOMENT, Queue, REFUSED};
pub(crate) use lease::{Lease, RENEW};
pub(crate) use results::{BEATS, MOST_RETURN, QUEUES, ROLL_CALL, STATUS};
pub(crate) use streams::Made;
