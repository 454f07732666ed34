//! rezzo: capture the flag on a cellular automaton derived from Wireworld; one agent per player.
//!
//! The rules of the automaton are in `generation.rs`, the actions in `agent.rs`, a tick in
//! `state.rs`. `wireworld` is the automaton without players.

mod actions;
mod agent;
mod answer;
pub mod batch;
mod bots;
mod generation;
mod hash;
mod human;
pub mod jsonl;
mod position;
pub mod protocol;
mod rules;
mod scene;
mod start;
mod state;
pub mod wireworld;
mod world;

pub use agent::{Agent, Cell, Facing, Kind, MAX_PLAYERS};
pub use answer::{Ack, Action, Answer};
pub use position::{AgentPosition, Damage, Position, SIDEWAYS, VIEWPORT, View};
pub use rules::{BaseOf, FlagDissolves, Rules};
pub use state::Rezzo;
pub use world::{Losers, World};
