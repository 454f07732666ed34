//! rezzo: capture the flag on a cellular automaton derived from Wireworld; one agent per player.
//!
//! The rules of the automaton are in `generation.rs`, the actions in `agent.rs`, a tick in
//! `state.rs`. `wireworld` is the automaton without players.

mod actions;
mod agent;
mod answer;
pub mod batch;
mod bots;
mod busy_words;
mod cell;
mod changes;
mod colors;
mod game;
mod generation;
mod generations;
mod hash;
mod hashed_bytes;
mod human;
pub mod jsonl;
mod map;
mod position;
mod presets;
pub mod protocol;
mod random_map;
mod rules;
mod scene;
mod start;
mod state;
mod view;
pub mod wireworld;
mod world;

pub use agent::{Agent, Facing};
pub use answer::{Ack, Action, Answer};
pub use cell::{Cell, Kind, MAX_PLAYERS};
pub use position::{AgentPosition, Damage, Position};
pub use rules::{BaseOf, FlagDissolves, Rules};
pub use state::Rezzo;
pub use view::{SIDEWAYS, VIEWPORT, View};
pub use world::{Losers, World};
