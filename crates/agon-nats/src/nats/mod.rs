//! All that is said to a NATS server: only the files here use `async-nats`.
//!
//! | on the server | what it holds | file |
//! | --- | --- | --- |
//! | stream `AGON_JOBS`, `agon.jobs.LANE.CLASS.RUN` | batches of matches; one consumer for each lane and class | `jobs` |
//! | stream `AGON_RESULTS`, `agon.results.RUN` | results; one consumer for each run | `results` |
//! | stream `AGON_RUNS`, `agon.runs.RUN` | who leads a run | `leader` |
//! | object store `agon-blobs` | bots and large results, by digest | `blobs` |
//! | subject `agon.beats` | workers say that they live; nothing is kept | `results` |
//! | subject `agon.queues` | coordinators say that there is a new consumer of batches; nothing is kept | `results` |
//! | subject `agon.status.RUN` | coordinators say how their runs stand; nothing is kept | `results` |
//!
//! The coordinator makes streams and consumers; workers only use them. `connection` has the
//! connection, `user` its credentials, and `delivery` a message that must be acknowledged.

mod blobs;
mod connection;
mod delivery;
mod jobs;
mod leader;
mod results;
mod user;

pub(crate) use blobs::{BLOBS_STREAM, Blob};
pub(crate) use connection::{JOBS, Line, Nats, RESULTS, RUNS};
pub(crate) use delivery::{ACK_WAIT, Delivery};
pub(crate) use jobs::{JobQueue, Queue};
pub(crate) use results::{BEATS, Beats, QUEUES};
pub(crate) use user::inbox_of;
#[cfg(test)]
pub(crate) use user::user_of;
