//! The programs that Agon uses beside `agon` itself, its own and `ffmpeg`: where they are, or what
//! is lost without them.

use std::path::PathBuf;

use agon_bots::native;
use agon_files::parts::Part;

/// A program, and what needs it.
pub(super) struct PartFinding {
    pub(super) program: &'static str,
    /// What needs it: "WebAssembly bots".
    pub(super) who: &'static str,
    pub(super) state: PartState,
}

/// Where a part is.
pub(super) enum PartState {
    /// `agon` itself does its work.
    Within,
    Found(PathBuf),
    /// It is built from the checkout when it is first needed.
    OnDemand,
    /// How to get it.
    Missing(String),
}

/// Looks for all parts.
pub(super) fn find() -> Vec<PartFinding> {
    let parts = [
        native::HOST,
        agon_bots::WASM_HOST,
        agon_view::window::dialogue::PART,
        agon_web::page::dialogue::HOST,
        agon_console::serve_options::SERVER,
        agon_console::client_options::CLIENT,
        agon_remote::PART,
    ];
    let finding =
        |part: Part| PartFinding { program: part.program, who: part.who, state: state(&part) };
    let found = agon_show::encoding::find_ffmpeg().map(PartState::Found);
    let state = found.unwrap_or_else(|| PartState::Missing("apt install ffmpeg".to_owned()));
    let ffmpeg = PartFinding { program: "ffmpeg", who: "MP4 and WebM films", state };
    parts.iter().copied().map(finding).chain([ffmpeg]).collect()
}

fn state(part: &Part) -> PartState {
    let is_native = *part == native::HOST;
    if is_native && native::find_host().is_some_and(|host| !host.args.is_empty()) {
        return PartState::Within;
    }
    match part.find() {
        Some(path) if path.is_file() => PartState::Found(path),
        None if !is_native && part.is_built_on_demand() => PartState::OnDemand,
        _ => PartState::Missing(part.remedy()),
    }
}
