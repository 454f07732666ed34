//! The lines that `agon --json` prints, as types with a JSON schema.
//!
//! A line is an [`Event`]: `{"type": KIND, "data": ...}`. The types of `data` are in a module for
//! each family of commands. `agon` fills them in and prints them.
//!
//! | module | commands |
//! | --- | --- |
//! | [`mod@matches`] | `agon play`, also the result of `agon replay ask --against` |
//! | [`replay`] | `agon replay info`, `verify` and `ask` |
//! | [`comparison`] | `agon compare` |
//! | [`tuning`] | `agon tune` |
//! | [`check`] | `agon check` |
//! | [`doctor`] | `agon doctor` |
//! | [`games`] | `agon games`, `agon bots` |
//! | [`kits`] | `agon new` |
//! | [`film`] | `agon play` and `agon replay export` with a film |
//!
//! The fields are written in the order in which they are declared. An `Option` is written as
//! `null`, unless its description says that the key is absent.
//!
//! `cargo xtask generate` writes the schema, `docs/schemas/events.schema.json`.
//!
//! ```
//! use agon_experiment::events::{Event, replay::ReplayVerdict};
//!
//! let verdict = ReplayVerdict { proven: true, text: "all steps agree".to_owned() };
//! let line = serde_json::to_string(&Event::from(verdict))?;
//! let text = r#"{"type":"verdict","data":{"proven":true,"text":"all steps agree"}}"#;
//! assert_eq!(line, text);
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod check;
pub mod comparison;
pub mod doctor;
mod event;
pub mod film;
pub mod games;
pub mod kits;
pub mod matches;
pub mod replay;
mod schema;
pub mod tuning;

pub use event::{BotData, Event, VerdictData};
pub use schema::schema;
