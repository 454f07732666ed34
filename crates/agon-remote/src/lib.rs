//! Has matches played on other machines: `--on nats://HOST`.
//!
//! [`RemoteQueue`] drives the coordinator of [`fleet`]. The program `agon-nats` carries its
//! messages: it is built when it is first needed, because speaking NATS takes long to build.
//!
//! | module | contents |
//! | --- | --- |
//! | [`fleet`] | coordinator and worker as state machines without I/O, and their messages |
//! | `queue` | [`RemoteQueue`], and what it knows of workers: [`FleetState`] |
//! | `dialogue` | [`Order`], [`Answer`]: the messages between the arena and `agon-nats`, the program [`PART`] |
//! | `pack` | turns bots of this machine into seats that can travel |
//! | `remote_args` | [`RemoteArgs`]: the flags of commands whose matches others may play; [`RemoteOptions`] |
//! | `worker_command` | [`WorkerCommand`]: `agon worker`, and what else it does with a server |
//! | `speed` | [`machine_speed`]: how much a core of this machine computes |
//! | `address` | [`Address`]: where the server is, and with which credentials |

mod address;
mod dialogue;
pub mod fleet;
mod pack;
mod queue;
mod remote_args;
mod speed;
mod worker_command;

pub use address::{Address, AddressError, login_of, without_passwords};
pub use dialogue::{Answer, DIALOGUE, Order, PART};
pub use pack::{Fairness, PackError, Packed, class_of, pack};
pub use queue::{FleetState, RemoteQueue, expiring};
pub use remote_args::{RemoteArgs, RemoteOptions, RemoteWatcher, fresh};
pub use speed::machine_speed;
pub use worker_command::{
    CredentialOptions, RevokeOptions, Role, SecureOptions, ServerArgs, StatusOptions, WorkerChore,
    WorkerCommand, WorkerOptions,
};
