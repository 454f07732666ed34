//! The targets: what each does with an input.
//!
//! Each panics if something is wrong.

pub mod answer;
pub mod archive;
pub mod batch_answers;
pub mod bot_folder;
pub mod bot_spec;
pub mod bundle;
pub mod game_text;
pub mod journal;
pub mod jsonl_reply;
pub mod ladder_log;
pub mod match_outcome;
pub mod match_spec;
pub mod position;
pub mod queue_message;
pub mod replay;
pub mod result_files;
pub mod scenario;
pub mod settings;
pub mod text;
pub mod vnc_client;

/// A target: what it does with an input.
pub type Target = fn(&[u8]);

/// All targets with their names.
pub const ALL: &[(&str, Target)] = &[
    ("answer", answer::run),
    ("archive", archive::run),
    ("batch_answers", batch_answers::run),
    ("bot_folder", bot_folder::run),
    ("bot_spec", bot_spec::run),
    ("bundle", bundle::run),
    ("game_text", game_text::run),
    ("journal", journal::run),
    ("jsonl_reply", jsonl_reply::run),
    ("ladder_log", ladder_log::run),
    ("match_outcome", match_outcome::run),
    ("match_spec", match_spec::run),
    ("position", position::run),
    ("queue_message", queue_message::run),
    ("replay", replay::run),
    ("result_files", result_files::run),
    ("scenario", scenario::run),
    ("settings", settings::run),
    ("text", text::run),
    ("vnc_client", vnc_client::run),
];
