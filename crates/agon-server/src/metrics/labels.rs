//! What tells the figures of a family apart. No label may have values that visitors choose.

use agon_core::FaultKind;
use prometheus_client::encoding::EncodeLabelSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByResult {
    pub(super) result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByArena {
    /// The name in addresses.
    pub(super) arena: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByMatch {
    /// The name in addresses.
    pub(super) arena: String,
    pub(super) state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByKind {
    pub(super) kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByRoute {
    /// The pattern, such as `/arenas/{arena}`.
    pub(super) route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ByRequest {
    /// The pattern, such as `/arenas/{arena}`.
    pub(super) route: String,
    /// The class of the status.
    pub(super) status: &'static str,
}

/// Returns the class of a status.
pub(super) fn class(status: u16) -> &'static str {
    match status {
        0..200 => "1xx",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        _ => "5xx",
    }
}

/// Returns the name of a kind of fault, as in results.
pub(super) fn fault(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Start => "start",
        FaultKind::Timeout => "timeout",
        FaultKind::Crash => "crash",
        FaultKind::Closed => "closed",
        FaultKind::Garbage => "garbage",
        FaultKind::Illegal => "illegal",
        FaultKind::Flood => "flood",
        FaultKind::Early => "early",
        FaultKind::Memory => "memory",
        FaultKind::Exception => "exception",
    }
}
