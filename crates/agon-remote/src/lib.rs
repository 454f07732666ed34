//! Has matches played on other machines: `--on nats://HOST`.
//!
//! [`RemoteQueue`] drives the coordinator of [`fleet`]. The program `agon-nats` carries its
//! messages: it is built when it is first needed, because speaking NATS takes long to build.
//!
//! | module | contents |
//! | --- | --- |
//! | [`fleet`] | coordinator and worker as state machines without I/O, their messages, and a simulation |
//! | `dialogue` | [`Order`], [`Answer`]: the messages between the arena and `agon-nats`, the program [`PART`] |
//! | `pack` | turns bots of this machine into seats that can travel |
//! | `options` | [`RemoteOptions`], [`RemoteWatcher`] |
//! | `queue` | [`RemoteQueue`], and what it knows of workers: [`FleetState`] |
//! | `remote_args` | [`RemoteArgs`]: the flags of commands whose matches others may play |
//! | `speed` | [`machine_speed`]: how much a core of this machine computes |
//! | `worker_command` | [`WorkerCommand`]: `agon worker`, and what else it does with a server |
//! | `worker_options` | [`WorkerOptions`]: the flags of `agon worker` when it plays |
//! | `address` | [`Address`]: where the server is, and with which credentials |

mod address;
mod dialogue;
pub mod fleet;
mod options;
mod pack;
mod queue;
mod remote_args;
mod speed;
mod worker_command;
mod worker_options;

pub use address::{Address, AddressError, login_of, without_passwords};
pub use dialogue::{Answer, DIALOGUE, Order, PART, Trouble};
pub use options::{RemoteOptions, RemoteWatcher};
pub use pack::{Fairness, PackError, Packed, class_of, pack};
pub use queue::{FleetState, RemoteQueue};
pub use remote_args::{RemoteArgs, fresh};
pub use speed::machine_speed;
pub use worker_command::{
    CredentialOptions, RevokeOptions, Role, SecureOptions, StatusOptions, WorkerChore,
    WorkerCommand,
};
pub use worker_options::{ServerArgs, WorkerOptions};
